"""A problem from the letters of the paper's Eq. (1): Ax >= d;  Gy >= h - Ex - M xi_s;  x, y >= 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from neurprise import arrays
from neurprise.arrays import Floats, frozen
from neurprise.errors import InputError
from neurprise.problem.alignment import align
from neurprise.problem.stages import Changes, FirstStage, Recourse, check_limits

#: What the dimensions of each argument list; labelled arguments are aligned along them.
_AXES = {
    "c": ("x",),
    "A": ("x_row", "x"),
    "d": ("x_row",),
    "G": ("y_row", "y"),
    "h": ("y_row",),
    "E": ("y_row", "x"),
    "M": ("y_row", "factor"),
    "xi": ("scenario", "factor"),
    "b": ("scenario", "y"),
    "x_integer": ("x",),
    "y_integer": ("y",),
    "x_lower": ("x",),
    "x_upper": ("x",),
    "y_lower": ("y",),
    "y_upper": ("y",),
    "x_row_sense": ("x_row",),
    "y_row_sense": ("y_row",),
    "d_upper": ("x_row",),
    "h_upper": ("y_row",),
    "probabilities": ("scenario",),
}
_SENSES = {">=": (True, False), "<=": (False, True), "=": (True, True), "==": (True, True)}


def parts_from_letters(
    letters: Mapping[str, Any], names: Mapping[str, Iterable[Any]], offset: float, maximize: bool
) -> dict[str, Any]:
    """
    The arguments of `TwoStageProblem`.

    Parameters
    ----------
    letters
        The arguments of `TwoStageProblem.from_matrices` that have an axis, all of them.
    names
        Axis -> the caller's names, maybe none.
    """
    aligned = align(letters, _AXES, names)
    sign = -1.0 if maximize else 1.0
    parts = _Parts(aligned.values, sign)
    return {
        "first_stage": parts.first_stage(),
        "recourse": parts.recourse(),
        "changes": parts.changes(),
        "num_scenarios": parts.num_scenarios(),
        "offset": sign * offset + 0.0,
        "probabilities": aligned.values["probabilities"],
        "maximize": bool(maximize),
        **{f"{axis}_names": listing for axis, listing in aligned.names.items() if axis != "factor"},
    }


class _Parts:
    """The parts of a problem from arguments that are in one order; `sign` turns profits into costs."""

    def __init__(self, values: Mapping[str, Any], sign: float) -> None:
        self._values = values
        self._sign = sign
        self._costs = arrays.vector("c", values["c"])
        self._matrix = arrays.matrix("G", values["G"], (None, None))
        rows, width = self._matrix.shape
        self._limits = _row_limits(values, "h", "h_upper", "y_row_sense", rows)
        if (values["M"] is None) != (values["xi"] is None):
            raise InputError("M and xi come together: the right-hand side is h - E x - M xi_s; pass both or neither.")
        self._points = None if values["xi"] is None else arrays.table("xi", values["xi"], (None, None))
        per_scenario = np.asarray(values["b"], dtype=object).ndim == 2
        self._cost_rows = arrays.table("b", values["b"], (None, width)) if per_scenario else None

    def first_stage(self) -> FirstStage:
        values, n = self._values, len(self._costs)
        matrix = arrays.matrix("A", np.zeros((0, n)) if values["A"] is None else values["A"], (None, n))
        rows = {**values, "d": np.zeros(0)} if values["d"] is None else values
        lower, upper = _row_limits(rows, "d", "d_upper", "x_row_sense", matrix.shape[0])
        return FirstStage(
            costs=frozen(self._sign * self._costs + 0.0),
            matrix=matrix,
            row_lower=lower,
            row_upper=upper,
            lower=arrays.vector("x_lower", values["x_lower"], n, finite=False),
            upper=arrays.vector("x_upper", values["x_upper"], n, finite=False),
            integer=arrays.mask("x_integer", values["x_integer"], n),
        )

    def recourse(self) -> Recourse:
        values, n, (rows, width) = self._values, len(self._costs), self._matrix.shape
        lower = arrays.vector("y_lower", values["y_lower"], width, finite=False)
        upper = arrays.vector("y_upper", values["y_upper"], width, finite=False)
        check_limits("recourse bounds", lower, upper)
        return Recourse(
            costs=frozen(self._sign * self._base_costs() + 0.0),
            x_costs=frozen(np.zeros(n)),
            technology=arrays.matrix("E", values["E"], (rows, n)),
            matrix=self._matrix,
            row_lower=self._limits[0],
            row_upper=self._limits[1],
            lower=lower,
            upper=upper,
            integer=arrays.mask("y_integer", values["y_integer"], width),
        )

    def changes(self) -> dict[str, Changes]:
        """Every finite limit of a row becomes limit - M xi_s; costs become rows of b where it has one per scenario."""
        changes = {}
        if self._points is not None:
            spread = arrays.matrix("M", self._values["M"], (self._matrix.shape[0], self._points.shape[1]))
            touched = np.diff(spread.indptr) > 0
            for kind, limits in zip(("row_lower", "row_upper"), self._limits, strict=True):
                moved = np.flatnonzero(touched & np.isfinite(limits))
                if len(moved):
                    values = limits[moved] - np.asarray(self._points @ spread[moved].T)
                    changes[kind] = Changes(frozen(moved), arrays.table("h - M xi", values, (None, None)))
        if self._cost_rows is not None:
            everything = frozen(np.arange(self._cost_rows.shape[1]))
            changes["costs"] = Changes(everything, frozen(self._sign * self._cost_rows + 0.0))
        return changes

    def num_scenarios(self) -> int:
        counts = {len(rows) for rows in (self._points, self._cost_rows) if rows is not None}
        if len(counts) != 1:
            raise InputError(
                f"b of shape (S, m) and xi of shape (S, q) must name the same number of scenarios, got "
                f"{sorted(counts)}; pass xi, or b with one row per scenario."
            )
        return counts.pop()

    def _base_costs(self) -> Floats:
        width = self._matrix.shape[1]
        if self._cost_rows is None:
            return arrays.vector("b", self._values["b"], width)
        return self._cost_rows[0] if len(self._cost_rows) else np.zeros(width)


def _row_limits(values: Mapping[str, Any], low: str, high: str, sense: str, count: int) -> tuple[Floats, Floats]:
    """Lower and upper limits of rows, shape (count,): one side by its sense, or both as given."""
    senses = _senses(sense, values[sense], count)
    if values[high] is None:
        side = arrays.vector(low, values[low], count)
        is_lower, is_upper = (np.array([_SENSES[word][k] for word in senses], dtype=bool) for k in (0, 1))
        return frozen(np.where(is_lower, side, -np.inf)), frozen(np.where(is_upper, side, np.inf))
    if any(word != ">=" for word in senses):
        raise InputError(f"{high} makes rows two-sided, so {sense} must be left out; pass one of the two.")
    lower = arrays.vector(low, values[low], count, finite=False)
    upper = arrays.vector(high, values[high], count, finite=False)
    check_limits(f"rows between {low} and {high}", lower, upper)
    return lower, upper


def _senses(name: str, value: Any, count: int) -> list[str]:
    given = [value] if isinstance(value, str) else list(np.asarray(value, dtype=object).ravel())
    for row, word in enumerate(given):
        if not isinstance(word, str) or word not in _SENSES:
            raise InputError(f"{name} must be '>=', '<=' or '=', got {word!r} for row {row}.")
    if isinstance(value, str):
        return given * count
    if len(given) != count:
        raise InputError(f"{name} must be one sense or {count} of them, one for each row, got {len(given)}.")
    return given
