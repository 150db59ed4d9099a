"""Facility location as a two-stage problem: its rows, cuts, names and map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from neurprise import arrays
from neurprise.arrays import Floats, frozen
from neurprise.errors import InputError
from neurprise.problem import TwoStageProblem
from neurprise.problem.display import NO_VARIABLE, Picture
from neurprise.problem.named import Extent, Stem
from neurprise.problem.stages import Changes, FirstStage, Recourse, RecourseRows
from neurprise.problems.facility_location.oracle import TransportOracle
from neurprise.problems.labels import LabelledData

if TYPE_CHECKING:
    from neurprise.problem.contract import SurrogateKnowledge
    from neurprise.problems.facility_location.learned import FacilityLocationView

#: Meaning of the dimensions of the constructor's arguments.
_AXES = {
    "opening_costs": ("site",),
    "capacity_costs": ("site",),
    "max_capacities": ("site",),
    "transport_costs": ("site", "customer"),
    "demands": ("scenario", "customer"),
    "site_coordinates": ("site", "coordinate"),
    "customer_coordinates": ("customer", "coordinate"),
}


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
    site_coordinates, customer_coordinates
        Positions for pictures only, shapes (m, 2) and (n, 2): easting and northing in any unit; both or neither.

    Series and DataFrames of pandas are aligned by their labels, which become names: `ship[depot,shop]`.
    """

    family = "facility-location"

    def __init__(
        self,
        opening_costs: Any,
        capacity_costs: Any,
        max_capacities: Any,
        transport_costs: Any,
        demands: Any,
        *,
        site_coordinates: Any = None,
        customer_coordinates: Any = None,
    ) -> None:
        given = LabelledData(
            {
                "opening_costs": opening_costs,
                "capacity_costs": capacity_costs,
                "max_capacities": max_capacities,
                "transport_costs": transport_costs,
                "demands": demands,
                "site_coordinates": site_coordinates,
                "customer_coordinates": customer_coordinates,
            },
            _AXES,
        )
        opening = arrays.vector("opening_costs", given["opening_costs"])
        m = len(opening)
        unit = arrays.vector("capacity_costs", given["capacity_costs"], m)
        largest = arrays.vector("max_capacities", given["max_capacities"], m)
        transport = arrays.table("transport_costs", given["transport_costs"], (m, None))
        n = transport.shape[1]
        demand = arrays.scenarios("demands", given["demands"], n)
        arrays.nonnegative("max_capacities", largest, "a closed site has capacity 0")
        self.opening_costs, self.capacity_costs, self.max_capacities = opening, unit, largest
        self.transport_costs = transport
        if (site_coordinates is None) != (customer_coordinates is None):
            missing = "site_coordinates" if site_coordinates is None else "customer_coordinates"
            raise InputError(f"a map needs sites and customers, but {missing} is missing; pass both or neither.")
        self.site_coordinates = _checked_places("site_coordinates", given["site_coordinates"], m)
        self.customer_coordinates = _checked_places("customer_coordinates", given["customer_coordinates"], n)
        super().__init__(
            _first_stage(opening, unit, largest),
            _recourse(transport, demand[0]),
            self.changes_from(demand),
            len(demand),
            **given.names(_stems(given.labels("site") or m, given.labels("customer") or n), "site", "customer"),
        )

    @property
    def demands(self) -> Floats:
        """Demand of each customer in each scenario, shape (S, n)."""
        return self.changes["row_lower"].values

    def name_stems(self) -> dict[str, list[Stem]]:
        return _stems(*self.transport_costs.shape)

    def changes_from(self, data: Floats) -> dict[str, Changes]:
        """Demands, shape (S, n), are the limits of the customers' rows."""
        arrays.nonnegative("demands", data, "returns are not modelled")
        m, n = self.transport_costs.shape
        return {"row_lower": Changes(frozen(np.arange(m, m + n)), data)}

    @cached_property
    def oracle(self) -> TransportOracle:
        """Cheapest shipments by a dual network simplex."""
        return TransportOracle(self.transport_costs, self.demands)

    @property
    def has_tight_rows(self) -> bool:
        return True

    @cached_property
    def separator(self) -> OpenSiteCuts:
        """Rows that open a site wholly before it ships."""
        return OpenSiteCuts(self.transport_costs, self.max_capacities, self.demands)

    @property
    def learned(self) -> FacilityLocationView:
        """All three encodings; the scenario of largest total demand always comes first."""
        from neurprise.problems.facility_location.learned import FacilityLocationView

        return FacilityLocationView(self)

    @property
    def picture(self) -> Picture | None:
        """The map; None without coordinates, or if it has too many lines."""
        if self.site_coordinates is None or self.customer_coordinates is None or self.num_recourse > MAX_DRAWN_LINES:
            return None
        return map_picture(self, self.site_coordinates, self.customer_coordinates)

    @property
    def surrogate(self) -> SurrogateKnowledge:
        """The functions of `learned.py` for Neur2RO."""
        from neurprise.problems.facility_location import learned

        return learned


def _stems(sites: Extent, customers: Extent) -> dict[str, list[Stem]]:
    return {
        "x": [("open", (sites,)), ("capacity", (sites,))],
        "y": [("ship", (sites, customers))],
        "x_row": [("capacity_limit", (sites,))],
        "y_row": [("supply", (sites,)), ("demand", (customers,))],
    }


def _checked_places(name: str, places: Any, count: int) -> Floats | None:
    return None if places is None else arrays.table(name, places, (count, 2))


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


#: Larger maps are unreadable.
MAX_DRAWN_LINES = 10_000


def map_picture(problem: FacilityLocation, sites: Floats, customers: Floats) -> Picture:
    """Open and closed sites, customers and shipments; coordinates of shapes (m, 2) and (n, 2)."""
    m, n = problem.transport_costs.shape
    site, customer = np.divmod(np.arange(m * n), n)  # as ship[site, customer] is numbered
    no_site = np.full(n, NO_VARIABLE)
    customer_names = problem.y_row_names[m:] or tuple(f"customer {i}" for i in range(n))
    return Picture(
        title="The map",
        places=np.vstack([sites, customers]),
        point_names=(*problem.first_stage_names[:m], *customer_names),
        chosen_now=np.concatenate([np.arange(m), no_site]),
        chosen_later=np.full(m + n, NO_VARIABLE),
        lines=np.column_stack([site, m + customer]),
        line_variables=np.arange(m * n),
        legend={"now": "open", "idle": "closed", "fixed": "customer"},
    )


#: Cuts that are violated by less than this share are not added.
_VIOLATION = 1e-4


@dataclass(frozen=True, eq=False)
class OpenSiteCuts:
    """
    y_ji <= min(demand_i, K_j) open_j: a closed site ships nothing, an open one at most the demand.

    Parameters
    ----------
    transport, max_capacities, demands
        Cost per unit, shape (m, n); K, shape (m,); demands, shape (S, n).
    """

    transport: Floats
    max_capacities: Floats
    demands: Floats

    def violated_rows(self, x: Floats, y: Floats, scenario: int) -> RecourseRows | None:
        """The rows above that a fractional (x, y) violates."""
        m, n = self.transport.shape
        most = np.minimum.outer(self.max_capacities, self.demands[scenario])
        # If shipping earns money, it may exceed the demand.
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
