"""The parts of a two-stage problem: first stage, recourse, and what scenarios change in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints, frozen
from neurprise.errors import InputError
from neurprise.problem.values import Record
from neurprise.solvers.corner_cases import row_units
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: What a scenario may change, in the order in which `scenario_data` lists it.
KINDS = ("costs", "x_costs", "row_lower", "row_upper", "lower", "upper", "technology", "matrix")


@dataclass(frozen=True, eq=False)
class FirstStage(Record):
    """
    What is decided now.

    Parameters
    ----------
    costs
        c, shape (n,).
    matrix, row_lower, row_upper
        row_lower <= matrix @ x <= row_upper; matrix is (p, n).
    lower, upper
        Bounds of x, shape (n,); those of integer x are rounded inward.
    integer
        Which x are integer, shape (n,).
    """

    costs: Floats
    matrix: sparse.csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools

    def __post_init__(self) -> None:
        super().__post_init__()
        check_limits("first-stage rows", self.row_lower, self.row_upper)
        check_limits("first-stage bounds", self.lower, self.upper)
        _round_bounds(self)

    def violation(self, x: Floats) -> float:
        """
        Largest amount by which x breaks a row, a bound or integrality; 0 for a feasible x.

        Of rows whose entries are all small, in units of the largest.
        """
        return float(self.violations(x[None])[0])

    def violations(self, decisions: Floats) -> Floats:
        """The same of several decisions, shape (k, n); shape (k,)."""
        bounds = np.maximum(self.lower - decisions, decisions - self.upper)
        fractions = np.abs(decisions - np.round(decisions)) * self.integer
        rows = (self.matrix @ decisions.T).T
        beyond_rows = np.maximum(self.row_lower - rows, rows - self.row_upper) / row_units(self.matrix)
        of_columns = np.maximum(bounds, fractions).max(axis=1, initial=0.0)
        largest: Floats = np.maximum(of_columns, beyond_rows.max(axis=1, initial=0.0))
        return largest


@dataclass(frozen=True, eq=False)
class Recourse(Record):
    """
    What is decided after the scenario is seen; entries that scenarios change hold a base value here.

    Parameters
    ----------
    costs
        b, shape (m,).
    x_costs
        q, shape (n,): recourse cost that depends on x directly (zero for most models).
    technology, matrix, row_lower, row_upper
        row_lower <= technology @ x + matrix @ y <= row_upper; shapes (r, n), (r, m), (r,), (r,).
    lower, upper, integer
        Bounds and integrality of y, shape (m,); bounds of integer y are rounded inward.
    """

    costs: Floats
    x_costs: Floats
    technology: sparse.csr_array
    matrix: sparse.csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools

    def __post_init__(self) -> None:
        super().__post_init__()
        _round_bounds(self)

    def base(self, kind: str) -> Floats:
        """The array that changes of this kind replace entries of; matrices as their stored entries in row order."""
        value = getattr(self, kind)
        return value.data if sparse.issparse(value) else value  # type: ignore[no-any-return]

    def without(self, kind: str, positions: Ints) -> Floats | sparse.csr_array:
        """The vector or matrix of this kind with zeros at these positions of its base array."""
        entries = self.base(kind).copy()
        entries[positions] = 0.0
        value = getattr(self, kind)
        if not sparse.issparse(value):
            return entries
        return sparse.csr_array((entries, value.indices, value.indptr), shape=value.shape)


@dataclass(frozen=True, eq=False)
class Changes(Record):
    """
    Entries that scenarios replace: `values[s, k]` goes to `positions[k]` of the base array.

    Parameters
    ----------
    positions
        Shape (k,); for matrices, positions in the stored entries.
    values
        Shape (S, k).
    """

    positions: Ints
    values: Floats

    def rounded_inward(self, kind: str, integer: Bools) -> Changes:
        """The same changes with bounds of integer variables made whole; `integer` of shape (m,)."""
        moved = integer[self.positions] if kind in ("lower", "upper") else np.zeros(0, dtype=bool)
        if not moved.any():
            return self
        whole = whole_lower(self.values) if kind == "lower" else whole_upper(self.values)
        return Changes(self.positions, frozen(np.where(moved, whole, self.values)))


@dataclass(frozen=True)
class Scenario:
    """All recourse data under one scenario; fields as in Recourse, matrices as their stored entries."""

    costs: Floats
    x_costs: Floats
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    technology: Floats
    matrix: Floats


@dataclass(frozen=True)
class RecourseRows:
    """Rows technology @ x + matrix @ y >= lower of one scenario; shapes (k, n), (k, m), (k,)."""

    technology: sparse.csr_array
    matrix: sparse.csr_array
    lower: Floats


def whole_lower(lower: Floats) -> Floats:
    """The smallest whole numbers that keep these lower bounds, to the tolerance of the engines; same shape."""
    return np.ceil(lower - FEASIBILITY_TOLERANCE) + 0.0  # no negative zero


def whole_upper(upper: Floats) -> Floats:
    """The largest whole numbers that keep these upper bounds, to the tolerance of the engines; same shape."""
    return np.floor(upper + FEASIBILITY_TOLERANCE)


def _round_bounds(stage: FirstStage | Recourse) -> None:
    """Engines differ on fractional bounds of integer variables, and HiGHS is wrong on them; none ever sees one."""
    if stage.integer.shape == stage.lower.shape == stage.upper.shape and stage.integer.any():
        lower = np.where(stage.integer, whole_lower(stage.lower), stage.lower)
        upper = np.where(stage.integer, whole_upper(stage.upper), stage.upper)
        object.__setattr__(stage, "lower", frozen(lower))
        object.__setattr__(stage, "upper", frozen(upper))


def check_limits(name: str, lower: Floats, upper: Floats) -> None:
    """Refuse lower limits above their upper ones."""
    bad = np.flatnonzero(lower > upper)
    if bad.size:
        k = bad[0]
        raise InputError(f"{name}: lower must not exceed upper, got [{lower[k]}, {upper[k]}] at position {k}.")


#: Limits may be infinite, costs and matrix entries may not.
_FINITE = ("costs", "x_costs", "technology", "matrix")


def table_of(changes: Mapping[str, Changes], num_scenarios: int) -> Floats:
    """All changed values side by side in the order of KINDS, shape (S, k); twin limits of equality rows once."""
    columns = [changes[kind].values for kind in listed_kinds(changes)]
    return np.hstack(columns) if columns else np.zeros((num_scenarios, 0))


def changes_of(changes: Mapping[str, Changes], table: Floats) -> dict[str, Changes]:
    """The same changes with the values of another table (S, k): the inverse of `table_of`."""
    listed = listed_kinds(changes)
    ends = np.cumsum([len(changes[kind].positions) for kind in listed])
    parts = dict(zip(listed, np.split(table, ends[:-1], axis=1), strict=True)) if listed else {}
    twins = {kind: parts["row_lower"] for kind in changes if kind not in parts}
    for kind, values in parts.items():
        _check_finite(kind, values)
    return {kind: Changes(changes[kind].positions, frozen(v.copy())) for kind, v in {**parts, **twins}.items()}


def made_finite(table: Floats) -> Floats:
    """The table with infinite limits replaced by the column's nearest finite value, or 0 without one."""
    finite = np.isfinite(table)
    if finite.all():
        return table
    known = finite.any(axis=0)
    lowest = np.where(known, np.where(finite, table, np.inf).min(axis=0), 0.0)
    highest = np.where(known, np.where(finite, table, -np.inf).max(axis=0), 0.0)
    return np.clip(table, lowest, highest)


def listed_kinds(changes: Mapping[str, Changes]) -> list[str]:
    return [kind for kind in KINDS if kind in changes and not _repeats_lower_limits(kind, changes)]


def _repeats_lower_limits(kind: str, changes: Mapping[str, Changes]) -> bool:
    """Equality rows change both limits alike; they count once."""
    twin, change = changes.get("row_lower"), changes[kind]
    if kind != "row_upper" or twin is None or not np.array_equal(twin.positions, change.positions):
        return False
    return np.array_equal(twin.values, change.values)


def _check_finite(kind: str, values: Floats) -> None:
    bad = ~np.isfinite(values) if kind in _FINITE else np.isnan(values)
    if bad.any():
        scenario, column = np.argwhere(bad)[0].tolist()
        raise InputError(
            f"the {kind} of every scenario must be numbers{' and finite' if kind in _FINITE else ''}, got "
            f"{values[scenario, column]} in scenario {scenario}; fill or drop it."
        )
