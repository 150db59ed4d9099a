"""Methods that answer without a budget of scenarios: exact search, Neur2RO, and searches that a clock ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import process_time

from experiments.methods.base import GAP, Task
from experiments.optima import GAP as OPTIMUM_GAP
from experiments.optima import finished
from experiments.outcomes import Outcome
from neurprise.api import solve
from neurprise.clock import Deadline
from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator
from neurprise.reducers import NeurPRISE
from neurprise.report import Report
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.extensive_form import Master
from neurprise.search.session import SearchSession
from neurprise.solvers import Limits, get_engine

#: Of a search that a clock ends: wall-clock seconds beyond its limit, negative where it came to its end before.
OVER = "over s"
#: Scenarios that refinement starts from.
START_BUDGET = 5

#: Z(x) of the best decision after some seconds, and the proved bound; costs, also where the user maximises.
Search = Callable[[TwoStageProblem, float], tuple[float, float]]


@dataclass(frozen=True)
class Exact:
    """Column-and-constraint generation to the end; its outcome is how the optimum was found."""

    title: str = "Exact"
    gap: float = OPTIMUM_GAP
    takes_budget = False

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        value, bound, seconds = task.optimum.objective, task.optimum.bound, task.optimum.seconds
        yield Outcome(None, task.optimum.kept, value, bound, value, bound, 0.0, seconds, 0.0, seconds)


@dataclass(frozen=True)
class Surrogate:
    """
    Neur2RO: x is the best by true worst case; `nr.solve` here proves a bound as well.

    Parameters
    ----------
    checkpoint
        Name of a network among the experiments' checkpoints; None for the one that ships.
    """

    title: str = "Neur2RO"
    gap: float = GAP
    checkpoint: str | None = None
    takes_budget = False

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        from neurprise.surrogates import Neur2RO

        known = self.checkpoint
        network = Neur2RO.load_for(task.problem) if known is None else Neur2RO.load(task.checkpoints / known)
        start = process_time()
        fast = finished(network.solve(task.problem, certify=False, time_limit=task.seconds))
        middle = process_time()
        sure = finished(network.solve(task.problem, time_limit=task.seconds))
        served = (sure.worst_case, sure.lower_bound)
        seconds = (0.0, middle - start, 0.0, process_time() - middle)
        yield Outcome(None, len(sure.scenarios), fast.worst_case, sure.lower_bound, *served, *seconds)


def extensive_form(problem: TwoStageProblem, seconds: float) -> tuple[float, float]:
    """All scenarios in one model, as the paper's time-budgeted MILP."""
    evaluator = Evaluator(problem)
    limits = Limits(gap=GAP, time_limit=seconds)
    result = Master(evaluator, get_engine("highs")).solve(range(problem.num_scenarios), limits)
    worst = math.inf if result.x is None else evaluator.evaluate(result.x).worst_case
    return worst, result.bound


def exact_search(problem: TwoStageProblem, seconds: float) -> tuple[float, float]:
    """`nr.solve` without a reducer."""
    return _costs(problem, finished(solve(problem, gap=GAP, time_limit=seconds)))


def refined(problem: TwoStageProblem, seconds: float) -> tuple[float, float]:
    """`nr.solve` from the scenarios that NeurPRISE chooses."""
    return _costs(
        problem, finished(solve(problem, "neurprise", START_BUDGET, gap=GAP, time_limit=seconds, refine=True))
    )


def _costs(problem: TwoStageProblem, report: Report) -> tuple[float, float]:
    return problem.in_users_sign(report.worst_case), problem.in_users_sign(report.lower_bound)


@dataclass(frozen=True)
class Within:
    """A search that ends after so many wall-clock seconds."""

    title: str
    search: Search
    seconds: float
    gap: float = GAP
    takes_budget = False

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        yield _searched(self.search, task.problem, None, self.seconds)


@dataclass(frozen=True)
class AtEqualTime:
    """A search that gets the wall-clock seconds that NeurPRISE takes at each budget: choose, solve, evaluate."""

    title: str
    search: Search
    gap: float = GAP
    takes_budget = True

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        for budget in task.budgets:
            yield _searched(self.search, task.problem, budget, _seconds_of_neurprise(task.problem, budget))


def _searched(search: Search, problem: TwoStageProblem, k: int | None, seconds: float) -> Outcome:
    clock, start = Deadline(), process_time()
    worst, bound = search(problem, seconds)
    took, measured = process_time() - start, {OVER: clock.elapsed - seconds}
    return Outcome(k, problem.num_scenarios, worst, bound, worst, bound, 0.0, took, 0.0, took, measured=measured)


def _seconds_of_neurprise(problem: TwoStageProblem, budget: int) -> float:
    clock = Deadline()
    kept = NeurPRISE().reduce(problem, budget).indices
    found = ColumnAndConstraintGeneration(SearchSession(problem.restrict(list(kept))), gap=GAP).run()
    if found.x is not None:
        Evaluator(problem).evaluate(found.x)
    return clock.elapsed
