"""
An engine's point made exact: its integers are whole, its bounds kept, its continuous part solved again beside them.

Engines return points that miss bounds and whole numbers by their tolerance. Priced as they are, a shortage of -1e-7 at
1e7 a unit is a profit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.errors import EngineError
from neurprise.solvers.base import Engine, EngineResult, EngineStatus, Limits, Model
from neurprise.solvers.tolerances import TIGHT_TOLERANCE


def solved_tightly(engine: Engine, model: Model, limits: Limits, start: Floats | None = None) -> EngineResult:
    """The model solved to the tight tolerance, or to the usual one where the engine stumbles over that."""
    deadline = Deadline(limits.time_limit)
    try:
        return engine.solve(model, replace(limits, tolerance=TIGHT_TOLERANCE), start)
    except EngineError:
        return engine.solve(model, limits.until(deadline), start)


def made_exact(engine: Engine, model: Model, result: EngineResult, deadline: Deadline) -> EngineResult:
    """The result with whole integers and the continuous columns solved again, tightly; as it is where that fails."""
    if result.values is None or model.integer.all():
        return result if result.values is None else replace(result, values=clipped(model, result.values))
    whole = clipped(model, result.values)
    fixed = replace(
        model,
        lower=np.where(model.integer, whole, model.lower),
        upper=np.where(model.integer, whole, model.upper),
        integer=np.zeros_like(model.integer),
    )
    exact = engine.solve(fixed, Limits(time_limit=deadline.remaining, tolerance=TIGHT_TOLERANCE))
    if exact.status is not EngineStatus.OPTIMAL or exact.values is None:
        return result
    return replace(result, values=clipped(model, exact.values), objective=exact.objective)


def clipped(model: Model, values: Floats) -> Floats:
    """The point, shape (columns,), with its integers rounded and every entry within its bounds."""
    whole = np.where(model.integer, np.round(values), values)
    return np.clip(whole, model.lower, model.upper)
