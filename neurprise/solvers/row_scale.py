"""
Rows of small units, multiplied by a power of two before an engine sees them.

Engines keep rows to an absolute tolerance. In a row whose entries are a millionth each, everything would be within it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.solvers.base import Model

#: Presolve of HiGHS may drop entries below its feasibility tolerance (1e-6); rows with such entries are scaled up to
#: this.
_SMALLEST_ENTRY = 1e-5
#: But not beyond this: a row whose entries are further apart would only become a row of huge ones.
_LARGEST_ENTRY = 1e5
#: Rows whose entries are all smaller than this are scaled until the largest is about one.
_SMALL_ROW = 1e-3


def row_factors(model: Model) -> Floats:
    """What HiGHS multiplies each row by, a power of two, shape (rows,); 1 where no entry is too small."""
    smallest, largest = smallest_entries(model.matrix), _largest_entries(model.matrix)
    with np.errstate(divide="ignore"):
        most = np.maximum(np.floor(np.log2(_LARGEST_ENTRY / largest)), 0.0)
    for_presolve = np.ceil(np.log2(np.maximum(_SMALLEST_ENTRY / smallest, 1.0)))
    return np.maximum(np.exp2(np.minimum(for_presolve, most)), 1.0 / row_units(model.matrix))


def smallest_entries(matrix: sparse.csr_array) -> Floats:
    """The smallest |entry| but zero of every row, shape (rows,); inf where there is none."""
    sizes, filled = np.abs(matrix.data), np.diff(matrix.indptr) > 0
    smallest = np.full(matrix.shape[0], np.inf)
    if filled.any():
        smallest[filled] = np.minimum.reduceat(np.where(sizes > 0, sizes, np.inf), matrix.indptr[:-1][filled])
    return smallest


def _largest_entries(matrix: sparse.csr_array) -> Floats:
    filled, largest = np.diff(matrix.indptr) > 0, np.zeros(matrix.shape[0])
    if filled.any():
        largest[filled] = np.maximum.reduceat(np.abs(matrix.data), matrix.indptr[:-1][filled])
    return largest


def row_units(*matrices: sparse.csr_array) -> Floats:
    """The size of the largest entry, a power of two, of every row whose entries are all small; 1 for others."""
    largest = np.max([_largest_entries(matrix) for matrix in matrices], axis=0)
    small = (largest > 0.0) & (largest < _SMALL_ROW)
    return np.asarray(np.exp2(np.ceil(np.log2(largest, out=np.zeros(len(largest)), where=small))))


def scaled(model: Model) -> Model:
    """The model with its rows as HiGHS gets them; the same object where all factors are 1."""
    return _multiplied(model, row_factors(model))


def in_row_units(model: Model) -> Model:
    """The model with its rows in their own units; the same object where all are 1."""
    return _multiplied(model, 1.0 / row_units(model.matrix))


def _multiplied(model: Model, factors: Floats) -> Model:
    if (factors == 1.0).all():
        return model
    matrix = model.matrix.copy()
    matrix.data = matrix.data * np.repeat(factors, np.diff(matrix.indptr))
    return replace(model, matrix=matrix, row_lower=model.row_lower * factors, row_upper=model.row_upper * factors)
