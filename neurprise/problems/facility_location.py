"""Capacitated facility location: open sites and buy capacity now, ship to customers when demand is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from neurprise import arrays
from neurprise.arrays import Floats, frozen
from neurprise.errors import InputError
from neurprise.knowledge import EVERY
from neurprise.names import Stem
from neurprise.problem import TwoStageProblem
from neurprise.problems import transport_oracle
from neurprise.problems.draws import DEMANDS, draw
from neurprise.stages import Changes, FirstStage, Recourse, RecourseRows
from neurprise.tolerances import FEASIBILITY_TOLERANCE

if TYPE_CHECKING:
    from neurprise.graphs.view import LearnedView

_DRAWS_BEFORE_GIVING_UP = 100
#: Cuts broken by less than this share are not worth a row.
_VIOLATION = 1e-4


class FacilityLocation(TwoStageProblem):
    """
    Two-stage capacitated facility location (the paper's Eq. CFLP); x = (open_1..m, capacity_1..m).

    Parameters
    ----------
    opening_costs, capacity_costs, max_capacities
        f, a, K: fixed cost, cost per unit of capacity, largest capacity of each site, shape (m,).
    transport_costs
        Cost per unit shipped from site to customer, shape (m, n).
    demands
        Demand of each customer in each scenario, shape (S, n).
    """

    family = "facility-location"

    def __init__(
        self, opening_costs: Any, capacity_costs: Any, max_capacities: Any, transport_costs: Any, demands: Any
    ) -> None:
        opening = arrays.vector("opening_costs", opening_costs)
        m = len(opening)
        unit = arrays.vector("capacity_costs", capacity_costs, m)
        largest = arrays.vector("max_capacities", max_capacities, m)
        transport = arrays.table("transport_costs", transport_costs, (m, None))
        n = transport.shape[1]
        demand = arrays.scenarios("demands", demands, n)
        arrays.nonnegative("max_capacities", largest, "a closed site has capacity 0")
        self.opening_costs, self.capacity_costs, self.max_capacities = opening, unit, largest
        self.transport_costs = transport
        super().__init__(
            _first_stage(opening, unit, largest),
            _recourse(transport, demand[0]),
            self.changes_from(demand),
            len(demand),
        )

    @property
    def demands(self) -> Floats:
        """Demand of each customer in each scenario, shape (S, n)."""
        return self.changes["row_lower"].values

    def name_stems(self) -> dict[str, list[Stem]]:
        m, n = self.transport_costs.shape
        return {
            "x": [("open", (m,)), ("capacity", (m,))],
            "y": [("ship", (m, n))],
            "x_row": [("capacity_limit", (m,))],
            "y_row": [("supply", (m,)), ("demand", (n,))],
        }

    def changes_from(self, data: Floats) -> dict[str, Changes]:
        """Demands, shape (S, n), are the limits of the customers' rows."""
        arrays.nonnegative("demands", data, "returns are not modelled")
        m, n = self.transport_costs.shape
        return {"row_lower": Changes(frozen(np.arange(m, m + n)), data)}

    @cached_property
    def oracle(self) -> TransportOracle:
        """Cheapest shipments by a dual network simplex."""
        return TransportOracle(self.transport_costs, self.demands)

    @cached_property
    def separator(self) -> OpenSiteCuts:
        """Rows that open a site wholly before it ships."""
        return OpenSiteCuts(self.transport_costs, self.max_capacities, self.demands)

    @property
    def learned(self) -> LearnedView:
        """See FacilityLocationView."""
        from neurprise.problems.facility_location_learned import FacilityLocationView

        return FacilityLocationView(self)


@dataclass(frozen=True, eq=False)
class TransportOracle:
    """
    Cheapest shipments from the capacities in x.

    Parameters
    ----------
    transport
        Cost per unit from site to customer, shape (m, n).
    demands
        Shape (S, n).
    """

    transport: Floats
    demands: Floats

    def recourse_costs(self, x: Floats, scenarios: slice = EVERY) -> Floats:
        """Q(x, s) = cheapest shipments; inf where capacities are short in total."""
        return self._ship(x, self.demands[scenarios])[0]

    def recourse_decision(self, x: Floats, scenario: int) -> Floats | None:
        """Cheapest shipments, y_ji at j*n + i, shape (m*n,); None where capacities are short."""
        costs, amounts = self._ship(x, self.demands[scenario : scenario + 1])
        return amounts.ravel() if np.isfinite(costs[0]) else None

    def _ship(self, x: Floats, demands: Floats) -> tuple[Floats, Floats]:
        """
        Costs under these demands (S, n), shape (S,), and the last row's shipments, shape (m, n).

        That a closed site has no capacity is the first stage's rule; shipments depend on the capacities alone.
        """
        capacities = np.array(x[len(self.transport) :])
        if capacities.min(initial=0.0) < -FEASIBILITY_TOLERANCE:
            return np.full(len(demands), np.inf), np.full(self.transport.shape, np.nan)
        answer: tuple[Floats, Floats] = transport_oracle.ship(
            self.transport, capacities, demands, FEASIBILITY_TOLERANCE
        )
        return answer


@dataclass(frozen=True, eq=False)
class OpenSiteCuts:
    """
    y_ji <= min(demand_i, K_j) open_j: a closed site ships nothing, an open one no more than is asked for.

    Parameters
    ----------
    transport, max_capacities, demands
        Cost per unit, shape (m, n); K, shape (m,); demands, shape (S, n).
    """

    transport: Floats
    max_capacities: Floats
    demands: Floats

    def violated_rows(self, x: Floats, y: Floats, scenario: int) -> RecourseRows | None:
        """Those of the rows above that a fractional (x, y) breaks."""
        m, n = self.transport.shape
        most = np.minimum.outer(self.max_capacities, self.demands[scenario])
        # Where shipping earns money it may exceed the demand.
        most = np.where(self.transport >= 0, most, self.max_capacities[:, None])
        site, customer = np.nonzero(y.reshape(m, n) > most * x[:m, None] + _VIOLATION * (1 + most))
        if len(site) == 0:
            return None
        row = np.arange(len(site))
        return RecourseRows(
            technology=sparse.csr_array((most[site, customer], (row, site)), shape=(len(site), 2 * m)),
            matrix=sparse.csr_array((-np.ones(len(site)), (row, site * n + customer)), shape=(len(site), m * n)),
            lower=np.zeros(len(site)),
        )


def make_facility_location(
    num_facilities: int, num_customers: int, num_scenarios: int, seed: int, distribution: str = "uniform"
) -> FacilityLocation:
    """
    A random instance of CFLP-num_facilities-num_customers-num_scenarios in the ranges of Zeng and Zhao 2013.

    Capacities are redrawn until all sites together can serve the largest total demand.
    """
    m = arrays.whole_number("num_facilities", num_facilities, 1)
    n = arrays.whole_number("num_customers", num_customers, 1)
    num_scenarios = arrays.whole_number("num_scenarios", num_scenarios, 1)
    rng = np.random.default_rng(arrays.whole_number("seed", seed, 0))
    opening = rng.integers(100, 1001, m).astype(float)
    unit = rng.integers(10, 101, m).astype(float)
    transport = rng.integers(1, 1001, (m, n)).astype(float)
    demand = draw(rng, DEMANDS, distribution, num_scenarios, n)
    for _ in range(_DRAWS_BEFORE_GIVING_UP):
        largest = rng.integers(200, 701, m).astype(float)
        if largest.sum() >= demand.sum(axis=1).max():
            return FacilityLocation(opening, unit, largest, transport, demand)
    raise InputError(
        f"{m} facilities cannot serve {n} customers: total demand reaches {demand.sum(axis=1).max():.0f}, "
        "a facility holds at most 700; ask for more facilities or fewer customers."
    )


def _first_stage(opening: Floats, unit: Floats, largest: Floats) -> FirstStage:
    """capacity_j <= K_j open_j."""
    m = len(opening)
    rows = sparse.hstack([sparse.diags_array(largest), -sparse.eye_array(m)])
    return FirstStage(
        costs=frozen(np.concatenate([opening, unit])),
        matrix=arrays.matrix("first-stage rows", rows, (m, 2 * m)),
        row_lower=frozen(np.zeros(m)),
        row_upper=frozen(np.full(m, np.inf)),
        lower=frozen(np.zeros(2 * m)),
        upper=frozen(np.concatenate([np.ones(m), largest])),
        integer=frozen(np.arange(2 * m) < m),
    )


def _recourse(transport: Floats, base_demand: Floats) -> Recourse:
    """Rows 1..m: capacity_j - sum_i y_ji >= 0;  rows m+1..m+n: sum_j y_ji >= demand_i;  y_ji at column j*n + i."""
    m, n = transport.shape
    ship_from = sparse.kron(sparse.eye_array(m), np.ones((1, n)))
    ship_to = sparse.kron(np.ones((1, m)), sparse.eye_array(n))
    technology = sparse.coo_array((np.ones(m), (np.arange(m), np.arange(m, 2 * m))), shape=(m + n, 2 * m))
    return Recourse(
        costs=frozen(transport.ravel().copy()),
        x_costs=frozen(np.zeros(2 * m)),
        technology=arrays.matrix("technology", technology, (m + n, 2 * m)),
        matrix=arrays.matrix("recourse rows", sparse.vstack([-ship_from, ship_to]), (m + n, m * n)),
        row_lower=frozen(np.concatenate([np.zeros(m), base_demand])),
        row_upper=frozen(np.full(m + n, np.inf)),
        lower=frozen(np.zeros(m * n)),
        upper=frozen(np.full(m * n, np.inf)),
        integer=frozen(np.zeros(m * n, dtype=bool)),
    )
