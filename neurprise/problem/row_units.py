"""
A problem with its rows in other units, so that every row has entries of ordinary size.

Engines keep rows to an absolute tolerance. A row of millionths would excuse everything; a row of hundred millions would
be broken by the rounding of its own decision. Rows are multiplied by powers of two, which rounds nothing and changes
neither decisions nor costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.problem.stages import Changes, FirstStage, Recourse
from neurprise.problem.two_stage import TwoStageProblem

#: Rows whose entries are smaller in the (geometric) middle, and all below _NOT_LARGE, are multiplied until the middle
#: is about one, or the largest about _WIDE.
_SMALL, _NOT_LARGE, _WIDE = 1e-3, 0.1, 100.0
#: Rows whose entries are all larger are divided until the smallest is about one: an engine's x is exact to 1e-9, which
#: such entries make more than a tolerance of. Not where only some are, for these may be a big M.
_LARGE = 1e4
_MATRICES, _LIMITS = ("technology", "matrix"), ("row_lower", "row_upper")


def in_ordinary_rows(problem: TwoStageProblem) -> TwoStageProblem:
    """The same problem with rows of ordinary entries; itself where they are already."""
    first = _factors(*_sizes(problem.first_stage.matrix))
    later = _factors(*_recourse_sizes(problem.recourse, problem.changes))
    if (first == 1.0).all() and (later == 1.0).all():
        return problem
    changes = {kind: _multiplied(change, kind, problem.recourse, later) for kind, change in problem.changes.items()}
    stages = {
        "first_stage": replace(problem.first_stage, **_rows(problem.first_stage, ("matrix",), first)),
        "recourse": replace(problem.recourse, **_rows(problem.recourse, _MATRICES, later)),
    }
    return TwoStageProblem(**{**problem.general_form(), **stages, "changes": changes})


def _factors(smallest: Floats, largest: Floats) -> Floats:
    """What each row is multiplied by, from the sizes of its entries, shape (rows,)."""
    filled = largest > 0.0
    smallest, largest = np.where(filled, smallest, 1.0), np.where(filled, largest, 1.0)
    middle = np.sqrt(smallest) * np.sqrt(largest)
    small, large = (middle < _SMALL) & (largest < _NOT_LARGE), smallest > _LARGE
    sizes = np.where(small, np.maximum(middle, largest / _WIDE), np.where(large, smallest, 1.0))
    return np.exp2(-np.round(np.log2(sizes)))


def _sizes(matrix: sparse.csr_array, change: Changes | None = None) -> tuple[Floats, Floats]:
    """Smallest size of an entry that is not zero (inf without one) and largest of each row in all scenarios."""
    low, high = _nonzero(matrix.data), np.abs(matrix.data)
    if change is not None:
        low[change.positions] = _nonzero(change.values).min(axis=0)
        high[change.positions] = np.abs(change.values).max(axis=0)
    smallest, largest = np.full(matrix.shape[0], np.inf), np.zeros(matrix.shape[0])
    filled = np.diff(matrix.indptr) > 0
    if filled.any():
        starts = matrix.indptr[:-1][filled]
        smallest[filled], largest[filled] = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
    return smallest, largest


def _nonzero(values: Floats) -> Floats:
    """Sizes, inf for zero."""
    return np.where(values != 0.0, np.abs(values), np.inf)


def _recourse_sizes(recourse: Recourse, changes: Mapping[str, Changes]) -> tuple[Floats, Floats]:
    """The same over technology and matrix, in all scenarios."""
    found = [_sizes(getattr(recourse, kind), changes.get(kind)) for kind in _MATRICES]
    (one_low, one_high), (other_low, other_high) = found
    return np.minimum(one_low, other_low), np.maximum(one_high, other_high)


def _rows(stage: FirstStage | Recourse, matrices: tuple[str, ...], factors: Floats) -> dict[str, Any]:
    """Matrices and limits of a stage, multiplied."""
    limits = {name: getattr(stage, name) * factors for name in _LIMITS}
    return limits | {name: _rows_multiplied(getattr(stage, name), factors) for name in matrices}


def _rows_multiplied(matrix: sparse.csr_array, factors: Floats) -> sparse.csr_array:
    data = matrix.data * factors[_row_of_entries(matrix)]
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _multiplied(change: Changes, kind: str, recourse: Recourse, factors: Floats) -> Changes:
    """What scenarios replace, in the new units of its rows."""
    if kind not in _MATRICES + _LIMITS:
        return change
    rows = _row_of_entries(getattr(recourse, kind))[change.positions] if kind in _MATRICES else change.positions
    return Changes(change.positions, change.values * factors[rows])


def _row_of_entries(matrix: sparse.csr_array) -> Ints:
    """The row of every stored entry, shape (nnz,)."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
