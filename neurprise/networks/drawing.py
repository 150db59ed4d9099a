"""
How numbers become a scenario graph.

They are scaled per instance and semantic group: divided by the largest absolute value of the group plus EPSILON.
"""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.networks.scenario_graph import ScenarioGraph

EPSILON = 1e-8


def undirected(
    nodes: Floats,
    node_places: Ints,
    node_values: Floats,
    ends: Ints,
    others: Ints,
    weights: Floats,
    varying: Ints | None = None,
    varying_values: Floats | None = None,
) -> ScenarioGraph:
    """A graph with every edge in both directions; `varying` are edges whose weights scenarios replace."""
    if varying is None or varying_values is None:
        varying, varying_values = np.zeros(0, dtype=np.int64), np.zeros((len(node_values), 0))
    return ScenarioGraph(
        nodes.astype(np.float32),
        node_places,
        node_values.astype(np.float32),
        np.array([np.concatenate([ends, others]), np.concatenate([others, ends])], dtype=np.int64),
        np.concatenate([weights, weights], dtype=np.float32),
        np.concatenate([varying, varying + len(weights)]),
        np.concatenate([varying_values, varying_values], axis=1, dtype=np.float32),
        scenario_columns=slice(0, 0),
        scenario_values=np.zeros((len(node_values), 0), dtype=np.float32),
    )


def feature(nodes: Ints, column: int) -> Ints:
    """One feature of these nodes as (node, feature) pairs, shape (2, k)."""
    return np.array([nodes, np.full(len(nodes), column)])


def largest(*groups: Floats) -> float:
    """The largest absolute value of all groups together, never zero."""
    return max(float(np.abs(group).max(initial=0.0)) for group in groups) + EPSILON


def scaled(values: Floats) -> Floats:
    """The values over the largest of them."""
    return np.asarray(values / largest(values))


def shared_scale(now: Floats, later: Floats) -> tuple[Floats, Floats]:
    """Costs of both stages over their common largest value (the paper's Eq. for c and D)."""
    scale = largest(now, later)
    return now / scale, later / scale
