"""Reducers as methods: both the paper's pipeline and what `nr.solve` returns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import process_time
from typing import Self

from experiments.methods.base import GAP, Task
from experiments.methods.ties import tied_worst_cases
from experiments.optima import finished
from experiments.outcomes import Outcome
from neurprise.api import solve
from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.errors import InputError
from neurprise.networks.scenario_graph import ScenarioGraph
from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator
from neurprise.reducers import NeurPRISE, Reducer, Reduction, SessionReducer, get_reducer
from neurprise.reducers.base import Growth
from neurprise.report import Report
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.session import SearchSession, Status, relative_gap


class Recorded(SessionReducer):
    """Another reducer, whose choice is kept for whoever wants to see it."""

    def __init__(self, inner: Reducer) -> None:
        self.inner = inner
        self.name = inner.name
        self.reduction = Reduction(())
        self.seconds = 0.0

    def choose(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        start = process_time()
        if isinstance(self.inner, SessionReducer):
            self.reduction = self.inner.choose(session, budget, seed)
        else:
            self.reduction = self.inner.reduce(session.problem, budget, seed=seed)
            session.admit_known(self.reduction.decisions)
        self.seconds = process_time() - start
        return self.reduction


class NetworkAlone(NeurPRISE):
    """NeurPRISE without the rules by which a family moves scenarios to the front."""

    def scores_of(self, problem: TwoStageProblem, graph: ScenarioGraph) -> Floats:
        return self.network_scores(problem, graph)


@dataclass(frozen=True)
class Served:
    """What `nr.solve` returned, and the seconds that it took, choosing included."""

    report: Report
    seconds: float
    seconds_choosing: float


@dataclass(frozen=True)
class Reduced:
    """
    A reducer: choose, solve on the chosen, evaluate on all; and the same through `nr.solve`.

    Parameters
    ----------
    reducer
        Its name, or a reducer of your own.
    checkpoint
        Of NeurPRISE: the name of a network among the experiments' checkpoints, {family} standing for the problem's
        family; None for the shipped ones.
    shipped
        Of NeurPRISE: the name of a network that ships, where it is not the family's own.
    ranks
        The class of NeurPRISE.
    gap
        To which the reduced problem is solved.
    """

    title: str
    reducer: str | Reducer = "neurprise"
    checkpoint: str | None = None
    shipped: str | None = None
    gap: float = GAP
    ranks: type[NeurPRISE] = NeurPRISE
    takes_budget = True

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        outcome: Outcome | None = None
        for budget in sorted(task.budgets):
            # A method that went step by step and ended by itself ends there under any larger budget too.
            if outcome is None or outcome.kept == outcome.k or not self._steps(task):
                outcome = self._outcome(task, budget)
            yield replace(outcome, k=budget)

    def smaller(self) -> Self:
        """With the networks that ship: the repository does not hold those of experiments."""
        return replace(self, checkpoint=None)

    def _outcome(self, task: Task, budget: int) -> Outcome:
        recorded = Recorded(self._reducer(task))
        start = process_time()
        report = finished(solve(task.problem, recorded, budget, gap=self.gap, seed=task.seed, time_limit=task.seconds))
        served = Served(report, process_time() - start, recorded.seconds)
        return both_ways(task, budget, recorded.reduction, served, self.gap)

    def _steps(self, task: Task) -> bool:
        return getattr(self._reducer(task), "growth", None) is Growth.STEPS

    def _reducer(self, task: Task) -> Reducer:
        if self.shipped is not None:
            return self.ranks(self.shipped)
        if self.checkpoint is None:
            return self.ranks() if self.reducer == "neurprise" else get_reducer(self.reducer)
        folder = task.checkpoints / self.checkpoint.format(family=task.problem.family)
        if not folder.is_dir():
            raise InputError(
                f"a trained network must be in {folder}, got nothing there; its command is in experiments/artifacts.md."
            )
        return self.ranks(folder)


def both_ways(task: Task, budget: int, choice: Reduction, served: Served, gap: float) -> Outcome:
    """The outcome of a choice whose `nr.solve` is known; the reduced problem is solved by itself."""
    problem, kept = task.problem, list(choice.indices)
    start = process_time()
    session = SearchSession(problem.restrict(kept), deadline=Deadline(task.seconds))
    search = ColumnAndConstraintGeneration(session, gap=gap).run()
    if search.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    solved = process_time()
    evaluator = Evaluator(problem)
    worst = math.inf if search.x is None else evaluator.evaluate(search.x).worst_case
    evaluated = process_time()
    ties = tied_worst_cases(problem, kept, search.worst_case, evaluator)
    return Outcome(
        k=budget,
        kept=len(kept),
        objective=worst,
        bound=search.lower_bound,
        solve_objective=served.report.worst_case,
        solve_bound=served.report.lower_bound,
        seconds_choosing=served.seconds_choosing,
        seconds_solving=solved - start,
        seconds_evaluating=evaluated - solved,
        seconds_solve=served.seconds,
        tied_objectives=None if ties is None else (float(ties.mean()), float(ties.min())),
        open_gap=relative_gap(search.worst_case, search.lower_bound) if search.status is Status.TIME_LIMIT else 0.0,
    )
