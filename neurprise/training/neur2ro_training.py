"""Training of a surrogate: Adam on the squared error of the recourse cost; seeded, deterministic, resumable."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from neurprise.errors import InputError, MissingDependencyError, counted
from neurprise.storage.lock import holding
from neurprise.storage.whole_files import replace_file
from neurprise.surrogates import checkpoints
from neurprise.surrogates.knowledge import knowledge_of
from neurprise.surrogates.network import NetworkConfig
from neurprise.training.dataset import split_of
from neurprise.training.neur2ro_options import SurrogateOptions
from neurprise.training.neur2ro_samples import Sample, SampleConfig, SampleSet, read_samples

try:
    import torch

    from neurprise.training.neur2ro_model import TrainableNetwork
    from neurprise.training.state import Progress, load_state, save_state
except ImportError as error:
    raise MissingDependencyError(
        f"Training needs PyTorch ({error}); install it with: pip install 'neurprise[learn]'."
    ) from None


@dataclass(frozen=True)
class SurrogateSummary:
    """
    What a finished run achieved.

    Parameters
    ----------
    epochs, best_epoch
        Epochs trained, and the one whose weights were kept, counted from 1.
    train_loss, validation_loss
        Of the kept epoch: mean squared error as a share of the variance of the training costs.
    triples
        (instance, decision, scenario) triples learned from.
    seconds
        Wall-clock seconds of all epochs, validation included; reading samples not.
    output
        The checkpoint directory.
    """

    epochs: int
    best_epoch: int
    train_loss: float
    validation_loss: float
    triples: int
    seconds: float
    output: str


def train(
    directory: str | Path, output: str | Path, options: SurrogateOptions | None = None, command: str = ""
) -> SurrogateSummary:
    """
    Train a surrogate on the samples of a directory; running again with the same output continues an interrupted run.

    Parameters
    ----------
    directory
        Written by `sample`.
    output
        Becomes the checkpoint; the state of the run is kept in its folder "training".
    command
        The command line, for the card.
    """
    options = options or SurrogateOptions()
    samples = read_samples(directory)
    with holding(Path(output) / "training"):
        run = _Run(samples, options, Path(output))
        run.train()
        summary = run.summary()
        _write_card(Path(output), samples, options, summary, command)
    return summary


@dataclass(frozen=True)
class _Batch:
    """
    Instances as tensors; instances with fewer than N decisions are filled up with decisions that do not count.

    Parameters
    ----------
    items, shares, elements
        See `TrainableNetwork.forward`.
    targets
        True recourse costs in units of each instance's scale, shape (B, N, S).
    counts
        1 for decisions that count, else 0; shape (B, N, 1).
    """

    items: torch.Tensor
    shares: torch.Tensor
    elements: torch.Tensor
    targets: torch.Tensor
    counts: torch.Tensor

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def num_triples(self) -> int:
        return int(self.counts.sum()) * self.targets.shape[2]

    def at(self, places: np.ndarray) -> _Batch:
        chosen = torch.from_numpy(places)
        return _Batch(*(tensor[chosen] for tensor in vars(self).values()))

    def standardised(self, mean: float, spread: float) -> _Batch:
        """The same with targets of mean 0 and variance 1, if these are theirs."""
        return replace(self, targets=(self.targets - mean) / spread)

    def drawn(self, count: int, rng: np.random.Generator) -> _Batch:
        """The same with at most `count` of the scenarios, drawn at random."""
        total = self.targets.shape[2]
        chosen = torch.from_numpy(rng.permutation(total)[:count])
        return replace(self, elements=self.elements[:, chosen], targets=self.targets[:, :, chosen])

    def typical(self) -> tuple[float, float]:
        """Mean and standard deviation of the targets that count."""
        counting = self.targets[self.counts[..., 0] > 0]
        return float(counting.mean()), max(float(counting.std()), 1e-12)


class _Run:
    """One training run: data, network, optimizer and where they stand."""

    def __init__(self, samples: SampleSet, options: SurrogateOptions, output: Path) -> None:
        torch.set_num_threads(options.threads)
        self._options, self._output = options, output
        self._train = _tensors(samples, "train", options.limit)
        self._validation = _tensors(samples, "validation")
        torch.manual_seed(options.seed)
        mean, spread = self._train.typical()
        self._train, self._validation = (part.standardised(mean, spread) for part in (self._train, self._validation))
        config = NetworkConfig(
            samples.config.family,
            self._train.items.shape[-1],
            self._train.elements.shape[-1],
            decision_hidden=options.decision_hidden,
        )
        self._network = TrainableNetwork(config, mean, spread)
        self._optimizer = torch.optim.Adam(self._network.parameters(), lr=options.learning_rate)
        identity = {"samples": asdict(samples.config), "instances": len(samples), "options": _path(options)}
        self._identity = json.loads(json.dumps(identity))
        self._progress = load_state(output / "training", self._network, self._optimizer, self._identity)

    def train(self) -> None:
        """Train until the last epoch or until the validation loss no longer falls."""
        progress, options = self._progress, self._options
        while progress.epochs < options.max_epochs and progress.epochs - progress.best_epoch < options.patience:
            self._epoch(progress.epochs + 1)

    def summary(self) -> SurrogateSummary:
        progress = self._progress
        best = progress.history[progress.best_epoch - 1]
        return SurrogateSummary(
            progress.epochs,
            progress.best_epoch,
            float(best["train_loss"] or 0.0),
            float(best["validation_loss"] or 0.0),
            self._train.num_triples,
            sum(float(epoch["seconds"] or 0.0) for epoch in progress.history),
            str(self._output),
        )

    def _epoch(self, number: int) -> None:
        start = time.perf_counter()
        train_loss = self._train_once(number)
        validation_loss = self._validation_loss()
        record: dict[str, float | None] = {
            "train_loss": train_loss,
            "validation_loss": validation_loss,
            "seconds": time.perf_counter() - start,
        }
        if self._progress.record(record, validation_loss):
            checkpoints.save(self._network.config, self._network.weights(), self._output)
        save_state(self._output / "training", self._network, self._optimizer, self._progress, self._identity)
        _show(number, record, self._progress)

    def _train_once(self, number: int) -> float:
        """One pass over the training instances in an order fixed by (seed, epoch); the mean loss."""
        rng = np.random.default_rng((self._options.seed, number))
        order = rng.permutation(len(self._train))
        for group in self._optimizer.param_groups:
            group["lr"] = self._options.rate(number)
        total, size = 0.0, self._options.batch_size
        for first in range(0, len(order), size):
            batch = self._train.at(order[first : first + size]).drawn(self._options.scenarios, rng)
            self._optimizer.zero_grad()
            loss = self._loss(batch)
            loss.backward()  # type: ignore[no-untyped-call]
            self._optimizer.step()
            total += float(loss.detach()) * len(batch)
        return total / len(order)

    def _validation_loss(self) -> float:
        with torch.no_grad():
            return float(self._loss(self._validation))

    def _loss(self, batch: _Batch) -> torch.Tensor:
        errors = self._network(batch.items, batch.shares, batch.elements) - batch.targets
        mean: torch.Tensor = (errors.square() * batch.counts).sum() / (batch.counts.sum() * errors.shape[2])
        return mean


def _path(options: SurrogateOptions) -> dict[str, object]:
    """The options that fix which weights follow which; the others say how far to go, and may change on a resume."""
    length = {"patience"} if options.schedule == "cosine" else {"patience", "max_epochs"}
    return {name: value for name, value in asdict(options).items() if name not in length}


def _tensors(samples: SampleSet, split: str, limit: int | None = None) -> _Batch:
    """The sampled instances of one split, at most `limit` of them."""
    chosen = [one for one in samples.samples if split_of(one.index) == split and len(one.decisions)][:limit]
    if not chosen:
        raise InputError(f"the samples have no {split} instance among {len(samples)}; sample at least 10 instances.")
    rows = [_row(samples.config, one) for one in chosen]
    return _Batch(*(torch.from_numpy(np.stack(column).astype(np.float32)) for column in zip(*rows, strict=True)))


def _row(config: SampleConfig, one: Sample) -> tuple[np.ndarray, ...]:
    """One instance as the arrays of a batch, without their first axis."""
    problem = config.problem(one.index)
    instance = knowledge_of(problem).describe(problem)
    filled = np.resize(np.arange(len(one.decisions)), config.decisions)
    counts = np.arange(config.decisions) < len(one.decisions)
    shares = instance.shares_of(one.decisions[filled])
    return instance.item_inputs, shares, instance.scenario_items, one.costs[filled] / instance.scale, counts[:, None]


def _show(number: int, record: dict[str, float | None], progress: Progress) -> None:
    from rich.console import Console

    Console(stderr=True, highlight=False).print(
        f"epoch {number:3d}  train {record['train_loss']:.5f}  validation {record['validation_loss']:.5f}"
        f"  best {progress.best_epoch}  {record['seconds']:.1f} s"
    )


def _write_card(
    folder: Path, samples: SampleSet, options: SurrogateOptions, summary: SurrogateSummary, command: str
) -> None:
    config = samples.config
    lines = [
        f"# Neur2RO: {config.family}, size {'x'.join(map(str, config.size))}, {counted(config.scenarios, 'scenario')}",
        "",
        f"- Samples: {counted(len(samples), 'instance')}, seed {config.seed}, {config.distribution}, up to "
        f"{counted(config.decisions, 'decision')} each; {counted(summary.triples, 'training triple')};",
        "  instance number modulo 10: 8 validation, 9 test, the rest training.",
        f"- Options: {json.dumps(asdict(options))}",
        f"- Trained {counted(summary.epochs, 'epoch')} in {summary.seconds:.0f} s; kept epoch {summary.best_epoch}: "
        f"validation loss {summary.validation_loss:.5f} (mean squared error as a share of the variance).",
    ]
    if command:
        lines.append(f"- Command: `{command}`")
    replace_file(folder / "card.md", ("\n".join(lines) + "\n").encode())
