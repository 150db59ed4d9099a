"""Every experiment by its name; a new one is a spec in a file here, listed below."""

from __future__ import annotations

from neurprise.bench.scripts import scripts
from neurprise.bench.spec import Spec
from neurprise.bench.specs import analysis, generalization, performance, time, training
from neurprise.errors import InputError
from neurprise.spelling import near_miss

_ROOMS = (performance, generalization, time, analysis, training)
SPECS: dict[str, Spec] = {spec.name: spec for room in _ROOMS for spec in room.SPECS}


def get_spec(name: str) -> Spec:
    """The experiment of that name."""
    if name not in SPECS:
        known = [*SPECS, *scripts()]
        raise InputError(f"`neurprise bench list` names the experiments, got {name!r}; {near_miss(name, known)}.")
    return SPECS[name]
