"""
The scenario programs that graphs are drawn from: one scenario's variables x, y and its rows over them.

A family may have rows of its own for this, whatever formulation the engine is given; any other problem is taken as it
stands (`own_rows`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import Changes


@dataclass(frozen=True)
class ScenarioProgram:
    """
    min c'x + b_s'y subject to rows over (x, y); what scenarios change is listed apart.

    Parameters
    ----------
    first_costs
        c, shape (n,).
    x_costs, y_costs
        Scenario costs on x and on y, shapes (S, n) and (S, m); x_costs is None where there are none.
    matrix
        Rows over (x, y), shape (r, n + m); explicit zeros are kept.
    limits
        Right-hand sides, shape (r,).
    changed_limits, changed_entries
        Right-hand sides and stored matrix entries that scenarios replace.
    degrees
        Number of graph edges at each x (and y), shape (n,), for families that have them.
    """

    first_costs: Floats
    x_costs: Floats | None
    y_costs: Floats
    matrix: sparse.csr_array
    limits: Floats
    changed_limits: Changes
    changed_entries: Changes
    degrees: Floats | None = None

    @property
    def num_scenarios(self) -> int:
        return len(self.y_costs)


def costs_only(
    problem: TwoStageProblem,
    later: Floats,
    rows: sparse.csr_array,
    limits: Floats,
    degrees: Floats | None = None,
) -> ScenarioProgram:
    """A program of which scenarios change nothing but the costs of y, shape (S, m)."""
    nothing = _no_changes(problem.num_scenarios)
    return ScenarioProgram(problem.first_stage.costs, None, later, rows, limits, nothing, nothing, degrees)


def own_rows(problem: TwoStageProblem) -> ScenarioProgram:
    """First-stage rows above recourse rows, each as `row >= limit`; rows bounded only from above change sign."""
    first, recourse = problem.first_stage, problem.recourse
    m = problem.num_recourse
    above = sparse.hstack([first.matrix, sparse.csr_array((first.matrix.shape[0], m))])
    below = _marked(recourse.technology, recourse.matrix)
    rows = sparse.csr_array(sparse.vstack([above, below]))
    upper_only = np.concatenate([~np.isfinite(first.row_lower), ~np.isfinite(recourse.row_lower)])
    sign = np.where(upper_only, -1.0, 1.0)
    lower = np.concatenate([first.row_lower, recourse.row_lower])
    upper = np.concatenate([first.row_upper, recourse.row_upper])
    limits = np.where(upper_only, -np.nan_to_num(upper, posinf=0.0), lower)
    signed = rows.copy()
    signed.data = rows.data * np.repeat(sign, np.diff(rows.indptr))
    first_rows = first.matrix.shape[0]
    return ScenarioProgram(
        first.costs,
        _x_costs(problem),
        _y_costs(problem),
        signed,
        limits,
        _changed_limits(problem, sign[first_rows:], first_rows),
        _changed_entries(problem, sign[first_rows:], first.matrix.nnz),
    )


def _marked(technology: sparse.csr_array, matrix: sparse.csr_array) -> sparse.csr_array:
    """(technology | matrix), row by row, with explicit zeros kept: each row holds its x entries, then its y entries."""
    return sparse.csr_array(sparse.hstack([technology, matrix], format="csr"))


def _changed_limits(problem: TwoStageProblem, sign: Floats, first_rows: int) -> Changes:
    """Lower limits count; where a row has only an upper limit, that one."""
    parts = []
    for kind, wanted in (("row_lower", 1.0), ("row_upper", -1.0)):
        change = problem.changes.get(kind)
        if change is not None:
            keep = sign[change.positions] == wanted
            finite = np.nan_to_num(change.values[:, keep], posinf=0.0, neginf=0.0)
            parts.append((change.positions[keep] + first_rows, wanted * finite))
    return _joined(parts, problem.num_scenarios)


def _changed_entries(problem: TwoStageProblem, sign: Floats, offset: int) -> Changes:
    """Positions in the stored entries of the stacked matrix, whose row i holds technology row i, then matrix row i."""
    technology, matrix = problem.recourse.technology, problem.recourse.matrix
    parts = []
    for kind, own, before in (
        ("technology", technology, matrix.indptr[:-1]),
        ("matrix", matrix, technology.indptr[1:]),
    ):
        change = problem.changes.get(kind)
        if change is not None:
            row = np.searchsorted(own.indptr, change.positions, side="right") - 1
            parts.append((offset + change.positions + before[row], sign[row] * change.values))
    return _joined(parts, problem.num_scenarios)


def _joined(parts: list[tuple[Ints, Floats]], num_scenarios: int) -> Changes:
    if not parts:
        return _no_changes(num_scenarios)
    positions, values = zip(*parts, strict=True)
    return Changes(np.concatenate(positions).astype(np.int64), np.hstack(values))


def _no_changes(num_scenarios: int) -> Changes:
    return Changes(np.zeros(0, dtype=np.int64), np.zeros((num_scenarios, 0)))


def _x_costs(problem: TwoStageProblem) -> Floats | None:
    change = problem.changes.get("x_costs")
    if change is None and not problem.recourse.x_costs.any():
        return None
    return _written_out(problem.recourse.x_costs, change, problem.num_scenarios)


def _y_costs(problem: TwoStageProblem) -> Floats:
    return _written_out(problem.recourse.costs, problem.changes.get("costs"), problem.num_scenarios)


def _written_out(base: Floats, change: Changes | None, num_scenarios: int) -> Floats:
    if change is None:
        return np.broadcast_to(base, (num_scenarios, len(base)))
    written = np.repeat(base[None], num_scenarios, axis=0)
    written[:, change.positions] = change.values
    return written
