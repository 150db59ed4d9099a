"""The problem in which no scenario may cost more than a limit: a row offset + (c + q_s)'x + b_s'y <= limit more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints, frozen
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import Changes


def with_cost_limit(problem: TwoStageProblem, limit: float) -> TwoStageProblem:
    """
    The same problem, of no family, whose recourse is infeasible where the total cost would exceed the limit.

    So every search that knows infeasible recourse knows decisions of bounded worst case, whatever it minimises.
    """
    recourse, moving = problem.recourse, problem.changes
    totals = problem.first_stage.costs + recourse.x_costs
    technology, on_x = _with_row(recourse.technology, totals, _moved(problem, "x_costs"))
    matrix, on_y = _with_row(recourse.matrix, recourse.costs, _moved(problem, "costs"))
    longer = replace(
        recourse,
        technology=technology,
        matrix=matrix,
        row_lower=frozen(np.append(recourse.row_lower, -np.inf)),
        row_upper=frozen(np.append(recourse.row_upper, limit - problem.offset)),
    )
    changes = dict(moving)
    if "x_costs" in moving:
        values = moving["x_costs"].values + problem.first_stage.costs[moving["x_costs"].positions]
        changes["technology"] = _joined(moving.get("technology"), on_x[moving["x_costs"].positions], values)
    if "costs" in moving:
        changes["matrix"] = _joined(moving.get("matrix"), on_y[moving["costs"].positions], moving["costs"].values)
    names = (*problem.y_row_names, _new_name(problem.y_row_names)) if problem.y_row_names else ()
    return TwoStageProblem(**problem.general_form() | {"recourse": longer, "changes": changes, "y_row_names": names})


def _moved(problem: TwoStageProblem, kind: str) -> Ints:
    """Positions of the costs that scenarios change."""
    change = problem.changes.get(kind)
    return np.zeros(0, dtype=np.int64) if change is None else change.positions


def _with_row(matrix: sparse.csr_array, row: Floats, moved: Ints) -> tuple[sparse.csr_array, Ints]:
    """The matrix with one more row, and where each entry of that row is stored; -1 for entries that stay zero."""
    stored = row != 0.0
    stored[moved] = True
    columns = np.flatnonzero(stored)
    places = np.full(len(row), -1)
    places[columns] = matrix.nnz + np.arange(len(columns))
    parts = (
        np.concatenate([matrix.data, row[columns]]),
        np.concatenate([matrix.indices, columns]),
        np.append(matrix.indptr, matrix.nnz + len(columns)),
    )
    return sparse.csr_array(parts, shape=(matrix.shape[0] + 1, matrix.shape[1])), places


def _joined(change: Changes | None, positions: Ints, values: Floats) -> Changes:
    if change is None:
        return Changes(positions, values)
    return Changes(np.append(change.positions, positions), frozen(np.hstack([change.values, values])))


def _new_name(names: tuple[str, ...]) -> str:
    name = "cost limit"
    while name in names:
        name += "_"
    return name
