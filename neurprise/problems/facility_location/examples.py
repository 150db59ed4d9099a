"""Small facility locations that between them go every way through the family's code."""

from __future__ import annotations

from neurprise.problems.facility_location.formulation import FacilityLocation
from neurprise.problems.facility_location.generator import make_facility_location


def examples() -> list[FacilityLocation]:
    """Enough capacity for every demand, and a site that is paid for shipping."""
    return [
        make_facility_location(3, 3, 4, seed=0),
        FacilityLocation([10, 20], [1, 2], [9, 9], [[3, -1], [2, 4]], [[2, 3], [4, 4]]),
    ]
