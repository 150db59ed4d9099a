"""How a network sees a selection: the paper's rows, items around a node that counts them, costs by partial sorts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from neurprise.networks.drawing import feature, shared_scale, undirected
from neurprise.networks.scenario_graph import ScenarioGraph
from neurprise.networks.scenario_program import ScenarioProgram, costs_only
from neurprise.networks.view import LearnedView
from neurprise.problems.selection.formulation import Selection


@dataclass(frozen=True, eq=False)
class SelectionView(LearnedView):
    """All three encodings."""

    problem: Selection

    encodings = ("cv", "ps", "sv")

    def program(self) -> ScenarioProgram:
        """sum(x + y) = p;  x_i + y_i <= 1."""
        n = self.problem.num_first_stage
        each = sparse.hstack([sparse.eye_array(n), sparse.eye_array(n)])
        rows = sparse.csr_array(sparse.vstack([np.ones((1, 2 * n)), each]))
        limits = np.concatenate([[float(self.problem.num_select)], np.ones(n)])
        return costs_only(self.problem, self.problem.scenario_costs, rows, limits)

    def compact_graph(self) -> ScenarioGraph:
        """Features: item, count node, cost now, cost later, share to take; edges join items to the count node."""
        n = self.problem.num_first_stage
        nodes = np.zeros((n + 1, 5))
        nodes[:n, 0] = nodes[n, 1] = 1.0
        nodes[:n, 2], later = shared_scale(self.problem.first_stage_costs, self.problem.scenario_costs)
        nodes[n, 4] = self.problem.num_select / n
        items = np.arange(n)
        return undirected(nodes, feature(items, 3), later, items, np.full(n, n), np.ones(n))
