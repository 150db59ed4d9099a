"""Checkpoints of surrogates: directories with config.json, weights.safetensors and card.md, checked when read."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from neurprise.errors import CheckpointError
from neurprise.networks.checkpoints import SHIPPED, read_config, read_weights, write
from neurprise.networks.scenario_graph import Floats32
from neurprise.surrogates.network import NetworkConfig, ValueNetwork

FORMAT = "neurprise-surrogate-1"
_FOLDER = SHIPPED / "neur2ro"


@cache
def shipped_names() -> tuple[str, ...]:
    """Names of the surrogates in the package: the families they were trained on."""
    return tuple(sorted(path.parent.name for path in _FOLDER.glob("*/config.json")))


def save(network: NetworkConfig, weights: dict[str, Floats32], folder: Path) -> None:
    """Write configuration and weights; the weights appear last and at once."""
    write(folder, FORMAT, network, weights)


def load(name: str | Path) -> ValueNetwork:
    """The network of a shipped checkpoint's name or of a checkpoint directory."""
    folder = _folder(name)
    config, weights = read_config(folder, FORMAT, NetworkConfig), read_weights(folder)
    try:
        return ValueNetwork(config, weights)
    except CheckpointError as error:
        raise CheckpointError(f"Checkpoint {folder.name!r}: {error}; train it anew.") from None


def _folder(name: str | Path) -> Path:
    if isinstance(name, str) and name in shipped_names():
        return _FOLDER / name
    if not Path(name).is_dir():
        raise CheckpointError(
            f"no surrogate {str(name)!r}: shipped are {', '.join(shipped_names()) or 'none'}; pass one of them or the "
            "directory that `neurprise train` wrote."
        )
    return Path(name)
