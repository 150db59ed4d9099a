"""
The methods that experiments compare; adding one is a line in `METHODS`.

A method makes one `Outcome` per budget. Reducers all go the paper's way (choose, solve on the chosen, evaluate on all)
and through `nr.solve`, so that both measures stand side by side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Protocol

from neurprise.bench.optima import GAP as OPTIMUM_GAP
from neurprise.bench.optima import Optimum, finished
from neurprise.bench.outcomes import Outcome
from neurprise.bench.ties import tied_worst_cases
from neurprise.convergence import Status
from neurprise.errors import InputError
from neurprise.evaluate import Evaluator
from neurprise.exact.ccg import ColumnAndConstraintGeneration
from neurprise.exact.session import SearchSession
from neurprise.problem import TwoStageProblem
from neurprise.reducers import NeurPRISE, Reducer, Reduction, SessionReducer, get_reducer
from neurprise.reducers.base import Growth
from neurprise.report import Report
from neurprise.solve import solve

#: Gap of the reduced problems, as in the paper.
GAP = 1e-4


class Method(Protocol):
    """Makes outcomes; `title` is its name in tables, `gap` what reduced problems are solved to."""

    @property
    def title(self) -> str: ...
    @property
    def takes_budget(self) -> bool: ...
    @property
    def gap(self) -> float: ...

    def outcomes(
        self, problem: TwoStageProblem, budgets: Sequence[int], seed: int, optimum: Optimum
    ) -> Iterator[Outcome]:
        """One per budget, or a single one where the method takes none; `seed` is for what it draws."""


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


@dataclass(frozen=True)
class Served:
    """What `nr.solve` returned, and the seconds that it took, choosing included."""

    report: Report
    seconds: float
    seconds_choosing: float


@dataclass(frozen=True)
class Reduced:
    """
    A reducer, by its name.

    Parameters
    ----------
    checkpoint
        Of NeurPRISE: a folder with one checkpoint per family; None for the shipped ones.
    gap
        To which the reduced problem is solved.
    """

    title: str
    reducer: str
    checkpoint: str | None = None
    gap: float = GAP
    takes_budget = True

    def outcomes(
        self, problem: TwoStageProblem, budgets: Sequence[int], seed: int, optimum: Optimum
    ) -> Iterator[Outcome]:
        outcome: Outcome | None = None
        for budget in sorted(budgets):
            # A method that went step by step and ended by itself ends there under any larger budget too.
            if outcome is None or outcome.k is None or outcome.kept == outcome.k or not self._steps(problem):
                outcome = self._outcome(problem, budget, seed)
            yield replace(outcome, k=budget)

    def _outcome(self, problem: TwoStageProblem, budget: int, seed: int) -> Outcome:
        recorded = Recorded(self._reducer(problem))
        start = process_time()
        report = finished(solve(problem, recorded, budget, gap=self.gap, seed=seed))
        served = Served(report, process_time() - start, recorded.seconds)
        return _both_ways(problem, budget, recorded.reduction, served, self.gap)

    def _steps(self, problem: TwoStageProblem) -> bool:
        return getattr(self._reducer(problem), "growth", None) is Growth.STEPS

    def _reducer(self, problem: TwoStageProblem) -> Reducer:
        if self.checkpoint is None:
            return get_reducer(self.reducer)
        return NeurPRISE(_checkpoint(self.checkpoint, problem.family))


@dataclass(frozen=True)
class Exact:
    """Column-and-constraint generation to the end; its outcome is how the optimum was found."""

    title: str = "Exact"
    gap: float = OPTIMUM_GAP
    takes_budget = False

    def outcomes(
        self, problem: TwoStageProblem, budgets: Sequence[int], seed: int, optimum: Optimum
    ) -> Iterator[Outcome]:
        seconds = optimum.seconds
        value = optimum.objective
        bound = optimum.bound
        yield Outcome(None, optimum.kept, value, bound, value, bound, 0.0, seconds, 0.0, seconds)


@dataclass(frozen=True)
class Surrogate:
    """Neur2RO with the shipped network; its x is the best by true worst case, with or without the certificate."""

    title: str = "Neur2RO"
    gap: float = GAP
    takes_budget = False

    def outcomes(
        self, problem: TwoStageProblem, budgets: Sequence[int], seed: int, optimum: Optimum
    ) -> Iterator[Outcome]:
        from neurprise.surrogates import Neur2RO

        network = Neur2RO.load_for(problem)
        start = process_time()
        fast = finished(network.solve(problem, certify=False))
        middle = process_time()
        sure = finished(network.solve(problem))
        served = (sure.worst_case, sure.lower_bound)
        seconds = (0.0, middle - start, 0.0, process_time() - middle)
        yield Outcome(None, len(sure.scenarios), fast.worst_case, sure.lower_bound, *served, *seconds)


#: name in rows and on the command line -> method
METHODS: dict[str, Method] = {
    "exact": Exact(),
    "prise": Reduced("PRISE", "prise"),
    "random": Reduced("Random", "random"),
    "sor": Reduced("SOR", "sor"),
    "kmeans": Reduced("K-means", "kmeans"),
    "maxsum": Reduced("MaxSum", "maxsum"),
    "neur2ro": Surrogate(),
    "neurprise": Reduced("NeurPRISE", "neurprise"),
    "neurprise-paper": Reduced("NeurPRISE (paper)", "neurprise", checkpoint="paper"),
    "ccg": Reduced("CCG prefix", "ccg"),
    "singlevalue": Reduced("SingleValue", "singlevalue"),
    "relaxation": Reduced("Relaxation", "relaxation"),
}


def _both_ways(problem: TwoStageProblem, budget: int, choice: Reduction, served: Served, gap: float) -> Outcome:
    """The outcome of a choice whose `nr.solve` is known; the reduced problem is solved by itself."""
    kept = list(choice.indices)
    start = process_time()
    search = ColumnAndConstraintGeneration(SearchSession(problem.restrict(kept)), gap=gap).run()
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
    )


def _checkpoint(name: str, family: str) -> Path:
    from neurprise.bench.places import checkpoints

    folder = checkpoints() / f"{name}-{family}"
    if not folder.is_dir():
        raise InputError(
            f"the checkpoint {name}-{family} must be in {folder.parent}; train it as docs/neurprise.md says."
        )
    return folder
