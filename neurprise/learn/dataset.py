"""Labelled instances as the training loop needs them: graphs and target gains, split by instance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.errors import InputError
from neurprise.graphs.scenario_graph import Floats32, ScenarioGraph
from neurprise.inference.encodings import encode
from neurprise.learn.labels import Config, Label, LabelSet


@dataclass(frozen=True)
class Examples:
    """
    Graphs of some instances and what the model should say about their scenarios.

    Parameters
    ----------
    instances
        Numbers of the instances in their label set.
    graphs
        Their scenario graphs.
    gains
        Gains of the PRISE trace, zero for scenarios that it does not hold, shape (S,) of each.
    optima
        V(all) of each, nan where it is not known, shape (instances,).
    """

    config: Config
    instances: tuple[int, ...]
    graphs: tuple[ScenarioGraph, ...]
    gains: tuple[Floats32, ...]
    optima: Floats32

    def __len__(self) -> int:
        return len(self.instances)


def split_of(instance: int) -> str:
    """80 / 10 / 10, fixed by the instance's number, so that a growing label set never moves an instance."""
    return {8: "validation", 9: "test"}.get(instance % 10, "train")


def examples(labels: LabelSet, split: str, encoding: str, limit: int | None = None) -> Examples:
    """The labelled instances of one split, at most `limit` of them."""
    chosen = [label for label in labels.labels if split_of(label.index) == split][:limit]
    if not chosen:
        raise InputError(f"the label set has no {split} instance among its {len(labels)}; label at least 10 instances.")
    config = labels.config
    return Examples(
        config,
        tuple(label.index for label in chosen),
        tuple(encode(config.problem(label.index), encoding) for label in chosen),
        tuple(_gains(label) for label in chosen),
        np.array([np.nan if label.optimum is None else label.optimum for label in chosen], dtype=np.float32),
    )


def _gains(label: Label) -> Floats32:
    gains = np.zeros(label.num_scenarios, dtype=np.float32)
    gains[list(label.indices)] = label.gains
    return gains
