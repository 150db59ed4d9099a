"""
Models with a big M: an entry on an integer column so large that an integrality tolerance of 1e-6 shows in its row.

In `y <= M z` with M = 1e8 every engine takes z = 1e-6 for zero, and y may be a hundred. Such models are first made
tighter, which most allow. Answers on what remains are checked: a point with integers that are whole only to the engine
is priced again with whole numbers. That makes it worse, or impossible; the engine's bound still holds, because it
solved a relaxation. The price of that point is a cutoff, and with a cutoff rows can be tightened further.

**Coefficient tightening.** A row a'v <= b exceeds its limit by at most g = (largest activity) - b. One step of an
integer column from the bound at which that happens makes up for |a_j|. If that is more than g, |a_j| = g forbids the
same integer points and fewer fractional ones [Savelsbergh 1994]. `y <= M z` becomes `y <= D z` where y never exceeds D.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats
from neurprise.clock import Deadline
from neurprise.solvers.base import EngineModel, EngineResult, EngineStatus, Limits
from neurprise.solvers.corner_cases import TRUSTED, has_big_m, leaks, rows_of_entries
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: Bounds rarely travel further, and a few rows can improve each other without end.
_MAX_PASSES = 8
#: What is computed here leaves so much room, relative to the numbers it comes from, for what rounding took.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Bounds:
    """Bounds of all columns; each array of shape (columns,)."""

    lower: Floats
    upper: Floats


@dataclass(frozen=True)
class Ends:
    """
    The smallest or the largest activity of every row.

    Parameters
    ----------
    sums
        The activities, shape (rows,).
    others
        The same without the share of each stored entry, shape (nnz,).
    sizes
        The largest finite share in each row, or limit of it: by that rounding is measured; shape (rows,).
    """

    sums: Floats
    others: Floats
    sizes: Floats


class Rows:
    """
    The rows of one model, entry by entry.

    Parameters
    ----------
    model
        Its bounds are not used; they come with every question.
    """

    def __init__(self, model: EngineModel) -> None:
        self._model = model
        self._entries, self._columns, self._row_of = model.matrix.data, model.matrix.indices, rows_of_entries(model)
        limits = np.abs(np.vstack([model.row_lower, model.row_upper]))
        self._limit_sizes = np.where(np.isfinite(limits), limits, 0.0).max(axis=0, initial=0.0)

    def lowest(self, bounds: Bounds) -> Ends:
        """The smallest activities within these bounds."""
        return self._ends(np.where(self._entries > 0, bounds.lower[self._columns], bounds.upper[self._columns]), -1)

    def highest(self, bounds: Bounds) -> Ends:
        """The largest activities within these bounds."""
        return self._ends(np.where(self._entries > 0, bounds.upper[self._columns], bounds.lower[self._columns]), +1)

    def implied(self, bounds: Bounds) -> Bounds:
        """These bounds and those that rows imply: every feasible point keeps them."""
        for _ in range(_MAX_PASSES):
            tighter = self._propagated(bounds)
            if not _is_progress(bounds, tighter):
                return tighter
            bounds = tighter
        return bounds

    def useful(self, bounds: Bounds) -> Bounds:
        """
        These bounds and those beyond which a column serves no row and earns nothing.

        A point that goes further can come back to all of them at once: rows that this makes tighter are kept by the one
        column alone, whatever the others do. So some optimal point keeps these bounds, if there is an optimal point.
        """
        costs, integer = self._model.costs, self._model.integer
        most, least = self._needed(bounds, +1), -self._needed(bounds, -1)
        most = np.maximum(np.where(integer, np.ceil(most), most), bounds.lower)
        least = np.minimum(np.where(integer, np.floor(least), least), bounds.upper)
        upper = np.where((costs >= 0) & np.isfinite(most), most, np.inf)
        lower = np.where((costs <= 0) & np.isfinite(least), least, -np.inf)
        return _tighter(bounds, Bounds(lower, upper))

    def _needed(self, bounds: Bounds, direction: int) -> Floats:
        """
        How far each column must go in this direction to keep the rows it helps by itself, shape (columns,).

        -inf for columns that help no row, inf where no distance suffices.
        """
        entries = direction * self._entries
        lowest, highest = self.lowest(bounds), self.highest(bounds)
        row_lower, row_upper = self._model.row_lower[self._row_of], self._model.row_upper[self._row_of]
        rises = entries > 0
        helps = (entries != 0) & np.isfinite(np.where(rises, row_lower, row_upper))
        with np.errstate(invalid="ignore"):
            below = row_lower - lowest.others + ROUNDING * lowest.sizes[self._row_of]
            above = highest.others - row_upper + ROUNDING * highest.sizes[self._row_of]
        distances = self._per_entry(np.where(rises, below, above), np.abs(entries), unknown=np.inf)
        needed = np.full(len(self._model.costs), -np.inf)
        np.maximum.at(needed, self._columns, np.where(helps, distances, -np.inf))
        return needed

    def _propagated(self, bounds: Bounds) -> Bounds:
        """One pass: what each row leaves to each of its columns when the others go as far as they can."""
        lowest, highest = self.lowest(bounds), self.highest(bounds)
        most = self._model.row_upper[self._row_of] - lowest.others + ROUNDING * lowest.sizes[self._row_of]
        least = self._model.row_lower[self._row_of] - highest.others - ROUNDING * highest.sizes[self._row_of]
        rises = self._entries > 0
        uppers = self._per_entry(np.where(rises, most, least), self._entries, unknown=np.inf)
        lowers = self._per_entry(np.where(rises, least, most), self._entries, unknown=-np.inf)
        upper, lower = np.full(len(self._model.costs), np.inf), np.full(len(self._model.costs), -np.inf)
        np.minimum.at(upper, self._columns, uppers)
        np.maximum.at(lower, self._columns, lowers)
        integer = self._model.integer
        upper = np.where(integer, np.floor(upper + FEASIBILITY_TOLERANCE), upper)
        lower = np.where(integer, np.ceil(lower - FEASIBILITY_TOLERANCE), lower)
        return _tighter(bounds, Bounds(lower, upper))

    def _per_entry(self, amounts: Floats, entries: Floats, unknown: float) -> Floats:
        """Amounts of activity in units of each entry's column, shape (nnz,)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            units = amounts / entries
        return np.where(np.isnan(units) | (entries == 0), unknown, units)

    def _ends(self, ends: Floats, sign: int) -> Ends:
        shares = np.where(self._entries == 0, 0.0, self._entries * np.where(self._entries == 0, 0.0, ends))
        infinite, num_rows = np.isinf(shares), len(self._model.row_lower)
        finite = np.where(infinite, 0.0, shares)
        sums = np.bincount(self._row_of, finite, minlength=num_rows)
        counts = np.bincount(self._row_of, infinite, minlength=num_rows)
        others = np.where((counts[self._row_of] - infinite) > 0, sign * np.inf, sums[self._row_of] - finite)
        sizes = self._limit_sizes.copy()
        np.maximum.at(sizes, self._row_of, np.abs(finite))
        return Ends(np.where(counts > 0, sign * np.inf, sums), others, sizes)


def _tighter(old: Bounds, new: Bounds) -> Bounds:
    """The tighter of both; the old ones of columns where both contradict each other: that, engines find."""
    lower, upper = np.maximum(old.lower, new.lower), np.minimum(old.upper, new.upper)
    possible = lower <= upper
    return Bounds(np.where(possible, lower, old.lower), np.where(possible, upper, old.upper))


def _is_progress(old: Bounds, new: Bounds) -> bool:
    """Whether some bound is finite for the first time, or much closer to the other one."""
    first = (np.isinf(old.lower) & np.isfinite(new.lower)) | (np.isinf(old.upper) & np.isfinite(new.upper))
    with np.errstate(invalid="ignore"):
        closer = (new.upper - new.lower) < 0.5 * (old.upper - old.lower)
    return bool((first | closer).any())


def tightened(model: EngineModel, cutoff: float = math.inf) -> EngineModel:
    """
    The model with tight entries: its points are points of the model, and some optimal point is among them.

    Parameters
    ----------
    cutoff
        Points that cost more may be lost as well.
    """
    rows = Rows(_with_cutoff_row(model, cutoff))
    return with_tight_entries(model, rows.implied(rows.useful(rows.implied(Bounds(model.lower, model.upper)))))


def with_tight_entries(model: EngineModel, bounds: Bounds) -> EngineModel:
    """The model with tight entries in rows of one limit, its integers within these bounds; no other point is lost."""
    rows = Rows(model)
    highest, lowest = rows.highest(bounds), rows.lowest(bounds)
    only_upper = np.isneginf(model.row_lower) & np.isfinite(model.row_upper)
    only_lower = np.isposinf(model.row_upper) & np.isfinite(model.row_lower)
    beyond = np.full(len(model.row_lower), np.inf)
    beyond[only_upper] = (highest.sums + ROUNDING * highest.sizes)[only_upper] - model.row_upper[only_upper]
    beyond[only_lower] = model.row_lower[only_lower] - (lowest.sums - ROUNDING * lowest.sizes)[only_lower]
    bounded = replace(
        model,
        lower=np.where(model.integer, bounds.lower, model.lower),
        upper=np.where(model.integer, bounds.upper, model.upper),
    )
    return _with_entries_up_to(bounded, beyond, only_upper)


def _with_entries_up_to(model: EngineModel, most: Floats, only_upper: Bools) -> EngineModel:
    """
    The model with entries on integer columns of at most this size, and limits that say the same where a row is broken.

    Parameters
    ----------
    most
        By how much each row can exceed its limit, shape (rows,); inf where its entries stay.
    only_upper
        Rows whose limit is an upper one, shape (rows,).
    """
    entries, columns, row_of = model.matrix.data, model.matrix.indices, rows_of_entries(model)
    sizes = np.abs(entries)
    smallest = np.full(len(most), np.inf)
    np.minimum.at(smallest, row_of, np.where(sizes > 0, sizes, np.inf))
    largest = np.maximum(most, smallest)[row_of]  # what no point can break may keep any entries
    broken_at_upper = (entries > 0) == only_upper[row_of]
    broken_at = np.where(broken_at_upper, model.upper[columns], model.lower[columns])
    reduced = model.integer[columns] & (sizes > largest) & np.isfinite(broken_at)
    if not reduced.any():
        return model
    new = np.where(reduced, np.copysign(largest, entries), entries)
    moves = np.where(reduced, entries - new, 0.0) * np.where(reduced, broken_at, 0.0)
    moved = np.bincount(row_of, moves, minlength=len(most))
    matrix = sparse.csr_array((new, columns, model.matrix.indptr), shape=model.matrix.shape)
    return replace(model, matrix=matrix, row_lower=model.row_lower - moved, row_upper=model.row_upper - moved)


def _with_cutoff_row(model: EngineModel, cutoff: float) -> EngineModel:
    """The model with one more row, which keeps costs at the cutoff or below."""
    if not math.isfinite(cutoff):
        return model
    cutoff += FEASIBILITY_TOLERANCE * max(1.0, abs(cutoff))
    return replace(
        model,
        matrix=sparse.csr_array(sparse.vstack([model.matrix, sparse.csr_array(model.costs[None, :])])),
        row_lower=np.append(model.row_lower, -np.inf),
        row_upper=np.append(model.row_upper, cutoff - model.offset),
    )


Solve = Callable[[EngineModel, Limits, Floats | None], EngineResult]

#: Each begins with the cutoff that the last one found.
_ATTEMPTS = 3


def solve_with_big_m(
    model: EngineModel, limits: Limits, start: Floats | None, solve: Solve, trusted: float = TRUSTED
) -> EngineResult:
    """
    What is true of the model, by an engine that is given tighter ones.

    The status is NUMERICAL_LIMIT where objective and bound hold, and the engine cannot tell what is between them.

    Parameters
    ----------
    trusted
        Beside larger entries (see `ratios`) only linear programs of this engine are believed.
    """
    deadline, cutoff, best = Deadline(limits.time_limit), limits.cutoff, EngineResult(EngineStatus.NUMERICAL_LIMIT)
    # Beside an M of 1e6 HiGHS has proved a wrong bound at a tolerance of 1e-9, and none at 1e-6.
    limits = replace(limits, tolerance=max(limits.tolerance, FEASIBILITY_TOLERANCE))
    for _ in range(_ATTEMPTS):
        tight = tightened(model, cutoff)
        found = solve(tight, limits.until(deadline), start)
        if has_big_m(tight, trusted):
            found = _by_relaxation(tight, found, limits.until(deadline), solve)
        best = _better(best, _without_leaks(tight, found, limits.until(deadline), solve))
        if best.status is not EngineStatus.NUMERICAL_LIMIT or not best.objective < cutoff:
            break
        cutoff = best.objective
    return best


def _by_relaxation(model: EngineModel, found: EngineResult, limits: Limits, solve: Solve) -> EngineResult:
    """The engine's point with the bound of the linear relaxation; what else it says is not believed."""
    if found.status in (EngineStatus.TIME_LIMIT, EngineStatus.UNBOUNDED):
        return found
    relaxed = solve(model.relaxed(), Limits(time_limit=limits.time_limit), None)
    bound = min(relaxed.objective, found.objective) if relaxed.status is EngineStatus.OPTIMAL else -math.inf
    if relaxed.status is EngineStatus.INFEASIBLE and found.status is EngineStatus.INFEASIBLE:
        return found
    closed = found.objective - bound <= _close(limits, found.objective)
    status = EngineStatus.OPTIMAL if closed and found.values is not None else EngineStatus.NUMERICAL_LIMIT
    return EngineResult(status, found.objective, bound, found.values)


def _without_leaks(model: EngineModel, found: EngineResult, limits: Limits, solve: Solve) -> EngineResult:
    """The result with a point of whole integers, priced anew where that makes a difference to some row."""
    if found.values is None or not leaks(model, found.values).any():
        return found
    again = Limits(time_limit=limits.time_limit)
    fixed = (model.with_integers(whole) for whole in _roundings(model, found.values))
    priced = min((solve(each, again, None) for each in fixed), key=_objective)
    if priced.values is None:
        return EngineResult(EngineStatus.NUMERICAL_LIMIT, bound=found.bound)
    holds = {
        EngineStatus.OPTIMAL: priced.objective - found.bound <= _close(limits, priced.objective),
        EngineStatus.TARGET: priced.objective < limits.target,
        EngineStatus.TIME_LIMIT: True,
    }
    status = found.status if holds.get(found.status) else EngineStatus.NUMERICAL_LIMIT
    return EngineResult(status, priced.objective, min(found.bound, priced.objective), priced.values)


def _roundings(model: EngineModel, values: Floats) -> tuple[Floats, Floats]:
    """The integers rounded, and those that leak rounded away from where they leak: what is used is paid for."""
    nearest = np.round(values)
    away = nearest + np.sign(values - nearest)
    return nearest, np.where(leaks(model, values), away, nearest).clip(model.lower, model.upper)


def _better(one: EngineResult, other: EngineResult) -> EngineResult:
    """What two attempts at one model show together; the later one says why it ended."""
    if one.values is not None and other.status in (EngineStatus.CUTOFF, EngineStatus.INFEASIBLE):
        return one  # the engine lost a point that it had found
    cheaper = one if one.objective < other.objective else other
    bound = min(max(one.bound, other.bound), cheaper.objective)
    return replace(other, objective=cheaper.objective, values=cheaper.values, bound=bound)


def _close(limits: Limits, objective: float) -> float:
    """The gap at which an answer is optimal, in units of the objective."""
    return max(limits.absolute_gap, max(limits.gap, FEASIBILITY_TOLERANCE) * abs(objective))


def _objective(result: EngineResult) -> float:
    return result.objective if result.values is not None else math.inf
