"""
Checkpoints: a directory with config.json (the model's shape), weights.safetensors and card.md (where they come from).

Everything is checked when it is read. Files that are damaged, foreign or do not match the configuration are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from neurprise.errors import CheckpointError
from neurprise.networks.scenario_graph import Floats32
from neurprise.networks.scoring import ModelConfig, Scorer
from neurprise.storage.whole_files import replace_file

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Config = TypeVar("Config", bound="DataclassInstance")
Network = TypeVar("Network")

SHIPPED = Path(__file__).resolve().parent.parent / "checkpoints"
#: The shipped checkpoint that scores any problem.
UNIVERSAL = "universal"
_CONFIG, _WEIGHTS = "config.json", "weights.safetensors"
#: Far above any shipped model (below 1 MB); larger files are refused unread.
_LARGEST_BYTES = 256 * 2**20
#: Trained weights are of size 1. Above this, a few layers could leave the range of 32-bit numbers.
_LARGEST_WEIGHT = 1e4


@dataclass(frozen=True)
class CheckpointStore(Generic[Config, Network]):
    """
    Checkpoints of one kind of network.

    Parameters
    ----------
    kind
        The word for them in messages.
    format
        Entry of config.json that tells this kind from others.
    shipped
        The package's folder of this kind.
    config
        The dataclass that config.json holds.
    network
        Makes the network from configuration and weights; raises CheckpointError if they do not match.
    """

    kind: str
    format: str
    shipped: Path
    config: type[Config]
    network: Callable[[Config, dict[str, Floats32]], Network]

    def shipped_names(self) -> tuple[str, ...]:
        """Names of the shipped checkpoints."""
        return _names(self.shipped)

    def save(self, config: Config, weights: dict[str, Floats32], folder: Path) -> None:
        """Write configuration and weights. The weights are written last, and as a whole."""
        folder.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"format": self.format, **asdict(config)}, indent=1) + "\n"
        replace_file(folder / _CONFIG, content.encode())
        replace_file(folder / _WEIGHTS, save_arrays(weights))

    def load(self, name: str | Path) -> Network:
        """The network of a shipped checkpoint's name or of a checkpoint directory."""
        folder = self._folder(name)
        config, weights = self._read_config(folder), _read_weights(folder)
        try:
            return self.network(config, weights)
        except CheckpointError as error:
            raise CheckpointError(f"Checkpoint {folder.name!r}: {error}; train it anew.") from None

    def weights(self, name: str | Path) -> dict[str, Floats32]:
        """The weights of a shipped checkpoint's name or of a checkpoint directory."""
        return _read_weights(self._folder(name))

    def _folder(self, name: str | Path) -> Path:
        names = self.shipped_names()
        if isinstance(name, str) and name in names:
            return self.shipped / name
        if not Path(name).is_dir():
            raise CheckpointError(
                f"no {self.kind} {str(name)!r}: shipped are {', '.join(names) or 'none'}; pass one of them or the "
                "directory that `neurprise train` wrote."
            )
        return Path(name)

    def _read_config(self, folder: Path) -> Config:
        try:
            return self.config(**self._entries(_read_bytes(folder / _CONFIG)))
        except (OSError, ValueError, RecursionError) as error:
            raise CheckpointError(
                f"Checkpoint {folder.name!r} has no valid {_CONFIG} ({error}); train it anew."
            ) from None

    def _entries(self, raw: bytes) -> dict[str, Any]:
        """The fields of the configuration in config.json; raises ValueError."""
        data = json.loads(raw)
        if not isinstance(data, dict) or data.pop("format", None) != self.format:
            raise ValueError(f"its format is not {self.format}")
        known = {field.name: field.default is MISSING for field in fields(self.config)}
        odd = sorted(set(data) - set(known)) or sorted(name for name in known if known[name] and name not in data)
        if odd:
            raise ValueError(f"{odd[0]!r} is {'unknown' if odd[0] in data else 'missing'}")
        return data


#: Networks of NeurPRISE.
SCORERS = CheckpointStore("checkpoint", "neurprise-checkpoint-1", SHIPPED, ModelConfig, Scorer)


def shipped_for(family: str) -> str:
    """The shipped checkpoint for problems of this family: its own, or the universal one."""
    return family if family in SCORERS.shipped_names() else UNIVERSAL


@cache
def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.parent.name for path in folder.glob(f"*/{_CONFIG}")))


def _read_weights(folder: Path) -> dict[str, Floats32]:
    """The weights of a checkpoint directory: finite 32-bit numbers of moderate size."""
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


def _read_bytes(path: Path) -> bytes:
    """The whole file; raises ValueError if it is larger than any checkpoint."""
    size = path.stat().st_size
    if size > _LARGEST_BYTES:
        raise ValueError(f"it has {size} bytes, more than any checkpoint")
    return path.read_bytes()
