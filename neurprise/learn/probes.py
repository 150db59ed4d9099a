"""
What a scenario means, in costs that take no mixed-integer program: V({s}) or a bound on it, and cheap decisions' costs.

A scenario that is dear for decisions which suit other scenarios is one that those do not cover. The encoding "sv" tells
the network these costs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import NotApplicableError
from neurprise.evaluate import Evaluator
from neurprise.learn import probe_kernels as kernels
from neurprise.problem import TwoStageProblem
from neurprise.problems import FacilityLocation, VertexCover, cover_oracle
from neurprise.problems.light_covers import LightCoverOracle

#: Decisions, or capacity plans of facility location, whose costs are told.
NUM_DECISIONS, NUM_PLANS = 4, 5


@dataclass(frozen=True)
class Probes:
    """
    Parameters
    ----------
    values
        V({s}), or for facility location its linear relaxation, or for large graphs the cost of a light cover; (S,).
    costs
        c'x + Q(x, s) of each probing decision, shape (S, number of probes).
    decisions
        What {s} alone would take now, shape (S, n); None for facility location.
    amounts
        What must be served in all, shape (S,), for facility location: capacity that suffices for some scenarios fails
        every scenario with a larger amount, so the largest must be kept.
    """

    values: Floats
    costs: Floats
    decisions: Floats | None = None
    amounts: Floats | None = None

    def columns(self) -> Floats:
        """
        Costs in standard deviations of the values from their mean, shape (S, k).

        For facility location from the largest under the same plan, since the exact search adds the dearest scenario;
        and amounts from the largest amount.
        """
        told = np.concatenate([self.values[:, None], self.costs], axis=1)
        if self.amounts is None:
            found: Floats = kernels.deviations(told, self.values, np.full(told.shape[1], self.values.mean()))
            return found
        amounts = kernels.deviations(self.amounts[:, None], self.amounts, self.amounts.max(keepdims=True))
        return np.concatenate([kernels.deviations(told, self.values, told.max(axis=0)), amounts], axis=1)


def probe(problem: TwoStageProblem) -> Probes:
    """Ask the family's oracles, or for facility location transportation programs."""
    if isinstance(problem, FacilityLocation):
        return _plans(problem)
    if isinstance(problem, VertexCover):
        return _covers(problem)
    alone = problem.single_scenarios
    if alone is None:
        raise NotApplicableError(f"encoding 'sv' is not defined for {problem.family!r} problems; use 'cv'.")
    values, decisions = alone.values(), alone.decisions(range(problem.num_scenarios))
    costs = [_total_costs(problem, x) for x in _severe(values, decisions)]
    return Probes(values, np.column_stack(costs), decisions)


def _severe(values: Floats, decisions: Floats) -> Floats:
    """The decisions of the scenarios of largest V({s}), largest first, shape (NUM_DECISIONS, n)."""
    order = np.argsort(-values, kind="stable")
    chosen: Floats = decisions[order[np.minimum(np.arange(NUM_DECISIONS), len(order) - 1)]]
    return chosen


def _total_costs(problem: TwoStageProblem, x: Floats) -> Floats:
    """c'x + Q(x, s), shape (S,)."""
    if problem.oracle is None:
        raise NotApplicableError(f"encoding 'sv' needs a recourse oracle, {problem.family!r} has none; use 'ps'.")
    return np.asarray(problem.first_stage.costs @ x + problem.oracle.recourse_costs(x))


def _covers(problem: VertexCover) -> Probes:
    """The same with each cheapest cover found once; light covers for graphs beyond the exact oracle."""
    now, later = problem.first_stage.costs, problem.scenario_costs
    oracle = problem._covers or LightCoverOracle(len(now), problem.edges)
    everywhere = np.ones(len(now), dtype=bool)
    values, covers = oracle.solved(everywhere, cover_oracle.cheaper_of_both(now, later))
    values += np.minimum(now, 0).sum()
    decisions = cover_oracle.taken_now(now, later, covers)
    severe = _severe(values, decisions)
    left = oracle.costs(everywhere, kernels.costs_left(severe, later))
    return Probes(values, severe @ now + left.reshape(len(later), -1), decisions)


def _plans(problem: FacilityLocation) -> Probes:
    """
    Capacity plans that grow with the scenario that is dearest for them.

    With fixed costs spread over a site's capacity, buying capacity and shipping is one transportation program. The
    first plan is that of the scenario it costs most; each next one adds what the dearest scenario has to buy on top.
    """
    # A site without capacity sells none, whatever its price.
    unit = problem.capacity_costs + problem.opening_costs / np.maximum(problem.max_capacities, 1.0)
    plan = np.zeros_like(unit)
    columns = []
    for _ in range(NUM_PLANS + 1):
        shipping = _Shipping(problem, plan, unit)
        columns.append(_finite(unit @ plan + shipping.costs))
        plan = plan + shipping.bought(int(np.argmax(columns[-1])))
    return Probes(columns[0], np.column_stack(columns[1:]), amounts=problem.demands.sum(axis=1))


class _Shipping:
    """Serve each scenario from planned capacity at transport cost, from further capacity at its price as well."""

    def __init__(self, problem: FacilityLocation, plan: Floats, unit: Floats) -> None:
        self._num_sites = len(plan)
        left = np.maximum(problem.max_capacities - plan, 0.0)
        self._capacities = np.concatenate([plan, left])
        nothing = np.zeros(2 * self._num_sites)
        transport = np.vstack([problem.transport_costs, problem.transport_costs + unit[:, None]])
        twice = FacilityLocation(nothing, nothing, self._capacities, transport, problem.demands)
        self._x = np.concatenate([np.ones(2 * self._num_sites), self._capacities])
        self._evaluator = Evaluator(twice)
        self.costs = self._evaluator.evaluate(self._x).recourse_costs

    def bought(self, scenario: int) -> Floats:
        """Further capacity that this scenario buys at each site, shape (m,)."""
        y = self._evaluator.decision(self._x, scenario)
        if y is None:
            return np.zeros(self._num_sites)
        return np.asarray(y.reshape(2 * self._num_sites, -1)[self._num_sites :].sum(axis=1))


def _finite(costs: Floats) -> Floats:
    """Demands beyond all capacity count as somewhat dearer than the dearest that can be met."""
    known = costs[np.isfinite(costs)]
    return np.where(np.isfinite(costs), costs, 1.1 * known.max() if len(known) else 0.0)
