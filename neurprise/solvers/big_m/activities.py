"""What the rows of a model imply: how large their activities can become, and bounds of columns that follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats
from neurprise.solvers.base import Model
from neurprise.solvers.big_m.detect import rows_of_entries
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: Bounds rarely travel further, and a few rows can go on improving each other for ever.
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

    def __init__(self, model: Model) -> None:
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
