"""Problem families; adding one is a file here and a line in `FAMILIES`."""

from neurprise.problems.facility_location import FacilityLocation, make_facility_location
from neurprise.problems.selection import Selection, make_selection
from neurprise.problems.vertex_cover import VertexCover, make_vertex_cover

FAMILIES = {
    "selection": Selection,
    "vertex-cover": VertexCover,
    "facility-location": FacilityLocation,
}

__all__ = [
    "FAMILIES",
    "FacilityLocation",
    "Selection",
    "VertexCover",
    "make_facility_location",
    "make_selection",
    "make_vertex_cover",
]
