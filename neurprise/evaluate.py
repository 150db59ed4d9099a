"""Q(x, s) for every scenario and Z(x): the true worst case of a first-stage decision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from neurprise import arrays
from neurprise.arrays import Floats, frozen
from neurprise.clock import Deadline
from neurprise.errors import InputError, UnboundedProblemError
from neurprise.problem import TwoStageProblem
from neurprise.solvers import Engine, EngineStatus, Limits, Model, Session, get_engine
from neurprise.stages import Scenario
from neurprise.tolerances import FEASIBILITY_TOLERANCE

#: Integer recourse is dear; this many of its decisions are kept for warm starts.
_DECISIONS_KEPT = 5_000
#: An oracle answers so many scenarios between two looks at the clock: milliseconds in most families.
_SCENARIOS_AT_ONCE = 1_000


@dataclass(frozen=True)
class Evaluation:
    """
    What a first-stage decision costs.

    Parameters
    ----------
    recourse_costs
        Q(x, s), shape (S,); inf where no recourse is feasible.
    worst_case
        Z(x) = offset + c'x + max_s Q(x, s).
    worst_scenario
        The first scenario that attains the maximum.
    """

    recourse_costs: Floats
    worst_case: float
    worst_scenario: int


class OutOfTimeError(Exception):
    """The deadline passed inside an evaluation; callers keep what they had before."""


def evaluate(problem: TwoStageProblem, x: Any, *, solver: str = "highs") -> Evaluation:
    """
    Q(x, s) for all scenarios and the worst case Z(x) of one first-stage decision.

    Parameters
    ----------
    x
        Shape (n,); checked against the first stage's rows, bounds and integrality.
    """
    decision = arrays.vector("x", x, problem.num_first_stage)
    violation = problem.first_stage.violation(decision)
    scale = 1.0 + float(np.abs(decision).max(initial=0.0))
    if violation > FEASIBILITY_TOLERANCE * scale:
        raise InputError(
            f"x must satisfy the first-stage rows, bounds and integrality, but breaks one by {violation:.3g}; "
            "solve() returns decisions that do."
        )
    return Evaluator(problem, solver).evaluate(decision)


class Evaluator:
    """
    Evaluates many x of one problem: by the family's own oracle, else by one warm engine model.

    Parameters
    ----------
    problem
        Its scenarios are the ones evaluated.
    engine
        Asked only where the family has no oracle.
    """

    def __init__(self, problem: TwoStageProblem, engine: str | Engine = "highs") -> None:
        self.problem = problem
        self._engine = engine
        self._recourse: _RecourseModel | None = None
        self._known_decisions: dict[tuple[bytes, int], Floats] = {}

    @cached_property
    def has_oracle(self) -> bool:
        """True where the family evaluates a decision itself, much faster than an engine would."""
        return self.problem.recourse_costs(self.problem.first_stage.lower) is not None

    def evaluate(self, x: Floats, deadline: Deadline | None = None) -> Evaluation:
        """Q(x, s) for all s; raises OutOfTimeError when the deadline passes before the last scenario."""
        x = self.rounded(x)
        costs = self._oracle_costs(x, deadline or Deadline())
        if costs is None:
            costs = np.empty(self.problem.num_scenarios)
            for s in range(len(costs)):
                costs[s] = self._solve_recourse(x, s, deadline or Deadline())[0]
        worst = int(np.argmax(costs))
        return Evaluation(frozen(costs), self.first_cost(x) + float(costs[worst]), worst)

    def upper_costs(self, x: Floats, likely_worst_first: Sequence[int], deadline: Deadline) -> Floats:
        """
        Upper bounds of Q(x, s), shape (S,), whose largest entry is exact: enough for Z(x) and for bounds on any V(R).

        With integer recourse a solve stops once a cheaper answer than the worst so far is found.
        """
        if self.has_oracle or not self.problem.recourse.integer.any():
            return self.evaluate(x, deadline).recourse_costs
        x = self.rounded(x)
        costs = np.empty(self.problem.num_scenarios)
        worst = -math.inf
        for s in likely_worst_first:
            costs[s] = self._solve_recourse(x, s, deadline, target=worst)[0]
            worst = max(worst, float(costs[s]))
        return costs

    def decision(self, x: Floats, scenario: int, deadline: Deadline | None = None) -> Floats | None:
        """A recourse y, shape (m,): the one last found for (x, scenario), else an optimal one; None if infeasible."""
        x = self.rounded(x)
        y = self.problem.recourse_decision(x, scenario)
        if y is None:
            y = self._known_decisions.get((x.tobytes(), scenario))
        return self._solve_recourse(x, scenario, deadline or Deadline())[1] if y is None else y

    def first_cost(self, x: Floats) -> float:
        """offset + c'x."""
        return self.problem.offset + float(self.problem.first_stage.costs @ x)

    def rounded(self, x: Floats) -> Floats:
        """x with its integer entries made exactly integer: engines return them within a tolerance."""
        return np.where(self.problem.first_stage.integer, np.round(x), x)

    def _oracle_costs(self, x: Floats, deadline: Deadline) -> Floats | None:
        """
        The family's own answer, shape (S,); None where it has none.

        Under a time limit it is asked in parts. The first is answered even when time is over: that takes less than
        what found x is worth.
        """
        total = self.problem.num_scenarios
        if total <= _SCENARIOS_AT_ONCE or math.isinf(deadline.remaining):
            return self.problem.recourse_costs(x)
        found = []
        for start in range(0, total, _SCENARIOS_AT_ONCE):
            if start and deadline.passed:
                raise OutOfTimeError
            part = self.problem.restrict(range(start, min(start + _SCENARIOS_AT_ONCE, total)))
            costs = part.recourse_costs(x)
            if costs is None:
                return None
            found.append(costs)
        return np.concatenate(found)

    def _solve_recourse(
        self, x: Floats, scenario: int, deadline: Deadline, target: float = -math.inf
    ) -> tuple[float, Floats | None]:
        if self._recourse is None:
            self._recourse = _RecourseModel(self.problem, get_engine(self._engine))
        cost, y = self._recourse.solve(x, scenario, deadline, target)
        if y is not None and self.problem.recourse.integer.any():
            if len(self._known_decisions) >= _DECISIONS_KEPT:
                self._known_decisions.clear()
            self._known_decisions[x.tobytes(), scenario] = y
        return cost, y


class _RecourseModel:
    """min_y q_s'x + b_s'y for one (x, s) after another, in one engine session."""

    def __init__(self, problem: TwoStageProblem, engine: Engine) -> None:
        self._problem = problem
        self._engine = engine
        self._session: Session | None = None

    def solve(self, x: Floats, index: int, deadline: Deadline, target: float) -> tuple[float, Floats | None]:
        model = self._model(x, self._problem.scenario(index))
        if self._session is None:
            self._session = self._engine.session(model)
        else:
            self._session.update(model)
        result = self._session.solve(Limits(gap=0.0, time_limit=deadline.remaining, target=target))
        if result.status is EngineStatus.TIME_LIMIT:
            raise OutOfTimeError
        if result.status is EngineStatus.UNBOUNDED:
            raise UnboundedProblemError(
                f"the recourse cost of scenario {index} falls without limit; bound the recourse variables or fix the "
                "sign of their costs."
            )
        return (math.inf, None) if result.values is None else (result.objective, result.values)

    def _model(self, x: Floats, scenario: Scenario) -> Model:
        recourse = self._problem.recourse
        technology = _with_entries(recourse.technology, scenario.technology)
        moved = technology @ x
        return Model(
            costs=scenario.costs,
            matrix=_with_entries(recourse.matrix, scenario.matrix),
            row_lower=scenario.row_lower - moved,
            row_upper=scenario.row_upper - moved,
            lower=scenario.lower,
            upper=scenario.upper,
            integer=recourse.integer,
            offset=float(scenario.x_costs @ x),
        )


def _with_entries(pattern: sparse.csr_array, entries: Floats) -> sparse.csr_array:
    """The matrix of this sparsity pattern with other entries; nothing is copied or checked again."""
    if entries is pattern.data:
        return pattern
    return sparse.csr_array((entries, pattern.indices, pattern.indptr), shape=pattern.shape)
