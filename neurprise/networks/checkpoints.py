"""
Checkpoints: a directory with config.json (what the model is), weights.safetensors and card.md (where it comes from).

Everything read is checked: a file that is corrupt, foreign or does not fit its configuration is refused.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from neurprise.errors import CheckpointError
from neurprise.networks.config import ModelConfig
from neurprise.networks.scenario_graph import Floats32
from neurprise.networks.scoring import Scorer
from neurprise.storage.whole_files import replace_file

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Config = TypeVar("Config")

FORMAT = "neurprise-checkpoint-1"
SHIPPED = Path(__file__).resolve().parent.parent / "checkpoints"
#: The shipped checkpoint that scores any problem.
UNIVERSAL = "universal"
_CONFIG, _WEIGHTS = "config.json", "weights.safetensors"
#: Far above any shipped model (below 1 MB); a larger file is not ours.
_LARGEST_BYTES = 256 * 2**20
#: Trained weights are of size 1; from here on a few layers would leave the range of 32-bit numbers.
_LARGEST_WEIGHT = 1e4


@cache
def shipped_names() -> tuple[str, ...]:
    """Names of the checkpoints in the package."""
    return tuple(sorted(path.parent.name for path in SHIPPED.glob(f"*/{_CONFIG}")))


def shipped_for(family: str) -> str:
    """The shipped checkpoint for problems of this family: its own, or the one for any problem."""
    return family if family in shipped_names() else UNIVERSAL


def save(config: ModelConfig, weights: dict[str, Floats32], folder: Path) -> None:
    """Write configuration and weights; the weights appear last and at once."""
    write(folder, FORMAT, config, weights)


def load(name: str | Path) -> Scorer:
    """The network of a shipped checkpoint's name or of a checkpoint directory, ready to score."""
    folder = _folder(name)
    config, weights = read_config(folder, FORMAT, ModelConfig), read_weights(folder)
    try:
        return Scorer(config, weights)
    except CheckpointError as error:
        raise CheckpointError(f"Checkpoint {folder.name!r}: {error}; train it anew.") from None


def weights_of(name: str | Path) -> dict[str, Floats32]:
    """The weights of a shipped checkpoint's name or of a checkpoint directory."""
    return read_weights(_folder(name))


def write(folder: Path, format: str, config: DataclassInstance, weights: dict[str, Floats32]) -> None:
    """Write a configuration of any format and weights; the weights appear last and at once."""
    folder.mkdir(parents=True, exist_ok=True)
    content = json.dumps({"format": format, **asdict(config)}, indent=1) + "\n"
    replace_file(folder / _CONFIG, content.encode())
    replace_file(folder / _WEIGHTS, save_arrays(weights))


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


def read_config(folder: Path, format: str, kind: type[Config]) -> Config:
    """The configuration of a checkpoint directory of this format."""
    try:
        return kind(**_config_entries(_read_bytes(folder / _CONFIG), format, kind))
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"Checkpoint {folder.name!r} has no valid {_CONFIG} ({error}); train it anew.") from None


def read_weights(folder: Path) -> dict[str, Floats32]:
    """The weights of a checkpoint directory: 32-bit numbers of a size that training leads to."""
    try:
        weights: dict[str, Floats32] = load_arrays(_read_bytes(folder / _WEIGHTS))
    except (OSError, SafetensorError, TypeError, ValueError, KeyError) as error:
        raise CheckpointError(f"Checkpoint {folder.name!r} has no valid {_WEIGHTS} ({error}); train it anew.") from None
    for part, array in weights.items():
        if array.dtype != np.float32 or not np.abs(array).max(initial=0.0) < _LARGEST_WEIGHT:  # also true for nan
            raise CheckpointError(
                f"Checkpoint {folder.name!r}: the weights {part!r} must be 32-bit numbers below {_LARGEST_WEIGHT:g} in "
                "absolute value, and are not; train it anew."
            )
    return weights


def _config_entries(raw: bytes, format: str, kind: Any) -> dict[str, Any]:
    """What config.json says of a network, by the names of its dataclass; raises ValueError."""
    data = json.loads(raw)
    if not isinstance(data, dict) or data.pop("format", None) != format:
        raise ValueError(f"its format is not {format}")
    known = {field.name: field.default is MISSING for field in fields(kind)}
    odd = sorted(set(data) - set(known)) or sorted(name for name in known if known[name] and name not in data)
    if odd:
        raise ValueError(f"{odd[0]!r} is {'unknown' if odd[0] in data else 'missing'}")
    return data


def _read_bytes(path: Path) -> bytes:
    """The whole file; raises ValueError where it is larger than any of ours."""
    size = path.stat().st_size
    if size > _LARGEST_BYTES:
        raise ValueError(f"it has {size} bytes, more than any checkpoint")
    return path.read_bytes()
