"""A problem with further recourse rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints, frozen
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import Changes, RecourseRows
from neurprise.strengthening.variable_bounds import ImpliedRow


def with_rows(problem: TwoStageProblem, rows: Sequence[ImpliedRow], place: Ints) -> TwoStageProblem:
    """
    The problem, of no family and without names, with these rows behind its own.

    Parameters
    ----------
    place
        The distinct scenario of every scenario, shape (S,).
    """
    recourse, n, m = problem.recourse, problem.num_first_stage, problem.num_recourse
    row_of = np.repeat(np.arange(len(rows)), [1 + len(row.switches) for row in rows])
    columns = np.concatenate([np.append(n + row.variable, row.switches) for row in rows])
    ones = np.ones((len(rows[0].limits), 1))
    entries = np.hstack([np.hstack([ones, -row.steps]) for row in rows])
    limits = np.column_stack([row.limits for row in rows])
    of_x = columns < n
    technology, x_entries = _rows(row_of[of_x], columns[of_x], entries[:, of_x], (len(rows), n))
    matrix, y_entries = _rows(row_of[~of_x], columns[~of_x] - n, entries[:, ~of_x], (len(rows), m))
    changes = dict(problem.changes)
    before = {
        "technology": recourse.technology.nnz,
        "matrix": recourse.matrix.nnz,
        "row_upper": len(recourse.row_upper),
    }
    for kind, values in (("technology", x_entries), ("matrix", y_entries), ("row_upper", limits)):
        _add_changes(changes, kind, before[kind], values, place)
    return TwoStageProblem(
        problem.first_stage,
        replace(
            recourse,
            technology=sparse.csr_array(_stacked(recourse.technology, technology)),
            matrix=sparse.csr_array(_stacked(recourse.matrix, matrix)),
            row_lower=np.concatenate([recourse.row_lower, np.full(len(rows), -np.inf)]),
            row_upper=np.concatenate([recourse.row_upper, limits[0]]),
        ),
        changes,
        problem.num_scenarios,
        problem.offset,
    )


def _rows(row_of: Ints, columns: Ints, entries: Floats, shape: tuple[int, int]) -> tuple[sparse.csr_array, Floats]:
    """The matrix of the first scenario with every entry stored, and the entries of all in its order."""
    order = np.lexsort((columns, row_of))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row_of, minlength=shape[0]))])
    entries = entries[:, order]
    return sparse.csr_array((entries[0].copy(), columns[order], indptr), shape=shape), entries


def _stacked(above: sparse.csr_array, below: sparse.csr_array) -> sparse.csr_array:
    """Both matrices with all their stored entries, in their order."""
    parts = (
        np.concatenate([above.data, below.data]),
        np.concatenate([above.indices, below.indices]),
        np.concatenate([above.indptr, above.indptr[-1] + below.indptr[1:]]),
    )
    return sparse.csr_array(parts, shape=(above.shape[0] + below.shape[0], above.shape[1]))


def _add_changes(changes: dict[str, Changes], kind: str, before: int, values: Floats, place: Ints) -> None:
    """Let scenarios replace the new entries of a kind that differ, which stand behind `before` others."""
    differ = np.flatnonzero((values != values[0]).any(axis=0))
    if len(differ) == 0:
        return
    positions, table = before + differ, values[np.ix_(place, differ)]
    known = changes.get(kind)
    if known is not None:
        positions, table = np.append(known.positions, positions), np.hstack([known.values, table])
    changes[kind] = Changes(frozen(positions), frozen(table))


#: A row that is broken by less is not worth its place, in units of its recourse variable; and relative to its limit.
_BROKEN = 1e-3


class FurtherRows:
    """
    Separator: the rows behind the first `own` ones, where a fractional solution breaks them.

    Parameters
    ----------
    problem
        With all its rows.
    own
        How many the problem had before.
    """

    def __init__(self, problem: TwoStageProblem, own: int) -> None:
        self._problem = problem
        self._own = own

    def violated_rows(self, x: Floats, y: Floats, scenario: int) -> RecourseRows | None:
        """Those that (x, y) breaks under this scenario, as rows with a lower limit."""
        block, recourse = self._problem.scenario(scenario), self._problem.recourse
        technology = self._further(recourse.technology, block.technology)
        matrix = self._further(recourse.matrix, block.matrix)
        limits = block.row_upper[self._own :]
        finite = np.where(np.isfinite(limits), np.abs(limits), 0.0)
        broken = technology @ x + matrix @ y - limits > _BROKEN * (1.0 + finite)
        if not broken.any():
            return None
        return RecourseRows(-technology[broken], -matrix[broken], -limits[broken])

    def _further(self, pattern: sparse.csr_array, entries: Floats) -> sparse.csr_array:
        full = sparse.csr_array((entries, pattern.indices, pattern.indptr), shape=pattern.shape)
        return sparse.csr_array(full[self._own :])
