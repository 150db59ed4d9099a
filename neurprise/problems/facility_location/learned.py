"""How a network sees facility location: sites joined to customers, and what growing capacity plans cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.networks.scenario_graph import ScenarioGraph, feature, scaled, undirected
from neurprise.networks.view import Description, LearnedView, Probes, deviations, positive
from neurprise.problems.facility_location.formulation import FacilityLocation
from neurprise.problems.facility_location.oracle import TransportOracle

#: Capacity plans whose costs are features.
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
        first plan is that of the most expensive scenario; each further plan adds the capacity that its most expensive
        scenario has to buy. Features are the distances from the largest cost under the same plan, because the exact
        search adds the most expensive scenario, and from the largest total demand, because a capacity fails every
        scenario with a larger total.
        """
        found = np.column_stack(self._costs_of_growing_plans())
        values, amounts = found[:, 0], self.problem.demands.sum(axis=1)
        largest = deviations(amounts[:, None], amounts, amounts.max(keepdims=True))
        columns = np.concatenate([deviations(found, values, found.max(axis=0)), largest], axis=1)
        return Probes(values, found[:, 1:], columns)

    def final_scores(self, scores: Floats) -> Floats:
        """
        The scenario of largest total demand always comes first.

        Any site can serve any customer, so a decision is feasible for a scenario exactly when its capacity reaches the
        total demand. A reduced problem with the largest total gives recourse in every scenario; without it, maybe not.
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
        # Every site twice: its planned capacity, and the capacity that may still be bought.
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
    """Scenarios beyond all capacity get 1.1 times the largest finite cost."""
    known = costs[np.isfinite(costs)]
    return np.where(np.isfinite(costs), costs, 1.1 * known.max() if len(known) else 0.0)


#: Corners of a site's decision (open, share of its capacity): closed, open without capacity, open with all of it.
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
#: About this many sites serve a customer.
NEAREST = 3


def describe(problem: FacilityLocation) -> Description:
    """Demands in units of the mean demand, transport in units of the nearest sites' charges, capacities in both."""
    m = len(problem.opening_costs)
    nearest = np.sort(problem.transport_costs, axis=0)[:NEAREST]
    price, usual = positive(nearest.mean()), positive(problem.demands.mean())
    usual_total = positive(problem.demands.sum(axis=1).mean())
    at_zero, shares = _shares(problem.max_capacities)
    return Description(
        items=_sites(problem, price, usual_total),
        corners=CORNERS,
        shares_at_zero=at_zero,
        shares=shares,
        scenario_items=_customers(problem.demands / usual, nearest / price),
        scale=positive(usual_total * price),
        reference=np.concatenate([np.ones(m), problem.max_capacities]),
    )


def decisions(problem: FacilityLocation, good: Floats, rng: np.random.Generator, count: int) -> Floats:
    """Good plans stretched or moved, greedy ones and random ones, most with capacity for all; shape (count, 2 m)."""
    draws = (
        lambda: _moved(problem, good[rng.integers(len(good))], rng),
        lambda: _filled(problem, _by_price(problem, rng), rng),
        lambda: _stretched(problem, good[rng.integers(len(good))], rng),
        lambda: _filled(problem, rng.permutation(len(problem.opening_costs)), rng),
    )
    return np.stack([draws[k % len(draws)]() for k in range(count)])


def _sites(problem: FacilityLocation, price: float, usual_total: float) -> Floats:
    """Capacity, nearness and costs of every site, shape (m, 6)."""
    m = len(problem.opening_costs)
    charges = problem.transport_costs / price
    rank = np.argsort(np.argsort(charges, axis=0, kind="stable"), axis=0)
    return np.column_stack(
        [
            problem.max_capacities * m / usual_total,
            np.minimum(charges, 10.0).mean(axis=1) / 10.0,
            (rank == 0).mean(axis=1) * m,
            (rank < NEAREST).mean(axis=1) * m / NEAREST,
            problem.opening_costs / positive(problem.opening_costs.mean()),
            problem.capacity_costs / positive(problem.capacity_costs.mean()),
        ]
    )


def _customers(demands: Floats, nearest: Floats) -> Floats:
    """Demand of each customer, alone and times the charges of its nearest sites, and usual values; (S, n, 6)."""
    cheapest, near = nearest[0], nearest.mean(axis=0)
    shared = np.column_stack([cheapest, near, demands.mean(axis=0)])
    found = np.stack([demands, demands * cheapest, demands * near], axis=2)
    return np.concatenate([found, np.broadcast_to(shared, (len(demands), *shared.shape))], axis=2)


def _shares(largest: Floats) -> tuple[Floats, sparse.csr_array]:
    """Shares (1 - open, open - z / K, z / K) of every site as functions of x = (open, z); shapes (3 m,), (3 m, 2 m)."""
    m = len(largest)
    opened = sparse.kron(sparse.eye_array(m), np.array([[-1.0], [1.0], [0.0]]))
    part = sparse.diags_array(np.where(largest > 0, 1.0 / np.where(largest > 0, largest, 1.0), 0.0))
    used = sparse.kron(part, np.array([[0.0], [-1.0], [1.0]]))
    return np.tile([1.0, 0.0, 0.0], m), sparse.csr_array(sparse.hstack([opened, used]))


def _by_price(problem: FacilityLocation, rng: np.random.Generator) -> Ints:
    """Sites in the order of a noisy price per unit: opening, capacity and shipping to the customers that are near."""
    near = np.sort(problem.transport_costs, axis=1)[:, :NEAREST].mean(axis=1)
    unit = problem.capacity_costs + problem.opening_costs / np.maximum(problem.max_capacities, 1.0)
    return np.argsort((unit + near) * rng.uniform(0.7, 1.4, len(unit)), kind="stable").astype(np.int64)


def _filled(problem: FacilityLocation, order: Ints, rng: np.random.Generator) -> Floats:
    """Buy all capacity of one site after the other until it reaches a multiple of the largest total demand."""
    wanted = problem.demands.sum(axis=1).max() * rng.uniform(1.0, 1.3)
    capacity = np.zeros(len(problem.opening_costs))
    for j in order:
        capacity[j] = min(problem.max_capacities[j], max(wanted - capacity.sum(), 0.0))
    return _plan(capacity)


def _moved(problem: FacilityLocation, x: Floats, rng: np.random.Generator) -> Floats:
    """Close one or two sites and buy their capacity at others, in random order."""
    m = len(problem.opening_costs)
    capacity = x[m:].copy()
    opened = np.flatnonzero(capacity > 0)
    closed = rng.choice(opened, size=min(len(opened), int(rng.integers(1, 3))), replace=False)
    missing = capacity[closed].sum()
    capacity[closed] = 0.0
    for j in rng.permutation(np.setdiff1d(np.arange(m), closed)):
        more = min(problem.max_capacities[j] - capacity[j], missing)
        capacity[j] += more
        missing -= more
    return _plan(capacity)


def _stretched(problem: FacilityLocation, x: Floats, rng: np.random.Generator) -> Floats:
    """All capacities times a factor of their own, most of them above 1."""
    m = len(problem.opening_costs)
    factors = rng.uniform(0.95, 1.3, m)
    return _plan(np.minimum(x[m:] * factors, problem.max_capacities))


def _plan(capacity: Floats) -> Floats:
    """Open the sites that hold capacity."""
    return np.concatenate([(capacity > 0).astype(np.float64), capacity])
