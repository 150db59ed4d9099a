"""Vertex cover: nodes by their costs now and later, their degrees, and what their neighbours cost."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.networks.description import Description, positive
from neurprise.problems import binary_decisions as binary
from neurprise.problems.vertex_cover.formulation import VertexCover


def describe(problem: VertexCover) -> Description:
    """Costs in units of the mean second-stage cost, degrees in units of the mean degree."""
    now, later = problem.first_stage_costs, problem.scenario_costs
    n, unit = len(now), positive(later.mean()) if later.size else 1.0
    incidence = _incidence(problem)
    degree = np.asarray(incidence.sum(axis=1))
    of_node = np.column_stack(
        [now / unit, later.mean(axis=0) / unit, degree / positive(degree.mean()), np.full(n, degree.mean() / max(n, 1))]
    )
    return Description(
        items=np.column_stack([of_node, _mean_around(of_node[:, :2].T, incidence, degree).T]),
        corners=binary.CORNERS,
        shares_at_zero=binary.shares_at_zero(n),
        shares=binary.shares(n),
        scenario_items=_scenario_items(later / unit, of_node, problem.edges, incidence, degree),
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


def _incidence(problem: VertexCover) -> sparse.csr_array:
    """1 where a node is an end of an edge, shape (n, E)."""
    ends, number = problem.edges.T, np.arange(len(problem.edges))
    places = (ends.ravel(), np.concatenate([number, number]))
    return sparse.csr_array((np.ones(ends.size), places), shape=(problem.num_first_stage, len(number)))


def _mean_around(values: Floats, incidence: sparse.csr_array, degree: Floats) -> Floats:
    """Mean of the neighbours' values; values: (S, n) -> (S, n), 0 for nodes without neighbours."""
    sums = (incidence @ (incidence.T @ values.T)).T - degree * values
    return np.asarray(sums / np.maximum(degree, 1.0))


def _scenario_items(later: Floats, of_node: Floats, edges: Ints, incidence: sparse.csr_array, degree: Floats) -> Floats:
    """Cost of each node in the scenario, the mean and the smaller cost on its edges, and its features; (S, n, 7)."""
    # On every edge one end is taken: the cheaper one, if edges were alone.
    cheaper = (incidence @ np.minimum(later[:, edges[:, 0]], later[:, edges[:, 1]]).T).T / np.maximum(degree, 1.0)
    shared = np.broadcast_to(of_node, (len(later), *of_node.shape))
    told = np.stack([later, _mean_around(later, incidence, degree), cheaper], axis=2)
    return np.concatenate([told, shared], axis=2)
