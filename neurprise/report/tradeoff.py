"""nr.tradeoff: how much average there is for how much guarantee, decision by decision, each with its proof."""

from __future__ import annotations

import csv
import importlib
import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurprise import arrays
from neurprise.clock import Deadline
from neurprise.errors import InputError, MissingDependencyError, NotApplicableError, visible
from neurprise.io.csv_cells import cell_of
from neurprise.objectives import Objective, Shift, WorstCase, get_objective
from neurprise.problem import TwoStageProblem, checked_problem
from neurprise.progress import progress_line
from neurprise.report.text import Words, in_columns, number, words_of
from neurprise.search.frontier import ONE_PERCENT, Frontier, FrontierPoint, FrontierSearch
from neurprise.search.session import LiveLine, Status, relative_gap
from neurprise.solvers import get_engine
from neurprise.storage.whole_files import replacing

#: A number that is larger by this share is the same.
_ROUNDING = 1e-7


@dataclass(frozen=True, eq=False)
class Tradeoff:
    """
    The frontier between the worst case and another objective; all numbers are profits for a maximisation.

    Parameters
    ----------
    points
        From the best guarantee to the best value; no point is better than another in both. Each has the decision x, its
        worst_case and value over all scenarios, the limit that the worst case had to keep, and two proved bounds: no
        decision that keeps the limit has a value beyond `bound`, and no decision of the same value has a worst case
        beyond `guarantee_bound`.
    objective
        Name of the other objective, such as "expected".
    guarantee_bound, value_bound
        Proved: no decision at all has a worst case, or a value, beyond these.
    status
        "optimal" if the search for every point was; else why one was not.
    problem
        The problem.
    """

    points: tuple[FrontierPoint, ...]
    objective: str
    guarantee_bound: float
    value_bound: float
    status: Status
    problem: TwoStageProblem

    @property
    def maximize(self) -> bool:
        """All numbers are profits."""
        return self.problem.maximize

    @property
    def words(self) -> Words:
        """Names of the numbers, for costs or for profits."""
        return words_of(self.problem)

    @property
    def lesson(self) -> str:
        """What one percent of the guarantee buys, in one sentence."""
        if not self.points:
            return f"No decision with a recourse in every scenario was found ({self.status.value})."
        first, given = self.points[0], self._after_one_percent()
        if given is None:
            return f"There is nothing to trade: one decision has the best {self.words.worst} and {self.objective}."
        lost, won = abs(given.worst_case - first.worst_case), abs(given.value - first.value)
        percent = f" ({100 * lost / abs(first.worst_case):.3g} %)" if first.worst_case else ""
        better = "raises" if self.maximize else "lowers"
        what = f"the {self.objective} {self.words.cost}"
        share = f" ({100 * won / abs(first.value):.3g} %)" if first.value else ""
        return (
            f"Giving up {number(lost)} of the guarantee{percent} {better} {what} by {number(won)}{share}, "
            f"from {number(first.value)} to {number(given.value)}."
        )

    def _after_one_percent(self) -> FrontierPoint | None:
        """The best value for one percent of the guarantee, else the next point."""
        first, *others = self.points
        allowed = ONE_PERCENT * abs(first.worst_case) * (1 + _ROUNDING) + _ROUNDING * abs(first.worst_case)
        within = [point for point in others if abs(point.worst_case - first.worst_case) <= allowed]
        return within[-1] if within else others[0] if others else None

    def rows(self) -> list[dict[str, Any]]:
        """One row a point: the numbers by name, then the decision by name."""
        return [self._numbers(point) | self.problem.named_decision(point.x) for point in self.points]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "objective": self.objective,
            "maximize": self.maximize,
            "status": self.status.value,
            "lesson": self.lesson,
            "guarantee_bound": _finite(self.guarantee_bound),
            "value_bound": _finite(self.value_bound),
            "points": [self._numbers(p) | {"decision": self.problem.named_decision(p.x)} for p in self.points],
        }

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row a point: the numbers, then the decision by name."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise MissingDependencyError("to_frame needs pandas; install it with: pip install pandas.") from None
        return pandas.DataFrame(self.rows())

    def to_csv(self, path: str | Path) -> None:
        """Write the rows of `to_frame` to a CSV file."""
        with replacing(Path(path)) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            rows = self.rows()
            header = [cell_of(name, True) for name in rows[0]] if rows else []
            csv.writer(text, lineterminator="\n").writerows([header, *(row.values() for row in rows)])
            text.detach()

    def cells(self) -> list[list[str]]:
        """A header and one line a point, as texts."""
        head = [self.words.worst, self.objective, self.words.bound, "gap", "status"]
        return [head, *(self._texts(point) for point in self.points)]

    def __str__(self) -> str:
        return visible("\n".join([self.lesson, "", in_columns(self.cells(), range(4))]))

    def _numbers(self, point: FrontierPoint) -> dict[str, Any]:
        return {
            "worst_case": point.worst_case,
            self.objective: point.value,
            "limit": _finite(point.limit),
            "bound": _finite(point.bound),
            "guarantee_bound": _finite(point.guarantee_bound),
            "status": point.status.value,
        }

    def _texts(self, point: FrontierPoint) -> list[str]:
        value, bound = (self.problem.in_users_sign(end) for end in (point.value, point.bound))
        gap = 100 * relative_gap(value, bound)
        shown = f"{gap:.2g} %" if math.isfinite(gap) else "open"
        known = number(point.bound) if math.isfinite(point.bound) else "none"
        return [number(point.worst_case), number(point.value), known, shown, point.status.value]


def tradeoff(
    problem: TwoStageProblem,
    guarantee: str | Objective = "worst",
    objective: str | Objective = "expected",
    points: int = 9,
    *,
    gap: float = 1e-4,
    time_limit: float | None = None,
    solver: str = "highs",
) -> Tradeoff:
    """
    Decisions along the frontier between the worst case and another objective.

    Each has the best value of the objective among all decisions whose worst case keeps a limit. The limits lie evenly
    between the best guarantee and the worst case of the best value; one more allows one percent of the guarantee.
    Ctrl-C and time limits end with the points so far.

    Parameters
    ----------
    guarantee, objective
        "worst" and any objective of `nr.objectives` that is no regret, such as "expected" or "cvar:0.9".
    points
        Number of limits, at least 2; points that another one beats in both are left out.
    gap
        Relative gap between value and bound of a point.
    time_limit
        Wall-clock seconds for all of them.
    solver
        Engine: "highs", "scip" or "gurobi".
    """
    checked_problem("tradeoff", problem)
    other = _other_objective(guarantee, objective)
    count = arrays.whole_number("points", points, 2)
    close = arrays.relative_gap("gap", gap)
    deadline = Deadline(None if time_limit is None else arrays.nonnegative_number("time_limit", time_limit))
    with progress_line() as line:
        envelope = other.envelope(problem)
        found = FrontierSearch(problem, envelope, other.name, close, get_engine(solver), deadline, LiveLine(line)).run(
            count
        )
    return _in_users_sign(found, other.name, problem)


def _other_objective(guarantee: str | Objective, objective: str | Objective) -> Objective:
    first, second = get_objective(guarantee), get_objective(objective)
    if first != WorstCase():
        raise NotApplicableError(
            f"tradeoff sets limits on the worst case, got {first.name!r} as guarantee; write 'worst' first."
        )
    if second == WorstCase() or second.shift is not Shift.NOTHING:
        raise InputError(
            f"the other objective must be one of costs, such as 'expected' or 'cvar:0.9', got {second.name!r}."
        )
    return second


def _in_users_sign(found: Frontier, objective: str, problem: TwoStageProblem) -> Tradeoff:
    told = problem.in_users_sign
    points = tuple(
        FrontierPoint(
            x=point.x,
            worst_case=told(point.worst_case),
            value=told(point.value),
            limit=told(point.limit),
            bound=told(point.bound),
            guarantee_bound=told(point.guarantee_bound),
            status=point.status,
        )
        for point in found.points
    )
    bounds = told(found.guarantee_bound), told(found.value_bound)
    return Tradeoff(points, objective, *bounds, found.status, problem)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
