"""The reduced problems of a linear problem, one after another in an engine session that grows with R."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import EngineError
from neurprise.solvers import Engine, EngineModel, EngineResult, EngineSession, EngineStatus, Limits
from neurprise.solvers.tolerances import ENGINE_PRECISION

#: Reduced costs smaller than this, beside a column's own, are an engine's tolerance.
DUAL_TOLERANCE = 1e-6


class OpenLinearProgram:
    """
    Solves one linear model after another.

    Parameters
    ----------
    engine
        One whose sessions grow.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._session: EngineSession | None = None
        self._scenarios: list[int] = []

    def solve(self, model: EngineModel, scenarios: Sequence[int], limits: Limits) -> EngineResult:
        """The optimum of the model of these scenarios; warm where they begin with those of the last call."""
        known, self._scenarios = self._scenarios, list(scenarios)
        if self._session is not None and self._scenarios[: len(known)] == known:
            warm = self._solved_warm(self._session, model, limits)
            if warm is not None:
                return warm
        self._session = self._engine.session(model)
        return self._session.solve(limits)

    def _solved_warm(self, session: EngineSession, model: EngineModel, limits: Limits) -> EngineResult | None:
        """None where the answer is not an optimum that its duals prove."""
        try:
            session.update(model)
            result = session.solve(limits)
        except EngineError:
            return None
        if result.status is EngineStatus.TIME_LIMIT:
            return result
        if result.status is not EngineStatus.OPTIMAL or result.row_duals is None:
            return None
        proved = bound_by_duals(model, result.row_duals)
        allowance = ENGINE_PRECISION * max(1.0, abs(result.objective))
        return replace(result, bound=min(result.bound, proved)) if proved >= result.objective - allowance else None


def bound_by_duals(model: EngineModel, duals: Floats) -> float:
    """
    What any duals, shape (rows,), prove about the least cost of a linear model (weak duality); -inf for nothing.

    c'v = duals'(A v) + (c - A'duals)'v, and both A v and v lie within their limits.
    """
    at_limit = np.where(duals > 0, model.row_lower, model.row_upper)
    reduced = model.costs - model.matrix.T @ duals
    at_bound = np.where(reduced > 0, model.lower, model.upper)
    negligible = np.isinf(at_bound) & (np.abs(reduced) <= DUAL_TOLERANCE * (1.0 + np.abs(model.costs)))
    used, priced = duals != 0, (reduced != 0) & ~negligible
    total = model.offset + float(duals[used] @ at_limit[used]) + float(reduced[priced] @ at_bound[priced])
    return total if math.isfinite(total) else -math.inf
