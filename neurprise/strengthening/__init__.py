"""
A problem with further recourse rows that its own rows imply: a tighter relaxation, and every decision costs the same.

`strengthened(problem)` keeps Q(x, s) of every feasible first-stage decision x and every scenario s. Reduced
problems take those that their relaxations break, as cuts. Decisions are evaluated by the user's own rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from neurprise.problem import TwoStageProblem
from neurprise.strengthening.bounds import DistinctScenarios, column_bounds
from neurprise.strengthening.problem import FurtherRows, with_rows
from neurprise.strengthening.variable_bounds import implied_rows

#: Stored entries of all distinct scenarios together, and entries that scenarios change. Beyond it the bounds alone
#: would take seconds.
MOST_ENTRIES = 2_000_000

_IS_ON: ContextVar[bool] = ContextVar("strengthening", default=True)


def strengthened(problem: TwoStageProblem) -> TwoStageProblem:
    """The problem with rows that tighten its relaxation; itself where there are none, or where its rows are tight."""
    if not _IS_ON.get() or not _could_be(problem):
        return problem
    scenarios, recourse = DistinctScenarios(problem), problem.recourse
    if scenarios.number * (recourse.matrix.nnz + recourse.technology.nnz) > MOST_ENTRIES:
        return problem
    rows = implied_rows(problem, scenarios, column_bounds(problem, scenarios))
    return problem if rows is None else with_rows(problem, rows, scenarios.place)


def _could_be(problem: TwoStageProblem) -> bool:
    """Whether there may be rows to add, and few enough scenarios to look for them."""
    has_integers = bool(problem.first_stage.integer.any() or problem.recourse.integer.any())
    changed = sum(change.values.size for change in problem.changes.values())
    return has_integers and not problem.has_tight_rows and problem.num_recourse > 0 and changed <= MOST_ENTRIES


def further_rows(problem: TwoStageProblem) -> FurtherRows | None:
    """
    Finds cuts for reduced problems among the rows that strengthening adds; None without.

    None for recourse with integers, too: engines find such rows by probing when they need them. Given at the root,
    they made reduced problems slower (binary assignments, six seeds: 0.83x; fixed charges: 0.76x).
    """
    stronger = problem if problem.recourse.integer.any() else strengthened(problem)
    return None if stronger is problem else FurtherRows(stronger, len(problem.recourse.row_lower))


@contextmanager
def without_strengthening() -> Iterator[None]:
    """Inside, `strengthened` returns the problem itself: for measurements and checks that compare."""
    before = _IS_ON.set(False)
    try:
        yield
    finally:
        _IS_ON.reset(before)
