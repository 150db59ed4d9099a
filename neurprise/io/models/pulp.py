"""Models of PuLP (`pulp.LpProblem`), with the objective's constant, which PuLP's own exports leave out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.errors import InputError
from neurprise.io.linear import LinearModel


class Reader:
    """Names are PuLP's, which turns blanks and signs into underscores."""

    def linear(self, model: Any) -> LinearModel:
        if model.sos1 or model.sos2:
            raise InputError("the model has special ordered sets; only linear models are read.")
        variables = model.variables()
        at = {id(variable): j for j, variable in enumerate(variables)}
        costs = np.zeros(len(variables))
        for variable, value in (model.objective or {}).items():
            costs[at[id(variable)]] += value
        lower = [-np.inf if v.lowBound is None else float(v.lowBound) for v in variables]
        upper = [np.inf if v.upBound is None else float(v.upBound) for v in variables]
        rows = _constraints(model)
        matrix, low, high = _rows(rows, at)
        return LinearModel(
            columns=tuple(variable.name for variable in variables),
            rows=_names(rows),
            costs=costs,
            matrix=matrix,
            row_lower=low,
            row_upper=high,
            lower=np.array(lower),
            upper=np.array(upper),
            integer=np.array([variable.cat == "Integer" for variable in variables], dtype=bool),
            offset=0.0 if model.objective is None else float(model.objective.constant),
            maximize=model.sense == -1,
        )

    def names_of(self, part: Any) -> list[str] | None:
        """One variable; dicts and lists of them are taken apart before."""
        return [part.name] if hasattr(part, "lowBound") and hasattr(part, "name") else None

    def fill(self, model: Any, values: Mapping[str, float]) -> Any:
        """Every variable's `varValue`."""
        for variable in model.variables():
            variable.varValue = values[variable.name.strip()]
        return model


def _constraints(model: Any) -> list[Any]:
    """A list from PuLP 3.3 on, a dict by name before."""
    return list(model.constraints() if callable(model.constraints) else model.constraints.values())


def _names(rows: list[Any]) -> tuple[str, ...]:
    """PuLP calls the rows that nobody named _C1, _C2, ..."""
    nameless = count(1)
    return tuple(row.name or f"_C{next(nameless)}" for row in rows)


def _rows(constraints: list[Any], at: Mapping[int, int]) -> tuple[sparse.csr_array, Any, Any]:
    """PuLP states a row as terms + constant, compared with zero: -1 at most, 0 equal, 1 at least."""
    terms = [(i, at[id(v)], value) for i, row in enumerate(constraints) for v, value in row.items()]
    rows, columns, values = zip(*terms, strict=True) if terms else ((), (), ())
    shape = (len(constraints), len(at))
    sides = np.array([-float(row.constant) for row in constraints]) + 0.0
    senses = np.array([row.sense for row in constraints])
    matrix = sparse.csr_array((np.array(values, dtype=np.float64), (rows, columns)), shape=shape)
    return matrix, np.where(senses >= 0, sides, -np.inf), np.where(senses <= 0, sides, np.inf)
