"""
Scenarios that are never the worst, because another one costs at least as much whatever is decided.

Scenario e dominates d if every recourse that is feasible under e is feasible under d and costs no more there: limits
and bounds of e are at least as tight, its costs on nonnegative variables at least as high, and so on, entry by entry.
Then Q(x, d) <= Q(x, e) for every x. Each entry that scenarios change has a direction in which it hurts, or none, and
must then be equal; so dominance is a comparison of vectors.
"""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.problem import TwoStageProblem
from neurprise.recourse.model import ScenarioTable, entry_rows

#: With more changed entries, all scenarios together, sorting alone takes too long.
MAX_ENTRIES = 5_000_000
#: Numbers compared at most, and what one comparison costs beside its numbers: a tenth of a second in all.
MAX_WORK = 10_000_000
_OVERHEAD = 1_000


def dominators(problem: TwoStageProblem) -> Ints:
    """
    For every scenario one that dominates it, shape (S,): itself where none is known.

    Who dominates others stands for itself; of equal scenarios the first does. The severest scenarios are compared with
    all others until the work limit is reached, so some that are dominated may be missed.
    """
    if sum(change.values.size for change in problem.changes.values()) > MAX_ENTRIES:
        return np.arange(problem.num_scenarios)
    kinds = [_severity(problem, kind) for kind in problem.changes]
    severity = np.hstack([np.zeros((problem.num_scenarios, 0)), *kinds])
    columns = severity[:, (severity != severity[0]).any(axis=0)].T
    order = np.argsort(-_rank_sums(columns, problem.num_scenarios), kind="stable")
    columns = np.ascontiguousarray(columns[:, order])
    dominator, work = np.arange(len(order)), 0
    for place in range(len(order)):
        if work >= MAX_WORK:
            break
        if dominator[place] == place:
            later = np.arange(place + 1, len(order))
            work += len(later)
            below = later[dominator[later] == later]
            for column in columns:
                work += len(below) + _OVERHEAD
                below = below[column[below] <= column[place]]
                if len(below) == 0:
                    break
            dominator[below] = place
    result = np.empty_like(order)
    result[order] = order[dominator]
    return result


def _rank_sums(columns: Floats, num_scenarios: int) -> Floats:
    """Larger for a scenario that dominates a different one, shape (S,); infinite entries do no harm."""
    ranks = np.zeros(num_scenarios)
    for column in columns:
        ranks += np.unique(column, return_inverse=True)[1]
    return ranks


def _severity(problem: TwoStageProblem, kind: str) -> Floats:
    """What scenarios change of one kind, turned so that larger is never cheaper; shape (S, columns)."""
    change, direction = problem.changes[kind], _directions(problem, kind)
    last = len(change.positions) - 1 - np.unique(change.positions[::-1], return_index=True)[1]
    values, direction = change.values[:, last], direction[change.positions[last]]
    # An entry without a direction must be equal: it hurts both ways.
    return np.hstack([values[:, direction >= 0], -values[:, direction <= 0]])


def _directions(problem: TwoStageProblem, kind: str) -> Floats:
    """+1 where a larger entry hurts, -1 where a smaller one does, 0 where neither is certain."""
    size = len(problem.recourse.base(kind))
    if kind in ("row_lower", "lower"):
        return np.ones(size)
    if kind in ("row_upper", "upper"):
        return -np.ones(size)
    if kind == "x_costs":
        return _sign(problem.first_stage.lower, problem.first_stage.upper)
    y_sign = _sign(ScenarioTable(problem).range_of("lower")[0], ScenarioTable(problem).range_of("upper")[1])
    if kind == "costs":
        return y_sign
    matrix = problem.recourse.matrix if kind == "matrix" else problem.recourse.technology
    signs = y_sign if kind == "matrix" else _sign(problem.first_stage.lower, problem.first_stage.upper)
    return np.asarray(_row_directions(problem)[entry_rows(matrix)] * signs[matrix.indices])


def _row_directions(problem: TwoStageProblem) -> Floats:
    """+1 for a row with upper limits only, where activity hurts; -1 for lower ones only; 0 for both; shape (r,)."""
    table = ScenarioTable(problem)
    has_lower = table.range_of("row_lower")[1] > -np.inf
    has_upper = table.range_of("row_upper")[0] < np.inf
    return np.asarray(has_upper.astype(float) - has_lower.astype(float))


def _sign(lower: Floats, upper: Floats) -> Floats:
    """+1 for variables that are never negative, -1 for never positive, 0 for others."""
    return np.where(lower >= 0, 1.0, np.where(upper <= 0, -1.0, 0.0))
