"""How a network sees facility location: sites joined to customers, and what growing capacity plans cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats
from neurprise.networks.drawing import feature, scaled, undirected
from neurprise.networks.probes import Probes, deviations
from neurprise.networks.scenario_graph import ScenarioGraph
from neurprise.networks.view import LearnedView
from neurprise.problems.facility_location.formulation import FacilityLocation
from neurprise.problems.facility_location.oracle import TransportOracle

#: Capacity plans whose costs are told.
NUM_PLANS = 5


@dataclass(frozen=True, eq=False)
class FacilityLocationView(LearnedView):
    """All three encodings; the paper trains on the compact graph."""

    problem: FacilityLocation

    encodings = ("cv", "ps", "sv")
    default_encoding = "ps"

    def compact_graph(self) -> ScenarioGraph:
        """Features: site, customer, opening cost, capacity cost, largest capacity, demand; edges: transport costs."""
        problem = self.problem
        m, n = problem.transport_costs.shape
        nodes = np.zeros((m + n, 6))
        nodes[:m, 0] = nodes[m:, 1] = 1.0
        of_sites = (problem.opening_costs, problem.capacity_costs, problem.max_capacities)
        for column, values in enumerate(of_sites, start=2):
            nodes[:m, column] = scaled(values)
        sites, customers = np.divmod(np.arange(m * n), n)
        places = feature(np.arange(m, m + n), 5)
        costs = scaled(problem.transport_costs.ravel())
        return undirected(nodes, places, scaled(problem.demands), sites, customers + m, costs)

    def probes(self) -> Probes:
        """
        Capacity plans that grow with the scenario that is most expensive for them.

        With fixed costs spread over a site's capacity, buying capacity and shipping is one transportation program. The
        first plan is that of the scenario it costs most; each next one adds what the most expensive scenario has to
        buy on top. Costs are told as distances from the largest under the same plan, since the exact search adds the
        most expensive scenario; then the total demand as the distance from the largest: capacity that suffices for
        some scenarios fails every scenario with a larger total.
        """
        told = np.column_stack(self._costs_of_growing_plans())
        values, amounts = told[:, 0], self.problem.demands.sum(axis=1)
        largest = deviations(amounts[:, None], amounts, amounts.max(keepdims=True))
        columns = np.concatenate([deviations(told, values, told.max(axis=0)), largest], axis=1)
        return Probes(values, told[:, 1:], columns)

    def final_scores(self, scores: Floats) -> Floats:
        """
        The scenario of largest total demand always comes first.

        Any site can serve any customer, so a decision is feasible for a scenario exactly when its capacity reaches the
        total demand. Whoever keeps the largest total has recourse in every scenario; whoever drops it may have none.
        """
        raised = scores.copy()
        raised[int(np.argmax(self.problem.demands.sum(axis=1)))] = scores.max() + 1.0
        return raised

    def _costs_of_growing_plans(self) -> list[Floats]:
        """Costs of every scenario without a plan and under each of NUM_PLANS plans, each of shape (S,)."""
        problem = self.problem
        # A site without capacity sells none, whatever its price.
        unit = problem.capacity_costs + problem.opening_costs / np.maximum(problem.max_capacities, 1.0)
        plan = np.zeros_like(unit)
        costs = []
        for _ in range(NUM_PLANS + 1):
            shipping = _Shipping(problem, plan, unit)
            costs.append(_finite(unit @ plan + shipping.costs()))
            plan = plan + shipping.bought(int(np.argmax(costs[-1])))
        return costs


class _Shipping:
    """Serve each scenario from planned capacity at transport cost, from further capacity at its price as well."""

    def __init__(self, problem: FacilityLocation, plan: Floats, unit: Floats) -> None:
        self._num_sites = len(plan)
        left = np.maximum(problem.max_capacities - plan, 0.0)
        transport = np.vstack([problem.transport_costs, problem.transport_costs + unit[:, None]])
        self._oracle = TransportOracle(transport, problem.demands)
        # Every site twice: what it has by the plan, and what may be bought on top.
        self._x = np.concatenate([np.ones(2 * self._num_sites), plan, left])

    def costs(self) -> Floats:
        """Of each scenario, shape (S,); inf where all capacity is short."""
        return self._oracle.recourse_costs(self._x)

    def bought(self, scenario: int) -> Floats:
        """Further capacity that this scenario buys at each site, shape (m,)."""
        y = self._oracle.recourse_decision(self._x, scenario)
        if y is None:
            return np.zeros(self._num_sites)
        return np.asarray(y.reshape(2 * self._num_sites, -1)[self._num_sites :].sum(axis=1))


def _finite(costs: Floats) -> Floats:
    """Demands beyond all capacity count as somewhat more expensive than the most expensive that can be met."""
    known = costs[np.isfinite(costs)]
    return np.where(np.isfinite(costs), costs, 1.1 * known.max() if len(known) else 0.0)
