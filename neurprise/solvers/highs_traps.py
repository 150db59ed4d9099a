"""
What HiGHS must be kept from: inputs on which versions up to 1.15.1 crash, lose the optimum or call a wrong one optimal.

Each rule was found by comparing answers with brute force or a second engine (`python -m benchmarks.crosscheck`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from neurprise.arrays import Floats
from neurprise.solvers.base import EngineResult, EngineStatus, Model
from neurprise.solvers.corner_cases import has_unbounded_integers, unbounded_integers

#: With unbounded integer columns HiGHS may call a wrong point optimal (seen up to 1.15.1); within this box it does not.
_INTEGER_BOX = 1e6
#: Presolve may drop entries below its feasibility tolerance (1e-6); rows with such entries are scaled up to this.
_SMALLEST_ENTRY = 1e-5
#: It takes limits within its tolerance of a whole multiple of an entry for that multiple, and may then lose feasible
#: decisions: min -x over x in {1, 2} with 3.000003 <= y + 3 z - 3 x <= 9 and 0 <= y, z <= 3 was -1.
#: It multiplies rows of integers until entries are whole, too: in 3.5 y + 4.25 z >= 12.000003 it took 12 for enough.
_NEAR_MULTIPLE = (1e-9, 2e-5)
#: What rows are multiplied by to make their entries whole.
_WHOLE_FACTORS = (1.0, 2.0, 4.0, 8.0, *(10.0**digits for digits in range(1, 7)))
#: Beside integer columns of such bounds it has crashed (upstream issue 2866).
_LARGE_BOUND = 1e5
#: Models of so few entries are solved without presolve where it is a risk; in larger ones it is worth more.
_FEW_ENTRIES = 2_000
#: How far HiGHS lets reduced costs be on the wrong side: by default, and at the least.
_DUAL_TOLERANCE, _LEAST_DUAL_TOLERANCE = 1e-7, 1e-10


def safe_options(model: Model) -> dict[str, Any]:
    """
    What is set unless the caller chooses it.

    The feasibility jump of HiGHS up to 1.15.1 follows columns without bounds to infinity and then crashes the process
    (upstream issue 3262), ignores rows with negative entries (3302), and takes ten times as long as the rest of a small
    model. Without it a restart has been seen to lose the optimum among general integers; among binaries never, and
    there restarts can halve the time.
    """
    binary = bool((model.upper - model.lower)[model.integer].max(initial=0.0) <= 1.0)
    return {
        "mip_heuristic_run_feasibility_jump": False,
        "mip_allow_restart": binary,
        "dual_feasibility_tolerance": dual_tolerance(model.costs, model.lower, model.upper),
    }


def dual_tolerance(costs: Floats, lower: Floats, upper: Floats) -> float:
    """
    How far reduced costs may be on the wrong side; all arrays of shape (columns,).

    Less than a cost that falls along a column without a bound: HiGHS called y = 0 the optimum of min 4e-7 y with
    4.09 y <= 0 and y free.
    """
    falls = ((costs > 0) & np.isneginf(lower)) | ((costs < 0) & np.isposinf(upper))
    smallest = float(np.abs(costs[falls]).min(initial=1.0))
    return min(max(_DUAL_TOLERANCE * smallest, _LEAST_DUAL_TOLERANCE), _DUAL_TOLERANCE)


def presolve_is_a_risk(model: Model) -> bool:
    """Whether a small mixed-integer model is better solved without presolve."""
    if not model.integer.any() or not 0 < model.matrix.nnz <= _FEW_ENTRIES:
        return False
    largest = np.maximum(np.abs(model.lower), np.abs(model.upper))[model.integer].max()
    return bool(largest > _LARGE_BOUND) or _has_near_multiples(model)


def _has_near_multiples(model: Model) -> bool:
    """Whether some limit of a row is next to, but not at, a whole multiple of an entry or of what divides them all."""
    entries = model.matrix.data
    row_of = np.repeat(np.arange(len(model.row_lower)), np.diff(model.matrix.indptr))
    units = entries, 1.0 / _whole_factors(model)[row_of]
    with np.errstate(divide="ignore", invalid="ignore"):
        limits = [side[row_of] / unit for side in (model.row_lower, model.row_upper) for unit in units]
    multiples = np.concatenate(limits)
    multiples = multiples[np.isfinite(multiples)]
    off = np.abs(multiples - np.round(multiples))
    return bool(((off > _NEAR_MULTIPLE[0]) & (off < _NEAR_MULTIPLE[1])).any())


def _whole_factors(model: Model) -> Floats:
    """A number that makes all entries of a row whole, shape (rows,); inf where none of those tried does."""
    row_of = np.repeat(np.arange(len(model.row_lower)), np.diff(model.matrix.indptr))
    factors = np.full(len(model.row_lower), np.inf)
    for factor in _WHOLE_FACTORS:
        entries = np.abs(model.matrix.data) * factor
        whole = np.ones(len(factors), dtype=bool)
        whole[row_of[np.abs(entries - np.round(entries)) > 1e-9 * np.maximum(1.0, entries)]] = False
        factors = np.where(np.isinf(factors) & whole, factor, factors)
    return factors


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
    return np.asarray(_whole_factors(model) * np.sqrt(squares))


def row_factors(model: Model) -> Floats:
    """What each row is multiplied by, a power of two, shape (rows,); 1 where no entry is too small."""
    sizes = np.abs(model.matrix.data)
    smallest = np.full(len(model.row_lower), np.inf)
    filled = np.diff(model.matrix.indptr) > 0
    if filled.any():
        starts = model.matrix.indptr[:-1][filled]
        smallest[filled] = np.minimum.reduceat(np.where(sizes > 0, sizes, np.inf), starts)
    return np.exp2(np.ceil(np.log2(np.maximum(_SMALLEST_ENTRY / smallest, 1.0))))


def scaled(model: Model) -> Model:
    """The model with its rows multiplied by their factors; the same object where all are 1."""
    factors = row_factors(model)
    if (factors == 1.0).all():
        return model
    matrix = model.matrix.copy()
    matrix.data = matrix.data * np.repeat(factors, np.diff(matrix.indptr))
    return replace(model, matrix=matrix, row_lower=model.row_lower * factors, row_upper=model.row_upper * factors)
