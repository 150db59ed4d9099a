"""Which models have a big M, and which points make use of it."""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Bools, Floats, Ints
from neurprise.solvers.base import Model
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: An entry that is so much larger than the smallest one beside it is big: within the integrality tolerance of engines
#: its column moves the other one by a hundredth. Costs of that ratio are ordinary and capacities mostly below it.
BIG = 1e4
#: Beside entries of 1e10 SCIP has proved bounds above the optimum (in rows with a slack column of their own).
TRUSTED = 1e9


def has_big_m(model: Model, ratio: float = BIG) -> bool:
    """Whether an integer column that is not fixed has an entry so many times larger than another one of its row."""
    if not model.integer.any():
        return False
    sizes = np.abs(model.matrix.data)
    if sizes.max(initial=0.0) < ratio * sizes.min(initial=np.inf, where=sizes > 0):  # most models end here
        return False
    return bool((ratios(model) >= ratio).any())


def leaks(model: Model, values: Floats) -> Bools:
    """Integer columns that are whole to an engine but not to one of their rows, shape (columns,)."""
    off = np.abs(values - np.round(values))
    column_ratios = np.ones(len(values))
    np.maximum.at(column_ratios, model.matrix.indices, ratios(model))
    return np.asarray(model.integer & (off * column_ratios > FEASIBILITY_TOLERANCE))


def ratios(model: Model) -> Floats:
    """
    How often the smallest other entry of its row goes into each entry of an integer column, shape (nnz,); 1 for others.

    Rows with a column that is free in both directions do not count: they define that column, as a row of the objective
    does, and forbid nothing.
    """
    sizes, columns, row_of = np.abs(model.matrix.data), model.matrix.indices, rows_of_entries(model)
    fixed = model.lower == model.upper
    moves = (sizes > 0) & ~fixed[columns]
    is_free = np.isneginf(model.lower) & np.isposinf(model.upper)
    counts = np.ones(len(model.row_lower), dtype=bool)
    counts[row_of[moves & is_free[columns]]] = False
    smallest = _smallest_others(np.where(moves, sizes, np.inf), row_of, len(counts))
    counted = moves & counts[row_of] & model.integer[columns] & np.isfinite(smallest)
    return np.where(counted, sizes / np.where(counted, smallest, 1.0), 1.0)


def rows_of_entries(model: Model) -> Ints:
    """The row of every stored entry, shape (nnz,)."""
    return np.repeat(np.arange(len(model.row_lower)), np.diff(model.matrix.indptr))


def _smallest_others(sizes: Floats, row_of: Ints, num_rows: int) -> Floats:
    """The smallest other number in each entry's row, shape (nnz,); inf where there is none."""
    first = np.full(num_rows, np.inf)
    np.minimum.at(first, row_of, sizes)
    is_first = sizes == first[row_of]
    several = np.bincount(row_of, is_first, minlength=num_rows) > 1
    second = np.full(num_rows, np.inf)
    np.minimum.at(second, row_of, np.where(is_first, np.inf, sizes))
    return np.where(is_first & ~several[row_of], second[row_of], first[row_of])
