"""Training of Neur2RO: Adam on the squared error of the recourse cost, for many decisions and scenarios together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from neurprise.arrays import Ints
from neurprise.errors import InputError, counted
from neurprise.networks.view import knowledge_of
from neurprise.surrogates.network import SURROGATES, NetworkConfig
from neurprise.training.dataset import split_of
from neurprise.training.loop import TrainingSummary, TrainingTask, run
from neurprise.training.options import SurrogateOptions
from neurprise.training.samples import Sample, SampleConfig, SampleSet, read_samples

# PyTorch comes last: without it, `loop` says how to install it.
# isort: split
import torch
from torch import nn


def train(
    directory: str | Path, output: str | Path, options: SurrogateOptions | None = None, command: str = ""
) -> TrainingSummary:
    """
    Train a surrogate on the samples of a directory. The same call with the same output resumes the run.

    Parameters
    ----------
    directory
        Written by `sample`.
    output, command
        See `loop.run`.
    """
    options = options or SurrogateOptions()
    return run(partial(_SurrogateTask, read_samples(directory), options), options, output, command)


class _SurrogateTask(TrainingTask):
    """A value network and the true costs of sampled decisions."""

    loss_unit = " (mean squared error as a share of the variance)"

    def __init__(self, samples: SampleSet, options: SurrogateOptions) -> None:
        self._num_scenarios, config = options.scenarios, samples.config
        train, validation = _tensors(samples, "train", options.limit), _tensors(samples, "validation")
        mean, spread = train.typical()
        self._train, self._validation = (part.standardised(mean, spread) for part in (train, validation))
        sizes = train.items.shape[-1], train.elements.shape[-1]
        shape = NetworkConfig(config.family, *sizes, decision_hidden=options.decision_hidden)
        self.model: TrainableNetwork = TrainableNetwork(shape, mean, spread)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=options.learning_rate)
        self.num_instances = len(train)
        self.identity = {"samples": asdict(config), "instances": len(samples)}
        self.card = [
            f"Neur2RO: {config.family}, size {'x'.join(map(str, config.size))}, "
            f"{counted(config.scenarios, 'scenario')}",
            f"Samples: {counted(len(samples), 'instance')}, seed {config.seed}, {config.distribution}, up to "
            f"{counted(config.decisions, 'decision')} each; {counted(train.num_triples, 'training triple')};",
        ]

    def losses(self, batch: Ints, rng: np.random.Generator) -> Iterator[torch.Tensor]:
        yield self._loss(self._train.at(batch).drawn(self._num_scenarios, rng))

    def validation_loss(self) -> float:
        return float(self._loss(self._validation))

    def save(self, folder: Path) -> None:
        SURROGATES.save(self.model.config, self.model.weights(), folder)

    def _loss(self, batch: _Batch) -> torch.Tensor:
        errors = self.model(batch.items, batch.shares, batch.elements) - batch.targets
        mean: torch.Tensor = (errors.square() * batch.counts).sum() / (batch.counts.sum() * errors.shape[2])
        return mean


class TrainableNetwork(nn.Module):
    """
    The network of `surrogates.network` in PyTorch.

    Parameters
    ----------
    config
        The shape.
    mean, spread
        Of the targets. The network learns (target - mean) / spread; the exported weights undo this.
    """

    def __init__(self, config: NetworkConfig, mean: float = 0.0, spread: float = 1.0) -> None:
        super().__init__()
        self.config, self._mean, self._spread = config, mean, spread
        parts = {name: _Layers(*widths) for name, widths in config.widths.items()}
        self.items, self.decision = parts["items"], parts["decision"]
        self.elements, self.scenario = parts["elements"], parts["scenario"]
        self.value = parts["value"]

    def forward(self, items: torch.Tensor, shares: torch.Tensor, elements: torch.Tensor) -> torch.Tensor:
        """
        Predicted recourse costs in units of each instance's scale, minus their mean, over their spread.

        Parameters
        ----------
        items
            Items at their corners, shape (B, n, C, item_inputs).
        shares
            Shares of the corners under every decision, shape (B, N, n, C).
        elements
            Elements of every scenario, shape (B, S, k, scenario_inputs).

        Returns
        -------
        Shape (B, N, S).
        """
        mixed = torch.einsum("bdnc,bnch->bdh", shares, self.items(items)) / items.shape[1]
        decision, scenario = self.decision(mixed), self.scenario(self.elements(elements).mean(dim=2))
        of_decision, of_scenario = self.value.first.weight.chunk(2, dim=1)
        hidden = (decision @ of_decision.T)[:, :, None] + (scenario @ of_scenario.T)[:, None] + self.value.first.bias
        values: torch.Tensor = self.value.second(torch.relu(hidden)).squeeze(-1)
        return values

    def weights(self) -> dict[str, np.ndarray]:
        """All weights by name, as `ValueNetwork` takes them; they predict the cost itself."""
        weights = {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}
        weights["value.second.weight"] *= np.float32(self._spread)
        weights["value.second.bias"] = (weights["value.second.bias"] * self._spread + self._mean).astype(np.float32)
        return weights


class _Layers(nn.Module):
    """Two linear layers with a ReLU between them."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(inputs, hidden), nn.Linear(hidden, outputs)

    def forward(self, v: torch.Tensor) -> torch.Tensor:
        """v: (..., inputs) -> (..., outputs)."""
        out: torch.Tensor = self.second(torch.relu(self.first(v)))
        return out


@dataclass(frozen=True)
class _Batch:
    """
    Instances as tensors; instances with fewer than N decisions are padded with decisions that do not count.

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
        """The same with targets (t - mean) / spread."""
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
