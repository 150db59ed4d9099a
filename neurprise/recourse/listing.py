"""Which blocks a recourse matrix falls apart into, and the integer points of one of them."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: A block with more points, complete or partial, is not listed: about sixteen binaries without a row that helps.
MAX_POINTS = 65_536
#: Numbers that are computed for all blocks together before listing is given up: about a tenth of a second. Sixteen
#: binaries without a row take a fifth of it.
MAX_EFFORT = 10_000_000


class Effort:
    """How many numbers may still be computed, over all blocks of a problem."""

    def __init__(self, left: int = MAX_EFFORT) -> None:
        self._left = left

    def suffices_for(self, numbers: int) -> bool:
        """Count them, and say whether that was within the limit."""
        self._left -= numbers
        return self._left >= 0


def components(matrix: sparse.csr_array) -> list[tuple[Ints, Ints]]:
    """
    Columns and rows of every connected component, ascending; rows without columns make one component together.

    Parameters
    ----------
    matrix
        Every stored entry connects, also a zero: scenarios may replace it.
    """
    from scipy.sparse.csgraph import connected_components  # it loads scipy.linalg, which few problems need

    num_rows, num_columns = matrix.shape
    pattern = sparse.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    graph = sparse.block_array([[None, pattern], [pattern.T, None]]) if matrix.nnz else sparse.csr_array((1, 1))
    labels = connected_components(graph, directed=False)[1] if matrix.nnz else np.arange(num_rows + num_columns)
    of_row, of_column = labels[:num_rows], labels[num_rows:]
    found = [(np.flatnonzero(of_column == k), np.flatnonzero(of_row == k)) for k in np.unique(of_column)]
    empty = np.flatnonzero(~np.isin(of_row, of_column))
    return [*found, (np.zeros(0, dtype=np.int64), empty)] if len(empty) else found


def integer_points(
    lower: Floats, upper: Floats, rows: Floats, row_lower: Floats, row_upper: Floats, effort: Effort | None = None
) -> Floats | None:
    """
    Every integer point of a box that keeps some rows, shape (P, k); None if there are more than MAX_POINTS.

    Points are built one column after another; those that no completion can save are dropped.

    Parameters
    ----------
    lower, upper
        Whole numbers, shape (k,).
    rows, row_lower, row_upper
        row_lower <= rows @ y <= row_upper; shapes (f, k), (f,), (f,).
    effort
        What listing may cost; None is also the answer where that does not suffice.
    """
    effort = effort or Effort()
    if not (np.isfinite(lower).all() and np.isfinite(upper).all()) or (upper - lower >= MAX_POINTS).any():
        return None
    extremes = np.stack([rows * lower, rows * upper])
    least, most = _still_to_come(extremes.min(axis=0)), _still_to_come(extremes.max(axis=0))
    points, activities = np.zeros((1, 0)), np.zeros((1, len(rows)))
    for j in range(len(lower)):
        choices = np.arange(lower[j], upper[j] + 1)
        grown = len(points) * len(choices)
        if grown > MAX_POINTS * 4 or not effort.suffices_for(grown * (len(rows) + j + 1)):
            return None
        points = np.column_stack([np.repeat(points, len(choices), axis=0), np.tile(choices, len(points))])
        activities = np.repeat(activities, len(choices), axis=0) + points[:, -1:] * rows[:, j]
        kept = (activities + most[:, j] >= row_lower - FEASIBILITY_TOLERANCE).all(axis=1)
        kept &= (activities + least[:, j] <= row_upper + FEASIBILITY_TOLERANCE).all(axis=1)
        points, activities = points[kept], activities[kept]
        if len(points) > MAX_POINTS:
            return None
    possible = (row_lower <= FEASIBILITY_TOLERANCE) & (row_upper >= -FEASIBILITY_TOLERANCE)
    return points if len(lower) or possible.all() else points[:0]  # without columns nothing was checked above


def _still_to_come(contributions: Floats) -> Floats:
    """What the columns after each one contribute together, shape (f, k)."""
    after = np.cumsum(contributions[:, ::-1], axis=1)[:, ::-1] - contributions
    return np.asarray(after)
