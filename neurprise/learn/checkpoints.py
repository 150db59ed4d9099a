"""
Checkpoints: a directory with config.json (what the model is), weights.safetensors and card.md (where it comes from).

Everything read is checked: a file that is corrupt, foreign or does not fit its configuration is refused.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from neurprise.errors import CheckpointError, InputError
from neurprise.learn.model import ModelConfig, ScenarioScorer

FORMAT = "neurprise-checkpoint-1"
SHIPPED = Path(__file__).resolve().parent.parent / "checkpoints"
_CONFIG, _WEIGHTS = "config.json", "weights.safetensors"
#: Far above any shipped model (below 1 MB); a larger file is not ours.
_LARGEST_BYTES = 256 * 2**20


def shipped_names() -> list[str]:
    """Names of the checkpoints in the package."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{_CONFIG}"))


def save(model: ScenarioScorer, folder: Path) -> None:
    """Write configuration and weights; the weights appear last and at once."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _CONFIG).write_text(json.dumps({"format": FORMAT, **asdict(model.config)}, indent=1) + "\n")
    temporary = folder / f"{_WEIGHTS}.new"
    save_file({name: tensor.contiguous() for name, tensor in model.state_dict().items()}, temporary)
    temporary.chmod(0o644)  # safetensors writes files that only their owner may read
    temporary.replace(folder / _WEIGHTS)


def load(name: str | Path) -> ScenarioScorer:
    """The model of a shipped checkpoint's name or of a checkpoint directory, ready to score."""
    folder = _folder(name)
    model = ScenarioScorer(_read_config(folder))
    weights = _read_weights(folder / _WEIGHTS)
    wanted = model.state_dict()
    for key in sorted(wanted.keys() | weights.keys()):
        got, want = _shape(weights, key), _shape(wanted, key)
        if got != want:
            raise CheckpointError(
                f"Checkpoint {folder.name!r}: {key} must have shape {want}, got {got}; train it anew."
            )
    if not all(bool(torch.isfinite(tensor).all()) for tensor in weights.values()):
        raise CheckpointError(f"Checkpoint {folder.name!r} holds weights that are not finite; train it anew.")
    model.load_state_dict(weights)
    return model.eval()


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


def _read_weights(path: Path) -> dict[str, torch.Tensor]:
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise CheckpointError(
                f"{path.name} has {path.stat().st_size} bytes, more than any checkpoint; it is foreign."
            )
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"Checkpoint {path.parent.name!r} has no valid {_WEIGHTS} ({error}).") from None


def _shape(tensors: dict[str, torch.Tensor], key: str) -> tuple[int, ...] | None:
    return tuple(tensors[key].shape) if key in tensors else None
