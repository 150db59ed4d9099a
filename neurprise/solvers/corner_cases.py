"""
Models that engines answer differently, or wrongly: no columns, contradictory limits, infeasible or unbounded.

An engine may stop at "infeasible or unbounded", and HiGHS 1.15 calls some unbounded linear programs infeasible.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from neurprise.arrays import Bools, Floats
from neurprise.clock import Deadline
from neurprise.solvers.base import EngineResult, EngineStatus, Limits, Model
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

_INFEASIBLE = EngineResult(EngineStatus.INFEASIBLE, math.inf, math.inf)


def answer_without_engine(model: Model) -> EngineResult | None:
    """The answer where no search is needed: limits that contradict each other, or no columns; else None."""
    if (model.row_lower > model.row_upper).any() or (model.lower > model.upper).any():
        return _INFEASIBLE
    if len(model.costs):
        return None
    if (model.row_lower > FEASIBILITY_TOLERANCE).any() or (model.row_upper < -FEASIBILITY_TOLERANCE).any():
        return _INFEASIBLE
    return EngineResult(EngineStatus.OPTIMAL, model.offset, model.offset, np.zeros(0))


def classify_status(
    result: EngineResult,
    model: Model,
    limits: Limits,
    deadline: Deadline,
    solve: Callable[[Model, Limits], EngineResult],
) -> EngineResult:
    """
    The result, with infeasible and unbounded told apart by solving once more without costs where there is doubt.

    A mixed-integer search under a cutoff is not doubted: its cutoff came from a solution, and most such searches end
    without another. Linear programs must be solved without the cutoff, else an optimum above it would be taken for
    unbounded here.
    """
    if result.values is not None or not _in_doubt(result.status, model, limits):
        return result
    no_solution = result if result.status is EngineStatus.CUTOFF else _INFEASIBLE
    if _pruned_by_cutoff(model, limits):  # Gurobi may call that "infeasible or unbounded"
        no_solution = EngineResult(EngineStatus.CUTOFF, math.inf, limits.cutoff)
    if not falls_for_ever(model, solve):
        return no_solution
    without_costs = replace(model, costs=np.zeros(len(model.costs)), offset=0.0)
    feasibility = solve(without_costs, Limits(time_limit=deadline.remaining, threads=limits.threads))
    if feasibility.status is EngineStatus.TIME_LIMIT:
        return EngineResult(EngineStatus.TIME_LIMIT)
    return no_solution if feasibility.values is None else unbounded_from(feasibility.values)


def unbounded_from(feasible: Floats) -> EngineResult:
    """The answer for a model whose cost falls for ever, and that has this feasible point."""
    return EngineResult(EngineStatus.UNBOUNDED, -math.inf, -math.inf, improving=(feasible,))


def _in_doubt(status: EngineStatus, model: Model, limits: Limits) -> bool:
    return status is EngineStatus.UNBOUNDED or (
        status in (EngineStatus.INFEASIBLE, EngineStatus.CUTOFF) and not _pruned_by_cutoff(model, limits)
    )


def _pruned_by_cutoff(model: Model, limits: Limits) -> bool:
    """Whether a search without a solution may have cut all of them off."""
    return limits.cutoff < math.inf and bool(model.integer.any())


def falls_for_ever(model: Model, solve: Callable[[Model, Limits], EngineResult]) -> bool:
    """
    Whether some direction keeps every row and bound and lowers the cost: then the model is unbounded or infeasible.

    For rational data that holds for integer columns as for continuous ones [Meyer 1974]. One linear program over the
    directions of entries up to one decides.
    """
    if not could_be_unbounded(model.costs, model.lower, model.upper):
        return False
    directions = replace(
        model,
        row_lower=np.where(np.isfinite(model.row_lower), 0.0, -np.inf),
        row_upper=np.where(np.isfinite(model.row_upper), 0.0, np.inf),
        lower=np.where(np.isfinite(model.lower), 0.0, -1.0),
        upper=np.where(np.isfinite(model.upper), 0.0, 1.0),
        integer=np.zeros_like(model.integer),
        offset=0.0,
    )
    steepest = solve(directions, Limits())
    # The steepest direction is as long as the box allows; a short one is the engine's tolerance.
    if steepest.values is None or np.abs(steepest.values).max(initial=0.0) < 0.5:
        return False
    # Against the terms that add up to it, so that the units of no column matter.
    return steepest.objective < -FEASIBILITY_TOLERANCE * float(np.abs(model.costs * steepest.values).sum())


def unbounded_integers(model: Model) -> tuple[Bools, Bools]:
    """Integer columns without a lower bound, and without an upper one; each of shape (columns,)."""
    return model.integer & (model.lower == -np.inf), model.integer & (model.upper == np.inf)


def has_unbounded_integers(model: Model) -> bool:
    """Whether some integer column lacks a bound."""
    return any(bool(side.any()) for side in unbounded_integers(model))


def could_be_unbounded(costs: Floats, lower: Floats, upper: Floats) -> bool:
    """Whether some column gets cheaper towards an infinite bound; without one the cost cannot fall for ever."""
    falling = ((costs < 0) & (upper == np.inf)) | ((costs > 0) & (lower == -np.inf))
    return bool(falling.any())
