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
#: Rows whose entries are all smaller than this are scaled until the largest is about one.
_SMALL_ROW = 1e-3


def row_factors(model: Model) -> Floats:
    """What each row is multiplied by, a power of two, shape (rows,); 1 where no entry is too small."""
    sizes, filled = np.abs(model.matrix.data), np.diff(model.matrix.indptr) > 0
    smallest = np.full(len(model.row_lower), np.inf)
    if filled.any():
        starts = model.matrix.indptr[:-1][filled]
        smallest[filled] = np.minimum.reduceat(np.where(sizes > 0, sizes, np.inf), starts)
    for_presolve = np.exp2(np.ceil(np.log2(np.maximum(_SMALLEST_ENTRY / smallest, 1.0))))
    return np.maximum(for_presolve, 1.0 / row_units(model.matrix))


def row_units(*matrices: sparse.csr_array) -> Floats:
    """The size of the largest entry, a power of two, of every row whose entries are all small; 1 for others."""
    largest = np.zeros(matrices[0].shape[0])
    for matrix in matrices:
        filled = np.diff(matrix.indptr) > 0
        if filled.any():
            inside = np.maximum.reduceat(np.abs(matrix.data), matrix.indptr[:-1][filled])
            largest[filled] = np.maximum(largest[filled], inside)
    small = (largest > 0.0) & (largest < _SMALL_ROW)
    return np.exp2(np.ceil(np.log2(largest, out=np.zeros(len(largest)), where=small)))


def scaled(model: Model) -> Model:
    """The model with its rows multiplied by their factors; the same object where all are 1."""
    factors = row_factors(model)
    if (factors == 1.0).all():
        return model
    matrix = model.matrix.copy()
    matrix.data = matrix.data * np.repeat(factors, np.diff(matrix.indptr))
    return replace(model, matrix=matrix, row_lower=model.row_lower * factors, row_upper=model.row_upper * factors)
