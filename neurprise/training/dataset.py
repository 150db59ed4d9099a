"""Labelled instances as the training loop needs them: graphs and targets, split by instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from neurprise.errors import InputError
from neurprise.io.archive import read_arrays, write_arrays
from neurprise.networks.scenario_graph import Floats32, ScenarioGraph
from neurprise.networks.universal import VERSION, graph_of_features, solved_features
from neurprise.networks.view import encode
from neurprise.training.labels import Config, Label, LabelSet

#: Features of the encoding "lp", kept beside the labels so that linear programs are solved once. The file may be
#: deleted at any time; it is made again when the encoding changes.
FILE = "features.npz"
#: The file is written after this many new instances.
SAVED_EVERY = 25


@dataclass(frozen=True)
class Examples:
    """
    Graphs of some instances and the targets of their scenarios.

    Parameters
    ----------
    sources, instances
        The source of each instance, and its number there.
    graphs
        The scenario graphs of each instance.
    gains
        Gains of the PRISE trace, zero for scenarios outside of it, shape (S,) each.
    traces
        Share of each scenario in the traces of PRISE and of the exact search, shape (S,) each; they sum to one.
    optima
        V(all) of each instance, nan if unknown.
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
    """80 / 10 / 10, fixed by the instance's number, so instances stay in their split when a label set grows."""
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
    Share of each scenario in the traces of PRISE and of the exact search, shape (S,), summing to one.

    Both traces have equal weight. Within a trace the weight is the inverse root of the place: the first scenarios
    matter most, but budgets of six and more need the others too.
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


def stored_features(folder: Path, config: Config, count: int) -> list[Floats32]:
    """Features of the first `count` instances, shape (S, F) each; missing ones are computed and stored."""
    path = folder / FILE
    known = _read(path)
    for index in range(len(known), count):
        known.append(solved_features(config.problem(index)))
        if len(known) % SAVED_EVERY == 0 or index == count - 1:
            _write(path, known)
    return known[:count]


def _read(path: Path) -> list[Floats32]:
    if not path.exists():
        return []
    members = read_arrays(path)
    if int(members["version"][0]) != VERSION:
        return []
    ends = np.cumsum(members["counts"])
    return [part.astype(np.float32) for part in np.split(members["features"], ends[:-1])]


def _write(path: Path, features: list[Floats32]) -> None:
    members = {
        "version": np.array([VERSION]),
        "counts": np.array([len(part) for part in features]),
        "features": np.concatenate(features).astype(np.float64),
    }
    write_arrays(path, members)
