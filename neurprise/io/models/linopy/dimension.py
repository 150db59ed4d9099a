"""
One linopy model with a scenario dimension, as PyPSA's stochastic networks are.

A variable or row without the dimension is decided, or must hold, before the scenario is known; with it, afterwards. A
scenario's cost is the objective's terms without the dimension, plus its own terms: as they stand where the objective
adds the scenarios up, divided by the scenario's probability where it is their mean.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints
from neurprise.errors import InputError, InputWarning, near_miss
from neurprise.io.linear import LinearModel, Place
from neurprise.io.models.comparison import bounds_as_rows, checked_model
from neurprise.io.models.first_stage import chosen_columns, listed_parts
from neurprise.io.models.labels import in_order_of_names
from neurprise.io.models.linopy.coordinates import active_members, all_names
from neurprise.io.models.linopy.reader import (
    Reader,
    active_values,
    costs_of,
    fill,
    integrality,
    refuse_what_is_not_linear,
    rows_of,
)
from neurprise.io.models.problem import ProblemOfModels, best_recourse
from neurprise.io.phantoms import CONSTANTS, without_columns
from neurprise.io.staging import check_size, two_stage
from neurprise.problem import TwoStageProblem
from neurprise.problem.names import texts_of
from neurprise.recourse.evaluator import Evaluator

#: No scenario: a variable or row without the dimension.
_EVERY = -1
#: Costs that differ by no more than what multiplying and dividing by a probability leaves are the same.
_ROUNDING = 8 * np.finfo(np.float64).eps
#: Factors that are the same to this accuracy are one.
_NEAR = 1e-9


class LinopyProblem(ProblemOfModels):
    """A two-stage problem that can put a decision into its linopy model; `from_linopy` builds it."""

    def __init__(self, general: TwoStageProblem, parts: _Parts) -> None:
        self._parts = parts
        super().__init__(**general.general_form())

    def load(self, x: Any) -> Any:
        """
        Put a first-stage decision and the best recourse of every scenario into the linopy model, and return it.

        Then `model.solution` is an xarray Dataset in the model's own coordinates, nan for scenarios that the problem
        does not have.

        Parameters
        ----------
        x
            Shape (n,), such as a report's x, or by name.
        """
        decision, evaluator = self.decision_vector(x), Evaluator(self)
        values = self._parts.fixed_values()
        whole = np.where(self.first_stage.integer, np.round(decision), decision)
        self._parts.put(values, dict(zip(self.first_stage_names, whole.tolist(), strict=True)))
        for index in range(self.num_scenarios):
            later = self.named_recourse(best_recourse(self, evaluator, decision, index))
            self._parts.put(values, later, self.scenario_name(index))
        return fill(self._parts.model, values)


def problem_of(model: Any, dimension: Hashable, first_stage: Any, probabilities: Any) -> LinopyProblem:
    """What `from_linopy` returns, with its arguments."""
    if hasattr(model, "scenario_weightings"):  # a PyPSA network
        probabilities = model.scenario_weightings["weight"] if probabilities is None else probabilities
        model = model.optimize.create_model()
    if not hasattr(model, "variables") or not hasattr(model, "constraints"):
        raise InputError(f"from_linopy takes a linopy model or a PyPSA network, got {type(model).__name__}.")
    refuse_what_is_not_linear(model)
    parts = _Parts(model, dimension, probabilities)
    linear, places, values = _with_offsets(*parts.compared())
    linear = checked_model(linear)
    chosen = parts.first_stage(linear.columns, first_stage)
    wider, places = bounds_as_rows(linear, chosen, places, values)
    general = two_stage(wider, chosen, places, values, scenario_names=parts.names, probabilities=parts.probabilities)
    return LinopyProblem(general, parts)


@dataclass(frozen=True)
class _Members:
    """
    The active variables, or rows, of a linopy model, in its order; shapes (members,).

    Parameters
    ----------
    scenario
        Whose member each is; -1 without the dimension.
    position
        Where it stands in the model of one scenario.
    names
        Of the members of one scenario's model, without the scenario.
    """

    scenario: Ints
    position: Ints
    names: tuple[str, ...]

    @cached_property
    def own(self) -> Bools:
        """Which members have the dimension."""
        dimension: Bools = self.scenario != _EVERY
        return dimension

    def table(self, values: Floats, num_scenarios: int, default: float = np.nan) -> tuple[Ints, Floats]:
        """Positions of the members with the dimension, and their values, shape (scenarios, positions)."""
        positions, at = self._own_positions
        found = np.full((num_scenarios, len(positions)), default)
        found[self.scenario[self.own], at] = values[self.own]
        return positions, found

    @cached_property
    def _own_positions(self) -> tuple[Ints, Ints]:
        """The positions of members with the dimension, and which of them each such member has."""
        return _distinct(self.position[self.own], len(self.names))

    def base(self, values: Floats, positions: Ints, first: Floats) -> Floats:
        """One value for each position: that of all scenarios, or the first scenario's."""
        base = np.zeros(len(self.names))
        base[self.position[~self.own]] = values[~self.own]
        base[positions] = first
        return base


class _Parts:
    """A linopy model taken apart by scenarios."""

    def __init__(self, model: Any, dimension: Hashable, probabilities: Any) -> None:
        self.model = model
        labels = _scenario_labels(model, dimension)
        self.names = texts_of(labels)
        self.probabilities = None if probabilities is None else in_order_of_names(probabilities, self.names)
        self._weights = np.ones(len(labels)) if self.probabilities is None else self.probabilities
        if not self._weights.all():
            name = self.names[int(np.argmin(self._weights))]
            raise InputError(f"the objective gives scenario {name!r} the weight 0, so its cost is not known; drop it.")
        self._matrix, self._row_lower, self._row_upper = rows_of(model)
        self._columns = _members([v for _, v in model.variables.items()], dimension, labels)
        rows = _members(list(model.constraints.data.values()), dimension, labels)
        self._rows = _with_scenario_of_terms(rows, self._columns, self._matrix, self.names)
        self._lower, self._upper = (active_values(model.variables, side) for side in ("lower", "upper"))

    def compared(self) -> tuple[LinearModel, list[Place], Floats]:
        """The first scenario's model, where scenarios differ, and what each has there."""
        columns, rows, count = self._columns, self._rows, len(self.names)
        costs = costs_of(self.model)
        costs[columns.own] /= self._weights[columns.scenario[columns.own]]
        whole = integrality(self.model).astype(np.float64)
        base: dict[str, Any] = {}
        places: list[Place] = []
        tables = [np.zeros((count, 0))]
        for kind, members, values, default in (
            ("costs", columns, costs, np.nan),
            ("lower", columns, self._lower, np.nan),
            ("upper", columns, self._upper, np.nan),
            ("integer", columns, whole, np.nan),
            ("row_lower", rows, self._row_lower, -np.inf),
            ("row_upper", rows, self._row_upper, np.inf),
        ):
            positions, table = members.table(values, count, default)
            self._check_complete(positions, table)
            if kind == "costs":
                table = _without_rounding(table)
                _warn_of_weights(table, self.probabilities)
            base[kind] = members.base(values, positions, table[0])
            differ = np.flatnonzero((table != table[0]).any(axis=0))
            axis = "row" if kind.startswith("row") else "column"
            places += [Place(kind, **{axis: position}) for position in positions[differ].tolist()]
            tables.append(table[:, differ])
        matrix, entries, table = self._matrices()
        places += entries
        check_size("from_linopy", count, len(places), "use fewer scenarios")
        _check_same_integrality(places, columns.names)
        base["integer"] = base["integer"] != 0
        linear = LinearModel(
            columns=columns.names,
            rows=rows.names,
            matrix=matrix,
            maximize=self.model.objective.sense == "max",
            **base,
        )
        return linear, places, np.hstack([*tables, table])

    def _matrices(self) -> tuple[sparse.csr_array, list[Place], Floats]:
        """The first scenario's matrix, the entries in which scenarios differ, and what each has there."""
        width, shape = len(self._columns.names), (len(self._rows.names), len(self._columns.names))
        entries = self._matrix.tocoo()
        keys = self._rows.position[entries.coords[0]] * width + self._columns.position[entries.coords[1]]
        scenario = self._rows.scenario[entries.coords[0]]
        own = scenario != _EVERY
        positions, at = np.unique(keys[own], return_inverse=True)
        table = np.zeros((len(self.names), len(positions)))
        table[scenario[own], at] = entries.data[own]
        where = np.concatenate([keys[~own], positions])
        values = np.concatenate([entries.data[~own], table[0]])
        matrix = sparse.csr_array((values, (where // width, where % width)), shape=shape)
        differ = np.flatnonzero((table != table[0]).any(axis=0))
        places = [Place("matrix", *divmod(key, width)) for key in positions[differ].tolist()]
        return matrix, places, table[:, differ]

    def _check_complete(self, positions: Ints, table: Floats) -> None:
        """Every scenario needs the same variables; a row that a scenario lacks has the limits of a free one."""
        lacking = np.argwhere(np.isnan(table))
        if lacking.size:
            s, name = lacking[0][0], self._columns.names[positions[lacking[0][1]]]
            raise InputError(
                f"scenario {self.names[s]!r} has no variable {name!r}, which other scenarios have; all need the same."
            )

    def first_stage(self, columns: tuple[str, ...], chosen: Any) -> Bools:
        """Which columns of a scenario's model are decided now; all without the dimension where nothing was chosen."""
        once = {self._columns.names[position] for position in self._columns.position[~self._columns.own].tolist()}
        parts = listed_parts(chosen)
        if parts is None:
            return np.array([name in once for name in columns])
        found = chosen_columns(parts, columns, Reader().names_of)
        late = [name for name, now in zip(columns, found, strict=True) if now and name not in once]
        if late:
            raise InputError(f"first_stage: {late[0]!r} has a value for every scenario, so it is decided later.")
        return found

    def fixed_values(self) -> Floats:
        """Values of all active variables, in the model's order: those that cannot vary, nan for the others."""
        return np.where(self._lower == self._upper, self._lower, np.nan)

    def put(self, values: Floats, named: dict[str, float], scenario: str | None = None) -> None:
        """Set variables without the dimension, or those of one scenario, in `values` of the model's order."""
        of = _EVERY if scenario is None else self.names.index(scenario)
        for member in np.flatnonzero(self._columns.scenario == of).tolist():
            name = self._columns.names[self._columns.position[member]]
            values[member] = named.get(name, values[member])


def _scenario_labels(model: Any, dimension: Hashable) -> list[Any]:
    """The labels of the scenarios, in the order in which variables have them."""
    labels: dict[Any, None] = {}
    dimensions: dict[str, None] = {}
    for _, variable in model.variables.items():
        dimensions |= dict.fromkeys(map(str, variable.labels.dims))
        if dimension in variable.labels.dims:
            labels |= dict.fromkeys(variable.labels.get_index(dimension))
    if not labels:
        raise InputError(
            f"no variable of the model has the dimension {dimension!r} ({near_miss(str(dimension), dimensions)}); "
            "from_models takes one model per scenario."
        )
    return list(labels)


def _members(containers: Iterable[Any], dimension: Hashable, labels: list[Any]) -> _Members:
    """The active members of all variables, or of all constraints."""
    at = {label: s for s, label in enumerate(labels)}
    scenarios, templates, names = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], list[str]()
    for container in containers:
        dims, active = container.labels.dims, active_members(container)
        sizes = [1 if name == dimension else container.labels.sizes[name] for name in dims]
        scenario = np.full([1] * len(dims), _EVERY)
        if dimension in dims:
            own = [at[label] for label in container.labels.get_index(dimension)]
            scenario = np.array(own).reshape([-1 if name == dimension else 1 for name in dims])
        shape = container.labels.shape
        template = len(names) + np.arange(int(np.prod(sizes))).reshape(sizes)
        scenarios.append(np.broadcast_to(scenario, shape).ravel()[active])
        templates.append(np.broadcast_to(template, shape).ravel()[active])
        names += all_names(container.name, tuple(container.labels.get_index(n) for n in dims if n != dimension))
    used, position = _distinct(np.concatenate(templates), len(names))
    return _Members(np.concatenate(scenarios), position, tuple(names[k].strip() for k in used.tolist()))


def _distinct(values: Ints, size: int) -> tuple[Ints, Ints]:
    """The distinct ones of values below size, ascending, and where each value stands among them."""
    present = np.zeros(size, dtype=bool)
    present[values] = True
    rank = np.cumsum(present) - 1
    return np.flatnonzero(present), rank[values]


def _with_scenario_of_terms(
    rows: _Members, columns: _Members, matrix: sparse.csr_array, names: tuple[str, ...]
) -> _Members:
    """Rows without the dimension belong to the scenario of their variables; a row with several is refused."""
    row_of_entry = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    of_entry = columns.scenario[matrix.indices]
    late = of_entry != _EVERY
    scenario = rows.scenario.copy()
    undecided = late & (rows.scenario[row_of_entry] == _EVERY)
    scenario[row_of_entry[undecided][::-1]] = of_entry[undecided][::-1]  # the first of a row's entries counts
    wrong = np.flatnonzero(late & (of_entry != scenario[row_of_entry]))
    if wrong.size:
        row, other = row_of_entry[wrong[0]], (scenario[row_of_entry[wrong[0]]], of_entry[wrong[0]])
        raise InputError(
            f"the constraint {rows.names[rows.position[row]]!r} has variables of several scenarios "
            f"({names[other[0]]!r} and {names[other[1]]!r}); give it the scenario dimension, or remove it: measures "
            "of risk are objectives of nr.solve."
        )
    return replace(rows, scenario=scenario)


def _without_rounding(costs: Floats) -> Floats:
    """Costs, shape (S, k), equal to the first scenario's where they differ by rounding only."""
    near = np.abs(costs - costs[0]) <= _ROUNDING * np.abs(costs[0])
    return np.where(near, costs[0], costs)


def _warn_of_weights(costs: Floats, probabilities: Floats | None) -> None:
    """Costs, shape (S, k), that differ by one factor for each scenario look like the terms of a mean."""
    paid = costs[:, costs.any(axis=0)]
    if probabilities is not None or paid.shape[1] < 2 or not paid.all():
        return
    factors = paid / paid[0]
    if np.ptp(factors[:, 0]) > _NEAR and (np.ptp(factors, axis=1) <= _NEAR * np.abs(factors[:, 0])).all():
        shown = " : ".join(f"{factor:.3g}" for factor in factors[:4, 0]) + " ..." * (len(factors) > 4)
        warnings.warn(
            InputWarning(
                f"the objective seems to weigh the scenarios ({shown}); if it is their mean, pass probabilities= so "
                "that every scenario counts in full."
            ),
            stacklevel=6,
        )


def _check_same_integrality(places: list[Place], names: tuple[str, ...]) -> None:
    other = next((place for place in places if place.kind == "integer"), None)
    if other is not None:
        raise InputError(f"the variable {names[other.column]!r} is integer in some scenarios and continuous in others.")


def _with_offsets(model: LinearModel, places: list[Place], values: Floats) -> tuple[LinearModel, list[Place], Floats]:
    """Fixed variables that stand for constants (PyPSA's `objective_constant`) become the objective's constant."""
    used = np.bincount(model.matrix.indices, minlength=len(model.columns))
    named = [j for j, name in enumerate(model.columns) if name in CONSTANTS and not used[j]]
    at = {place: k for k, place in enumerate(places)}

    def column(kind: str, j: int) -> Floats:
        place = Place(kind, column=j)
        return values[:, at[place]] if place in at else np.full(len(values), getattr(model, kind)[j])

    gone = [j for j in named if (column("lower", j) == column("upper", j)).all()]
    if not gone:
        return model, places, values
    products = [column("costs", j) * column("lower", j) for j in gone]
    offsets = model.offset + np.sum(products, axis=0)
    keep = np.ones(len(model.columns), dtype=bool)
    keep[gone] = False
    rank = np.cumsum(keep) - 1
    kept = [k for k, place in enumerate(places) if place.column < 0 or keep[place.column]]
    moved = [p if p.column < 0 else p._replace(column=int(rank[p.column])) for p in (places[k] for k in kept)]
    smaller = replace(without_columns(model, gone), offset=float(offsets[0]))
    return smaller, [*moved, Place("offset")], np.column_stack([values[:, kept], offsets])
