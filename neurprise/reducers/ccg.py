"""CCG: the scenarios an adversary would add, one after another."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from neurprise.clock import Deadline
from neurprise.errors import InfeasibleProblemError
from neurprise.evaluate import Evaluator, OutOfTimeError
from neurprise.exact import reduced_solver
from neurprise.exact.pool import Pool
from neurprise.problem import TwoStageProblem
from neurprise.reducers.base import Reduction, num_kept
from neurprise.reducers.single_value import best_decisions, hardest_scenarios
from neurprise.solvers import Engine, EngineStatus, Limits, get_engine
from neurprise.tolerances import FEASIBILITY_TOLERANCE


@dataclass(frozen=True)
class CCG:
    """
    Keep the first scenarios that column-and-constraint generation adds [Zeng and Zhao 2013].

    The first is the scenario of largest V({j}), each next one the worst for the decision that is optimal so far; ties
    go to the larger sum of coefficients, then to the smallest index. It stops early when that decision costs no more
    on all scenarios than on the kept ones: then V(R) = V(all).

    Parameters
    ----------
    solver
        Engine that solves the reduced problems, each to optimality.
    time_limit
        Wall-clock seconds; the scenarios added by then are kept. None for no limit.
    """

    solver: str | Engine = "highs"
    time_limit: float | None = None

    name = "ccg"

    def within(self, time_limit: float) -> CCG:
        """The same reducer with a time limit in seconds."""
        return replace(self, time_limit=time_limit)

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        clock = Deadline(self.time_limit)
        keep = num_kept(problem, budget)
        duel = _Duel(problem, get_engine(self.solver), clock)
        with suppress(OutOfTimeError):  # what was added by then is a valid, smaller reduction
            duel.play(keep)
        return duel.reduction()


class _Duel:
    """The planner answers the scenarios chosen so far, the adversary chooses the next."""

    def __init__(self, problem: TwoStageProblem, engine: Engine, deadline: Deadline) -> None:
        self._problem = problem
        self._severity = problem.severity
        self._deadline = deadline
        evaluator = Evaluator(problem, engine)
        self._solver = reduced_solver(evaluator, engine)
        self._pool = Pool(evaluator)
        self._chosen: list[int] = []
        self._values: list[float] = []

    def play(self, keep: int) -> None:
        """Choose up to `keep` scenarios; may raise OutOfTimeError."""
        self._chosen = hardest_scenarios(self._problem, self._solver, self._pool, 1, self._deadline)
        worst = self._adversary(self._planner())
        while worst is not None and len(self._chosen) < keep:
            self._chosen.append(worst)
            worst = self._adversary(self._planner())

    def reduction(self) -> Reduction:
        known = len(self._values) == len(self._chosen) and all(map(math.isfinite, self._values))
        return Reduction(
            tuple(self._chosen),
            gains=tuple(np.diff(self._values, prepend=0.0).tolist()) if known else None,
            objective=self._values[-1] if known else None,
            num_solves=self._solver.num_solves,
            runtime=self._deadline.elapsed,
            decisions=best_decisions(self._pool, self._chosen),
        )

    def _planner(self) -> int | None:
        """Place in the pool of an optimal decision for the chosen scenarios; None if they leave costs unbounded."""
        known, _ = self._pool.best(self._chosen)
        start = None if known < 0 else self._pool.member(known)
        result = self._solver.solve(self._chosen, Limits(gap=0.0, time_limit=self._deadline.remaining), start)
        if result.status is EngineStatus.TIME_LIMIT:
            raise OutOfTimeError
        if result.status is EngineStatus.INFEASIBLE:
            raise InfeasibleProblemError(
                f"no first-stage decision is feasible for scenarios {self._chosen[:5]} together; relax a constraint."
            )
        self._values.append(result.value)
        return None if result.x is None else self._pool.add(result.x, self._deadline)

    def _adversary(self, place: int | None) -> int | None:
        """The scenario that costs this decision more than all chosen ones do; None if there is none."""
        others = np.setdiff1d(np.arange(self._problem.num_scenarios), self._chosen)
        if len(others) == 0:
            return None
        if place is None:  # another scenario's rows may bound what these leave open
            return int(others[0])
        totals = self._pool.totals[place]
        # Several scenarios may be infeasible for this decision, inf for all of them; the most severe decides.
        worst = int(others[np.lexsort((-self._severity[others], -totals[others]))[0]])
        known = float(totals[self._chosen].max())
        return worst if totals[worst] > known + FEASIBILITY_TOLERANCE * max(1.0, abs(known)) else None
