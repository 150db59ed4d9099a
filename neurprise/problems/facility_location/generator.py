"""Random sites, customers and demands, as the paper draws them."""

from __future__ import annotations

import numpy as np

from neurprise import arrays
from neurprise.errors import InputError
from neurprise.problems.draws import DEMANDS, draw
from neurprise.problems.facility_location.formulation import FacilityLocation

_DRAWS_BEFORE_GIVING_UP = 100


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


def examples() -> list[FacilityLocation]:
    """Enough capacity for every demand, and a site that is paid for shipping."""
    return [
        make_facility_location(3, 3, 4, seed=0),
        FacilityLocation([10, 20], [1, 2], [9, 9], [[3, -1], [2, 4]], [[2, 3], [4, 4]]),
    ]
