"""Where a training run stands, on disk after every epoch without pickle: optimizer moments, weights and history."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from neurprise.errors import CheckpointError, InputError
from neurprise.storage.whole_files import replace_file

_TENSORS, _PROGRESS = "state.safetensors", "progress.json"


@dataclass
class Progress:
    """
    Parameters
    ----------
    history
        One record per finished epoch.
    best_epoch, best_loss
        Epoch of the smallest validation loss, counted from 1, and that loss.
    """

    history: list[dict[str, float | None]] = field(default_factory=list)
    best_epoch: int = 0
    best_loss: float = float("inf")

    @property
    def epochs(self) -> int:
        return len(self.history)

    def record(self, epoch: dict[str, float | None], validation_loss: float) -> bool:
        """Note one epoch; True when it is the best so far."""
        self.history.append(epoch)
        if not validation_loss < self.best_loss:
            return False
        self.best_epoch, self.best_loss = self.epochs, validation_loss
        return True


def save_state(
    folder: Path, model: torch.nn.Module, optimizer: torch.optim.Optimizer, progress: Progress, run: dict[str, Any]
) -> None:
    """Replace the stored state; a kill leaves the old one or the new one."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {f"model.{key}": tensor for key, tensor in model.state_dict().items()}
    for key, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{key}.{name}": torch.as_tensor(value) for name, value in moments.items()}
    metadata = {"progress": json.dumps({"run": run, **vars(progress)})}
    content = save({key: tensor.detach().cpu().contiguous() for key, tensor in tensors.items()}, metadata)
    replace_file(folder / _TENSORS, content)
    replace_file(folder / _PROGRESS, (json.dumps({"run": run, **vars(progress)}, indent=1) + "\n").encode())


def load_state(folder: Path, model: torch.nn.Module, optimizer: torch.optim.Optimizer, run: dict[str, Any]) -> Progress:
    """Continue a stored run of the same options, or start a new one where nothing is stored."""
    if not (folder / _TENSORS).exists():
        return Progress()
    stored = _read_metadata(folder)
    if stored.pop("run") != run:
        raise InputError(f"{folder} belongs to a run with other options or labels; choose another output directory.")
    tensors = load_file(folder / _TENSORS)
    model.load_state_dict({key[6:]: tensor for key, tensor in tensors.items() if key.startswith("model.")})
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        if key.startswith("optimizer."):
            _, parameter, name = key.split(".")
            moments.setdefault(int(parameter), {})[name] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    return Progress(**stored)


def finished_epochs(folder: Path) -> int:
    """Epochs that the stored run has finished; 0 where nothing is stored."""
    return len(_read_metadata(folder)["history"]) if (folder / _TENSORS).exists() else 0


def _read_metadata(folder: Path) -> dict[str, Any]:
    from safetensors import safe_open

    try:
        with safe_open(folder / _TENSORS, "pt") as file:
            data: dict[str, Any] = json.loads((file.metadata() or {})["progress"])
            return data
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise CheckpointError(
            f"{folder} holds no state of a training run ({error}); remove it to start anew."
        ) from None
