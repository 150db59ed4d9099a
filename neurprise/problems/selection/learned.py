"""How a network sees a selection: the paper's rows, items around a node that counts them, costs by partial sorts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

import neurprise.problems.binary_decisions as binary
from neurprise.arrays import Floats
from neurprise.networks.scenario_graph import (
    ScenarioGraph,
    ScenarioProgram,
    costs_only,
    feature,
    shared_scale,
    undirected,
)
from neurprise.networks.view import Description, LearnedView, positive
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


def describe(problem: Selection) -> Description:
    """Costs in units of the mean second-stage cost."""
    now, later = problem.first_stage_costs, problem.scenario_costs
    n, unit = len(now), positive(later.mean()) if later.size else 1.0
    wanted = np.full(n, problem.num_select / max(n, 1))
    usual, spread = later.mean(axis=0) / unit, later.std(axis=0) / unit
    of_item = np.column_stack([now / unit, usual, spread, wanted])
    return Description(
        items=of_item,
        corners=binary.CORNERS,
        shares_at_zero=binary.shares_at_zero(n),
        shares=binary.shares(n),
        scenario_items=_scenario_items(later / unit, of_item),
        scale=positive(unit * n),
        reference=np.zeros(n),
    )


def decisions(problem: Selection, good: Floats, rng: np.random.Generator, count: int) -> Floats:
    """Flips of good decisions, optima of blended scenarios, and random ones; shape (count, n)."""
    drawn = binary.decisions(problem, problem.scenario_costs, good, rng, count)
    return np.stack([_repaired(x, problem) for x in drawn])


def _scenario_items(later: Floats, of_item: Floats) -> Floats:
    """Cost of each item in the scenario, and its features; shape (S, n, 5)."""
    shared = np.broadcast_to(of_item, (len(later), *of_item.shape))
    return np.concatenate([later[:, :, None], shared], axis=2)


def _repaired(x: Floats, problem: Selection) -> Floats:
    """Of too many items, the cheapest are kept."""
    by_cost = np.argsort(np.where(x > 0.5, problem.first_stage_costs, np.inf), kind="stable")
    kept = np.zeros(len(x))
    kept[by_cost[: problem.num_select]] = 1.0
    return kept * x
