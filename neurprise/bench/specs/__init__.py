"""Every experiment by its name; a new one is a spec in a file here, listed below."""

from __future__ import annotations

from neurprise.bench.scripts import scripts
from neurprise.bench.spec import Spec
from neurprise.bench.specs import performance
from neurprise.errors import InputError
from neurprise.spelling import near_miss

SPECS: dict[str, Spec] = {spec.name: spec for spec in (*performance.SPECS,)}


def get_spec(name: str) -> Spec:
    """The experiment of that name."""
    if name not in SPECS:
        known = [*SPECS, *scripts()]
        raise InputError(f"`neurprise bench list` names the experiments, got {name!r}; {near_miss(name, known)}.")
    return SPECS[name]
