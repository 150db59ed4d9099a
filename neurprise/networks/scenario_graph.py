"""
Scenario graphs: one bipartite graph per scenario, with the same nodes and edges for all scenarios of an instance.

Numbers that scenarios share are stored once; `features` and `coefficients` write out scenarios when they are needed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neurprise.arrays import Floats, Ints

Floats32 = NDArray[np.float32]

#: A matrix product adds this many times more messages per second than a loop over edges.
DENSE = 10


@dataclass(frozen=True)
class ScenarioGraph:
    """
    The scenario graphs of one instance.

    Parameters
    ----------
    nodes
        Node features that scenarios share, shape (N, F).
    node_places, node_values
        (node, feature) pairs that scenarios replace, shape (2, k), and the new values, shape (S, k).
    edges
        (source, target) of every directed edge, shape (2, E).
    weights
        Edge features that scenarios share, shape (E,).
    edge_places, edge_values
        Edges whose feature scenarios replace, shape (j,), and the new values, shape (S, j).
    scenario_columns, scenario_values
        Features that are equal on all nodes of a scenario: a slice of the F columns, and values of shape (S, width).
    """

    nodes: Floats32
    node_places: Ints
    node_values: Floats32
    edges: Ints
    weights: Floats32
    edge_places: Ints
    edge_values: Floats32
    scenario_columns: slice
    scenario_values: Floats32

    @property
    def num_scenarios(self) -> int:
        return len(self.node_values)

    @property
    def num_nodes(self) -> int:
        return len(self.nodes)

    @property
    def num_features(self) -> int:
        return int(self.nodes.shape[1])

    @property
    def num_edges(self) -> int:
        return len(self.weights)

    @cached_property
    def varying_edges(self) -> Ints:
        """For each edge the column of `edge_values` that replaces its feature, -1 if scenarios share it; (E,)."""
        columns = np.full(self.num_edges, -1)
        columns[self.edge_places] = np.arange(len(self.edge_places))
        return columns

    @cached_property
    def adjacency(self) -> Floats32 | None:
        """Number of edges at (target, source), shape (N, N); None if weights differ or edges are few."""
        few = self.num_nodes**2 > DENSE * self.num_edges
        if few or len(self.edge_places) or (self.weights != self.weights[0]).any():
            return None
        n = self.num_nodes
        return np.bincount(self.edges[1] * n + self.edges[0], minlength=n * n).reshape(n, n).astype(np.float32)

    def features(self, scenarios: slice = slice(None)) -> Floats32:
        """Node features of these scenarios, shape (s, N, F); a view of the features node by node, shape (N, s, F)."""
        values = self.node_values[scenarios]
        written = np.empty((self.num_nodes, len(values), self.num_features), dtype=np.float32)
        written[:] = self.nodes[:, None]
        written[self.node_places[0], :, self.node_places[1]] = values.T
        written[:, :, self.scenario_columns] = self.scenario_values[scenarios]
        return written.transpose(1, 0, 2)

    def coefficients(self) -> Floats32:
        """Edge features of every scenario, shape (S, E)."""
        written = np.repeat(self.weights[None], self.num_scenarios, axis=0)
        written[:, self.edge_places] = self.edge_values
        return written

    def average(self) -> ScenarioGraph:
        """The graph of the mean scenario."""
        return replace(
            self,
            node_values=self.node_values.mean(axis=0, keepdims=True),
            edge_values=self.edge_values.mean(axis=0, keepdims=True),
            scenario_values=self.scenario_values.mean(axis=0, keepdims=True),
        )


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
