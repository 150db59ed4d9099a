"""
Decisions along the frontier between the worst case and another objective; all numbers are costs.

For a limit w, the least value of all decisions whose worst case is at most w is the optimum of the problem in which no
scenario may cost more than w (`cost_limit.py`), so the exact search for any objective finds and proves it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.errors import EngineError, InfeasibleProblemError
from neurprise.objectives import Envelope
from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.ccg import SearchOutcome, search_exactly
from neurprise.search.cost_limit import with_cost_limit
from neurprise.search.objective_search import ObjectiveSession, search_objective
from neurprise.search.session import Observer, SearchSession, Status
from neurprise.solvers import Engine
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: A loss of guarantee that everybody asks about is one of the limits.
ONE_PERCENT = 0.01
#: Costs are known to this precision, relative to their size.
ROUNDING = 1e-8
#: Of a time limit, the best guarantee and the best value may each take this share of what is left.
END_SHARE = 0.3


@dataclass(frozen=True, eq=False)
class FrontierPoint:
    """
    The best known decision of those that keep a limit.

    Parameters
    ----------
    x
        Shape (n,).
    worst_case, value
        Attained over all scenarios.
    limit
        worst_case is at most this, to the tolerance of engines.
    bound
        Proved: no decision that keeps the limit has a smaller value.
    guarantee_bound
        Proved: no decision whose value is as small has a smaller worst case.
    status
        Why its search stopped.
    """

    x: Floats
    worst_case: float
    value: float
    limit: float
    bound: float
    guarantee_bound: float
    status: Status


@dataclass(frozen=True, eq=False)
class Frontier:
    """
    Parameters
    ----------
    points
        From the best worst case to the best value; none is better than another in both.
    guarantee_bound, value_bound
        Proved for every decision that has a recourse in all scenarios.
    status
        OPTIMAL if the search for every point ended so.
    """

    points: tuple[FrontierPoint, ...]
    guarantee_bound: float
    value_bound: float
    status: Status


@dataclass(frozen=True, eq=False)
class _Priced:
    x: Floats
    worst_case: float
    value: float
    recourse_costs: Floats


@dataclass(frozen=True)
class _Solved:
    """What a search below a limit has proved and why it stopped."""

    limit: float
    bound: float
    status: Status


class FrontierSearch:
    """
    One search for a frontier; `run` may be called once.

    Parameters
    ----------
    problem
        Of the frontier.
    envelope, objective
        Of the other objective on this problem, and its name.
    gap
        Relative gap between value and bound at which the search for a point ends.
    engine, deadline, observer
        As for a `SearchSession`.
    """

    def __init__(
        self,
        problem: TwoStageProblem,
        envelope: Envelope,
        objective: str,
        gap: float,
        engine: Engine,
        deadline: Deadline,
        observer: Observer,
    ) -> None:
        self._problem, self._objective, self._gap = problem, objective, gap
        # Scenarios without probability count here: the worst case is over all of them.
        self._envelope = replace(envelope, possible=np.ones(problem.num_scenarios, dtype=bool))
        self._engine, self._deadline, self._observer = engine, deadline, observer
        self._evaluator = Evaluator(problem, engine)
        self._known: list[_Priced] = []
        self._solved: list[_Solved] = []
        self._guarantee_bound, self._status = -math.inf, Status.OPTIMAL

    def run(self, count: int) -> Frontier:
        """At most `count` points with evenly spaced limits, and one at one percent of the guarantee."""
        try:
            self._find_best_guarantee()
            if self._known and self._status is not Status.INTERRUPTED:
                self._find_best_value()
            limits = self._limits(count)
            for place, limit in enumerate(limits):
                if self._status is Status.INTERRUPTED:
                    break
                self._find(limit, self._deadline.part(1.0 / (len(limits) - place)))
        except KeyboardInterrupt:
            self._status = Status.INTERRUPTED
        return Frontier(self._points(), self._guarantee_bound, self._bound_at(math.inf), self._status)

    def _find_best_guarantee(self) -> None:
        deadline = self._deadline.part(END_SHARE)
        with SearchSession(self._problem, self._engine, deadline, self._observer) as session:
            found = search_exactly(session, self._gap)
        self._guarantee_bound = found.lower_bound
        self._note(found)

    def _find_best_value(self) -> None:
        """Of all decisions with a recourse in every scenario."""
        self._search(self._problem, math.inf, self._deadline.part(END_SHARE))

    def _find(self, limit: float, deadline: Deadline) -> None:
        """The best value below this limit, unless a decision known to be best below a higher one keeps it."""
        best = self._best_within(limit)
        if any(
            best is self._best_within(s.limit) for s in self._solved if s.limit > limit and s.status is Status.OPTIMAL
        ):
            return
        allowed = limit + self._slack(limit)
        try:
            self._search(with_cost_limit(self._problem, allowed), limit, deadline)
        except (EngineError, InfeasibleProblemError):  # the best decision known keeps the limit
            self._solved.append(_Solved(limit, -math.inf, Status.NUMERICAL_LIMIT))
            self._status = Status.NUMERICAL_LIMIT

    def _search(self, problem: TwoStageProblem, limit: float, deadline: Deadline) -> None:
        session = ObjectiveSession(problem, self._envelope, self._objective, self._engine, deadline, self._observer)
        with session:
            for known in self._known:
                if known.worst_case <= limit + self._slack(limit):
                    session.pool.add_evaluated(known.x, known.recourse_costs)
            found = search_objective(session, self._gap)
        self._note(found)
        self._solved.append(_Solved(limit, found.lower_bound, found.status))

    def _note(self, found: SearchOutcome) -> None:
        """Price the decision on all scenarios of the problem itself."""
        if found.status is not Status.OPTIMAL and self._status is not Status.INTERRUPTED:
            self._status = found.status
        if found.x is None or any(np.array_equal(found.x, known.x) for known in self._known):
            return
        costs = self._evaluator.evaluate(found.x).recourse_costs
        totals = self._evaluator.first_cost(found.x) + costs
        if np.isfinite(totals).all():
            value = self._envelope.value(totals)
            self._known.append(_Priced(self._evaluator.rounded(found.x), float(totals.max()), value, costs))

    def _limits(self, count: int) -> list[float]:
        """Limits to search below: the best guarantee first, then the middle ones, then those between."""
        if not self._known:
            return []
        low, high = min(k.worst_case for k in self._known), self._best_within(math.inf).worst_case
        even = np.linspace(low, high, count)[:-1].tolist()
        small = low + ONE_PERCENT * abs(low)
        return [*even[:1], *([small] if low < small < high else []), *_middle_first(even[1:])] if high > low else [low]

    def _slack(self, limit: float) -> float:
        """What rounding may add to a cost that is exactly the limit."""
        return ROUNDING * max(self._unit, abs(limit)) if math.isfinite(limit) else 0.0

    @property
    def _unit(self) -> float:
        return max((abs(known.worst_case) for known in self._known), default=1.0)

    def _best_within(self, limit: float) -> _Priced:
        """The known decision of best value that keeps the limit; of equal values, the one of best worst case."""
        within = [known for known in self._known if known.worst_case <= limit + self._slack(limit)]
        return min(within, key=lambda known: (known.value, known.worst_case))

    def _bound_at(self, limit: float) -> float:
        """Proved for all decisions that keep the limit: what holds below a higher limit holds below this one."""
        return max((solved.bound for solved in self._solved if solved.limit >= limit), default=-math.inf)

    def _points(self) -> tuple[FrontierPoint, ...]:
        """One point for each limit; of decisions that are dominated, none."""
        points: list[FrontierPoint] = []
        for solved in sorted(self._solved, key=lambda solved: solved.limit) if self._known else ():
            best = self._best_within(solved.limit)
            if points and (best.value >= points[-1].value or best.worst_case <= points[-1].worst_case):
                continue
            bound = min(self._bound_at(solved.limit), best.value)
            points.append(
                FrontierPoint(best.x, best.worst_case, best.value, solved.limit, bound, -math.inf, solved.status)
            )
        return tuple(replace(point, guarantee_bound=self._guarantee_at(point)) for point in points)

    def _guarantee_at(self, point: FrontierPoint) -> float:
        """Decisions that keep a limit below which every value is larger than the point's do not match it."""
        margin = FEASIBILITY_TOLERANCE * max(self._unit, abs(point.value))
        missed = [s.limit for s in self._solved if self._bound_at(s.limit) > point.value + margin]
        return min(max([self._guarantee_bound, *missed]), point.worst_case)


def _middle_first(limits: Sequence[float]) -> list[float]:
    """The same numbers, the middle one first, then those of the halves in turn."""
    order, halves = list[float](), [list(limits)]
    while halves:
        part = halves.pop(0)
        if part:
            middle = len(part) // 2
            order.append(part[middle])
            halves += [part[:middle], part[middle + 1 :]]
    return order
