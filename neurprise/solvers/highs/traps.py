"""
Inputs on which HiGHS up to 1.15.1 crashes, searches without end, loses the optimum or calls a wrong point optimal.

Each rule was found by comparing answers with brute force or a second engine (`python -m experiments run crosscheck`).

Runs end at Ctrl-C, at their deadline, and when they would not end by themselves. Integers without bounds are searched
in a box. A point found in the box keeps every row of the model. That nothing is better is proved for the box only, and
holds for the model if nothing draws its integers towards the edge.
"""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.errors import EngineError
from neurprise.solvers.base import EngineModel, EngineResult, EngineStatus, run_interruptibly
from neurprise.solvers.corner_cases import (
    has_unbounded_integers,
    rows_of_entries,
    smallest_entries,
    unbounded_integers,
    whole_factors,
)
from neurprise.solvers.tolerances import ENGINE_PRECISION

#: It takes limits within its tolerance of a whole multiple of an entry for that multiple, and may then lose feasible
#: decisions: min -x over x in {1, 2} with 3.000003 <= y + 3 z - 3 x <= 9 and 0 <= y, z <= 3 was -1.
#: It multiplies rows of integers until entries are whole, too: in 3.5 y + 4.25 z >= 12.000003 it took 12 for enough.
_NEAR_MULTIPLE = (1e-9, 2e-5)
#: Beside integer columns of such bounds it has crashed (upstream issue 2866).
_LARGE_BOUND = 1e5
#: Models of so few entries are solved without presolve where it is a risk; in larger ones it is worth more.
_FEW_ENTRIES = 2_000
#: Beside entries on integer columns that are so much larger than others of their row it has proved bounds above the
#: optimum: 3,090 for 2,230 in a row with a slack column and M = 1e10 (tests/solvers/test_big_m.py); 19,571 for 667 with
#: M = 2e7 was reported. At a tolerance of 1e-9 instead of 1e-6 that begins at M = 1e6. See `solvers/big_m.py`.
TRUSTED_RATIO = 1e7
#: Rows whose entries are all larger than this have duals that its tolerance hides.
_LARGE_ROW_UNIT = 1e4
#: How far HiGHS lets reduced costs be on the wrong side: by default, and at the least.
_DUAL_TOLERANCE, _LEAST_DUAL_TOLERANCE = 1e-7, 1e-10


def safe_options(model: EngineModel) -> dict[str, Any]:
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
        "dual_feasibility_tolerance": dual_tolerance(
            model.costs, model.lower, model.upper, largest_row_unit(model.matrix)
        ),
    }


def dual_tolerance(costs: Floats, lower: Floats, upper: Floats, row_unit: float) -> float:
    """
    How far reduced costs may be on the wrong side; all arrays of shape (columns,).

    Less than a cost that falls along a column without a bound: HiGHS called y = 0 the optimum of min 4e-7 y with
    4.09 y <= 0 and y free. Where a row has large entries only, `row_unit`, its dual is that much smaller: HiGHS called
    y = 5 the optimum of min 11 y with 2.75e8 y <= 1.4e9 and y free.
    """
    falls = ((costs > 0) & np.isneginf(lower)) | ((costs < 0) & np.isposinf(upper))
    smallest = float(np.abs(costs[falls]).min(initial=1.0))
    return min(max(_DUAL_TOLERANCE * smallest / row_unit, _LEAST_DUAL_TOLERANCE), _DUAL_TOLERANCE)


def largest_row_unit(matrix: sparse.csr_array) -> float:
    """The largest of the smallest entries of rows, where that is large; else 1."""
    smallest = smallest_entries(matrix)
    unit = float(smallest[np.isfinite(smallest)].max(initial=1.0))
    return unit if unit > _LARGE_ROW_UNIT else 1.0


def presolve_is_a_risk(model: EngineModel) -> bool:
    """Whether a small mixed-integer model is better solved without presolve."""
    if not model.integer.any() or not 0 < model.matrix.nnz <= _FEW_ENTRIES:
        return False
    largest = np.maximum(np.abs(model.lower), np.abs(model.upper))[model.integer].max()
    return bool(largest > _LARGE_BOUND) or _has_near_multiples(model)


def _has_near_multiples(model: EngineModel) -> bool:
    """Whether some limit of a row is next to, but not at, a whole multiple of an entry or of what divides them all."""
    entries = model.matrix.data
    row_of = rows_of_entries(model)
    units = entries, 1.0 / whole_factors(model)[row_of]
    with np.errstate(divide="ignore", invalid="ignore"):
        limits = [side[row_of] / unit for side in (model.row_lower, model.row_upper) for unit in units]
    multiples = np.concatenate(limits)
    multiples = multiples[np.isfinite(multiples)]
    off = np.abs(multiples - np.round(multiples))
    return bool(((off > _NEAR_MULTIPLE[0]) & (off < _NEAR_MULTIPLE[1])).any())


#: HiGHS may overrun its own limit (upstream issue 2226); this many seconds later it is interrupted.
_GRACE = 0.2


class LostError(EngineError):
    """HiGHS would not end along integers without bounds, or is wrong there."""


def run_until(
    handle: Any, callback: Any, deadline: Deadline, fruitless: Deadline, longest_dive: float = math.inf
) -> None:
    """
    Run until Ctrl-C, the end, or a little after the deadline, which HiGHS does not always keep.

    Parameters
    ----------
    fruitless
        When a search ends that has no solution yet.
    longest_dive
        How often a dive without a solution at hand may ask whether to go on.
    """
    stop, endless, dive = threading.Event(), threading.Event(), _Dive()

    def interrupt_when_due(event: Any) -> None:
        if dive.questions_up_to(event.data_out) > longest_dive and math.isinf(event.data_out.mip_primal_bound):
            endless.set()
        due = fruitless if math.isinf(event.data_out.mip_primal_bound) else deadline
        if stop.is_set() or endless.is_set() or due.overdue > _GRACE:
            event.interrupt()

    callback.subscribe(interrupt_when_due)
    try:
        run_interruptibly(handle.run, stop.set)
    finally:
        callback.unsubscribe(interrupt_when_due)
    if endless.is_set():
        raise LostError(
            "HiGHS searches without end along integers without bounds; give them finite bounds, or install scip."
        )


class _Dive:
    """Counts the questions of one dive; HiGHS counts the nodes of a dive when it ends."""

    def __init__(self) -> None:
        self._nodes_before, self._questions = -1, 0

    def questions_up_to(self, now: Any) -> int:
        """How often this dive has asked whether to go on, now included."""
        if now.mip_node_count != self._nodes_before:
            self._nodes_before, self._questions = now.mip_node_count, 0
        self._questions += 1
        return self._questions


#: With unbounded integer columns HiGHS may call a wrong point optimal (seen up to 1.15.1); within this box it does not.
_INTEGER_BOX = 1e6


def boxed(model: EngineModel) -> EngineModel:
    """The model with a finite box around unbounded integer columns; the same object where there are none."""
    if not has_unbounded_integers(model):
        return model
    below, above = unbounded_integers(model)
    # A bound beyond the box moves the box, not the bound.
    lower = np.where(below, np.minimum(-_INTEGER_BOX, model.upper - _INTEGER_BOX), model.lower)
    upper = np.where(above, np.maximum(_INTEGER_BOX, model.lower + _INTEGER_BOX), model.upper)
    return replace(model, lower=np.where(below & above, -_INTEGER_BOX, lower), upper=upper)


def box_decides(result: EngineResult, relaxed: Floats | None, model: EngineModel) -> bool:
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


def goes_far(point: Floats, model: EngineModel) -> bool:
    """Whether an integer without bounds is more than halfway to the edge of the box: rows may keep it off the edge."""
    below, above = unbounded_integers(model)
    return bool((np.abs(point[below | above]) > _INTEGER_BOX / 2).any())


def distance_to_optimum(model: EngineModel) -> float:
    """
    How far some optimal point is, at most, from an optimal point of the linear relaxation, in any column.

    The number of columns times the largest subdeterminant of the matrix, made whole [Cook, Gerards, Schrijver and
    Tardos 1986], which is at most the product of its longest rows (Hadamard). That is little for small models only;
    but these are searched without end along integers without bounds.
    """
    longest = np.sort(np.log(np.maximum(_integral_row_lengths(model), 1.0)))[::-1][: len(model.costs)]
    exponent = np.log(len(model.costs)) + longest.sum()
    return float(np.ceil(np.exp(exponent))) if exponent < np.log(_INTEGER_BOX) else np.inf


def boxed_around(model: EngineModel, relaxed: Floats, distance: float) -> EngineModel:
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


def _integral_row_lengths(model: EngineModel) -> Floats:
    """Euclidean length of each row with its entries made whole, shape (rows,); inf where that is not known how."""
    row_of = rows_of_entries(model)
    squares = np.bincount(row_of, model.matrix.data**2, minlength=len(model.row_lower))
    return np.asarray(whole_factors(model) * np.sqrt(squares))
