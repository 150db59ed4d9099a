"""The graph of a vertex cover, laid out so that nodes a few edges apart lie a little apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

from neurprise.arrays import Floats, Ints
from neurprise.problem.display import NO_VARIABLE, Picture

if TYPE_CHECKING:
    from neurprise.problems.vertex_cover.formulation import VertexCover

#: Larger graphs are unreadable.
MAX_DRAWN_NODES = 150
#: Steps of the layout; after these it changes little.
STEPS = 150


def graph_picture(problem: VertexCover) -> Picture:
    """Nodes, edges, and which nodes are in the cover now or later."""
    n = problem.num_first_stage
    nodes = np.arange(n)
    return Picture(
        title="The graph",
        places=laid_out(n, problem.edges),
        point_names=problem.first_stage_names,
        chosen_now=nodes,
        chosen_later=nodes,  # the recourse variable is the whole cover
        lines=problem.edges,
        line_variables=np.full(len(problem.edges), NO_VARIABLE),
        legend={"now": "in the cover now", "later": "added in this scenario", "idle": "not in the cover"},
    )


def laid_out(num_nodes: int, edges: Ints) -> Floats:
    """
    Places in the plane, shape (n, 2), with distances near those in the graph, by stress majorisation
    [Gansner, Koren and North 2004]. It starts from a circle, so the same graph always looks the same.
    """
    wanted = _hops(num_nodes, edges)
    angles = 2 * np.pi * np.arange(num_nodes) / num_nodes
    places = np.column_stack([np.cos(angles), np.sin(angles)]) * max(wanted.max(), 1.0) / 2
    weights = 1.0 / np.maximum(wanted, 1.0) ** 2  # neighbours count most
    np.fill_diagonal(weights, 0.0)
    inverse = np.linalg.pinv(_laplacian(weights))
    for _ in range(STEPS):
        apart = np.maximum(cdist(places, places), 1e-9)
        places = inverse @ _laplacian(weights * wanted / apart) @ places
    return np.asarray(places)


def _hops(num_nodes: int, edges: Ints) -> Floats:
    """Edges on a shortest path between two nodes, shape (n, n); unconnected parts are drawn side by side."""
    graph = sparse.coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(num_nodes, num_nodes))
    hops = shortest_path(graph.tocsr(), directed=False, unweighted=True)
    finite = np.isfinite(hops)
    return np.asarray(np.where(finite, hops, hops[finite].max(initial=0.0) + 1.0))


def _laplacian(weights: Floats) -> Floats:
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)
