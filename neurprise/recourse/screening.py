"""
Integer recourse in one block: linear relaxations and dives first, mixed-integer models for what they leave open.

The relaxation bounds Q(x, s) from below: a value that is bad enough ends the evaluation without a mixed-integer model.
Its solution often is whole; then it is the answer. Else a dive looks for any recourse that is cheaper than the worst
scenario so far, which settles this one. Only what neither settles is solved to optimality.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.base import CostBounds, PartialEvaluationError, complete_bounds, is_enough
from neurprise.recourse.dive import Diver, fractions
from neurprise.recourse.dual_pool import DualPool
from neurprise.recourse.engine import EngineRecourse
from neurprise.recourse.lean_lp import LeanRelaxation
from neurprise.recourse.model import ScenarioTable
from neurprise.solvers import Engine, LinearEngine

#: After so many dives the share that succeeded tells whether more are worth their time.
_TRIALS = 40
_WORTHWHILE = 0.25
#: Dual vertices of so many scenarios, the likely worst ones, are kept, to find the worst of the next decision.
_LEARNT = 5


class ScreenedRecourse:
    """
    Q(x, s) by an engine, asked about as few scenarios as possible when only the worst case matters.

    Parameters
    ----------
    problem
        With integer recourse.
    engine
        Keeps the linear relaxation open.
    plain
        Solves the mixed-integer models.
    """

    needs_confirmation = True

    def __init__(self, problem: TwoStageProblem, engine: Engine, plain: EngineRecourse) -> None:
        assert isinstance(engine, LinearEngine)
        self._problem = problem
        self._integer = problem.recourse.integer
        self._plain = plain
        self._lean = LeanRelaxation(problem, engine, plain.tell)
        self._diver = Diver(problem, self._lean)
        self._table = ScenarioTable(problem)
        self._duals = DualPool(problem) if DualPool.applies(problem) else None
        self._num_dives = self._num_settled = 0

    def costs(self, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Floats:
        """Every cost exactly: whole relaxations are, the rest is solved."""
        costs = np.full(self._problem.num_scenarios, np.nan)
        try:
            for s, value in self._lean.values(x, scenarios, deadline):
                exact = self._settled(x, s, value, -math.inf, math.inf, deadline)
                costs[s] = self._plain.solve(x, s, deadline)[0] if exact is None else exact
        except OutOfTimeError:
            raise PartialEvaluationError(costs) from None
        return costs

    def bounds(
        self, x: Floats, order: Sequence[int], deadline: Deadline, known: Mapping[int, float], enough: float
    ) -> CostBounds:
        costs = np.full(self._problem.num_scenarios, np.nan)
        asked = np.asarray(order, dtype=np.int64)
        try:
            found = self._screen(costs, x, asked, deadline, known, enough)
        except OutOfTimeError:
            raise PartialEvaluationError(costs) from None
        upper = np.where(np.isnan(costs), math.inf, costs)
        return complete_bounds(upper, order) if found is None else CostBounds(upper, *found, complete=False)

    def decision(self, x: Floats, scenario: int, deadline: Deadline) -> Floats | None:
        return self._plain.decision(x, scenario, deadline)

    def forget(self) -> None:
        self._lean.forget()
        self._plain.forget()

    def _screen(
        self, costs: Floats, x: Floats, order: Ints, deadline: Deadline, known: Mapping[int, float], enough: float
    ) -> tuple[int, float] | None:
        """Write costs or upper bounds, in place; a scenario that is bad enough with its bound, if any."""
        if self._duals is not None and len(self._duals):
            order = order[np.argsort(-self._duals.lower_costs(x)[order], kind="stable")]
        relaxed = np.full(self._problem.num_scenarios, -math.inf)
        bad = self._relax(costs, relaxed, x, order, deadline, enough)
        if bad is not None:
            return bad
        worst, left = float(np.nanmax(costs[order], initial=-math.inf)), []
        # The costliest relaxation first: it is usually the worst, and the others are measured against it.
        fractional = order[np.isnan(costs[order])]
        worst_first = fractional[np.argsort(-relaxed[fractional], kind="stable")]
        for s, value in self._lean.values(x, worst_first.tolist(), deadline):
            cost = self._settled(x, s, value, worst, known.get(s, math.inf), deadline)
            if cost is None and worst == -math.inf:
                cost = min(self._plain.solve(x, s, deadline)[0], known.get(s, math.inf))
            if cost is None:
                left.append(s)
                continue
            costs[s], worst = cost, max(worst, cost)
            if is_enough(cost, enough):
                return s, cost
        return self._solve(costs, x, left, worst, deadline, known, enough)

    def _relax(
        self, costs: Floats, relaxed: Floats, x: Floats, order: Ints, deadline: Deadline, enough: float
    ) -> tuple[int, float] | None:
        """
        Write values of the relaxation, shape (S,), and costs where its solution is whole, both in place.

        The first scenario whose value is bad enough, with it, if any. The duals of the first few are kept.
        """
        for place, (s, value) in enumerate(self._lean.values(x, order.tolist(), deadline)):
            if value is None:
                continue
            relaxed[s] = value
            if place < _LEARNT and math.isfinite(value) and self._duals is not None:
                self._duals.add(self._lean.current.row_duals())
            if is_enough(value, enough):
                return s, value
            if value == math.inf or self._is_whole(x, s):
                costs[s] = value
        return None

    def _solve(
        self,
        costs: Floats,
        x: Floats,
        left: Sequence[int],
        worst: float,
        deadline: Deadline,
        known: Mapping[int, float],
        enough: float,
    ) -> tuple[int, float] | None:
        """The same for scenarios that relaxations and dives left open, by mixed-integer models."""
        for s in left:
            attained = known.get(s, math.inf)
            cost = attained if attained < worst else min(self._plain.solve(x, s, deadline, worst)[0], attained)
            costs[s], worst = cost, max(worst, cost)
            if is_enough(cost, enough):
                return s, cost
        return None

    def _settled(
        self, x: Floats, scenario: int, value: float | None, worst: float, attained: float, deadline: Deadline
    ) -> float | None:
        """Q(x, s) of the relaxation at hand, or an upper bound of it below the worst so far; None if it cannot tell."""
        if attained < worst or value is None or value == math.inf:
            return attained if attained < worst else value
        if self._is_whole(x, scenario):
            return value
        if value >= worst or not self._dives_pay:
            return None
        return self._dived(x, scenario, self._lean.current.values(), worst, deadline)

    def _is_whole(self, x: Floats, scenario: int) -> bool:
        """Whether the relaxation at hand has a whole solution; it is then remembered as the recourse."""
        y = self._lean.current.values()
        if fractions(y, self._integer).any():
            return False
        self._plain.remember(x, scenario, np.where(self._integer, np.round(y), y))
        return True

    def _dived(self, x: Floats, scenario: int, y: Floats, worst: float, deadline: Deadline) -> float | None:
        """The cost of some recourse that is cheaper than the worst so far; None where no dive finds one."""
        offset = float(self._table.offsets(x, np.array([scenario]))[0])
        found = self._diver.dive(y, worst - offset, deadline)
        self._num_dives += 1
        if found is None:
            return None
        self._num_settled += 1
        self._plain.remember(x, scenario, found[1])
        return found[0] + offset

    @property
    def _dives_pay(self) -> bool:
        return self._num_dives < _TRIALS or self._num_settled >= _WORTHWHILE * self._num_dives
