"""The plain way: one warm engine model, scenario by scenario."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.base import CostBounds, PartialEvaluationError, Tell, complete_bounds, is_enough, tell_nobody
from neurprise.recourse.careful import carefully_solved
from neurprise.recourse.cost_scale import ORDINARY, cost_scale
from neurprise.recourse.model import recourse_model
from neurprise.solvers import Engine, EngineResult, EngineStatus, Limits, Model, Session, get_engine

#: Integer recourse is expensive; this many of its decisions are kept for warm starts.
_DECISIONS_KEPT = 5_000


class EngineRecourse:
    """
    min_y q_s'x + b_s'y for one (x, s) after another, in one engine session.

    Parameters
    ----------
    problem
        Its scenarios are the ones evaluated.
    engine
        An engine or its name, loaded when first asked.
    tell
        Told how many scenarios of an evaluation are done.
    """

    def __init__(self, problem: TwoStageProblem, engine: str | Engine, tell: Tell = tell_nobody) -> None:
        self.tell = tell
        self._problem = problem
        self._engine = engine
        self._session: Session | None = None
        self._known_decisions: dict[tuple[bytes, int], Floats] = {}
        self._discrete = bool(problem.recourse.integer.any())
        self._scale = cost_scale(problem)
        self.needs_confirmation = not self._discrete and self._scale is ORDINARY

    def costs(self, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Floats:
        costs = np.full(self._problem.num_scenarios, np.nan)
        self._fill(costs, x, scenarios, deadline)
        return costs

    def bounds(
        self, x: Floats, order: Sequence[int], deadline: Deadline, known: Mapping[int, float], enough: float
    ) -> CostBounds:
        """As the protocol says; with integer recourse a solve stops once a cheaper answer than the worst is found."""
        costs = np.full(self._problem.num_scenarios, np.nan)
        bad = self._fill(costs, x, order, deadline, known, enough)
        upper = np.where(np.isnan(costs), math.inf, costs)
        return complete_bounds(upper, order) if bad is None else CostBounds(upper, bad, float(costs[bad]), False)

    def decision(self, x: Floats, scenario: int, deadline: Deadline) -> Floats | None:
        known = self._known_decisions.get((x.tobytes(), scenario))
        return self.solve(x, scenario, deadline)[1] if known is None else known

    def forget(self) -> None:
        self._session = None

    def solve(
        self, x: Floats, scenario: int, deadline: Deadline, target: float = -math.inf
    ) -> tuple[float, Floats | None]:
        """Q(x, scenario) and its y, or the first recourse below `target`; may raise OutOfTimeError."""
        if deadline.passed:  # engines may finish a small model however little time is left
            raise OutOfTimeError
        model = recourse_model(self._problem, x, self._problem.scenario(scenario))
        cost, y = read_cost(self._answer(model, deadline, target))
        if y is not None and self._discrete:
            self.remember(x, scenario, y)
        return cost, y

    def _answer(self, model: Model, deadline: Deadline, target: float) -> EngineResult:
        if self._scale is not ORDINARY:
            self._engine = get_engine(self._engine)
            return carefully_solved(model, self._engine, deadline, self._scale)
        if self._session is None:
            self._session = get_engine(self._engine).session(model)
        else:
            self._session.update(model)
        return self._session.solve(Limits(gap=0.0, time_limit=deadline.remaining, target=target))

    def remember(self, x: Floats, scenario: int, y: Floats) -> None:
        """Keep a feasible recourse for `decision`."""
        if len(self._known_decisions) >= _DECISIONS_KEPT:
            self._known_decisions.clear()
        self._known_decisions[x.tobytes(), scenario] = y

    def _fill(
        self,
        costs: Floats,
        x: Floats,
        order: Iterable[int],
        deadline: Deadline,
        known: Mapping[int, float] | None = None,
        enough: float = math.inf,
    ) -> int | None:
        """Write costs, in place, in this order; the scenario that was bad enough to stop at, if any."""
        worst = -math.inf
        for done, s in enumerate(order):
            self.tell(done)
            attained = math.inf if known is None else known.get(s, math.inf)
            settled = attained < worst  # strictly: what equals the worst case must be exact
            target = worst if known is not None and self._discrete else -math.inf
            try:
                costs[s] = attained if settled else min(self.solve(x, s, deadline, target)[0], attained)
            except OutOfTimeError:
                raise PartialEvaluationError(costs) from None
            worst = max(worst, float(costs[s]))
            if is_enough(worst, enough):
                return s
        return None


def fresh_cost(problem: TwoStageProblem, engine: str | Engine, x: Floats, scenario: int, deadline: Deadline) -> float:
    """Q(x, scenario) from a model built anew: warm linear programs have been seen to end at a wrong optimum."""
    model = recourse_model(problem, x, problem.scenario(scenario))
    return read_cost(carefully_solved(model, get_engine(engine), deadline, cost_scale(problem)))[0]


def read_cost(result: EngineResult) -> tuple[float, Floats | None]:
    """The cost of a recourse and the recourse; inf where there is none, -inf where its cost falls without limit."""
    if result.status is EngineStatus.TIME_LIMIT:
        raise OutOfTimeError
    if result.status is EngineStatus.NUMERICAL_LIMIT:
        raise EngineError(
            "the engine cannot tell what the recourse costs: rows have entries on integer variables that are too large "
            "beside the others; use a smaller big M, or another solver."
        )
    if result.status is EngineStatus.UNBOUNDED:
        return -math.inf, result.improving[-1] if result.improving else None
    return (math.inf, None) if result.values is None else (result.objective, result.values)
