"""How a linear model becomes a two-stage problem when scenarios replace some of its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from neurprise import arrays
from neurprise.arrays import IN_RANGE, RESCALE, TOO_LARGE, Bools, Floats, Ints, frozen, without_huge_limits
from neurprise.errors import FormatError, counted
from neurprise.io.linear import LinearModel, Place, entry_position, with_pattern, with_values
from neurprise.io.typing_mistakes import warn_of_typing_mistakes
from neurprise.problem import TwoStageProblem
from neurprise.problem.named import CONSTANT
from neurprise.problem.stages import Changes, FirstStage, Recourse

#: Largest table of replaced values that is built, scenarios times coefficients (400 MB).
MAX_VALUES = 50_000_000
#: Fields of a model that are limits, and the infinity that none of them can take.
_NEVER = {"row_lower": math.inf, "row_upper": -math.inf, "lower": math.inf, "upper": -math.inf}


def two_stage(
    model: LinearModel,
    first_stage: Bools,
    places: Sequence[Place],
    values: Floats,
    *,
    scenario_names: tuple[str, ...] = (),
    probabilities: Floats | None = None,
) -> TwoStageProblem:
    """
    The problem in which scenario s puts values[s, k] at places[k].

    A row belongs to the first stage when it has no recourse variable and no scenario changes it.

    Parameters
    ----------
    first_stage
        Which columns are decided now, shape (columns,).
    values
        Shape (S, k), all in the sense (min or max) of the model.
    """
    model = _with_infinite_limits(model)
    values = _values_with_infinite_limits(model, places, values, scenario_names)
    varying = (values != values[0]).any(axis=0) if len(values) else np.zeros(len(places), dtype=bool)
    model = with_values(model, [p for p, v in zip(places, varying, strict=True) if not v], values[:1, ~varying])
    places = [p for p, v in zip(places, varying, strict=True) if v]
    model, first_stage, places = _with_constant_column(model, first_stage, places)
    _check_stages(model, first_stage)
    warn_of_typing_mistakes(model, first_stage, places)
    layout = _Layout(with_pattern(model, places), first_stage, places)
    problem = TwoStageProblem(
        layout.first_stage(),
        layout.recourse(),
        layout.changes(values[:, varying]),
        len(values),
        offset=(-1.0 if model.maximize else 1.0) * model.offset + 0.0,
        probabilities=probabilities,
        scenario_names=scenario_names,
        **layout.names(),
        maximize=model.maximize,
    )
    _check_limits(problem)
    return problem


def check_size(source: str, num_scenarios: int, num_values: int, remedy: str) -> None:
    """Refuse a table of scenarios that would not fit in memory, before it is built."""
    if num_scenarios * num_values > MAX_VALUES:
        raise FormatError(
            f"{source}: {counted(num_scenarios, 'scenario')} with {counted(num_values, 'number')} each "
            f"exceed the limit of {MAX_VALUES:,} numbers; {remedy}."
        )


def _with_infinite_limits(model: LinearModel) -> LinearModel:
    """The model with limits from 1e20 on as infinite; any other number from 1e15 on raises FormatError."""
    limits: dict[str, Any] = {kind: without_huge_limits(getattr(model, kind)) for kind in _NEVER}
    model = replace(model, **limits)
    rows, columns = model.matrix.tocoo().coords
    _check_magnitudes(model, lambda k: Place("matrix", rows[k], columns[k]), model.matrix.data)
    _check_magnitudes(model, lambda k: Place("offset"), np.array([model.offset]))
    for kind in ("costs", "lower", "upper"):
        _check_magnitudes(model, partial(_of_column, kind), getattr(model, kind))
    for kind in ("row_lower", "row_upper"):
        _check_magnitudes(model, partial(Place, kind), getattr(model, kind))
    return model


def _values_with_infinite_limits(
    model: LinearModel, places: Sequence[Place], values: Floats, scenario_names: Sequence[str]
) -> Floats:
    """The same for what scenarios put at these places; values: (S, k)."""
    are_limits = np.array([place.kind in _NEVER for place in places], dtype=bool)
    values = np.where(are_limits, without_huge_limits(values), values)
    for s in np.flatnonzero((np.abs(values) >= TOO_LARGE).any(axis=1)).tolist():
        name = repr(scenario_names[s]) if scenario_names else str(s)
        _check_magnitudes(model, places.__getitem__, values[s], f" in scenario {name}")
    return values


def _check_magnitudes(model: LinearModel, place_of: Callable[[int], Place], values: Floats, where: str = "") -> None:
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


def _check_stages(model: LinearModel, first_stage: Bools) -> None:
    for stage, members in (("first-stage", first_stage), ("recourse", ~first_stage)):
        if not members.any():
            raise FormatError(f"the model has no {stage} variable among {len(model.columns)}; name at least one.")


def _check_limits(problem: TwoStageProblem) -> None:
    """Lower limits must not exceed upper ones in any scenario; engines disagree about what that would mean."""
    for low, high in (("row_lower", "row_upper"), ("lower", "upper")):
        lower, upper = _moving_limits(problem, low), _moving_limits(problem, high)
        for position in lower.keys() | upper.keys():
            least = lower.get(position, np.full(problem.num_scenarios, problem.recourse.base(low)[position]))
            most = upper.get(position, np.full(problem.num_scenarios, problem.recourse.base(high)[position]))
            bad = np.flatnonzero(least > most)
            if bad.size:
                raise FormatError(
                    f"scenario {problem.scenario_labels[bad[0]]!r} puts a lower limit above its upper limit ("
                    f"{_limited(problem, low, position)}: {least[bad[0]]:g} > {most[bad[0]]:g}); correct it."
                )


def _limited(problem: TwoStageProblem, kind: str, position: int) -> str:
    """The row or the recourse variable whose limit stands there, by name."""
    if kind.startswith("row"):
        return f"row {problem.recourse_row_names[position]!r}"
    return repr(problem.recourse_names[position])


def _moving_limits(problem: TwoStageProblem, kind: str) -> dict[int, Floats]:
    """Position -> its value in every scenario, shape (S,)."""
    change = problem.changes.get(kind)
    return {} if change is None else dict(zip(change.positions.tolist(), change.values.T, strict=True))


def _with_constant_column(
    model: LinearModel, first_stage: Bools, places: list[Place]
) -> tuple[LinearModel, Bools, list[Place]]:
    """A constant that scenarios change becomes the cost of a recourse variable fixed at 1."""
    if not any(place.kind == "offset" for place in places):
        return model, first_stage, places
    new = len(model.columns)
    wider = sparse.csr_array(
        (model.matrix.data, model.matrix.indices, model.matrix.indptr), shape=(len(model.rows), new + 1)
    )
    model = replace(
        model,
        columns=(*model.columns, _new_name(CONSTANT, model.columns)),
        costs=np.append(model.costs, model.offset),
        matrix=wider,
        lower=np.append(model.lower, 1.0),
        upper=np.append(model.upper, 1.0),
        integer=np.append(model.integer, True),
        offset=0.0,
    )
    moved = [Place("costs", column=new) if place.kind == "offset" else place for place in places]
    return model, np.append(first_stage, False), moved


def _new_name(stem: str, taken: Sequence[str]) -> str:
    """The stem, or the stem with the first number that makes it differ from what is taken."""
    candidates = (stem if k == 0 else f"{stem}_{k}" for k in range(len(taken) + 1))
    return next(name for name in candidates if name not in taken)


class _Layout:
    """Which columns, rows and entries of the model go where in the two-stage problem."""

    def __init__(self, model: LinearModel, first_stage: Bools, places: Sequence[Place]) -> None:
        self._model = model
        self._first = first_stage
        self._places = places
        self._x, self._y = np.flatnonzero(first_stage), np.flatnonzero(~first_stage)
        later = np.zeros(len(model.rows), dtype=bool)
        entries = model.matrix.tocoo()
        later[entries.coords[0][~first_stage[entries.coords[1]]]] = True
        later[[place.row for place in places if place.row >= 0]] = True
        self._now_rows, self._later_rows = np.flatnonzero(~later), np.flatnonzero(later)
        self._sign = -1.0 if model.maximize else 1.0
        self._varying_cost = np.zeros(len(model.columns), dtype=bool)
        self._varying_cost[[place.column for place in places if place.kind == "costs"]] = True
        self._technology = self._block(self._later_rows, self._x)
        self._matrix = self._block(self._later_rows, self._y)

    def first_stage(self) -> FirstStage:
        model, x = self._model, self._x
        costs = np.where(self._varying_cost[x], 0.0, model.costs[x])
        return FirstStage(
            costs=frozen(self._sign * costs + 0.0),
            matrix=self._block(self._now_rows, x),
            row_lower=frozen(model.row_lower[self._now_rows]),
            row_upper=frozen(model.row_upper[self._now_rows]),
            lower=frozen(model.lower[x]),
            upper=frozen(model.upper[x]),
            integer=frozen(model.integer[x]),
        )

    def recourse(self) -> Recourse:
        model, x, y = self._model, self._x, self._y
        x_costs = np.where(self._varying_cost[x], model.costs[x], 0.0)
        return Recourse(
            costs=frozen(self._sign * model.costs[y] + 0.0),
            x_costs=frozen(self._sign * x_costs + 0.0),
            technology=self._technology,
            matrix=self._matrix,
            row_lower=frozen(model.row_lower[self._later_rows]),
            row_upper=frozen(model.row_upper[self._later_rows]),
            lower=frozen(model.lower[y]),
            upper=frozen(model.upper[y]),
            integer=frozen(model.integer[y]),
        )

    def names(self) -> dict[str, tuple[str, ...]]:
        """The model's names of variables and rows, by the problem's fields."""
        columns, rows = self._model.columns, self._model.rows
        return {
            "x_names": tuple(columns[j] for j in self._x),
            "y_names": tuple(columns[j] for j in self._y),
            "x_row_names": tuple(rows[i] for i in self._now_rows),
            "y_row_names": tuple(rows[i] for i in self._later_rows),
        }

    def changes(self, values: Floats) -> dict[str, Changes]:
        """The replaced values by kind; column k of `values`, shape (S, k), belongs to place k."""
        groups: dict[str, tuple[list[int], list[int]]] = {}
        for k, place in enumerate(self._places):
            kind, position = self._target(place)
            positions, sources = groups.setdefault(kind, ([], []))
            positions.append(position)
            sources.append(k)
        found = {}
        for kind in sorted(groups):  # in one order, whatever the order of the places: equal problems are equal
            where, columns = (np.array(part, dtype=np.int64) for part in groups[kind])
            order = np.argsort(where)
            table = values[:, columns[order]] * (self._sign if kind.endswith("costs") else 1.0) + 0.0
            found[kind] = Changes(frozen(where[order]), frozen(table))
        return found

    def _target(self, place: Place) -> tuple[str, int]:
        if place.kind.startswith("row"):
            return place.kind, _rank(self._later_rows, place.row)
        now = bool(self._first[place.column])
        if place.kind == "costs":
            return ("x_costs", _rank(self._x, place.column)) if now else ("costs", _rank(self._y, place.column))
        if place.kind == "matrix":
            row = _rank(self._later_rows, place.row)
            if now:
                return "technology", entry_position(self._technology, row, _rank(self._x, place.column))
            return "matrix", entry_position(self._matrix, row, _rank(self._y, place.column))
        if now:
            raise FormatError(
                f"scenarios change the bounds of {self._model.columns[place.column]!r}, which is decided before the "
                "scenario is known; write the bound as a row."
            )
        return place.kind, _rank(self._y, place.column)

    def _block(self, rows: Ints, columns: Ints) -> sparse.csr_array:
        block = self._model.matrix[rows][:, columns]
        return arrays.matrix("rows", block, (len(rows), len(columns)))


def _rank(members: Ints, member: int) -> int:
    return int(np.searchsorted(members, member))
