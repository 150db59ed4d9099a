"""Training: AdamW on the validation loss with early stopping; seeded, deterministic on one machine, resumable."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from neurprise.arrays import Ints, largest_first
from neurprise.errors import MissingDependencyError, counted
from neurprise.networks import checkpoints
from neurprise.networks.config import ANY_FAMILY, ModelConfig
from neurprise.networks.scenario_graph import Floats32
from neurprise.networks.view import view_of
from neurprise.storage.lock import holding
from neurprise.storage.whole_files import replace_file
from neurprise.training.allocator import keep_freed_memory
from neurprise.training.dataset import Examples, examples
from neurprise.training.labels import LabelConfig, LabelSet, read_labels
from neurprise.training.options import TrainingOptions
from neurprise.training.regret import regret

try:
    import torch

    from neurprise.training.losses import Loss, get_loss
    from neurprise.training.model import ScenarioScorer, begin
    from neurprise.training.state import Progress, load_state, save_state
except ImportError as error:
    raise MissingDependencyError(
        f"Training needs PyTorch ({error}); install it with: pip install 'neurprise[learn]'."
    ) from None

#: Budget at which validation regret is measured.
REGRET_BUDGET = 4


@dataclass(frozen=True)
class TrainingSummary:
    """
    What a finished run achieved.

    Parameters
    ----------
    epochs, best_epoch
        Epochs trained, and the one whose weights were kept, counted from 1.
    train_loss, validation_loss, validation_regret
        Of the kept epoch; regret in percent at k = 4 over a few validation instances, None when not measured.
    seconds
        Wall-clock seconds of all epochs, validation included; reading labels and drawing graphs not.
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


def train(
    directories: str | Path | Sequence[str | Path],
    output: str | Path,
    options: TrainingOptions | None = None,
    command: str = "",
) -> TrainingSummary:
    """
    Train a model on the labels of one directory or several; the same output again continues an interrupted run.

    A finished run goes on when it is given more patience or, at a constant learning rate, more epochs.

    Parameters
    ----------
    directories
        Written by `label`. Instances of several families or of none are told to the network by the encoding "lp".
    output
        Becomes the checkpoint; the state of the run is kept in its folder "training".
    command
        The command line, for the card.
    """
    options = options or TrainingOptions()
    folders = [directories] if isinstance(directories, str | Path) else list(directories)
    labels = [read_labels(folder) for folder in folders]
    with holding(Path(output) / "training"):
        run = _Run(labels, options, Path(output))
        for _ in run.epochs():
            pass
        summary = run.summary()
        _write_card(Path(output), labels, options, summary, command)
    return summary


class _Run:
    """One training run: data, model, optimizer and where they stand."""

    def __init__(self, labels: Sequence[LabelSet], options: TrainingOptions, output: Path) -> None:
        keep_freed_memory()
        torch.set_num_threads(options.threads)
        self._options, self._output = options, output
        start = None if options.start is None else checkpoints.load(options.start).config
        encoding = _encoding(labels, options) if start is None else start.encoding
        self._train = Examples.joined([examples(part, "train", encoding, options.limit) for part in labels])
        self._validation = Examples.joined([examples(part, "validation", encoding) for part in labels])
        torch.manual_seed(options.seed)
        self._device = _device(options.device)
        config = start or _config(labels, self._train.graphs[0].num_features, encoding, options)
        self._model = ScenarioScorer(config).to(self._device)
        if options.start is not None:
            begin(self._model, options.start)
        # A graph of one node takes no memory worth bounding.
        self._micro_batch = options.batch_size if encoding == "lp" else options.micro_batch
        self._loss_name = options.loss or ("traces" if encoding == "lp" else "swkl")
        self._loss = get_loss(self._loss_name, options.temperature)
        self._optimizer = torch.optim.AdamW(
            self._model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay
        )
        identity = {"labels": _described(labels), "instances": sum(map(len, labels)), "options": _path(options)}
        self._identity = json.loads(json.dumps(identity))
        self._progress = load_state(output / "training", self._model, self._optimizer, self._identity)

    def epochs(self) -> Iterator[None]:
        """Train until the last epoch or until the validation loss no longer falls."""
        progress, options = self._progress, self._options
        while progress.epochs < options.max_epochs and progress.epochs - progress.best_epoch < options.patience:
            self._epoch()
            yield

    def summary(self) -> TrainingSummary:
        progress = self._progress
        best = progress.history[progress.best_epoch - 1]
        return TrainingSummary(
            progress.epochs,
            progress.best_epoch,
            float(best["train_loss"] or 0.0),
            float(best["validation_loss"] or 0.0),
            best["validation_regret"],
            sum(float(epoch["seconds"] or 0.0) for epoch in progress.history),
            str(self._output),
        )

    def _epoch(self) -> None:
        start, number = time.perf_counter(), self._progress.epochs + 1
        train_loss = self._train_once(number)
        targets = self._targets(self._validation)
        validation_loss = mean_loss(self._model, self._loss, self._validation, targets, self._micro_batch)
        record = {
            "train_loss": train_loss,
            "validation_loss": validation_loss,
            "validation_regret": self._validation_regret(),
            "seconds": time.perf_counter() - start,
        }
        if self._progress.record(record, validation_loss):
            checkpoints.save(self._model.config, self._model.weights(), self._output)
        save_state(self._output / "training", self._model, self._optimizer, self._progress, self._identity)
        _show(number, record, self._progress)

    def _train_once(self, number: int) -> float:
        """One pass over the training instances in an order fixed by (seed, epoch); the mean loss."""
        order = np.random.default_rng((self._options.seed, number)).permutation(len(self._train))
        torch.manual_seed(self._options.seed * 100_003 + number)  # dropout: the same after a resume
        self._model.train()
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate(self._options, number)
        total, targets = 0.0, self._targets(self._train)
        for first in range(0, len(order), self._options.batch_size):
            batch = order[first : first + self._options.batch_size]
            self._optimizer.zero_grad()
            for part in _parts(self._train, batch, self._micro_batch):
                loss = _loss_of(self._model, self._loss, self._train, targets, part) * (len(part) / len(batch))
                loss.backward()  # type: ignore[no-untyped-call]
                total += float(loss.detach()) * len(batch)
            self._optimizer.step()
        return total / len(order)

    def _targets(self, data: Examples) -> tuple[Floats32, ...]:
        """What the loss compares logits with, shape (S,) of each instance."""
        return data.traces if self._loss_name == "traces" else data.gains

    def _validation_regret(self) -> float | None:
        """Of a few validation instances, evenly chosen from all label sets."""
        total = len(self._validation)
        few = np.unique(np.linspace(0, total - 1, min(self._options.regret_instances, total)).astype(int)).tolist()
        optima = self._validation.optima
        if not few or any(math.isnan(optima[k]) for k in few):
            return None
        scorer, regrets = self._model.scorer(), []
        for k in few:
            problem = self._validation.sources[k].problem(self._validation.instances[k])
            order = largest_first(view_of(problem).final_scores(scorer.scores(self._validation.graphs[k])))
            regrets.append(regret(problem, order[:REGRET_BUDGET].tolist(), float(optima[k])))
        return float(np.mean(regrets))


def _path(options: TrainingOptions) -> dict[str, object]:
    """The options that fix which weights follow which; the others say how far to go, and may change on a resume."""
    length = {"patience"} if options.schedule == "cosine" else {"patience", "max_epochs"}
    return {name: value for name, value in asdict(options).items() if name not in length}


def _encoding(labels: Sequence[LabelSet], options: TrainingOptions) -> str:
    """As asked for; else the family's own where one family drew all instances."""
    if options.encoding is not None:
        return options.encoding
    drawn = {part.config.family for part in labels if isinstance(part.config, LabelConfig)}
    one_family = len(drawn) == 1 and all(isinstance(part.config, LabelConfig) for part in labels)
    return view_of(labels[0].config.problem(0)).default_encoding if one_family else "lp"


def _config(labels: Sequence[LabelSet], num_features: int, encoding: str, options: TrainingOptions) -> ModelConfig:
    families = {part.config.problem(0).family for part in labels}
    return ModelConfig(
        ANY_FAMILY if encoding == "lp" else families.pop(),
        num_features,
        encoding,
        "deepsets" if encoding == "lp" else options.encoder,
        options.fusion,
        hidden=options.hidden,
        embedding=options.embedding,
        num_layers=options.num_layers,
        attention_layers=options.attention_layers,
        attention_heads=options.attention_heads,
        feedforward=2 * options.embedding,
        dropout=options.dropout,
    )


def _described(labels: Sequence[LabelSet]) -> object:
    """The label sets as JSON knows them; one by itself, as it always was."""
    told = [part.config.entries() for part in labels]
    return told[0] if len(told) == 1 else told


def learning_rate(options: TrainingOptions, epoch: int) -> float:
    """The rate of an epoch, counted from 1."""
    if options.schedule == "constant":
        return options.learning_rate
    return options.learning_rate * 0.5 * (1 + math.cos(math.pi * (epoch - 1) / options.max_epochs))


def mean_loss(
    model: ScenarioScorer, loss: Loss, data: Examples, targets: Sequence[Floats32], micro_batch: int
) -> float:
    """Mean loss over all examples, without gradients."""
    model.eval()
    with torch.no_grad():
        parts = list(_parts(data, np.arange(len(data)), micro_batch))
        return sum(float(_loss_of(model, loss, data, targets, part)) * len(part) for part in parts) / len(data)


def _loss_of(
    model: ScenarioScorer, loss: Loss, data: Examples, targets: Sequence[Floats32], part: Ints
) -> torch.Tensor:
    device = next(model.parameters()).device
    wanted = torch.from_numpy(np.stack([targets[k] for k in part])).to(device)
    # bfloat16 helps on GPUs that have it; on CPUs it was measured 3-7 times slower.
    with torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda" and torch.cuda.is_bf16_supported()):
        logits = model([data.graphs[k] for k in part])
    return loss(logits.float(), wanted)


def _parts(data: Examples, order: Ints, size: int) -> Iterator[Ints]:
    """At most `size` instances at a time, all of equally many scenarios."""
    counts = np.array([len(data.gains[k]) for k in order])
    for count in np.unique(counts):
        alike = order[counts == count]
        for first in range(0, len(alike), size):
            yield alike[first : first + size]


def _device(name: str) -> torch.device:
    if name != "auto":
        return torch.device(name)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _show(number: int, record: dict[str, float | None], progress: Progress) -> None:
    from rich.console import Console

    regret_text = "" if record["validation_regret"] is None else f"  regret@4 {record['validation_regret']:.2f} %"
    Console(stderr=True, highlight=False).print(
        f"epoch {number:3d}  train {record['train_loss']:.5f}  validation {record['validation_loss']:.5f}{regret_text}"
        f"  best {progress.best_epoch}  {record['seconds']:.1f} s"
    )


def _write_card(
    folder: Path, labels: Sequence[LabelSet], options: TrainingOptions, summary: TrainingSummary, command: str
) -> None:
    lines = [f"# {labels[0].config.title}" if len(labels) == 1 else f"# {counted(len(labels), 'label set')}", ""]
    for part in labels:
        source = part.config
        seen = "" if len(labels) == 1 else f" of {source.title}"
        lines.append(
            f"- Labels: {counted(len(part), 'instance')}{seen}, seed {source.seed}, PRISE budget {source.budget};"
        )
    lines += [
        "  instance number modulo 10: 8 validation, 9 test, the rest training.",
        f"- Options: {json.dumps(asdict(options))}",
        f"- Trained {counted(summary.epochs, 'epoch')} in {summary.seconds:.0f} s; kept epoch {summary.best_epoch}: "
        f"validation loss {summary.validation_loss:.5f}.",
    ]
    if command:
        lines.append(f"- Command: `{command}`")
    replace_file(folder / "card.md", ("\n".join(lines) + "\n").encode())
