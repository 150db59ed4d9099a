"""How a network sees a vertex cover: the paper's rows, the graph itself, and cheapest or light covers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

import neurprise.problems.binary_decisions as binary
from neurprise.arrays import Floats, Ints
from neurprise.networks.scenario_graph import (
    ScenarioGraph,
    ScenarioProgram,
    costs_only,
    feature,
    scaled,
    shared_scale,
    undirected,
)
from neurprise.networks.view import Description, LearnedView, Probes, positive, probes_around_mean, severe_decisions
from neurprise.problems.vertex_cover.formulation import VertexCover
from neurprise.problems.vertex_cover.light_covers import LightCoverOracle
from neurprise.problems.vertex_cover.oracle import cheaper_of_both, costs_left, taken_now


@dataclass(frozen=True, eq=False)
class VertexCoverView(LearnedView):
    """All three encodings."""

    problem: VertexCover

    encodings = ("cv", "ps", "sv")

    def program(self) -> ScenarioProgram:
        """x_i + y_i + x_j + y_j >= 1 for every edge;  x_i + y_i <= 1."""
        n, edges = self.problem.num_first_stage, self.problem.edges
        place = np.repeat(np.arange(len(edges)), 2)
        incidence = sparse.csr_array((np.ones(2 * len(edges)), (place, edges.ravel())), shape=(len(edges), n))
        ends = sparse.vstack([incidence, sparse.eye_array(n)])
        rows = sparse.csr_array(sparse.hstack([ends, ends]))
        limits = np.ones(len(edges) + n)
        return costs_only(self.problem, self.problem.scenario_costs, rows, limits, self.problem.degrees)

    def compact_graph(self) -> ScenarioGraph:
        """The graph itself. Features: cost now, cost later, degree."""
        n = self.problem.num_first_stage
        nodes = np.zeros((n, 3))
        nodes[:, 0], later = shared_scale(self.problem.first_stage_costs, self.problem.scenario_costs)
        nodes[:, 2] = scaled(self.problem.degrees)
        ends, others = self.problem.edges.T
        return undirected(nodes, feature(np.arange(n), 1), later, ends, others, np.ones(len(ends)))

    def probes(self) -> Probes:
        """V({s}) and costs of severe decisions, each cover found once; light covers for graphs of over 64 nodes."""
        now, later = self.problem.first_stage_costs, self.problem.scenario_costs
        exact = self.problem.covers
        finder = LightCoverOracle(len(now), self.problem.edges) if exact is None or exact.is_large else exact
        everywhere = np.ones(len(now), dtype=bool)
        values, covers = finder.solved(everywhere, cheaper_of_both(now, later))
        values += np.minimum(now, 0).sum()
        decisions = taken_now(now, later, covers)
        severe = severe_decisions(values, decisions)
        left = finder.costs(everywhere, costs_left(severe, later))
        return probes_around_mean(values, severe @ now + left.reshape(len(later), -1), decisions)


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
    return binary.decisions(problem, problem.scenario_costs, good, rng, count)


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
    found = np.stack([later, _mean_around(later, incidence, degree), cheaper], axis=2)
    return np.concatenate([found, shared], axis=2)
