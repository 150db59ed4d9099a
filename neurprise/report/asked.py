"""The session that searches for an objective, and the value of its answer in the user's terms."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.objectives import Objective, Shift
from neurprise.parallel.workers import Workers
from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator
from neurprise.report.report import Goal, Report, report_of
from neurprise.search.ccg import SearchOutcome, search_exactly
from neurprise.search.objective_search import ObjectiveSession, search_objective
from neurprise.search.regret import BestCosts, best_costs, regret_problem
from neurprise.search.session import Observer, SearchSession, Status, relative_gap
from neurprise.search.verification import Verification
from neurprise.solvers import Engine

#: Of a time limit, at most this share goes into the best cost of each scenario.
BEST_COSTS_SHARE = 0.7


@dataclass(frozen=True)
class AskedObjective:
    """
    An objective other than the worst case, on a problem.

    Parameters
    ----------
    best
        V({s}) of every scenario, where the objective takes them off.
    """

    problem: TwoStageProblem
    objective: Objective
    best: BestCosts | None = None

    @classmethod
    def of(
        cls,
        problem: TwoStageProblem,
        objective: Objective,
        engine: Engine,
        deadline: Deadline,
        line: Observer,
        workers: Workers,
    ) -> AskedObjective:
        """The objective with what it needs; for regrets every scenario is solved alone."""
        if objective.shift is Shift.NOTHING:
            return cls(problem, objective)
        with (
            SearchSession(problem, engine, deadline, line, workers=workers) as alone,
            deadline.share(BEST_COSTS_SHARE),
        ):
            return cls(problem, objective, best_costs(alone))

    def session(self, problem: TwoStageProblem, *arguments: Any, **named: Any) -> SearchSession:
        """A new session on the problem; of regrets, on the problem whose costs they are."""
        if self.best is None:
            return self._session(problem, *arguments, **named)
        made = self._session(regret_problem(problem, self.best, self._relative), *arguments, **named)
        made.pool.unit = max(made.pool.unit, self._size)  # regrets are differences of costs, and no more precise
        made.ended = Status.INTERRUPTED if self.best.ended is Status.INTERRUPTED else None
        made.admit_known(list(self.best.decisions))
        return made

    def _session(self, problem: TwoStageProblem, *arguments: Any, **named: Any) -> SearchSession:
        if self.objective.keeps_few:
            return SearchSession(problem, *arguments, **named)
        envelope = self.objective.envelope(self.problem)
        return ObjectiveSession(problem, envelope, self.objective.name, *arguments, **named)

    def search(self, session: SearchSession, gap: float) -> SearchOutcome:
        """The exact search for it."""
        if isinstance(session, ObjectiveSession):
            return search_objective(session, gap)
        return search_exactly(session, gap)

    def report(
        self, session: SearchSession, found: SearchOutcome, method: str, second: Verification | None, gap: float
    ) -> Report:
        """The report of an outcome, with the true worst case of its decision and the value of the objective."""
        totals = self._totals(session, found)
        judged, value = self._judged(session, found, totals, gap)
        return report_of(
            session,
            judged,
            method,
            second,
            Goal(self.problem, self.objective.name, value, totals),
        )

    @property
    def _relative(self) -> bool:
        return self.objective.shift is Shift.RELATIVE

    @property
    def _size(self) -> float:
        """Costs of about this size are known to the precision of engines; relative regrets are of size one."""
        return 1.0 if self.best is None or self._relative else self.best.largest

    def _totals(self, session: SearchSession, found: SearchOutcome) -> Floats | None:
        """Total cost of the decision in every scenario, shape (S,); None where it was not checked on all."""
        if found.x is None or found.num_checked < self.problem.num_scenarios:
            return None
        if self.best is None:
            return np.array(session.pool.totals[session.pool.best()[0]])
        evaluator = Evaluator(self.problem, session.engine)
        return np.asarray(evaluator.first_cost(found.x) + evaluator.evaluate(found.x).recourse_costs)

    def _judged(
        self, session: SearchSession, found: SearchOutcome, totals: Floats | None, gap: float
    ) -> tuple[SearchOutcome, float]:
        """The outcome with the true worst case of its decision, and the value of the objective; as costs."""
        if totals is None:
            return self._bounded(replace(found, worst_case=math.inf), math.inf, session, gap)
        counted = totals if self.best is None else self.best.regrets(totals, self._relative)
        worst = int(np.argmax(totals))
        judged = replace(
            found,
            worst_case=float(totals[worst]),
            worst_scenario=worst,
            infeasible_scenarios=tuple(np.flatnonzero(totals == math.inf).tolist()),
        )
        return self._bounded(judged, self.objective.envelope(self.problem).value(counted), session, gap)

    def _bounded(
        self, found: SearchOutcome, value: float, session: SearchSession, gap: float
    ) -> tuple[SearchOutcome, float]:
        """Regrets are never negative; an unknown V({s}) proves nothing; what is open is not called optimal."""
        bound = found.lower_bound
        if self.best is not None:
            bound = max(bound, 0.0) if self.best.ended is None else 0.0
        bound, status = min(bound, value), found.status
        if status in (Status.OPTIMAL, Status.NUMERICAL_LIMIT):
            closed = relative_gap(value, bound, session.unit) <= gap
            status = Status.OPTIMAL if closed else Status.NUMERICAL_LIMIT
        return replace(found, lower_bound=bound, status=status), value
