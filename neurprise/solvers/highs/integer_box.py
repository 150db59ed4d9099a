"""
The box in which HiGHS searches along integers without bounds, and what its answers there say about the model.

A point found in the box keeps every row of the model. That nothing is better is proved for the box only, and holds for
the model as far as nothing draws its integers towards the edge.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.solvers.base import EngineResult, EngineStatus, Model
from neurprise.solvers.corner_cases import has_unbounded_integers, unbounded_integers
from neurprise.solvers.highs.runs import LostError
from neurprise.solvers.highs.traps import whole_factors
from neurprise.solvers.tolerances import ENGINE_PRECISION

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


def box_decides(result: EngineResult, relaxed: Floats | None, model: Model) -> bool:
    """
    Whether the box could have changed the answer: its point, or what it proves.

    A search may stop at a point near zero, at a target or within a gap, and still owe its bound to the edge; whole
    steps may be longer than the box. So what the model tends to without the box counts as well.

    Parameters
    ----------
    relaxed
        An optimal point of the linear relaxation without the box, shape (columns,); None where none is known.
    """
    if not has_unbounded_integers(model):
        return False
    if relaxed is None or goes_far(relaxed, model):
        return True
    if result.values is None:
        return result.status in (EngineStatus.INFEASIBLE, EngineStatus.CUTOFF)
    return goes_far(result.values, model)


def goes_far(point: Floats, model: Model) -> bool:
    """Whether an integer without bounds is more than halfway to the edge of the box: rows may keep it off the edge."""
    below, above = unbounded_integers(model)
    return bool((np.abs(point[below | above]) > _INTEGER_BOX / 2).any())


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


def boxed_around(model: Model, relaxed: Floats, distance: float) -> Model:
    """The model with a box around unbounded integer columns that holds an optimal point, if there is any."""
    below, above = unbounded_integers(model)
    lower = np.where(below, np.floor(relaxed) - distance, model.lower)
    upper = np.where(above, np.ceil(relaxed) + distance, model.upper)
    return replace(model, lower=lower, upper=upper)


def united(result: EngineResult, inside: EngineResult) -> EngineResult:
    """The answer without the box, with the point inside it where that costs less; raises where it denies that point."""
    if inside.values is None:
        return result
    allowance = ENGINE_PRECISION * max(1.0, abs(inside.objective))
    if result.status is EngineStatus.UNBOUNDED or result.bound > inside.objective + allowance:
        raise LostError(
            "HiGHS calls a worse point optimal than one it found before, along integers without bounds; give "
            "them finite bounds, or try another solver."
        )
    if result.objective <= inside.objective:
        return result
    bound = min(result.bound, inside.objective)
    return replace(inside, status=result.status, bound=bound)


def _integral_row_lengths(model: Model) -> Floats:
    """Euclidean length of each row with its entries made whole, shape (rows,); inf where that is not known how."""
    row_of = np.repeat(np.arange(len(model.row_lower)), np.diff(model.matrix.indptr))
    squares = np.bincount(row_of, model.matrix.data**2, minlength=len(model.row_lower))
    return np.asarray(whole_factors(model) * np.sqrt(squares))
