"""
A model with a big M, solved so that no answer rests on integers that are whole only to the engine.

A point that rests on them is priced again with whole numbers. That makes it worse, or impossible; the engine's bound
still holds, for all it did was to relax the model. What the priced point costs is a cutoff, and beside a cutoff rows
can be tightened further.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.solvers.base import EngineResult, EngineStatus, Limits, Model
from neurprise.solvers.big_m.detect import TRUSTED, has_big_m, leaks
from neurprise.solvers.big_m.tighten import tightened
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

Solve = Callable[[Model, Limits, Floats | None], EngineResult]

#: Each begins with the cutoff that the last one found.
_ATTEMPTS = 3


def solve_with_big_m(
    model: Model, limits: Limits, start: Floats | None, solve: Solve, trusted: float = TRUSTED
) -> EngineResult:
    """
    What is true of the model, by an engine that is given tighter ones.

    The status is NUMERICAL_LIMIT where objective and bound hold, and the engine cannot tell what is between them.

    Parameters
    ----------
    trusted
        Beside larger entries (see `ratios`) only linear programs of this engine are believed.
    """
    deadline, cutoff, best = Deadline(limits.time_limit), limits.cutoff, EngineResult(EngineStatus.NUMERICAL_LIMIT)
    # Beside an M of 1e6 HiGHS has proved a wrong bound at a tolerance of 1e-9, and none at 1e-6.
    limits = replace(limits, tolerance=max(limits.tolerance, FEASIBILITY_TOLERANCE))
    for _ in range(_ATTEMPTS):
        tight = tightened(model, cutoff)
        found = solve(tight, limits.until(deadline), start)
        if has_big_m(tight, trusted):
            found = _by_relaxation(tight, found, limits.until(deadline), solve)
        best = _better(best, _without_leaks(tight, found, limits.until(deadline), solve))
        if best.status is not EngineStatus.NUMERICAL_LIMIT or not best.objective < cutoff:
            break
        cutoff = best.objective
    return best


def _by_relaxation(model: Model, found: EngineResult, limits: Limits, solve: Solve) -> EngineResult:
    """The engine's point with the bound of the linear relaxation; what else it says is not believed."""
    if found.status in (EngineStatus.TIME_LIMIT, EngineStatus.UNBOUNDED):
        return found
    relaxed = solve(replace(model, integer=np.zeros_like(model.integer)), Limits(time_limit=limits.time_limit), None)
    bound = min(relaxed.objective, found.objective) if relaxed.status is EngineStatus.OPTIMAL else -math.inf
    if relaxed.status is EngineStatus.INFEASIBLE and found.status is EngineStatus.INFEASIBLE:
        return found
    closed = found.objective - bound <= _close(limits, found.objective)
    status = EngineStatus.OPTIMAL if closed and found.values is not None else EngineStatus.NUMERICAL_LIMIT
    return EngineResult(status, found.objective, bound, found.values)


def _without_leaks(model: Model, found: EngineResult, limits: Limits, solve: Solve) -> EngineResult:
    """The result with a point of whole integers, priced anew where that makes a difference to some row."""
    if found.values is None or not leaks(model, found.values).any():
        return found
    priced = min((_priced(model, whole, limits, solve) for whole in _roundings(model, found.values)), key=_objective)
    if priced.values is None:
        return EngineResult(EngineStatus.NUMERICAL_LIMIT, bound=found.bound)
    holds = {
        EngineStatus.OPTIMAL: priced.objective - found.bound <= _close(limits, priced.objective),
        EngineStatus.TARGET: priced.objective < limits.target,
        EngineStatus.TIME_LIMIT: True,
    }
    status = found.status if holds.get(found.status) else EngineStatus.NUMERICAL_LIMIT
    return EngineResult(status, priced.objective, min(found.bound, priced.objective), priced.values)


def _roundings(model: Model, values: Floats) -> tuple[Floats, Floats]:
    """The integers rounded, and those that leak rounded away from where they leak: what is used is paid for."""
    nearest = np.round(values)
    away = nearest + np.sign(values - nearest)
    return nearest, np.where(leaks(model, values), away, nearest).clip(model.lower, model.upper)


def _priced(model: Model, whole: Floats, limits: Limits, solve: Solve) -> EngineResult:
    """The model with its integers fixed to these numbers, shape (columns,)."""
    fixed = replace(
        model,
        lower=np.where(model.integer, whole, model.lower),
        upper=np.where(model.integer, whole, model.upper),
        integer=np.zeros_like(model.integer),
    )
    return solve(fixed, Limits(time_limit=limits.time_limit), None)


def _better(one: EngineResult, other: EngineResult) -> EngineResult:
    """What two attempts at one model show together; the later one says why it ended."""
    if one.values is not None and other.status in (EngineStatus.CUTOFF, EngineStatus.INFEASIBLE):
        return one  # the engine lost a point that it had found
    cheaper = one if one.objective < other.objective else other
    bound = min(max(one.bound, other.bound), cheaper.objective)
    return replace(other, objective=cheaper.objective, values=cheaper.values, bound=bound)


def _close(limits: Limits, objective: float) -> float:
    """The gap at which an answer is optimal, in units of the objective."""
    return max(limits.absolute_gap, max(limits.gap, FEASIBILITY_TOLERANCE) * abs(objective))


def _objective(result: EngineResult) -> float:
    return result.objective if result.values is not None else math.inf
