"""
The training loop of every network: epochs, learning rate, early stopping, stored state, progress and card.

A `TrainingTask` brings the model, the batches and the loss. Runs are seeded, deterministic on one machine, and
resumable: after every epoch the optimizer's moments, the weights and the history are on disk, without pickle.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from neurprise.arrays import Ints
from neurprise.errors import CheckpointError, InputError, MissingDependencyError, counted
from neurprise.storage.lock import holding
from neurprise.storage.whole_files import replace_file
from neurprise.training.options import LoopOptions

try:
    import torch
    from safetensors import SafetensorError, safe_open
    from safetensors.torch import load_file, save
except ImportError as error:
    raise MissingDependencyError(
        f"Training needs PyTorch ({error}); install it with: pip install 'neurprise[learn]'."
    ) from None

_TENSORS, _PROGRESS = "state.safetensors", "progress.json"

#: Losses and times of one epoch.
EpochRecord = dict[str, float | None]


class TrainingTask(ABC):
    """
    What one run trains, and on which data.

    Attributes
    ----------
    model, optimizer
        They are stored and restored by the loop.
    num_instances
        Number of training instances.
    identity
        Describes the data. A run is resumed only with equal data and options.
    card
        Title of the checkpoint, then one line for each data set.
    loss_unit
        Explains the validation loss on the card.
    """

    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    num_instances: int
    identity: dict[str, Any]
    card: Sequence[str]
    loss_unit: ClassVar[str] = ""

    @abstractmethod
    def losses(self, batch: Ints, rng: np.random.Generator) -> Iterator[torch.Tensor]:
        """Parts of the mean loss over these training instances; their sum is the loss of one optimizer step."""

    @abstractmethod
    def validation_loss(self) -> float:
        """Mean loss over the validation instances."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write configuration and weights of the checkpoint."""

    def validation_regret(self) -> float | None:
        """Regret of the model's choice in percent, for networks that choose scenarios."""
        return None


@dataclass(frozen=True)
class TrainingSummary:
    """
    Result of a finished run.

    Parameters
    ----------
    epochs, best_epoch
        Epochs trained, and the epoch whose weights were kept, counted from 1.
    train_loss, validation_loss, validation_regret
        Of the kept epoch; regret in percent, None if it was not measured.
    seconds
        Wall-clock seconds of all epochs with their validation; reading the data is not included.
    output
        The checkpoint directory.
    """

    epochs: int
    best_epoch: int
    train_loss: float
    validation_loss: float
    validation_regret: float | None
    seconds: float
    output: str


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

    history: list[EpochRecord] = field(default_factory=list)
    best_epoch: int = 0
    best_loss: float = float("inf")

    @property
    def epochs(self) -> int:
        return len(self.history)

    def add(self, record: EpochRecord, validation_loss: float) -> bool:
        """Add a finished epoch; True if it is the best so far."""
        self.history.append(record)
        if not validation_loss < self.best_loss:
            return False
        self.best_epoch, self.best_loss = self.epochs, validation_loss
        return True


def run(
    make_task: Callable[[], TrainingTask], options: LoopOptions, output: str | Path, command: str = ""
) -> TrainingSummary:
    """
    Train until the last epoch or until the validation loss no longer falls, and write the checkpoint.

    Parameters
    ----------
    make_task
        Reads the data and makes the model, after the random seed is set.
    output
        The checkpoint directory. Its folder "training" keeps the state of the run, so the same call resumes it.
    command
        The command line, for the card.
    """
    _keep_freed_memory()
    torch.set_num_threads(options.threads)
    with holding(Path(output) / "training"):
        torch.manual_seed(options.seed)
        loop = _Loop(make_task(), options, Path(output))
        loop.train()
        summary = loop.summary()
        _write_card(loop.task, options, summary, command)
    return summary


class _Loop:
    """One run and its progress."""

    def __init__(self, task: TrainingTask, options: LoopOptions, output: Path) -> None:
        self.task, self._options, self._output = task, options, output
        self._identity = json.loads(json.dumps({**task.identity, "options": options.identity()}))
        self._progress = _load_state(output / "training", task, self._identity)

    def train(self) -> None:
        progress, options = self._progress, self._options
        while progress.epochs < options.max_epochs and progress.epochs - progress.best_epoch < options.patience:
            self._epoch(progress.epochs + 1)

    def summary(self) -> TrainingSummary:
        progress = self._progress
        best = progress.history[progress.best_epoch - 1]
        return TrainingSummary(
            progress.epochs,
            progress.best_epoch,
            float(best["train_loss"] or 0.0),
            float(best["validation_loss"] or 0.0),
            best.get("validation_regret"),
            sum(float(epoch["seconds"] or 0.0) for epoch in progress.history),
            str(self._output),
        )

    def _epoch(self, number: int) -> None:
        start, task = time.perf_counter(), self.task
        train_loss = self._train_once(number)
        task.model.eval()
        with torch.no_grad():
            validation_loss = task.validation_loss()
        record: EpochRecord = {
            "train_loss": train_loss,
            "validation_loss": validation_loss,
            "validation_regret": task.validation_regret(),
            "seconds": time.perf_counter() - start,
        }
        if self._progress.add(record, validation_loss):
            task.save(self._output)
        _save_state(self._output / "training", task, self._progress, self._identity)
        _show(number, record, self._progress)

    def _train_once(self, number: int) -> float:
        """One pass over the training instances in an order fixed by (seed, epoch); the mean loss."""
        task, options = self.task, self._options
        rng = np.random.default_rng((options.seed, number))
        order = rng.permutation(task.num_instances)
        torch.manual_seed(options.seed * 100_003 + number)  # dropout: the same after a resume
        task.model.train()
        for group in task.optimizer.param_groups:
            group["lr"] = options.rate(number)
        total = 0.0
        for first in range(0, len(order), options.batch_size):
            batch = order[first : first + options.batch_size]
            task.optimizer.zero_grad()
            for loss in task.losses(batch, rng):
                loss.backward()  # type: ignore[no-untyped-call]
                total += float(loss.detach()) * len(batch)
            task.optimizer.step()
        return total / len(order)


def finished_epochs(folder: Path) -> int:
    """Number of finished epochs of the run stored in a folder; 0 if none is stored."""
    return len(_read_metadata(folder)["history"]) if (folder / _TENSORS).exists() else 0


def _save_state(folder: Path, task: TrainingTask, progress: Progress, identity: dict[str, Any]) -> None:
    """Replace the stored state; a kill leaves the old one or the new one."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {f"model.{key}": tensor for key, tensor in task.model.state_dict().items()}
    for key, moments in task.optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{key}.{name}": torch.as_tensor(value) for name, value in moments.items()}
    stored = {"run": identity, **vars(progress)}
    contiguous = {key: tensor.detach().cpu().contiguous() for key, tensor in tensors.items()}
    replace_file(folder / _TENSORS, save(contiguous, {"progress": json.dumps(stored)}))
    replace_file(folder / _PROGRESS, (json.dumps(stored, indent=1) + "\n").encode())


def _load_state(folder: Path, task: TrainingTask, identity: dict[str, Any]) -> Progress:
    """Continue the stored run if it has the same identity; start a new one if none is stored."""
    if not (folder / _TENSORS).exists():
        return Progress()
    stored = _read_metadata(folder)
    if stored.pop("run") != identity:
        raise InputError(f"{folder} belongs to a run with other options or labels; choose another output directory.")
    tensors = load_file(folder / _TENSORS)
    task.model.load_state_dict({key[6:]: tensor for key, tensor in tensors.items() if key.startswith("model.")})
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        if key.startswith("optimizer."):
            _, parameter, name = key.split(".")
            moments.setdefault(int(parameter), {})[name] = tensor
    task.optimizer.load_state_dict({**task.optimizer.state_dict(), "state": moments})
    return Progress(**stored)


def _read_metadata(folder: Path) -> dict[str, Any]:
    try:
        with safe_open(folder / _TENSORS, "pt") as file:
            data: dict[str, Any] = json.loads((file.metadata() or {})["progress"])
            return data
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise CheckpointError(
            f"{folder} holds no state of a training run ({error}); remove it to start again."
        ) from None


def _show(number: int, record: EpochRecord, progress: Progress) -> None:
    from rich.console import Console

    regret = record.get("validation_regret")
    Console(stderr=True, highlight=False).print(
        f"epoch {number:3d}  train {record['train_loss']:.5f}  validation {record['validation_loss']:.5f}"
        + ("" if regret is None else f"  regret@4 {regret:.2f} %")
        + f"  best {progress.best_epoch}  {record['seconds']:.1f} s"
    )


def _write_card(task: TrainingTask, options: LoopOptions, summary: TrainingSummary, command: str) -> None:
    title, *data = task.card
    lines = [
        f"# {title}",
        "",
        *(f"- {line}" for line in data),
        "  instance number modulo 10: 8 validation, 9 test, the rest training.",
        f"- Options: {json.dumps(asdict(options))}",
        f"- Trained {counted(summary.epochs, 'epoch')} in {summary.seconds:.0f} s; kept epoch {summary.best_epoch}: "
        f"validation loss {summary.validation_loss:.5f}{task.loss_unit}.",
    ]
    if command:
        lines.append(f"- Command: `{command}`")
    replace_file(Path(summary.output) / "card.md", ("\n".join(lines) + "\n").encode())


def _keep_freed_memory() -> None:
    """
    Let glibc reuse freed memory up to 1 GB instead of returning it; does nothing on other systems.

    Every step asks for the same large tensors, and page faults would halve its speed.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        trim_threshold, top_pad, mmap_threshold = -1, -2, -3  # constants of glibc
        mallopt(mmap_threshold, 1 << 30)
        mallopt(trim_threshold, 1 << 30)
        mallopt(top_pad, 1 << 26)
