"""
The search for a conflict: scenarios first, then rows and bounds.

Where the linear relaxation already contradicts itself, an elastic program finds the rows to look at; what is left is
made irreducible by asking an engine about parts of the model, whole numbers included. Any engine will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError
from neurprise.infeasible.conflict import Conflict
from neurprise.infeasible.elastic import conflicting_rows
from neurprise.infeasible.minimum import Minimum
from neurprise.infeasible.model import FeasibilityModel, Place, can_be_kept, joint_model, recourse_model
from neurprise.problem import TwoStageProblem
from neurprise.solvers import Engine

#: Seconds that an explanation may take where nobody says otherwise.
EXPLANATION_SECONDS = 5.0
#: With fewer rows the elastic program saves nothing.
_MANY_ROWS = 20


def conflict_in_recourse(
    problem: TwoStageProblem, x: Floats, scenario: int, engine: Engine, deadline: Deadline
) -> Conflict | None:
    """Why the decision x, shape (n,), has no recourse; None where it has one, or time does not suffice."""
    found = _conflict_in(recourse_model(problem, x, scenario), engine, deadline)
    return None if found is None else replace(found, given_decision=True)


def conflict_in_scenarios(
    problem: TwoStageProblem, scenarios: Sequence[int], engine: Engine, deadline: Deadline
) -> Conflict | None:
    """Why no decision has a recourse in each of these scenarios; None where one has, or time does not suffice."""

    def conflicting(some: Sequence[int]) -> bool:
        model = joint_model(problem, some)
        return not can_be_kept(model.part(model.places()), engine, deadline)

    needed = Minimum(conflicting, list(scenarios))
    needed.search()
    return _conflict_in(joint_model(problem, needed.smallest), engine, deadline)


def _conflict_in(model: FeasibilityModel, engine: Engine, deadline: Deadline) -> Conflict | None:
    places = model.places()
    try:
        if can_be_kept(model.part(places), engine, deadline):
            return None
        places = _likely(model, places, engine, deadline)
    except (OutOfTimeError, EngineError):
        return None
    found = Minimum(lambda part: not can_be_kept(model.part(part), engine, deadline), places)
    irreducible = found.search()
    order = {place: k for k, place in enumerate(places)}
    rules = sorted(found.smallest, key=lambda place: (model.owner(place), order[place]))
    owners = sorted({model.owner(place) for place in rules} - {-1})
    return Conflict(tuple(model.rule(place) for place in rules), tuple(owners), irreducible)


def _likely(model: FeasibilityModel, places: list[Place], engine: Engine, deadline: Deadline) -> list[Place]:
    """The rules, without rows and bounds of columns that an elastic program can do without; they conflict too."""
    rows = [place for place in places if place[0] == "row"]
    chosen = conflicting_rows(model.part(places), engine, deadline) if len(rows) >= _MANY_ROWS else None
    if chosen is None:
        return places
    kept = [place for place, taken in zip(rows, chosen.tolist(), strict=True) if taken]
    columns = set(model.matrix[[k for _, k in kept]].indices.tolist())
    return [*kept, *(place for place in places if place[0] != "row" and place[1] in columns)]
