"""Training of NeurPRISE: AdamW on scores of scenarios, compared with the labels by one of several losses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from neurprise.arrays import Ints, largest_first
from neurprise.errors import InputError, counted
from neurprise.networks.checkpoints import SCORERS
from neurprise.networks.scoring import ANY_FAMILY, ModelConfig
from neurprise.networks.view import view_of
from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.session import SearchSession, regret_percent
from neurprise.training.dataset import Examples, examples
from neurprise.training.labels import LabelConfig, LabelSet, read_labels
from neurprise.training.loop import TrainingSummary, TrainingTask, run
from neurprise.training.options import TrainingOptions

# PyTorch comes last: without it, `loop` says how to install it.
# isort: split
import torch
from torch import Tensor
from torch.nn import functional

from neurprise.training.model import ScenarioScorer, load_weights

#: Budget at which validation regret is measured.
REGRET_BUDGET = 4

#: Compares logits with targets, PRISE gains or shares in traces; all of shape (instances, scenarios).
Loss = Callable[[Tensor, Tensor], Tensor]


def train(
    directories: str | Path | Sequence[str | Path],
    output: str | Path,
    options: TrainingOptions | None = None,
    command: str = "",
) -> TrainingSummary:
    """
    Train a model on the labels of one directory or several. The same call with the same output resumes the run.

    A finished run continues with more patience or, at a constant learning rate, with more epochs.

    Parameters
    ----------
    directories
        Written by `label`. Labels of several families, or of general problems, are read with the encoding "lp".
    output, command
        See `loop.run`.
    """
    options = options or TrainingOptions()
    folders = [directories] if isinstance(directories, str | Path) else list(directories)
    labels = [read_labels(folder) for folder in folders]
    return run(partial(_ScorerTask, labels, options), options, output, command)


class _ScorerTask(TrainingTask):
    """A scenario scorer and its labelled instances."""

    def __init__(self, labels: Sequence[LabelSet], options: TrainingOptions) -> None:
        start = None if options.start is None else SCORERS.load(options.start).config
        encoding = _encoding(labels, options) if start is None else start.encoding
        self._train = Examples.joined([examples(part, "train", encoding, options.limit) for part in labels])
        self._validation = Examples.joined([examples(part, "validation", encoding) for part in labels])
        config = start or _config(labels, self._train.graphs[0].num_features, encoding, options)
        self.model: ScenarioScorer = ScenarioScorer(config).to(_device(options.device))
        if options.start is not None:
            load_weights(self.model, options.start)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay
        )
        # A graph of one node needs too little memory to limit.
        self._micro_batch = options.batch_size if encoding == "lp" else options.micro_batch
        loss = options.loss or ("traces" if encoding == "lp" else "swkl")
        self._reads_traces, self._loss = loss == "traces", get_loss(loss, options.temperature)
        self._regret_instances = options.regret_instances
        self.num_instances = len(self._train)
        described = [part.config.entries() for part in labels]
        data = described[0] if len(labels) == 1 else described
        self.identity = {"labels": data, "instances": sum(map(len, labels))}
        self.card = _card(labels)

    def losses(self, batch: Ints, rng: np.random.Generator) -> Iterator[Tensor]:
        for part in _parts(self._train, batch, self._micro_batch):
            yield self._loss_of(self._train, part) * (len(part) / len(batch))

    def validation_loss(self) -> float:
        data = self._validation
        parts = _parts(data, np.arange(len(data)), self._micro_batch)
        return sum(float(self._loss_of(data, part)) * len(part) for part in parts) / len(data)

    def validation_regret(self) -> float | None:
        """Mean over a few validation instances, evenly chosen from all label sets; None without known optima."""
        data, total = self._validation, len(self._validation)
        few = np.unique(np.linspace(0, total - 1, min(self._regret_instances, total)).astype(int)).tolist()
        if not few or any(math.isnan(data.optima[k]) for k in few):
            return None
        scorer, regrets = self.model.scorer(), []
        for k in few:
            problem = data.sources[k].problem(data.instances[k])
            order = largest_first(view_of(problem).final_scores(scorer.scores(data.graphs[k])))
            regrets.append(regret(problem, order[:REGRET_BUDGET].tolist(), float(data.optima[k])))
        return float(np.mean(regrets))

    def save(self, folder: Path) -> None:
        SCORERS.save(self.model.config, self.model.weights(), folder)

    def _loss_of(self, data: Examples, part: Ints) -> Tensor:
        targets = data.traces if self._reads_traces else data.gains
        device = next(self.model.parameters()).device
        wanted = torch.from_numpy(np.stack([targets[k] for k in part])).to(device)
        return self._loss(self.model([data.graphs[k] for k in part]), wanted)


def regret(problem: TwoStageProblem, scenarios: Sequence[int], optimum: float) -> float:
    """100 (Z(x) - V(all)) / V(all) with x optimal for these scenarios; inf if x has no recourse in some scenario."""
    search = ColumnAndConstraintGeneration(SearchSession(problem.restrict(list(scenarios))), gap=1e-6).run()
    if search.x is None:
        return math.inf
    return regret_percent(Evaluator(problem).evaluate(search.x).worst_case, optimum)


def swkl(logits: Tensor, gains: Tensor, temperature: float = 5.0) -> Tensor:
    """Score-weighted KL (the paper's default): KL(softmax(log(1 + g) / temperature) || softmax(logits))."""
    target = functional.softmax(torch.log1p(gains) / temperature, dim=-1)
    return functional.kl_div(functional.log_softmax(logits, dim=-1), target, reduction="batchmean")


def bce(logits: Tensor, gains: Tensor) -> Tensor:
    """Binary cross-entropy: is the scenario in the PRISE trace."""
    return functional.binary_cross_entropy_with_logits(logits, (gains > 0).to(logits.dtype))


def mse(logits: Tensor, gains: Tensor) -> Tensor:
    """Mean squared error against the compressed gains log(1 + g)."""
    return functional.mse_loss(logits, torch.log1p(gains))


def ranking(logits: Tensor, gains: Tensor) -> Tensor:
    """
    Pairwise logistic loss over pairs with different gains, weighted by the difference of compressed gains.

    The paper names a loss "R2R" without defining it; this is our reading of it.
    """
    compressed = torch.log1p(gains)
    wanted = compressed[..., :, None] - compressed[..., None, :]
    got = logits[..., :, None] - logits[..., None, :]
    weight = wanted.clamp_min(0.0)
    return (weight * functional.softplus(-got)).sum() / weight.sum().clamp_min(1e-8)


def traces(logits: Tensor, shares: Tensor) -> Tensor:
    """Cross-entropy to the shares of scenarios in the traces, which do not depend on the unit of the objective."""
    return -(shares * functional.log_softmax(logits, dim=-1)).sum(dim=-1).mean()


LOSSES: dict[str, Loss] = {"swkl": swkl, "bce": bce, "mse": mse, "ranking": ranking, "traces": traces}


def get_loss(name: str, temperature: float = 5.0) -> Loss:
    """The loss of that name; only "swkl" has a temperature."""
    if name not in LOSSES:
        raise InputError(f"loss must be one of {', '.join(LOSSES)}, got {name!r}.")
    return partial(swkl, temperature=temperature) if name == "swkl" else LOSSES[name]


def _encoding(labels: Sequence[LabelSet], options: TrainingOptions) -> str:
    """As given; else the default of the family if one family drew all instances."""
    if options.encoding is not None:
        return options.encoding
    families = {part.config.family if isinstance(part.config, LabelConfig) else None for part in labels}
    one_family = len(families) == 1 and None not in families
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


def _parts(data: Examples, order: Ints, size: int) -> Iterator[Ints]:
    """At most `size` instances at a time, all with the same number of scenarios."""
    counts = np.array([len(data.gains[k]) for k in order])
    for count in np.unique(counts):
        alike = order[counts == count]
        for first in range(0, len(alike), size):
            yield alike[first : first + size]


def _device(name: str) -> torch.device:
    if name != "auto":
        return torch.device(name)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _card(labels: Sequence[LabelSet]) -> list[str]:
    """The title, and a line for each label set."""
    single = len(labels) == 1
    lines = [labels[0].config.title if single else counted(len(labels), "label set")]
    for part in labels:
        source = "" if single else f" of {part.config.title}"
        lines.append(
            f"Labels: {counted(len(part), 'instance')}{source}, seed {part.config.seed}, "
            f"PRISE budget {part.config.budget};"
        )
    return lines
