"""SingleValue: the scenarios that would cost most if each were certain."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from neurprise.arrays import Bools, Floats
from neurprise.clock import Deadline
from neurprise.errors import InfeasibleProblemError
from neurprise.evaluate import Evaluator, OutOfTimeError
from neurprise.exact import reduced_solver
from neurprise.exact.master import ReducedSolver
from neurprise.exact.pool import Pool
from neurprise.problem import TwoStageProblem
from neurprise.reducers.base import Reduction, largest_first, num_kept
from neurprise.solvers import Engine, EngineStatus, Limits, get_engine

#: Values closer than this, relative to the largest, are ties: engines are no more precise.
TIE = 1e-9


@dataclass(frozen=True)
class SingleValue:
    """
    Keep the scenarios of largest V({j}), the cost when scenario j is certain; ties: smallest index.

    Parameters
    ----------
    solver
        Engine, asked where the family has no shortcut.
    time_limit
        Wall-clock seconds; scenarios not valued by then come last. None for no limit.
    """

    solver: str | Engine = "highs"
    time_limit: float | None = None

    name = "singlevalue"

    def within(self, time_limit: float) -> SingleValue:
        """The same reducer with a time limit in seconds."""
        return replace(self, time_limit=time_limit)

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        clock = Deadline(self.time_limit)
        keep = num_kept(problem, budget)
        evaluator = Evaluator(problem, self.solver)
        solver, pool = reduced_solver(evaluator, get_engine(self.solver)), Pool(evaluator)
        chosen = hardest_scenarios(problem, solver, pool, keep, clock)
        decisions = best_decisions(pool, chosen)
        return Reduction(tuple(chosen), num_solves=solver.num_solves, runtime=clock.elapsed, decisions=decisions)


def best_decisions(pool: Pool, chosen: list[int]) -> tuple[Floats, ...]:
    """The decisions of the pool that are best on the chosen scenarios and on all, each of shape (n,)."""
    places = {pool.best(chosen)[0], pool.best()[0]} - {-1}
    return tuple(pool.member(place) for place in sorted(places))


def hardest_scenarios(
    problem: TwoStageProblem, solver: ReducedSolver, pool: Pool, count: int, deadline: Deadline
) -> list[int]:
    """The `count` scenarios of largest V({j}), largest first; decisions evaluated on the way join the pool."""
    values = problem.single_scenario_values()
    if values is None:
        values = _largest_values(problem, solver, pool, count, deadline)
    scale = max(1.0, float(np.abs(values[np.isfinite(values)]).max(initial=0.0)))
    return largest_first(np.round(values / (TIE * scale)))[:count].tolist()  # type: ignore[no-any-return]


def _largest_values(
    problem: TwoStageProblem, solver: ReducedSolver, pool: Pool, count: int, deadline: Deadline
) -> Floats:
    """V({j}) of the scenarios among which the `count` largest are; -inf for the others; shape (S,)."""
    values = np.full(problem.num_scenarios, -math.inf)
    is_open = np.ones(problem.num_scenarios, dtype=bool)
    # Evaluating a decision bounds every V({j}) at once; with integer recourse it costs as much as solving them all.
    evaluates = not problem.recourse.integer.any()
    while not deadline.passed:
        upper = pool.totals.min(axis=0, initial=math.inf)
        candidates = _may_be_among(count, values, is_open, upper)
        if not candidates.any():
            break
        j = int(np.argmax(np.where(candidates, upper, -math.inf)))
        try:
            values[j] = _value(j, solver, pool, deadline, evaluates)
        except OutOfTimeError:
            break
        is_open[j] = False
    return values


def _may_be_among(count: int, values: Floats, is_open: Bools, upper: Floats) -> Bools:
    """Which open scenarios can still belong to the `count` largest; shape (S,)."""
    if int((~is_open).sum()) < count:
        return is_open
    last = largest_first(values)[count - 1]
    tolerance = TIE * max(1.0, abs(float(values[last])))
    ties = (upper >= values[last] - tolerance) & (np.arange(len(values)) < last)
    beats = upper > values[last] + tolerance
    return np.asarray(is_open & (beats | ties))


def _value(scenario: int, solver: ReducedSolver, pool: Pool, deadline: Deadline, evaluates: bool) -> float:
    known, _ = pool.best([scenario])
    start = None if known < 0 else pool.member(known)
    result = solver.solve([scenario], Limits(gap=0.0, time_limit=deadline.remaining), start)
    if result.status is EngineStatus.TIME_LIMIT:
        raise OutOfTimeError
    if result.status is EngineStatus.INFEASIBLE:
        raise InfeasibleProblemError(
            f"no first-stage decision is feasible for scenario {scenario} alone; relax a constraint or drop it."
        )
    if evaluates and result.x is not None:
        pool.add(result.x, deadline)
    return result.value
