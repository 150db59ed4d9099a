"""
Checkpoints: a directory with config.json (what the model is), weights.safetensors and card.md (where it comes from).

Everything read is checked: a file that is corrupt, foreign or does not fit its configuration is refused.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from neurprise.errors import CheckpointError, InputError
from neurprise.learn.config import ModelConfig
from neurprise.learn.graphs import Singles
from neurprise.learn.scoring import Scorer

FORMAT = "neurprise-checkpoint-1"
SHIPPED = Path(__file__).resolve().parent.parent / "checkpoints"
_CONFIG, _WEIGHTS = "config.json", "weights.safetensors"
#: Far above any shipped model (below 1 MB); a larger file is not ours.
_LARGEST_BYTES = 256 * 2**20


def shipped_names() -> list[str]:
    """Names of the checkpoints in the package."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{_CONFIG}"))


def save(config: ModelConfig, weights: dict[str, Singles], folder: Path) -> None:
    """Write configuration and weights; the weights appear last and at once."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _CONFIG).write_text(json.dumps({"format": FORMAT, **asdict(config)}, indent=1) + "\n")
    temporary = folder / f"{_WEIGHTS}.new"
    save_file(weights, temporary)
    temporary.chmod(0o644)  # safetensors writes files that only their owner may read
    temporary.replace(folder / _WEIGHTS)


def load(name: str | Path) -> Scorer:
    """The network of a shipped checkpoint's name or of a checkpoint directory, ready to score."""
    folder = _folder(name)
    config, weights = _read_config(folder), _read_weights(folder / _WEIGHTS)
    if not all(array.dtype == np.float32 and np.isfinite(array).all() for array in weights.values()):
        raise CheckpointError(
            f"Checkpoint {folder.name!r} holds weights that are not finite 32-bit numbers; train it anew."
        )
    try:
        return Scorer(config, weights)
    except CheckpointError as error:
        raise CheckpointError(f"Checkpoint {folder.name!r}: {error}; train it anew.") from None


def _folder(name: str | Path) -> Path:
    if isinstance(name, str) and name in shipped_names():
        return SHIPPED / name
    folder = Path(name)
    if not folder.is_dir():
        raise CheckpointError(
            f"no checkpoint {str(name)!r}: shipped are {', '.join(shipped_names()) or 'none'}; "
            "pass one of them or the directory that `neurprise train` wrote."
        )
    return folder


def _read_config(folder: Path) -> ModelConfig:
    try:
        data: dict[str, Any] = json.loads((folder / _CONFIG).read_text())
        if data.pop("format", None) != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        return ModelConfig(**data)
    except (OSError, TypeError, AttributeError, ValueError, InputError) as error:
        raise CheckpointError(f"Checkpoint {folder.name!r} has no valid {_CONFIG} ({error}); train it anew.") from None


def _read_weights(path: Path) -> dict[str, Singles]:
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise CheckpointError(
                f"{path.name} has {path.stat().st_size} bytes, more than any checkpoint; it is foreign."
            )
        weights: dict[str, Singles] = load_file(path)
        return weights
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"Checkpoint {path.parent.name!r} has no valid {_WEIGHTS} ({error}).") from None
