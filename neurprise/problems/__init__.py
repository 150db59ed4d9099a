"""
Problem families by name; adding one is a folder here and a line in `_FAMILIES`, or a call of `register` in your code.

A folder is imported when its family is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from neurprise.errors import InputError
from neurprise.problems.family import Family

if TYPE_CHECKING:
    from neurprise.problems.facility_location import FacilityLocation, make_facility_location
    from neurprise.problems.selection import Selection, make_selection
    from neurprise.problems.vertex_cover import VertexCover, make_vertex_cover

# name -> what its folder offers besides `examples`: the class of problems and the generator
_FAMILIES = {
    "selection": ("Selection", "make_selection"),
    "vertex-cover": ("VertexCover", "make_vertex_cover"),
    "facility-location": ("FacilityLocation", "make_facility_location"),
}
_REGISTERED: dict[str, Family] = {}

__all__ = [
    "FacilityLocation",
    "Family",
    "Selection",
    "VertexCover",
    "family_names",
    "get_family",
    "make_facility_location",
    "make_selection",
    "make_vertex_cover",
    "register",
    "unregister",
]


def family_names() -> list[str]:
    """Names that `get_family` knows."""
    return [*_FAMILIES, *_REGISTERED]


def get_family(name: str) -> Family:
    """The family of that name."""
    if name in _REGISTERED:
        return _REGISTERED[name]
    if name not in _FAMILIES:
        raise InputError(
            f"family must be one of {', '.join(family_names())}, got {name!r}; neurprise.problems.register makes "
            "another known."
        )
    folder = _folder(name)
    problem, make = (getattr(folder, offered) for offered in _FAMILIES[name])
    return Family(name, problem, make, folder.examples)


def register(family: Family) -> Family:
    """
    Make a family of your own known by its name, in this process and in those that label for it.

    Files then keep the class of its problems, and `label` draws its instances. Registering a name again
    replaces the family, shipped ones excepted.
    """
    if family.name in _FAMILIES:
        raise InputError(f"{family.name!r} is a family of the package; choose another name.")
    _REGISTERED[family.name] = family
    return family


def unregister(name: str) -> None:
    """Forget a family that was registered; one that was not is left alone."""
    _REGISTERED.pop(name, None)


def __getattr__(name: str) -> Any:
    for family, offered in _FAMILIES.items():
        if name in offered:
            return getattr(_folder(family), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _folder(family: str) -> Any:
    return importlib.import_module(f"{__name__}.{family.replace('-', '_')}")
