"""
The search for a conflict: scenarios first, then rows and bounds.

Where the linear relaxation already contradicts itself, an elastic program finds the rows to look at; what is left is
made irreducible by asking an engine about parts of the model, whole numbers included. Any engine will do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError, InfeasibleProblemError, counted
from neurprise.infeasible.conflict import Conflict
from neurprise.infeasible.feasibility import (
    FeasibilityModel,
    Place,
    can_be_kept,
    feasibility_of_recourse,
    feasibility_of_scenarios,
)
from neurprise.problem import TwoStageProblem
from neurprise.solvers import Engine, EngineModel, EngineStatus, Limits
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE


def conflicting_rows(model: EngineModel, engine: Engine, deadline: Deadline) -> Bools | None:
    """Rows, shape (rows,), that conflict in the linear relaxation; None where it does not contradict itself in time."""
    program, num_rows = elastic(model), len(model.row_lower)
    enforced = np.zeros(num_rows, dtype=bool)
    while True:
        result = engine.solve(_with_enforced(program, enforced), Limits().until(deadline))
        if result.status is EngineStatus.INFEASIBLE:
            return enforced
        if result.status is not EngineStatus.OPTIMAL or result.values is None:
            return None
        stretched = _stretched(result.values, num_rows) & ~enforced
        if not stretched.any():
            return None
        enforced |= stretched


def elastic(model: EngineModel) -> EngineModel:
    """The linear relaxation with two more columns a row, in which it may be broken upwards and downwards."""
    rows = len(model.row_lower)
    eye, none = sparse.eye_array(rows), np.zeros(2 * rows)
    return replace(
        model,
        costs=np.concatenate([np.zeros(len(model.costs)), none + 1.0]),
        matrix=sparse.csr_array(sparse.hstack([model.matrix, eye, -eye])),
        lower=np.concatenate([model.lower, none]),
        upper=np.concatenate([model.upper, none + np.inf]),
        integer=np.zeros(len(model.integer) + 2 * rows, dtype=bool),
    )


def _with_enforced(program: EngineModel, enforced: Bools) -> EngineModel:
    """The elastic program in which these rows, shape (rows,), may not be broken."""
    give = np.tile(np.where(enforced, 0.0, np.inf), 2)
    return replace(program, upper=np.concatenate([program.upper[: -len(give)], give]))


def _stretched(values: Floats, num_rows: int) -> Bools:
    up, down = values[-2 * num_rows : -num_rows], values[-num_rows:]
    return np.asarray(up + down > FEASIBILITY_TOLERANCE)


Part = TypeVar("Part")


class Minimum(Generic[Part]):
    """
    One search by QuickXplain; few questions where few parts conflict: about k log(n / k) for k of n.

    Parameters
    ----------
    conflicting
        Whether some parts conflict; may raise OutOfTimeError. More parts never conflict less.
    whole
        All parts; together they conflict.
    """

    def __init__(self, conflicting: Callable[[Sequence[Part]], bool], whole: Sequence[Part]) -> None:
        self._conflicting = conflicting
        self.smallest = list(whole)

    def search(self) -> bool:
        """Make `smallest` as small as time allows; True if no part of it can be left out."""
        try:
            if not self._conflicts([]):
                self.smallest = self._needed([], self.smallest, background_grew=False)
        except (OutOfTimeError, EngineError):
            return False
        return True

    def _needed(self, background: list[Part], candidates: list[Part], background_grew: bool) -> list[Part]:
        """The candidates that, with the background, conflict, and none of which can be left out."""
        if background_grew and self._conflicts(background):
            return []
        if len(candidates) == 1:
            return candidates
        half = len(candidates) // 2
        first, second = candidates[:half], candidates[half:]
        of_second = self._needed([*background, *first], second, background_grew=True)
        of_first = self._needed([*background, *of_second], first, background_grew=bool(of_second))
        return [*of_first, *of_second]

    def _conflicts(self, parts: list[Part]) -> bool:
        conflicts = self._conflicting(parts)
        if conflicts and len(parts) < len(self.smallest):
            self.smallest = parts
        return conflicts


#: Seconds that an explanation may take by default.
EXPLANATION_SECONDS = 5.0
#: With fewer rows the elastic program saves nothing.
_MANY_ROWS = 20


def conflict_in_recourse(
    problem: TwoStageProblem, x: Floats, scenario: int, engine: Engine, deadline: Deadline
) -> Conflict | None:
    """Why the decision x, shape (n,), has no recourse; None where it has one, or time does not suffice."""
    found = _conflict_in(feasibility_of_recourse(problem, x, scenario), engine, deadline)
    return None if found is None else replace(found, given_decision=True)


def conflict_in_scenarios(
    problem: TwoStageProblem, scenarios: Sequence[int], engine: Engine, deadline: Deadline
) -> Conflict | None:
    """Why no decision has a recourse in each of these scenarios; None where one has, or time does not suffice."""

    def conflicting(some: Sequence[int]) -> bool:
        model = feasibility_of_scenarios(problem, some)
        return not can_be_kept(model.part(model.places()), engine, deadline)

    needed = Minimum(conflicting, list(scenarios))
    needed.search()
    return _conflict_in(feasibility_of_scenarios(problem, needed.smallest), engine, deadline)


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


def no_decision(
    problem: TwoStageProblem, scenarios: Sequence[int], engine: Engine, deadline: Deadline
) -> InfeasibleProblemError:
    """What to raise where an engine finds no decision for these scenarios, with the rules that conflict."""
    conflict = conflict_in_scenarios(problem, scenarios, engine, deadline.part(1.0, most=EXPLANATION_SECONDS))
    guilty = tuple(scenarios) if conflict is None else conflict.scenarios
    reason = "" if conflict is None else f": {conflict}"
    return InfeasibleProblemError(
        f"no first-stage decision is feasible for {_listed(problem, guilty)}{reason}; {_remedy(problem, guilty)}.",
        guilty,
        conflict,
    )


def _remedy(problem: TwoStageProblem, guilty: Sequence[int]) -> str:
    """Scenarios can be dropped where they are guilty and others remain."""
    return "relax a constraint or drop scenarios" if guilty and problem.num_scenarios > 1 else "relax a constraint"


def _listed(problem: TwoStageProblem, scenarios: Sequence[int]) -> str:
    """Up to five scenarios by name, e.g. "scenarios 'mon', 'tue' together"; numbers where they have no names."""
    if not scenarios:
        return "the first stage alone"
    shown = ", ".join(repr(problem.scenario_names[s]) if problem.scenario_names else str(s) for s in scenarios[:5])
    if len(scenarios) == 1:
        return f"scenario {shown} alone"
    return (
        f"scenarios {shown} together"
        if len(scenarios) <= 5
        else f"{counted(len(scenarios), 'scenario')} ({shown}, ...)"
    )
