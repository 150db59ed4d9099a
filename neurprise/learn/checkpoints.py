"""
Checkpoints: a directory with config.json (what the model is), weights.safetensors and card.md (where it comes from).

Everything read is checked: a file that is corrupt, foreign or does not fit its configuration is refused.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save_file

from neurprise.errors import CheckpointError
from neurprise.learn.config import ModelConfig
from neurprise.learn.graphs import Singles
from neurprise.learn.scoring import Scorer

FORMAT = "neurprise-checkpoint-1"
SHIPPED = Path(__file__).resolve().parent.parent / "checkpoints"
_CONFIG, _WEIGHTS = "config.json", "weights.safetensors"
#: Far above any shipped model (below 1 MB); a larger file is not ours.
_LARGEST_BYTES = 256 * 2**20
#: Trained weights are of size 1; from here on a few layers would leave the range of 32-bit numbers.
_LARGEST_WEIGHT = 1e4


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
    for part, array in weights.items():
        if array.dtype != np.float32 or not np.abs(array).max(initial=0.0) < _LARGEST_WEIGHT:  # also true for nan
            raise CheckpointError(
                f"Checkpoint {folder.name!r}: the weights {part!r} must be 32-bit numbers below {_LARGEST_WEIGHT:g} in "
                "absolute value, and are not; train it anew."
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
        return ModelConfig(**_config_entries(_read_bytes(folder / _CONFIG)))
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"Checkpoint {folder.name!r} has no valid {_CONFIG} ({error}); train it anew.") from None


def _config_entries(raw: bytes) -> dict[str, Any]:
    """What config.json says of a network, by the names of `ModelConfig`; raises ValueError."""
    data = json.loads(raw)
    if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    known = {field.name: field.default is MISSING for field in fields(ModelConfig)}
    odd = sorted(set(data) - set(known)) or sorted(name for name in known if known[name] and name not in data)
    if odd:
        raise ValueError(f"{odd[0]!r} is {'unknown' if odd[0] in data else 'missing'}")
    return data


def _read_weights(path: Path) -> dict[str, Singles]:
    try:
        weights: dict[str, Singles] = load_arrays(_read_bytes(path))
        return weights
    except (OSError, SafetensorError, TypeError, ValueError, KeyError) as error:
        raise CheckpointError(
            f"Checkpoint {path.parent.name!r} has no valid {_WEIGHTS} ({error}); train it anew."
        ) from None


def _read_bytes(path: Path) -> bytes:
    """The whole file; raises ValueError where it is larger than any of ours."""
    size = path.stat().st_size
    if size > _LARGEST_BYTES:
        raise ValueError(f"it has {size} bytes, more than any checkpoint")
    return path.read_bytes()
