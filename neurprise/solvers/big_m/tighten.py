"""
Coefficient tightening: the smallest entries on integer columns that forbid the same.

A row a'v <= b exceeds its limit by at most g = (largest activity) - b. One step of an integer column from the bound at
which that happens makes up for |a_j|; where that is more than g, |a_j| = g forbids the same integer points and fewer
fractional ones [Savelsbergh 1994]. `y <= M z` becomes `y <= D z` where y never exceeds D.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats
from neurprise.solvers.base import Model
from neurprise.solvers.big_m.activities import ROUNDING, Bounds, Rows
from neurprise.solvers.big_m.detect import rows_of_entries
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE


def tightened(model: Model, cutoff: float = math.inf) -> Model:
    """
    The model with tight entries: its points are points of the model, and some optimal point is among them.

    Parameters
    ----------
    cutoff
        Points that cost more may be lost as well.
    """
    rows = Rows(_with_cutoff_row(model, cutoff))
    return with_tight_entries(model, rows.implied(rows.useful(rows.implied(Bounds(model.lower, model.upper)))))


def with_tight_entries(model: Model, bounds: Bounds) -> Model:
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


def _with_entries_up_to(model: Model, most: Floats, only_upper: Bools) -> Model:
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


def _with_cutoff_row(model: Model, cutoff: float) -> Model:
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
