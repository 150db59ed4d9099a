"""The box in which HiGHS searches along integers without bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.solvers.base import EngineResult, EngineStatus, Model
from neurprise.solvers.corner_cases import has_unbounded_integers, unbounded_integers
from neurprise.solvers.highs_traps import whole_factors

#: With unbounded integer columns HiGHS may call a wrong point optimal (seen up to 1.15.1); within this box it does not.
_INTEGER_BOX = 1e6


def boxed(model: Model) -> Model:
    """The model with a finite box around unbounded integer columns; the same object where there are none."""
    if not has_unbounded_integers(model):
        return model
    below, above = unbounded_integers(model)
    # A bound beyond the box moves the box, not the bound.
    lower = np.where(below, np.minimum(-_INTEGER_BOX, model.upper - _INTEGER_BOX), model.lower)
    upper = np.where(above, np.maximum(_INTEGER_BOX, model.lower + _INTEGER_BOX), model.upper)
    return replace(model, lower=np.where(below & above, -_INTEGER_BOX, lower), upper=upper)


def box_decides(result: EngineResult, model: Model) -> bool:
    """Whether the box could have changed the answer: nothing was found inside, or it was pushed towards the edge."""
    if not has_unbounded_integers(model):
        return False
    below, above = unbounded_integers(model)
    if result.values is None:
        return result.status in (EngineStatus.INFEASIBLE, EngineStatus.CUTOFF)
    # Rows may keep a falling cost from touching the edge, but not from going most of the way.
    far = (below | above) & (np.abs(result.values) > _INTEGER_BOX / 2)
    return bool(far.any())


def distance_to_optimum(model: Model) -> float:
    """
    How far some optimal point is, at most, from an optimal point of the linear relaxation, in any column.

    The number of columns times the largest subdeterminant of the matrix, made whole [Cook, Gerards, Schrijver and
    Tardos 1986], which is at most the product of its longest rows (Hadamard). That is little for small models only;
    but these are searched for ever along integers without bounds.
    """
    longest = np.sort(np.log(np.maximum(_integral_row_lengths(model), 1.0)))[::-1][: len(model.costs)]
    exponent = np.log(len(model.costs)) + longest.sum()
    return float(np.ceil(np.exp(exponent))) if exponent < np.log(_INTEGER_BOX) else np.inf


def is_far_out(point: Floats) -> bool:
    """Whether a point is beyond the box that HiGHS is trusted in."""
    return bool(np.abs(point).max() > _INTEGER_BOX)


def boxed_around(model: Model, relaxed: Floats, distance: float) -> Model:
    """The model with a box around unbounded integer columns that holds an optimal point, if there is any."""
    below, above = unbounded_integers(model)
    lower = np.where(below, np.floor(relaxed) - distance, model.lower)
    upper = np.where(above, np.ceil(relaxed) + distance, model.upper)
    return replace(model, lower=lower, upper=upper)


def _integral_row_lengths(model: Model) -> Floats:
    """Euclidean length of each row with its entries made whole, shape (rows,); inf where that is not known how."""
    row_of = np.repeat(np.arange(len(model.row_lower)), np.diff(model.matrix.indptr))
    squares = np.bincount(row_of, model.matrix.data**2, minlength=len(model.row_lower))
    return np.asarray(whole_factors(model) * np.sqrt(squares))
