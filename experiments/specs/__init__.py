"""Every experiment by its name; a new one is a spec in a file here, listed below."""

from __future__ import annotations

from experiments.judges import JUDGES
from experiments.measurements import ROOMS, versions
from experiments.methods import METHODS
from experiments.spec import Spec
from experiments.specs import analysis, generalization, performance, time, training
from experiments.views.tables import WHOLE_VIEWS
from neurprise.errors import InputError, near_miss

_ROOMS = (performance, generalization, time, analysis, training)
#: The experiments of the results page.
SPECS: dict[str, Spec] = {spec.name: spec for room in _ROOMS for spec in room.SPECS}
#: Measurements of speed.
MEASUREMENTS: dict[str, Spec] = {spec.name: spec for room in ROOMS for spec in room.SPECS}
for _room in ROOMS:
    METHODS.update(_room.METHODS)
    WHOLE_VIEWS.update(getattr(_room, "VIEWS", {}))


def all_specs() -> dict[str, Spec]:
    """Experiments and measurements."""
    return SPECS | MEASUREMENTS


def get_spec(name: str) -> Spec:
    """The experiment of that name; `versions@COMMIT` for any commit of the repository."""
    specs, (kind, _, commit) = all_specs(), name.partition("@")
    if name not in specs and kind == "versions" and commit:
        return versions.since(commit)
    if name not in specs:
        known = [*specs, *JUDGES]
        raise InputError(f"`python -m experiments list` names the experiments, got {name!r}; {near_miss(name, known)}.")
    return specs[name]
