"""What follows from a first-stage decision under each scenario: costs and recourse, by name, in the user's sign."""

from __future__ import annotations

import math
from contextlib import closing, suppress
from functools import cached_property
from typing import Any

import numpy as np

from neurprise import arrays
from neurprise.arrays import Floats, frozen
from neurprise.clock import Deadline
from neurprise.errors import InputError
from neurprise.objectives import CVaR, Expected, Objective
from neurprise.parallel.workers import Workers
from neurprise.problem import TwoStageProblem, checked_problem
from neurprise.problem.rules import check_first_stage
from neurprise.progress import progress_line
from neurprise.recourse.engine import PartialEvaluationError
from neurprise.recourse.evaluator import Evaluation, Evaluator


class Plan:
    """
    A first-stage decision with its recourse; everything is computed when first asked for.

    Parameters
    ----------
    problem
        Whose decision this is.
    x
        First-stage decision, shape (n,).
    solver
        Engine, asked where the family has no oracle of its own.
    recourse_costs, totals
        Q(x, s), and offset + c'x + Q(x, s), for all s as a cost, shape (S,), where that is known already.
    """

    def __init__(
        self,
        problem: TwoStageProblem,
        x: Floats,
        solver: str = "highs",
        recourse_costs: Floats | None = None,
        totals: Floats | None = None,
    ) -> None:
        self.problem = problem
        self.solver = solver
        self._evaluator = Evaluator(problem, solver)
        self._x = self._evaluator.rounded(x)
        self._known = recourse_costs
        self._totals = totals

    @property
    def decision(self) -> dict[str, float]:
        """Name of the first-stage variable -> value."""
        return self.problem.named_decision(self._x)

    @property
    def recourse_costs(self) -> Floats:
        """Q(x, s), shape (S,); profits of a maximisation."""
        return self.in_users_sign(self._costs)

    @property
    def total_costs(self) -> Floats:
        """offset + c'x + Q(x, s), shape (S,); profits of a maximisation."""
        return self.in_users_sign(self.scenario_costs)

    @property
    def scenario_costs(self) -> Floats:
        """offset + c'x + Q(x, s) as a cost, shape (S,)."""
        return self._evaluator.first_cost(self._x) + self._costs if self._totals is None else self._totals

    @property
    def expected(self) -> float:
        """Mean of the total costs by the problem's probabilities; equal ones where it has none. Profits likewise."""
        return self.value(Expected())

    def cvar(self, level: float) -> float:
        """Mean total of the worst scenarios that have the probability 1 - level together; of profits, the lowest."""
        return self.value(CVaR(level))

    def value(self, objective: Objective) -> float:
        """What an objective makes of the total costs, in the user's sign."""
        costs = self.scenario_costs
        value = objective.envelope(self.problem).value(costs)
        between = min(max(value, float(costs.min())), float(costs.max()))  # rounding must not leave the range
        return self.problem.in_users_sign(between)

    def in_users_sign(self, costs: Floats) -> Floats:
        """Costs as the user reads them: profits of a maximisation."""
        return self.problem.in_users_sign(costs)

    def recourse(self, scenario: Any) -> dict[str, float]:
        """Name of the recourse variable -> value in a best answer to this scenario, given by name or number."""
        return self.problem.named_recourse(self.recourse_vector(self.problem.scenario_index(scenario)))

    def recourse_vector(self, scenario: int) -> Floats:
        """A best answer y to this scenario, shape (m,), its integer entries exactly integer."""
        name, cost = self.problem.scenario_name(scenario), self._cost(scenario)
        if cost == -math.inf:
            raise InputError(f"the recourse in scenario {name!r} gets better without limit, so there is no best one.")
        y = None
        if cost < math.inf:
            y = self._evaluator.decision(self._x, scenario)
            y = self._evaluator.almost_feasible_decision(self._x, scenario) if y is None else y
        if y is None:
            raise InputError(f"x has no recourse in scenario {name!r}; ask for a scenario of finite cost.")
        return np.where(self.problem.recourse.integer, np.round(y), y) + 0.0  # no negative zero

    def evaluate_within(self, deadline: Deadline) -> None:
        """Evaluate as many scenarios as there is time for; the costs of the others are nan from now on."""
        if self._known is None:
            try:
                self._known = self._evaluated(deadline)
            except PartialEvaluationError as partial:
                self._known = frozen(partial.costs)

    @property
    def is_priced(self) -> bool:
        """Whether every cost is known already, so that nothing more is computed when it is asked for."""
        known = self._totals is not None or "_costs" in self.__dict__
        return known or (self._known is not None and self.is_complete)

    def price_within(self, deadline: Deadline) -> bool:
        """Evaluate all scenarios if there is time for that; whether every cost is known."""
        if not self.is_priced:
            with suppress(PartialEvaluationError):
                self._known = self._evaluated(deadline)
        return self.is_priced

    @property
    def is_complete(self) -> bool:
        """Whether every cost is known; False only where `evaluate_within` ran out of time."""
        return self._known is None or not np.isnan(self._known).any()

    @cached_property
    def _costs(self) -> Floats:
        """Q(x, s) as a cost, shape (S,)."""
        return self._evaluated(Deadline()) if self._known is None else self._known

    def _evaluated(self, deadline: Deadline) -> Floats:
        with progress_line() as line:
            evaluator = Evaluator(self.problem, self.solver, say=line.say)
            return evaluator.evaluate(self._x, deadline).recourse_costs

    def _cost(self, scenario: int) -> float:
        """Q(x, scenario) as a cost; for one scenario the others are not evaluated."""
        if (self._known is None and "_costs" not in self.__dict__) or np.isnan(self._costs[scenario]):
            alone = Evaluator(self.problem.restrict([scenario]), self.solver)
            return float(alone.evaluate(self._x).recourse_costs[0])
        return float(self._costs[scenario])


def evaluate(
    problem: TwoStageProblem,
    x: Any,
    *,
    scenarios: Any = None,
    solver: str = "highs",
    jobs: int = 1,
    cluster: Any = None,
) -> Evaluation:
    """
    Q(x, s) for all scenarios and the worst case Z(x) of one first-stage decision, in the user's sign.

    Parameters
    ----------
    x
        Shape (n,), or a dict or pandas Series by name; checked against the first stage's rows, bounds and integrality.
    scenarios
        Other scenarios than the problem's, such as data that came later: one row each, the columns of
        `problem.scenario_data`. They are equally likely and have no names.
    jobs
        Processes that share the scenarios of a problem of no family, where there are enough to be worth it.
    cluster
        Address of a Dask scheduler, such as tcp://host:8786, or a Client or LocalCluster of Dask; its workers share
        them instead.
    """
    decision = checked_problem("evaluate", problem).decision_vector(x)
    problem = problem if scenarios is None else problem.with_scenarios(scenarios)
    check_first_stage(problem, decision)
    workers = Workers(arrays.whole_number("jobs", jobs, 1), cluster)
    workers.refuse_absent()
    with progress_line() as line, closing(Evaluator(problem, solver, workers=workers, say=line.say)) as evaluator:
        found = evaluator.evaluate(decision)
    return Evaluation(
        problem.in_users_sign(found.recourse_costs),
        problem.in_users_sign(found.worst_case),
        found.worst_scenario,
        Plan(problem, decision, solver, found.recourse_costs),
    )
