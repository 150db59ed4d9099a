"""
Recourse that needs no engine: every variable at the bound that its cost prefers.

No point of the box is cheaper, so where this one keeps every row it is optimal. Decisions that leave nothing to do
later are of this kind, such as taking every node of a vertex cover now.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import whole_lower, whole_upper
from neurprise.recourse.model import ScenarioRows, ScenarioTable, entry_rows
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: Numbers held at once, 32 MB each time.
_AT_ONCE = 4_000_000


def evident_costs(problem: TwoStageProblem, x: Floats) -> Floats | None:
    """Q(x, s) for all s, shape (S,); None where that is not evident under every scenario."""
    table, costs = ScenarioTable(problem), np.empty(problem.num_scenarios)
    step = max(1, _AT_ONCE // max(1, problem.recourse.matrix.nnz + sum(problem.recourse.matrix.shape)))
    for start in range(0, len(costs), step):
        part = np.arange(start, min(start + step, len(costs)))
        rows = table.rows(x, part)
        y = _preferred(problem, rows)
        if not _is_feasible(problem, rows, y).all():
            return None
        costs[part] = rows.offsets + (rows.costs * y).sum(axis=1)
    return costs


def _preferred(problem: TwoStageProblem, rows: ScenarioRows) -> Floats:
    """The cheapest point of the box that is left by rows of one variable, shape (k, m); nan where it has none."""
    lower, upper = _tightened(problem, rows)
    anywhere = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper, 0.0))
    y = np.where(rows.costs > 0, lower, np.where(rows.costs < 0, upper, anywhere))
    return np.where(np.isfinite(y) & (lower <= upper), y, np.nan)


def _tightened(problem: TwoStageProblem, rows: ScenarioRows) -> tuple[Floats, Floats]:
    """Bounds of y that rows of one variable tighten; two arrays of shape (k, m)."""
    matrix, integer = problem.recourse.matrix, problem.recourse.integer
    single = np.flatnonzero(np.diff(matrix.indptr) == 1)
    entries = matrix.indptr[single]
    factor, column = rows.entries[:, entries], matrix.indices[entries]
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([rows.row_lower[:, single] / factor, rows.row_upper[:, single] / factor])
    ends = np.where(factor == 0, np.array([-np.inf, np.inf])[:, None, None], ends)  # such a row says nothing of y
    lower, upper = rows.lower.T.copy(), rows.upper.T.copy()
    np.maximum.at(lower, column, ends.min(axis=0).T)
    np.minimum.at(upper, column, ends.max(axis=0).T)
    whole = integer[None, :]
    return np.where(whole, whole_lower(lower.T), lower.T), np.where(whole, whole_upper(upper.T), upper.T)


def _is_feasible(problem: TwoStageProblem, rows: ScenarioRows, y: Floats) -> Bools:
    """Whether y, shape (k, m), keeps every row under its scenario, shape (k,)."""
    matrix = problem.recourse.matrix
    activity = (rows.entries * y[:, matrix.indices]) @ _row_sums(entry_rows(matrix), matrix.shape[0])
    kept = (activity >= rows.row_lower - FEASIBILITY_TOLERANCE) & (activity <= rows.row_upper + FEASIBILITY_TOLERANCE)
    return np.asarray(kept.all(axis=1) & ~np.isnan(y).any(axis=1))


def _row_sums(row_of_entry: Ints, num_rows: int) -> sparse.csr_array:
    """Adds entries up by row, shape (nnz, num_rows)."""
    number = len(row_of_entry)
    return sparse.csr_array((np.ones(number), (np.arange(number), row_of_entry)), shape=(number, num_rows))
