"""solve(): reduce, solve the reduced problem, evaluate on all scenarios, certify."""

from __future__ import annotations

from dataclasses import replace

from neurprise import arrays
from neurprise.clock import Deadline
from neurprise.convergence import Status
from neurprise.errors import InputError
from neurprise.exact.ccg import ColumnAndConstraintGeneration, SearchOutcome, outcome
from neurprise.exact.session import SearchSession
from neurprise.exact.start import informed_start
from neurprise.problem import TwoStageProblem, checked_problem
from neurprise.progress import convergence_line
from neurprise.reducers import Reducer, Reduction, SessionReducer, get_reducer
from neurprise.report import Report
from neurprise.solvers import Engine, get_engine
from neurprise.verify import Verification
from neurprise.verify import verify as verify_answer

#: Of a time limit, at most this share goes into choosing scenarios.
REDUCER_SHARE = 0.5
#: Of a time limit, this share is kept for the second engine where one is asked.
VERIFIER_SHARE = 0.3


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
    verify: str | None = None,
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
        Wall-clock seconds for the whole call, without compiling at first use; the best proven answer is returned.
    solver
        Engine: "highs", "scip" or "gurobi".
    seed
        For reducers that draw random numbers.
    refine
        Go on from the reduced set until the gap or the time limit.
    verify
        A second engine, e.g. "scip", that evaluates the decision and tests the bound; `Report.verification` says what
        it found.
    """
    checked_problem("solve", problem)
    gap = arrays.nonnegative_number("gap", gap)
    deadline = Deadline(None if time_limit is None else arrays.nonnegative_number("time_limit", time_limit))
    method, keep = _method(reducer, budget, refine)
    witness = None if verify is None else get_engine(verify)
    with convergence_line() as show:
        session = SearchSession(problem, solver, deadline, show)
        with session.share_of_time(1.0 if witness is None else 1.0 - VERIFIER_SHARE):
            reduction = None if method is None else _chosen(session, method, keep, seed)
            found = _searched(session, gap, reduction, refine)
        second = None if witness is None else _verified(session, found, witness)
    return report_of(session, found, "exact" if method is None else method.name, second)


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


def _chosen(session: SearchSession, method: Reducer, keep: int, seed: int) -> Reduction:
    """The reducer's choice; one that solves reduced problems does so in this session, within its share of the time."""
    if not isinstance(method, SessionReducer):
        reduction = method.reduce(session.problem, keep, seed=seed)
        session.admit_known(reduction.decisions)
        return reduction
    with session.share_of_time(REDUCER_SHARE, most=method.time_limit):
        return method.choose(session, keep, seed)


def _searched(session: SearchSession, gap: float, reduction: Reduction | None, refine: bool) -> SearchOutcome:
    """The exact search, from the kept scenarios on where there are some."""
    search = ColumnAndConstraintGeneration(session, gap=gap)
    if reduction is None:
        return search.run(informed_start(session))
    if session.interrupted:
        return outcome(session, reduction.indices, Status.INTERRUPTED)
    most = None if refine or not reduction.indices else len(reduction.indices)
    found = search.run(reduction.indices, most)
    if found.status is Status.REDUCED and reduction.stopped_by is not None:
        return replace(found, status=Status(reduction.stopped_by))
    return found


def _verified(session: SearchSession, found: SearchOutcome, witness: Engine) -> Verification | None:
    if found.x is None:
        return None
    return verify_answer(
        session.problem, found.x, found.worst_case, found.lower_bound, found.bound_scenarios, witness, session.deadline
    )


def report_of(session: SearchSession, found: SearchOutcome, reducer: str, second: Verification | None = None) -> Report:
    """What a session and the end of its search say, under the name of the method."""
    return Report(
        x=found.x,
        worst_case=found.worst_case,
        lower_bound=found.lower_bound,
        status=found.status,
        scenarios=found.scenarios,
        worst_scenario=found.worst_scenario,
        infeasible_scenarios=found.infeasible_scenarios,
        num_checked=found.num_checked,
        runtime=session.deadline.elapsed,
        iterations=found.iterations,
        num_solves=found.num_solves,
        reducer=reducer,
        solver=session.engine.name,
        maximize=session.problem.maximize,
        verification=second,
    )
