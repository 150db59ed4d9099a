"""Random graphs and node costs, as the paper draws them."""

from __future__ import annotations

import numpy as np

from neurprise import arrays
from neurprise.problems.draws import draw_costs
from neurprise.problems.vertex_cover.formulation import VertexCover


def make_vertex_cover(num_nodes: int, num_scenarios: int, seed: int, distribution: str = "uniform") -> VertexCover:
    """A random instance of VC-num_nodes-num_scenarios; every pair is an edge with probability 10 / num_nodes."""
    n = arrays.whole_number("num_nodes", num_nodes, 1)
    num_scenarios = arrays.whole_number("num_scenarios", num_scenarios, 1)
    rng = np.random.default_rng(arrays.whole_number("seed", seed, 0))
    first, second = np.triu_indices(n, 1)
    present = rng.random(len(first)) < 10 / n
    first_stage, costs = draw_costs(rng, distribution, num_scenarios, n)
    return VertexCover(first_stage, costs, np.column_stack([first[present], second[present]]))


def examples() -> list[VertexCover]:
    """
    A table of all covers, single covers if few of them count, branch-and-bound, and light covers for large graphs.
    """
    return [make_vertex_cover(8, 4, seed=0), make_vertex_cover(14, 10, seed=0), _pairs(14), _pairs(33)]


def _pairs(count: int) -> VertexCover:
    """A graph of that many edges without common nodes: 2^count minimal covers, and no work for an engine."""
    costs = np.random.default_rng(0).integers(1, 100, (5, 2 * count))
    return VertexCover(costs[0], costs[1:], np.arange(2 * count).reshape(-1, 2))
