"""Every experiment by its name; a new one is a spec in a file here, listed below."""

from __future__ import annotations

from neurprise.bench.checkout import measurements, scripts, versions_since
from neurprise.bench.places import checkout
from neurprise.bench.spec import Spec
from neurprise.bench.specs import analysis, generalization, performance, time, training
from neurprise.errors import InputError, near_miss

_ROOMS = (performance, generalization, time, analysis, training)
#: Those that ship.
SPECS: dict[str, Spec] = {spec.name: spec for room in _ROOMS for spec in room.SPECS}


def all_specs() -> dict[str, Spec]:
    """Those that ship, and the measurements of the checkout where this is one."""
    return SPECS | measurements()


def get_spec(name: str) -> Spec:
    """The experiment of that name; `versions@COMMIT` for any commit of the checkout."""
    specs, (kind, _, commit) = all_specs(), name.partition("@")
    if name not in specs and kind == "versions" and commit and checkout() is not None:
        return versions_since(commit)
    if name not in specs:
        known = [*specs, *scripts()]
        raise InputError(f"`neurprise bench list` names the experiments, got {name!r}; {near_miss(name, known)}.")
    return specs[name]
