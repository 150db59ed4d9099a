"""
solve(): reduce, solve the reduced problem, evaluate on all scenarios, certify. And the public names.

`import neurprise as nr` offers the names of `__all__`; whatever is not listed there may change.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurprise import arrays, objectives, reducers, surrogates, testing
from neurprise.clock import Deadline
from neurprise.errors import (
    CheckpointError,
    EngineError,
    FormatError,
    InfeasibleProblemError,
    InputError,
    InputWarning,
    MissingDependencyError,
    NotApplicableError,
    UnboundedProblemError,
)
from neurprise.infeasible import Conflict
from neurprise.io import read
from neurprise.io.decision import decision_from
from neurprise.io.models import from_linopy, from_models, from_pyomo
from neurprise.objectives import Objective, WorstCase, get_objective
from neurprise.parallel.workers import THIS_PROCESS, Workers
from neurprise.problem import TwoStageProblem, checked_problem
from neurprise.problems import (
    FacilityLocation,
    Selection,
    VertexCover,
    make_facility_location,
    make_selection,
    make_vertex_cover,
)
from neurprise.progress import progress_line
from neurprise.recourse.evaluator import Evaluation
from neurprise.recourse.plan import evaluate
from neurprise.reducers import Reducer, get_reducer
from neurprise.reducers.budget import Target, checked_budget, exact_before_choosing, search_on_budget, search_to_target
from neurprise.report import Report, plot, report_of
from neurprise.report.comparison import Comparison, compare
from neurprise.report.explain import why_infeasible
from neurprise.report.tradeoff import Tradeoff, tradeoff
from neurprise.search.ccg import CUT_SHORT, SearchOutcome, search_exactly
from neurprise.search.observers import Callback, OnProgress, resume
from neurprise.search.session import LiveLine, Observer, SearchSession, Status
from neurprise.search.start import with_evident_decision
from neurprise.search.verification import Verification, verify_infeasible
from neurprise.search.verification import verify as verify_answer
from neurprise.solvers import Engine, get_engine
from neurprise.solvers.base import checked_settings

if TYPE_CHECKING:
    from neurprise.report.asked import AskedObjective

__all__ = [
    "CheckpointError",
    "Comparison",
    "Conflict",
    "EngineError",
    "Evaluation",
    "FacilityLocation",
    "FormatError",
    "InfeasibleProblemError",
    "InputError",
    "InputWarning",
    "MissingDependencyError",
    "NotApplicableError",
    "Report",
    "Selection",
    "Status",
    "Target",
    "Tradeoff",
    "TwoStageProblem",
    "UnboundedProblemError",
    "VertexCover",
    "compare",
    "evaluate",
    "from_linopy",
    "from_models",
    "from_pyomo",
    "make_facility_location",
    "make_selection",
    "make_vertex_cover",
    "objectives",
    "plot",
    "read",
    "reducers",
    "solve",
    "surrogates",
    "testing",
    "tradeoff",
    "why_infeasible",
]

#: What reports call a search without a reducer.
EXACT = "exact"
#: Of a time limit, this share is kept for the second engine where one is asked.
VERIFIER_SHARE = 0.3


def solve(
    problem: TwoStageProblem,
    reducer: str | Reducer | None = None,
    budget: int | str | Target | None = None,
    *,
    gap: float = 1e-4,
    time_limit: float | None = None,
    solver: str = "highs",
    seed: int = 0,
    refine: bool = False,
    verify: str | None = None,
    start: Any = None,
    on_progress: OnProgress | None = None,
    threads: int = 1,
    log_file: str | Path | None = None,
    engine_options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    cluster: Any = None,
    state: str | Path | None = None,
    objective: str | Objective = "worst",
) -> Report:
    """
    The first-stage decision that is best in the worst case, or by another objective, and a proof of how good it is.

    Parameters
    ----------
    reducer, budget
        Without a reducer: exact, by column-and-constraint generation, until the proven gap. With one (an object or
        its name, e.g. "prise") and a budget: solve on that many scenarios only, evaluate on all of them. The budget
        may be a target, "1%" or nr.Target(gap=0.01): add scenarios, in the reducer's order, until it is proved.
    gap
        Relative gap between worst case and bound at which the answer counts as optimal.
    time_limit
        Wall-clock seconds for the whole call, not counting compilation; the best answer so far is returned.
    solver
        Engine: "highs", "scip" or "gurobi".
    seed
        For reducers that draw random numbers.
    refine
        Continue from the reduced set until the gap or the time limit. If the reducer must solve linear programs for
        every scenario, the exact search runs first for about the same time. If that already closes the gap, the
        report's reducer is "exact".
    verify
        A second engine, e.g. "scip", that evaluates the decision and tests the bound; see `Report.verification`. If the
        solver finds no decision, the second engine looks for one.
    start
        A decision to begin from: numbers in order, a dict or Series by name, a Report, or the JSON file of an answer.
    on_progress
        Called with an `Iteration` whenever the bound or the best worst case improves, between two engine calls. Return
        True to stop the search (status "stopped"). An exception stops it too, with a warning.
    threads
        Threads of the engine; SCIP uses one in any case.
    log_file
        Where the engine's own log of the reduced problems goes.
    engine_options
        The engine's own options by their names there.
    jobs
        Processes on this machine for long evaluations, PRISE's candidates and single scenarios; started only if there
        is enough work.
    cluster
        Address of a Dask scheduler, such as tcp://host:8786, or a Client or LocalCluster of Dask; its workers are used
        instead of `jobs`.
    state
        A file that stores the search about once a second; after a crash, the same call resumes from it.
    objective
        What is minimised over the scenarios: "worst", "expected", "cvar:0.9", "regret", ..., or an object of
        `nr.objectives`. `Report.value` is its attained value, and `Report.lower_bound` is proved for it.
    """
    checked_problem("solve", problem)
    gap = arrays.relative_gap("gap", gap)
    deadline = Deadline(None if time_limit is None else arrays.nonnegative_number("time_limit", time_limit))
    method = _method(reducer, budget, refine)
    known = [] if start is None else [decision_from(problem, start, "start")]
    if on_progress is not None and not callable(on_progress):
        raise InputError(f"on_progress must be a function of an Iteration, got {on_progress!r}.")
    engine = get_engine(solver, checked_settings(threads, log_file, engine_options))
    witness = None if verify is None else get_engine(verify, argument="verify")
    workers = _workers(arrays.whole_number("jobs", jobs, 1), cluster)
    observers: list[Observer] = [] if on_progress is None else [Callback(on_progress)]
    goal = get_objective(objective)
    if method is not None and not goal.keeps_few:
        raise NotApplicableError(
            f"the reducer {method[0].name!r} chooses scenarios for the worst case and for its regret; for the "
            f"objective {goal.name!r} leave out reducer and budget."
        )
    try:
        with progress_line() as line, ExitStack() as stack:
            asked = None if goal == WorstCase() else _asked(problem, goal, engine, deadline, LiveLine(line), workers)
            made = SearchSession if asked is None else asked.session
            session = stack.enter_context(made(problem, engine, deadline, LiveLine(line), *observers, workers=workers))
            session.admit_known(known)
            if state is not None:
                resume(session, Path(state))
            with deadline.share(1.0 if witness is None else 1.0 - VERIFIER_SHARE):
                found, name = _searched(session, asked, method, gap, seed, refine)
            if found.status in CUT_SHORT:
                found = with_evident_decision(session, found)
            found, second = (found, None) if witness is None else _verified(session, found, witness)
    except InfeasibleProblemError as error:
        raise error if witness is None else verify_infeasible(problem, error, witness, deadline) from None
    return report_of(session, found, name, second) if asked is None else asked.report(session, found, name, second, gap)


def _asked(
    problem: TwoStageProblem, goal: Objective, engine: Engine, deadline: Deadline, line: LiveLine, workers: Workers
) -> AskedObjective:
    """An objective other than the worst case, with what it has to know about the problem."""
    from neurprise.report.asked import AskedObjective

    return AskedObjective.of(problem, goal, engine, deadline, line, workers)


def _workers(jobs: int, cluster: Any) -> Workers:
    """The workers of these options, which are there."""
    if jobs == 1 and cluster is None:
        return THIS_PROCESS
    workers = Workers(jobs, cluster)
    workers.refuse_absent()
    return workers


def _method(reducer: str | Reducer | None, budget: Any, refine: bool) -> tuple[Reducer, int | Target] | None:
    if (reducer is None) != (budget is None):
        raise InputError(
            f"a reducer and a budget come together, got reducer={reducer!r} and budget={budget!r}; pass both, or "
            "neither for an exact solve."
        )
    if reducer is None or budget is None:
        if refine:
            raise InputError("refine=True goes on from a reduced set; pass a reducer and a budget as well.")
        return None
    return get_reducer(reducer), checked_budget(budget)


def _searched(
    session: SearchSession,
    asked: AskedObjective | None,
    method: tuple[Reducer, int | Target] | None,
    gap: float,
    seed: int,
    refine: bool,
) -> tuple[SearchOutcome, str]:
    """Where the search ended, and the name of what searched."""
    if method is None:
        return search_exactly(session, gap) if asked is None else asked.search(session, gap), EXACT
    reducer, budget = method
    if isinstance(budget, Target):
        return search_to_target(session, reducer, budget, gap=gap, seed=seed, refine=refine), reducer.name
    found = exact_before_choosing(session, reducer, gap=gap) if refine else None
    if found is not None:
        return found, EXACT
    return search_on_budget(session, reducer, budget, gap=gap, seed=seed, refine=refine), reducer.name


def _verified(
    session: SearchSession, found: SearchOutcome, witness: Engine
) -> tuple[SearchOutcome, Verification | None]:
    """The end of the search and what the second engine says of it; an interrupt leaves the second engine out."""
    if found.x is None or found.status is Status.INTERRUPTED:
        return found, None
    claim = found.worst_case, found.lower_bound, found.bound_scenarios
    envelope = getattr(session, "envelope", None)
    try:
        return found, verify_answer(session.problem, found.x, *claim, witness, session.deadline, envelope)
    except KeyboardInterrupt:
        return replace(found, status=Status.INTERRUPTED), None
