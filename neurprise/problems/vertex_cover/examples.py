"""Small vertex covers that between them go every way through the family's code."""

from __future__ import annotations

import numpy as np

from neurprise.problems.vertex_cover.formulation import VertexCover
from neurprise.problems.vertex_cover.generator import make_vertex_cover


def examples() -> list[VertexCover]:
    """
    A table of all covers, one at a time where few of them count, branch-and-bound where there are too many, light
    covers where nodes are too many.
    """
    return [make_vertex_cover(8, 4, seed=0), make_vertex_cover(14, 10, seed=0), _pairs(14), _pairs(33)]


def _pairs(count: int) -> VertexCover:
    """A graph of that many edges without common nodes: 2^count minimal covers, and no work for an engine."""
    costs = np.random.default_rng(0).integers(1, 100, (5, 2 * count))
    return VertexCover(costs[0], costs[1:], np.arange(2 * count).reshape(-1, 2))
