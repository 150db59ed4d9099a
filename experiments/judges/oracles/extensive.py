"""V(R) of a medium-sized problem by SCIP, on one model of all scenarios that is written here entry by entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyscipopt

from experiments.judges.oracles.engines import Answer, answer_of, new_scip
from experiments.judges.random_problems.statement import Statement, moved
from neurprise.arrays import Bools, Floats

#: Seconds for one model.
PATIENCE = 40.0


def extensive_minimum(statement: Statement, scenarios: Sequence[int], slack: float) -> Answer:
    """The value, and the point as x, the worst recourse cost, then y of each scenario."""
    model = new_scip(PATIENCE)
    x = _columns(model, statement.c, statement.x_lower, statement.x_upper, statement.x_integer, slack)
    worst = model.addVar(lb=None, obj=1.0)
    _add_rows(model, [(x, statement.A)], statement.a_lower, statement.a_upper, slack)
    columns = [*x, worst]
    for s in scenarios:
        no_cost = np.zeros(statement.b.shape[1])
        y = _columns(model, no_cost, statement.y_lower[s], statement.y_upper[s], statement.y_integer, slack)
        costs = [*_terms(statement.q[s], x), *_terms(statement.b[s], y)]
        model.addCons(worst >= pyscipopt.quicksum(costs))
        blocks = [(x, statement.T[s]), (y, statement.W[s])]
        _add_rows(model, blocks, statement.row_lower[s], statement.row_upper[s], slack)
        columns += y
    return answer_of(model, columns, statement.offset)


def _columns(model: Any, costs: Floats, lower: Floats, upper: Floats, integer: Bools, slack: float) -> list[Any]:
    low, high = moved(lower, upper, np.where(integer, 0.0, slack))
    low, high = np.where(integer, np.ceil(lower - 1e-9), low), np.where(integer, np.floor(upper + 1e-9), high)
    return [
        model.addVar(lb=_or_none(a), ub=_or_none(b), obj=cost, vtype="I" if whole else "C")
        for a, b, cost, whole in zip(low.tolist(), high.tolist(), costs.tolist(), integer.tolist(), strict=True)
    ]


def _add_rows(
    model: Any, blocks: Sequence[tuple[list[Any], Floats]], lower: Floats, upper: Floats, slack: float
) -> None:
    low, high = moved(lower, upper, slack)
    for k in range(len(low)):
        terms = [term for columns, matrix in blocks for term in _terms(matrix[k], columns)]
        sides = {"lhs": _or_none(float(low[k])), "rhs": _or_none(float(high[k]))}
        if terms and any(side is not None for side in sides.values()):
            model.addCons(pyscipopt.ExprCons(pyscipopt.quicksum(terms), **sides))


def _terms(entries: Floats, columns: Sequence[Any]) -> Iterable[Any]:
    return (float(entries[k]) * columns[k] for k in np.flatnonzero(entries).tolist())


def _or_none(limit: float) -> float | None:
    return limit if np.isfinite(limit) else None
