"""Scenario graphs of several instances, written out for one pass through the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Ints
from neurprise.networks.scenario_graph import Floats32, ScenarioGraph


@dataclass(frozen=True)
class GraphBatch:
    """
    Scenario graphs of several instances, written out; every scenario of every instance is one copy.

    Parameters
    ----------
    features
        Node features, shape (total nodes, F).
    coefficients
        Edge features, shape (total edges,).
    sources, targets
        Edges of each instance once, shape (edges of all instances,); nodes numbered from 0 within the copy.
    copies
        One row per copy: first node, number of nodes, first edge in `sources`, number of edges, first entry in
        `coefficients`; shape (copies, 5).
    """

    features: Floats32
    coefficients: Floats32
    sources: Ints
    targets: Ints
    copies: Ints


def collate(graphs: Sequence[ScenarioGraph]) -> GraphBatch:
    """Write out all scenarios of every graph, one after another."""
    features, coefficients, copies = [], [], []
    first_node, first_edge, first_weight = 0, 0, 0
    for graph in graphs:
        nodes, weights = graph.features(), graph.coefficients()
        count = np.arange(len(nodes))
        shared = np.full_like(count, first_edge)
        columns = (first_node + count * graph.num_nodes, np.full_like(count, graph.num_nodes), shared)
        edges = (np.full_like(count, graph.num_edges), first_weight + count * graph.num_edges)
        copies.append(np.column_stack([*columns, *edges]))
        features.append(nodes.reshape(-1, graph.num_features))
        coefficients.append(weights.ravel())
        first_node += len(features[-1])
        first_weight += len(coefficients[-1])
        first_edge += graph.num_edges
    edges_of_all = np.concatenate([graph.edges for graph in graphs], axis=1)
    return GraphBatch(
        np.concatenate(features),
        np.concatenate(coefficients),
        np.ascontiguousarray(edges_of_all[0]),
        np.ascontiguousarray(edges_of_all[1]),
        np.concatenate(copies),
    )
