"""
The search for a conflict: scenarios first, then rows and bounds.

A part of the problem is a model without costs, of which one question is asked: can it be kept?

Where the linear relaxation already contradicts itself, an elastic program finds the rows to look at; what is left is
made irreducible by asking any engine about parts of the model, whole numbers included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError, InfeasibleProblemError, counted
from neurprise.infeasible.conflict import Conflict, Rule
from neurprise.problem import TwoStageProblem
from neurprise.recourse.model import recourse_model, with_entries
from neurprise.solvers import Engine, EngineModel, EngineStatus, Limits
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: A rule by its place: ("row", i), ("lower", j) or ("upper", j).
Place = tuple[str, int]


@dataclass(frozen=True)
class FeasibilityModel:
    """
    Rows and columns of the first stage, then of each scenario; without the first stage where x is given.

    Parameters
    ----------
    matrix, row_lower, row_upper, lower, upper, integer
        As in `EngineModel`.
    row_names, column_names
        One name for each row and column.
    row_owner, column_owner
        Which scenario it belongs to, -1 for the first stage; shapes (rows,), (columns,).
    labels
        Names of the problem's scenarios.
    """

    matrix: sparse.csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    row_owner: tuple[int, ...]
    column_owner: tuple[int, ...]
    labels: tuple[str, ...]

    def places(self) -> list[Place]:
        """Every rule: rows with a limit, then finite bounds."""
        limited = np.isfinite(self.row_lower) | np.isfinite(self.row_upper)
        finite = (("row", limited), ("lower", np.isfinite(self.lower)), ("upper", np.isfinite(self.upper)))
        return [(kind, int(k)) for kind, chosen in finite for k in np.flatnonzero(chosen)]

    def owner(self, place: Place) -> int:
        """The scenario that a rule belongs to, -1 for the first stage."""
        return (self.row_owner if place[0] == "row" else self.column_owner)[place[1]]

    def rule(self, place: Place) -> Rule:
        """The rule in words."""
        kind, k = place
        owner = self.owner(place)
        scenario = None if owner < 0 else self.labels[owner]
        if kind == "row":
            return Rule("row", self.row_names[k], float(self.row_lower[k]), float(self.row_upper[k]), scenario)
        if kind == "lower":
            return Rule("lower bound", self.column_names[k], float(self.lower[k]), np.inf, scenario)
        return Rule("upper bound", self.column_names[k], -np.inf, float(self.upper[k]), scenario)

    def part(self, places: Iterable[Place]) -> EngineModel:
        """The model with only these rules, over the columns that they are about."""
        chosen: dict[str, list[int]] = {"row": [], "lower": [], "upper": []}
        for kind, k in places:
            chosen[kind].append(k)
        lower, upper = np.full(len(self.lower), -np.inf), np.full(len(self.upper), np.inf)
        lower[chosen["lower"]], upper[chosen["upper"]] = self.lower[chosen["lower"]], self.upper[chosen["upper"]]
        matrix = self.matrix[chosen["row"]]
        used = np.unique(np.concatenate([matrix.indices, np.flatnonzero(lower > upper)])).astype(np.int64)
        return EngineModel(
            costs=np.zeros(len(used)),
            matrix=sparse.csr_array(matrix[:, used]),
            row_lower=self.row_lower[chosen["row"]],
            row_upper=self.row_upper[chosen["row"]],
            lower=lower[used],
            upper=upper[used],
            integer=self.integer[used],
        )


def can_be_kept(model: EngineModel, engine: Engine, deadline: Deadline) -> bool:
    """Whether some point keeps all of it; raises OutOfTimeError where that is not decided in time."""
    if deadline.passed:
        raise OutOfTimeError
    result = engine.solve(model, Limits().until(deadline))
    if result.status is EngineStatus.TIME_LIMIT and result.values is None:
        raise OutOfTimeError
    return result.status is not EngineStatus.INFEASIBLE


def feasibility_of_scenarios(problem: TwoStageProblem, scenarios: Sequence[int]) -> FeasibilityModel:
    """First stage and these scenarios: a point is a decision with a recourse in each of them."""
    first, recourse, count = problem.first_stage, problem.recourse, len(scenarios)
    blocks = [problem.scenario(s) for s in scenarios]
    technology = [with_entries(recourse.technology, block.technology) for block in blocks]
    matrices = [with_entries(recourse.matrix, block.matrix) for block in blocks]
    grid = [[first.matrix, *[None] * count]]
    for k in range(count):
        grid.append([technology[k], *[None] * k, matrices[k], *[None] * (count - k - 1)])
    rows, columns = len(recourse.row_lower), problem.num_recourse
    return FeasibilityModel(
        matrix=sparse.csr_array(sparse.block_array(grid, format="csr")),
        row_lower=np.concatenate([first.row_lower, *(block.row_lower for block in blocks)]),
        row_upper=np.concatenate([first.row_upper, *(block.row_upper for block in blocks)]),
        lower=np.concatenate([first.lower, *(block.lower for block in blocks)]),
        upper=np.concatenate([first.upper, *(block.upper for block in blocks)]),
        integer=np.concatenate([first.integer, np.tile(recourse.integer, count)]),
        row_names=problem.first_stage_row_names + problem.recourse_row_names * count,
        column_names=problem.first_stage_names + problem.recourse_names * count,
        row_owner=_owners(len(first.row_lower), scenarios, rows),
        column_owner=_owners(problem.num_first_stage, scenarios, columns),
        labels=problem.scenario_labels,
    )


def feasibility_of_recourse(problem: TwoStageProblem, x: Floats, scenario: int) -> FeasibilityModel:
    """One scenario after the decision x, shape (n,): a point is a recourse."""
    model = recourse_model(problem, x, problem.scenario(scenario))
    return FeasibilityModel(
        matrix=model.matrix,
        row_lower=model.row_lower,
        row_upper=model.row_upper,
        lower=model.lower,
        upper=model.upper,
        integer=model.integer,
        row_names=problem.recourse_row_names,
        column_names=problem.recourse_names,
        row_owner=(scenario,) * len(model.row_lower),
        column_owner=(scenario,) * problem.num_recourse,
        labels=problem.scenario_labels,
    )


def _owners(num_first: int, scenarios: Sequence[int], num_each: int) -> tuple[int, ...]:
    return (-1,) * num_first + tuple(s for s in scenarios for _ in range(num_each))


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
    """What to raise where these scenarios (or all, where none are named) leave no decision: the rules that conflict."""
    scenarios = scenarios or range(problem.num_scenarios)
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
