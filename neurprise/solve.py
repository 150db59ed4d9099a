"""solve(): reduce, solve the reduced problem, evaluate on all scenarios, certify."""

from __future__ import annotations

import math

from neurprise import arrays
from neurprise.clock import Deadline
from neurprise.errors import InputError
from neurprise.evaluate import Evaluator
from neurprise.exact.ccg import ColumnAndConstraintGeneration, Search
from neurprise.problem import TwoStageProblem
from neurprise.progress import convergence_line
from neurprise.reducers import Reducer, TimedReducer, get_reducer
from neurprise.report import Report, Status
from neurprise.solvers import get_engine

#: Of a time limit, at most this share goes into choosing scenarios.
REDUCER_SHARE = 0.5

_STATUS = {
    "gap": Status.OPTIMAL,
    "scenario limit": Status.REDUCED,
    "time limit": Status.TIME_LIMIT,
    "interrupt": Status.INTERRUPTED,
}


def solve(
    problem: TwoStageProblem,
    reducer: str | Reducer | None = None,
    budget: int | None = None,
    *,
    gap: float = 1e-4,
    time_limit: float | None = None,
    solver: str = "highs",
    seed: int = 0,
    refine: bool = False,
) -> Report:
    """
    The first-stage decision that is best in the worst case, and a proof of how good it is.

    Parameters
    ----------
    reducer, budget
        Without a reducer: exact, by column-and-constraint generation, until the proven gap. With one (an object or
        its name, e.g. "prise") and a budget: solve on that many scenarios only, evaluate on all of them.
    gap
        Relative gap between worst case and bound at which the answer counts as optimal.
    time_limit
        Wall-clock seconds for the whole call; the best proven answer is returned.
    solver
        Engine: "highs", "scip" or "gurobi".
    seed
        For reducers that draw random numbers.
    refine
        Go on from the reduced set until the gap or the time limit.
    """
    gap = arrays.nonnegative_number("gap", gap)
    deadline = Deadline(None if time_limit is None else arrays.nonnegative_number("time_limit", time_limit))
    method, keep = _method(reducer, budget, refine)
    engine = get_engine(solver)
    with convergence_line() as show:
        search = ColumnAndConstraintGeneration(
            Evaluator(problem, engine), engine, gap=gap, deadline=deadline, progress=show
        )
        if method is None:
            return _report(problem, search.run(), deadline, "exact", engine.name)
        reduction = _within(method, deadline).reduce(problem, keep, seed=seed)
        search.learn(reduction.decisions)
        outcome = search.run(reduction.indices, None if refine else len(reduction.indices))
    return _report(problem, outcome, deadline, method.name, engine.name, reduction.num_solves)


def _method(reducer: str | Reducer | None, budget: int | None, refine: bool) -> tuple[Reducer | None, int]:
    if (reducer is None) != (budget is None):
        raise InputError(
            f"a reducer and a budget come together, got reducer={reducer!r} and budget={budget!r}; pass both, or "
            "neither for an exact solve."
        )
    if reducer is None or budget is None:
        if refine:
            raise InputError("refine=True goes on from a reduced set; pass a reducer and a budget as well.")
        return None, 0
    return get_reducer(reducer), arrays.whole_number("budget", budget, 1)


def _within(method: Reducer, deadline: Deadline) -> Reducer:
    """Methods that solve programs of their own get a share of the time; the others are quick."""
    if not isinstance(method, TimedReducer) or math.isinf(deadline.remaining):
        return method
    return method.within(REDUCER_SHARE * deadline.remaining)


def _report(
    problem: TwoStageProblem, search: Search, deadline: Deadline, reducer: str, solver: str, reducer_solves: int = 0
) -> Report:
    return Report(
        x=search.x,
        worst_case=search.worst_case,
        lower_bound=search.lower_bound,
        status=_STATUS[search.stopped_by],
        scenarios=search.scenarios,
        worst_scenario=search.worst_scenario,
        runtime=deadline.elapsed,
        iterations=search.iterations,
        num_solves=search.num_solves + reducer_solves,
        reducer=reducer,
        solver=solver,
        maximize=problem.maximize,
    )
