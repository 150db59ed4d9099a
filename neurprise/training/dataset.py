"""Labelled instances as the training loop needs them: graphs and targets, split by instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from neurprise.errors import InputError
from neurprise.networks.encodings import encode
from neurprise.networks.scenario_graph import Floats32, ScenarioGraph
from neurprise.networks.universal import graph_of_features
from neurprise.training.feature_store import stored_features
from neurprise.training.labels import Config, Label, LabelSet


@dataclass(frozen=True)
class Examples:
    """
    Graphs of some instances and what the model should say about their scenarios.

    Parameters
    ----------
    sources, instances
        Where each instance comes from, and its number there.
    graphs
        Their scenario graphs.
    gains
        Gains of the PRISE trace, zero for scenarios that it does not hold, shape (S,) of each.
    traces
        Share of each scenario in the traces of PRISE and of the exact search, shape (S,) of each; they sum to one.
    optima
        V(all) of each, nan where it is not known, shape (instances,).
    """

    sources: tuple[Config, ...]
    instances: tuple[int, ...]
    graphs: tuple[ScenarioGraph, ...]
    gains: tuple[Floats32, ...]
    traces: tuple[Floats32, ...]
    optima: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.instances)

    @classmethod
    def joined(cls, parts: Sequence[Examples]) -> Examples:
        """All of them, one after another."""
        return cls(*(sum((getattr(part, item.name) for part in parts), ()) for item in fields(cls)))


def split_of(instance: int) -> str:
    """80 / 10 / 10, fixed by the instance's number, so that a growing label set never moves an instance."""
    return {8: "validation", 9: "test"}.get(instance % 10, "train")


def examples(labels: LabelSet, split: str, encoding: str, limit: int | None = None) -> Examples:
    """The labelled instances of one split, at most `limit` of them."""
    chosen = [label for label in labels.labels if split_of(label.index) == split][:limit]
    if not chosen:
        raise InputError(f"the label set has no {split} instance among its {len(labels)}; label at least 10 instances.")
    return Examples(
        (labels.config,) * len(chosen),
        tuple(label.index for label in chosen),
        _graphs(labels, [label.index for label in chosen], encoding),
        tuple(_gains(label) for label in chosen),
        tuple(trace_shares(label) for label in chosen),
        tuple(np.nan if label.optimum is None else label.optimum for label in chosen),
    )


def trace_shares(label: Label) -> Floats32:
    """
    What share each scenario has in the traces of PRISE and of the exact search, shape (S,), summing to one.

    A trace counts as much as the other, and within it a scenario as the inverse root of its place: the first few are
    wanted in any case, but whoever keeps six scenarios wants the others too.
    """
    shares = np.zeros(label.num_scenarios, dtype=np.float32)
    for trace in (label.indices, label.ccg or ()):
        weights = 1 / np.sqrt(1 + np.arange(len(trace)))
        shares[list(trace)] += weights / weights.sum() if len(trace) else 0.0
    return shares / max(float(shares.sum()), 1e-12)


def _graphs(labels: LabelSet, indices: list[int], encoding: str) -> tuple[ScenarioGraph, ...]:
    if encoding != "lp":
        return tuple(encode(labels.config.problem(index), encoding) for index in indices)
    features = stored_features(labels.folder, labels.config, len(labels))
    return tuple(graph_of_features(features[index]) for index in indices)


def _gains(label: Label) -> Floats32:
    gains = np.zeros(label.num_scenarios, dtype=np.float32)
    gains[list(label.indices)] = label.gains
    return gains
