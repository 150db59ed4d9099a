"""Capacitated facility location: open sites and buy capacity now, ship to customers when demand is known."""

from neurprise.problems.facility_location.formulation import FacilityLocation
from neurprise.problems.facility_location.generator import examples, make_facility_location

__all__ = ["FacilityLocation", "examples", "make_facility_location"]
