"""Numbers too large for an engine, found before one meets them and named as the model names them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from neurprise.arrays import IN_RANGE, RESCALE, TOO_LARGE, Floats, without_huge_limits
from neurprise.errors import FormatError
from neurprise.io.linear import LinearModel, Place

#: Fields of a model that are limits, and the infinity that none of them can take.
_NEVER = {"row_lower": math.inf, "row_upper": -math.inf, "lower": math.inf, "upper": -math.inf}


def with_infinite_limits(model: LinearModel) -> LinearModel:
    """The model with limits from 1e20 on as infinite; any other number from 1e15 on raises FormatError."""
    limits: dict[str, Any] = {kind: without_huge_limits(getattr(model, kind)) for kind in _NEVER}
    model = replace(model, **limits)
    rows, columns = model.matrix.tocoo().coords
    _check(model, lambda k: Place("matrix", rows[k], columns[k]), model.matrix.data)
    _check(model, lambda k: Place("offset"), np.array([model.offset]))
    for kind in ("costs", "lower", "upper"):
        _check(model, partial(_of_column, kind), getattr(model, kind))
    for kind in ("row_lower", "row_upper"):
        _check(model, partial(Place, kind), getattr(model, kind))
    return model


def values_with_infinite_limits(
    model: LinearModel, places: Sequence[Place], values: Floats, scenario_names: Sequence[str]
) -> Floats:
    """The same for what scenarios put at these places; values: (S, k)."""
    are_limits = np.array([place.kind in _NEVER for place in places], dtype=bool)
    values = np.where(are_limits, without_huge_limits(values), values)
    for s in np.flatnonzero((np.abs(values) >= TOO_LARGE).any(axis=1)).tolist():
        name = repr(scenario_names[s]) if scenario_names else str(s)
        _check(model, places.__getitem__, values[s], f" in scenario {name}")
    return values


def _check(model: LinearModel, place_of: Callable[[int], Place], values: Floats, where: str = "") -> None:
    """Raise for the first of `values`, shape (k,), that is out of range at its place."""
    for k in np.flatnonzero(np.abs(values) >= TOO_LARGE).tolist():
        place = place_of(k)
        if _out_of_range(place.kind, float(values[k])):
            raise FormatError(f"{_words(model, place)} must {IN_RANGE}, got {values[k]:g}{where}; {RESCALE}.")


def _of_column(kind: str, column: int) -> Place:
    return Place(kind, column=column)


def _out_of_range(kind: str, value: float) -> bool:
    return math.isfinite(value) or kind not in _NEVER or value == _NEVER[kind]


def _words(model: LinearModel, place: Place) -> str:
    """What stands at a place, as a user would say it."""
    if place.kind == "offset":
        return "the objective's constant"
    if place.kind == "matrix":
        return f"the coefficient of {model.columns[place.column]!r} in row {model.rows[place.row]!r}"
    if place.kind == "costs":
        return f"the cost of {model.columns[place.column]!r}"
    if place.kind in ("lower", "upper"):
        return f"the {place.kind} bound of {model.columns[place.column]!r}"
    return f"the right-hand side of row {model.rows[place.row]!r}"
