"""One linopy model in numbers; variables and rows are called by their coordinates: `output[gas,2030]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.errors import InputError
from neurprise.io.linear import LinearModel
from neurprise.io.models.linopy.coordinates import Names
from neurprise.io.phantoms import without_constants


class Reader:
    """The numbers are the user's own; scaling factors that linopy keeps for a solver have no part in them."""

    def __init__(self) -> None:
        self._names = Names()

    def linear(self, model: Any) -> LinearModel:
        refuse_what_is_not_linear(model)
        rows = [name for constraint in model.constraints.data.values() for name in self._names.of(constraint)]
        matrix, low, high = rows_of(model)
        lower, upper = (active_values(model.variables, side) for side in ("lower", "upper"))
        linear = LinearModel(
            columns=self._columns(model),
            rows=tuple(rows),
            costs=costs_of(model),
            matrix=matrix,
            row_lower=low,
            row_upper=high,
            lower=lower,
            upper=upper,
            integer=integrality(model),
            maximize=model.objective.sense == "max",
        )
        return without_constants(linear)

    def names_of(self, part: Any) -> list[str] | None:
        """A Variable, whole or a selection of it."""
        if type(part).__name__ != "Variable" or not hasattr(part, "labels"):
            return None
        return list(self._names.of(part))

    def fill(self, model: Any, values: Mapping[str, float]) -> Any:
        """Every variable's `solution`, the model's `solution` and the objective's value."""
        fixed = active_values(model.variables, "lower")  # of variables that stand for a constant
        named = zip(self._columns(model), fixed.tolist(), strict=True)
        return fill(model, np.array([values.get(name.strip(), constant) for name, constant in named]))

    def _columns(self, model: Any) -> tuple[str, ...]:
        return tuple(name for _, variable in model.variables.items() for name in self._names.of(variable))


def fill(model: Any, values: Floats) -> Any:
    """Put the values of all active variables, in the model's order, nan for none, where linopy keeps solutions."""
    start = 0
    for _, variable in model.variables.items():
        labels = variable.labels
        active = labels.values != -1
        solution = np.full(labels.shape, np.nan)
        count = int(active.sum())
        solution[active] = values[start : start + count] + 0.0  # no negative zero
        start += count
        variable.solution = labels.copy(data=solution).drop_attrs()
    costs = costs_of(model)
    model.objective.set_value(float(costs[costs != 0] @ values[costs != 0]))
    model.status, model.termination_condition = "ok", "optimal"
    return model


def refuse_what_is_not_linear(model: Any) -> None:
    if model.objective.is_quadratic:
        raise InputError("the objective is quadratic; only linear models are read.")
    for name in model.semi_continuous:
        raise InputError(f"the variable {name!r} is semi-continuous; only linear models are read.")
    for name, variable in model.variables.items():
        if "sos_type" in variable.attrs:
            raise InputError(f"the variable {name!r} is a special ordered set; only linear models are read.")
    for name, constraint in model.constraints.data.items():
        if constraint.is_indicator:
            raise InputError(f"the constraint {name!r} is an indicator constraint; only linear constraints are read.")


def active_values(variables: Any, side: str) -> Floats:
    """A bound of all active variables, in the model's order."""
    parts = [getattr(v, side).values.ravel()[v.labels.values.ravel() != -1] for _, v in variables.items()]
    return np.concatenate([np.zeros(0), *parts]).astype(np.float64)


def integrality(model: Any) -> Any:
    whole = {*model.binaries, *model.integers}
    counts = [int((variable.labels.values != -1).sum()) for _, variable in model.variables.items()]
    return np.repeat([name in whole for name in model.variables], counts).astype(bool)


def costs_of(model: Any) -> Floats:
    """The objective's coefficients, in the model's order of variables."""
    positions = model.variables.label_index.label_to_pos
    labels, coefficients = model.objective.linear_terms()
    costs = np.zeros(len(model.variables.label_index.vlabels))
    np.add.at(costs, positions[labels], coefficients)
    return costs


def rows_of(model: Any) -> tuple[sparse.csr_array, Floats, Floats]:
    """All constraints: entries and both limits, rows in the model's order."""
    index = model.variables.label_index
    blocks = [constraint.to_matrix_with_rhs(index) for constraint in model.constraints.data.values()]
    empty: Ints = np.zeros(0, dtype=np.int64)
    matrices = [sparse.csr_array((0, len(index.vlabels))), *(block[0] for block in blocks)]
    sides = np.concatenate([np.zeros(0), *(block[2] for block in blocks)]).astype(np.float64)
    senses = np.concatenate([empty.astype("U1"), *(np.asarray(block[3]).astype("U1") for block in blocks)])
    matrix = sparse.csr_array(sparse.vstack(matrices, format="csr"))
    return matrix, np.where(senses == "<", -np.inf, sides), np.where(senses == ">", np.inf, sides)
