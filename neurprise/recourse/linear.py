"""Linear recourse: bounds from both sides for all scenarios together, linear programs for those they leave open."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.bounds import BasisLookup, BasisPool, DualPool, InnerApproximation
from neurprise.recourse.engine import CostBounds, EngineRecourse, PartialEvaluationError, complete_bounds, is_enough
from neurprise.recourse.model import share_duals
from neurprise.recourse.screening import LeanRelaxation
from neurprise.solvers import Engine, LinearEngine
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: Scenarios, likely worst first, that are solved before bounds dismiss others: one of them is usually the worst.
_PROBES = 10
#: Scenarios that are then solved before bounds are compared with the worst case again.
_BATCH = 64
#: Scenarios that are solved before their bases are tried on the others.
_BASES_AT_ONCE = 4


class LinearRecourse:
    """
    Q(x, s) by linear programs, most of which are never solved when only the worst case matters.

    Parameters
    ----------
    problem
        Without integer recourse.
    engine
        Solves, and keeps the lean linear program open.
    plain
        Asked if the open linear program may be infeasible or unbounded.
    """

    needs_confirmation = True

    def __init__(self, problem: TwoStageProblem, engine: Engine, plain: EngineRecourse) -> None:
        assert isinstance(engine, LinearEngine)
        self._problem = problem
        self._plain = plain
        self._lean = LeanRelaxation(problem, engine, plain.on_progress)
        self._engine = engine

    @cached_property
    def _duals(self) -> DualPool | None:
        return DualPool(self._problem) if share_duals(self._problem) else None

    @cached_property
    def _bases(self) -> BasisPool | None:
        return BasisPool(self._problem) if BasisPool.applies(self._problem) else None

    @cached_property
    def _inner(self) -> InnerApproximation | None:
        return InnerApproximation(self._problem, self._engine) if InnerApproximation.applies(self._problem) else None

    def costs(self, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Floats:
        costs = np.full(self._problem.num_scenarios, np.nan)
        self._fill(costs, x, scenarios, deadline, np.full(len(costs), math.inf))
        if len(scenarios) == len(costs):
            self._keep(x, costs)
        return costs

    def bounds(
        self, x: Floats, order: Sequence[int], deadline: Deadline, known: Mapping[int, float], enough: float
    ) -> CostBounds:
        costs = np.full(self._problem.num_scenarios, np.nan)
        explained = self._explained(x)
        asked = np.asarray(order, dtype=np.int64)
        ranked = asked[np.argsort(-explained[asked], kind="stable")]
        self._fill(costs, x, ranked[:_PROBES].tolist(), deadline, explained)
        worst = int(ranked[np.argmax(costs[ranked[:_PROBES]])])
        if not is_enough(float(costs[worst]), enough):
            worst = self._fill_open(costs, x, ranked[_PROBES:], worst, deadline, enough)
        upper = np.where(np.isnan(costs), math.inf, costs)
        if is_enough(float(costs[worst]), enough):
            return CostBounds(upper, worst, float(costs[worst]), complete=False)
        self._keep(x, upper)
        return complete_bounds(upper, order)

    def decision(self, x: Floats, scenario: int, deadline: Deadline) -> Floats | None:
        return self._plain.decision(x, scenario, deadline)

    def forget(self) -> None:
        self._lean.forget()
        self._plain.forget()

    def _explained(self, x: Floats) -> Floats:
        """Lower bounds of Q(x, s) by the pool, shape (S,); all equal where there is none."""
        return np.full(self._problem.num_scenarios, -math.inf) if self._duals is None else self._duals.lower_costs(x)

    def _fill_open(self, costs: Floats, x: Floats, others: Ints, worst: int, deadline: Deadline, enough: float) -> int:
        """
        Write upper bounds of Q(x, s), in place, for the other scenarios; exact ones where they may be the worst.

        Returns the worst scenario known; the last one looked at where it is bad enough.
        """
        upper = self._upper_costs(x, float(costs[worst]), deadline)
        costs[others] = np.where(upper[others] < math.inf, upper[others], math.nan)
        others, lookup = others[np.argsort(-upper[others], kind="stable")], BasisLookup(self._bases, x)
        while True:
            margin = FEASIBILITY_TOLERANCE * max(1.0, abs(costs[worst])) if math.isfinite(costs[worst]) else 0.0
            others = others[~(upper[others] < costs[worst] - margin)]
            if len(others) == 0:
                return worst
            done, others = self._advance(costs, lookup, others, _BATCH, deadline, np.full(len(costs), costs[worst]))
            contender = int(done[np.argmax(costs[done])])
            worst = contender if costs[contender] > costs[worst] else worst
            if is_enough(float(costs[worst]), enough):
                return worst

    def _upper_costs(self, x: Floats, worst: float, deadline: Deadline) -> Floats:
        if self._inner is None or worst == math.inf:
            return np.full(self._problem.num_scenarios, math.inf)
        return self._inner.upper_costs(x, worst, deadline)

    def _keep(self, x: Floats, costs: Floats) -> None:
        """Use this decision to bound later ones."""
        if self._inner is not None:
            self._inner.add(x, costs)

    def _fill(self, costs: Floats, x: Floats, order: Sequence[int], deadline: Deadline, explained: Floats) -> None:
        """
        Write Q(x, s), in place, in this order; dual vertices that raise the pool's bounds go into it.

        Parameters
        ----------
        explained
            Lower bounds that the pool gives already, shape (S,); only costs above them add dual vertices.
        """
        left, lookup = np.asarray(order, dtype=np.int64), BasisLookup(self._bases, x)
        while len(left):
            _, left = self._advance(costs, lookup, left, len(left), deadline, explained)

    def _advance(
        self, costs: Floats, lookup: BasisLookup, left: Ints, at_most: int, deadline: Deadline, explained: Floats
    ) -> tuple[Ints, Ints]:
        """Write Q(x, s), in place, of those that bases serve and of the next few; those done and left."""
        try:
            if not lookup.is_worthwhile_for(len(left)):
                self._solve(costs, lookup.x, left[:at_most], deadline, explained)
                return left[:at_most], left[at_most:]
            served = lookup.costs(left, deadline)
            costs[left] = np.where(np.isnan(served), costs[left], served)
            others = left[np.isnan(served)]
            few, left_over = others[:_BASES_AT_ONCE], others[_BASES_AT_ONCE:]
            self._solve(costs, lookup.x, few, deadline, explained)
            return np.concatenate([left[~np.isnan(served)], few]), left_over
        except OutOfTimeError:
            raise PartialEvaluationError(costs) from None

    def _solve(self, costs: Floats, x: Floats, scenarios: Ints, deadline: Deadline, explained: Floats) -> None:
        for s, value in self._lean.values(x, scenarios.tolist(), deadline):
            costs[s] = self._plain.solve(x, s, deadline)[0] if value is None else value
            if value is not None and math.isfinite(value) and self._bases is not None:
                self._bases.add(self._lean.current.basis())
            if value is not None and _exceeds(value, explained[s]) and self._duals is not None:
                self._duals.add(self._lean.current.row_duals())


def _exceeds(value: float, explained: float) -> bool:
    return math.isfinite(value) and value - FEASIBILITY_TOLERANCE * max(1.0, abs(value)) > explained
