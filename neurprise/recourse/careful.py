"""
The recourse cost of one scenario where costs are not of ordinary size: in the unit of what it turns out to be.

The answer is the price of a recourse that keeps its rows and bounds, in the user's costs, so it is never too low.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.recourse.cost_scale import CostScale
from neurprise.solvers import Engine, EngineResult, EngineStatus, Limits, Model, made_exact, solved_tightly
from neurprise.solvers.tolerances import TIGHT_TOLERANCE

#: So many units are tried; each is the one of the last value, so that two or three suffice.
_MOST_UNITS = 6
#: What rows are missed by beyond this, relative to what adds up in them, is not rounding.
_ROUNDING = 1e-14


def carefully_solved(model: Model, engine: Engine, deadline: Deadline, scale: CostScale) -> EngineResult:
    """
    The model's optimum: its status, the price of its point in the user's unit, and the point.

    Parameters
    ----------
    scale
        What is tried first.
    """
    for _ in range(_MOST_UNITS):
        result = _solved(model, engine, deadline, scale)
        fitted = scale.fitted_to(result.objective - model.offset)
        if fitted == scale:
            break
        scale = fitted
    if result.values is not None and result.bound < result.objective - TIGHT_TOLERANCE * abs(result.objective):
        # It pays for what was made cheaper: perhaps something else is better at the true costs.
        again = _solved(model, engine, deadline, replace(scale, largest=math.inf))
        result = again if again.objective < result.objective else result
    return result


def _solved(model: Model, engine: Engine, deadline: Deadline, scale: CostScale) -> EngineResult:
    """The optimum of the model as this scale shows it, priced in the user's costs."""
    seen, limits = scale.applied(model), Limits()
    result = solved_tightly(engine, seen, limits.until(deadline))
    if result.status is EngineStatus.INFEASIBLE:  # an engine that is lost among costs may still find a point
        blank = replace(seen, costs=np.zeros(len(seen.costs)), offset=0.0)
        result = replace(solved_tightly(engine, blank, limits.until(deadline)), bound=-math.inf)
    exact = made_exact(engine, seen, result, deadline)
    if exact.values is None:
        return exact
    return replace(scale.read(exact), objective=price(model, exact.values))


def price(model: Model, values: Floats) -> float:
    """What a point costs, and what it would cost at most to close the rows that it misses."""
    cost = float(model.costs @ values) + model.offset
    missed = rows_missed(model, values)
    return cost + float(missed @ _dearest(model)) if missed.any() else cost


def rows_missed(model: Model, values: Floats) -> Floats:
    """By how much a point misses each row, shape (rows,); rounding counts as nothing."""
    activity, size = model.matrix @ values, abs(model.matrix) @ np.abs(values)
    missed = np.maximum(np.maximum(model.row_lower - activity, activity - model.row_upper), 0.0)
    limits = np.where(np.isfinite(model.row_lower), np.abs(model.row_lower), 0.0)
    return np.where(missed > _ROUNDING * (size + limits), missed, 0.0)


def _dearest(model: Model) -> Floats:
    """The highest price of one unit of each row, by any of its continuous columns, shape (rows,)."""
    prices = abs(model.matrix).tocsr().copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        prices.data = np.where(prices.data > 0, np.abs(model.costs)[prices.indices] / prices.data, 0.0)
    prices.data[model.integer[prices.indices]] = 0.0
    return np.asarray(prices.max(axis=1).toarray()).ravel() if prices.shape[1] else np.zeros(prices.shape[0])
