"""Vertex cover: nodes by their costs now and later, their degrees, and what their neighbours cost."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.problems import VertexCover
from neurprise.surrogates.description import Description, positive
from neurprise.surrogates.families import binary


def describe(problem: VertexCover) -> Description:
    """Costs in units of the mean second-stage cost, degrees in units of the mean degree."""
    now, later = problem.first_stage_costs, problem.scenario_costs
    n, unit = len(now), positive(later.mean()) if later.size else 1.0
    adjacency = _adjacency(problem)
    degree = np.asarray(adjacency.sum(axis=1))
    around = adjacency / np.maximum(degree, 1.0)[:, None]
    of_node = np.column_stack(
        [now / unit, later.mean(axis=0) / unit, degree / positive(degree.mean()), np.full(n, degree.mean() / max(n, 1))]
    )
    return Description(
        items=np.column_stack([of_node, around @ of_node[:, :2]]),
        corners=binary.CORNERS,
        shares_at_zero=binary.shares_at_zero(n),
        shares=binary.shares(n),
        scenario_items=_scenario_items(later / unit, of_node, around),
        scale=positive(unit * n),
        reference=np.zeros(n),
    )


def decisions(problem: VertexCover, good: Floats, rng: np.random.Generator, count: int) -> Floats:
    """Flips of good decisions, optima of blended scenarios, and random ones; shape (count, n)."""
    draws = (
        lambda: binary.varied(good, rng),
        lambda: binary.greedy(problem, problem.scenario_costs, rng),
        lambda: binary.varied(good, rng),
        lambda: binary.scattered(problem.num_first_stage, rng),
    )
    return np.stack([draws[k % len(draws)]() for k in range(count)])


def _adjacency(problem: VertexCover) -> Floats:
    n, (first, second) = problem.num_first_stage, problem.edges.T
    upper = sparse.coo_array((np.ones(len(first)), (first, second)), shape=(n, n)).toarray()
    return np.asarray(upper + upper.T)


def _scenario_items(later: Floats, of_node: Floats, around: Floats) -> Floats:
    """Cost of each node in the scenario, the mean and the smaller cost on its edges, and its features; (S, n, 7)."""
    mean_around = later @ around.T
    # On every edge one end is taken: the cheaper one, if edges were alone.
    cheaper = np.einsum("ij,sij->si", around, np.minimum(later[:, :, None], later[:, None, :]))
    shared = np.broadcast_to(of_node, (len(later), *of_node.shape))
    return np.concatenate([np.stack([later, mean_around, cheaper], axis=2), shared], axis=2)
