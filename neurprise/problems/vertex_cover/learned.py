"""How a network sees a vertex cover: the paper's rows, the graph itself, and cheapest or light covers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from neurprise.networks.drawing import feature, scaled, shared_scale, undirected
from neurprise.networks.probes import Probes, probes_around_mean, severe_decisions
from neurprise.networks.scenario_graph import ScenarioGraph
from neurprise.networks.scenario_program import ScenarioProgram, costs_only
from neurprise.networks.view import LearnedView
from neurprise.problems.vertex_cover.covers import cheaper_of_both, costs_left, taken_now
from neurprise.problems.vertex_cover.formulation import VertexCover
from neurprise.problems.vertex_cover.light_covers import LightCoverOracle


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
