"""What a decision maker asks next: what the guarantee, knowing the future and planning with scenarios are worth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.errors import EngineError, InfeasibleProblemError, InputError, UnboundedProblemError, visible
from neurprise.objectives import Expected, probabilities_of
from neurprise.problem import TwoStageProblem
from neurprise.progress import ProgressLine, progress_line
from neurprise.recourse.evaluator import Evaluator
from neurprise.recourse.plan import Plan
from neurprise.report.comparison import best_if_certain, mean_problem
from neurprise.report.new_scenarios import NewScenarioRisk, new_scenario_risk
from neurprise.report.text import number
from neurprise.search.objective_search import ObjectiveSession, search_objective
from neurprise.search.regret import best_costs
from neurprise.search.session import LiveLine, SearchSession, Status
from neurprise.solvers.tolerances import ENGINE_PRECISION

if TYPE_CHECKING:
    from neurprise.report.report import Report

#: Relative gap of the best mean: differences of it are reported.
CLOSE = 1e-6
#: Of the time that is left, the best mean and the best cost of each scenario may each take this share.
SHARE = 0.4


@dataclass(frozen=True)
class Interval:
    """A number that is proved to lie between two ends; infinite where nothing is proved."""

    low: float
    high: float

    @property
    def is_closed(self) -> bool:
        """Whether both ends are the same to the precision of engines."""
        return self.high - self.low <= 10 * ENGINE_PRECISION * max(abs(self.low), abs(self.high))

    def __str__(self) -> str:
        if not math.isfinite(self.high):
            return "not known" if self.low <= 0 else f"at least {number(self.low)}"
        return number(self.high) if self.is_closed else f"between {number(self.low)} and {number(self.high)}"

    def to_dict(self) -> dict[str, float | None]:
        """Plain data; None for an infinite end."""
        ends = {"low": self.low, "high": self.high}
        return {name: end if math.isfinite(end) else None for name, end in ends.items()}


@dataclass(frozen=True)
class Insights:
    """
    Differences of mean costs, or profits, each as a proved interval; none is ever negative.

    Parameters
    ----------
    best_mean
        The least mean cost of any decision; the largest mean profit of a maximisation.
    price_of_robustness
        What the decision costs more on average than the best mean.
    perfect_information
        EVPI: what the best mean falls by on average if the scenario were known in advance.
    information_by_scenario
        Name of a scenario -> what knowing it in advance is worth to the decision of the best mean; the average of these
        is `perfect_information`. Empty where the time did not suffice.
    stochastic_solution
        VSS: what planning for the mean of the data costs more on average than the best mean; inf where that plan has no
        recourse in some scenario.
    new_scenarios
        How likely it is that a new scenario costs more than the worst case.
    """

    best_mean: Interval
    price_of_robustness: Interval
    perfect_information: Interval
    information_by_scenario: dict[str, Interval]
    stochastic_solution: Interval
    new_scenarios: NewScenarioRisk

    def rows(self) -> dict[str, str]:
        """Each in one sentence, by name."""
        price, foresight = self.price_of_robustness, self.perfect_information
        return {
            "price of robustness": f"{price}: mean of this decision beyond the best mean, {self.best_mean}",
            "perfect information": f"{foresight} (EVPI): knowing the scenario in advance{self._dearest()}",
            "stochastic solution": f"{self._stochastic_solution()} (VSS): planning for the mean of the data instead",
            "new scenarios": str(self.new_scenarios),
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; None for infinite ends."""
        names = ("best_mean", "price_of_robustness", "perfect_information", "stochastic_solution")
        by_scenario = {name: value.to_dict() for name, value in self.information_by_scenario.items()}
        return {
            **{name: getattr(self, name).to_dict() for name in names},
            "information_by_scenario": by_scenario,
            "new_scenarios": self.new_scenarios.to_dict(),
        }

    def __str__(self) -> str:
        return visible("\n".join(f"{name:<21}{words}" for name, words in self.rows().items()))

    def _dearest(self) -> str:
        """The scenario that is worth most to know."""
        if not self.information_by_scenario:
            return ""
        name, value = max(self.information_by_scenario.items(), key=lambda item: item[1].high)
        return f"; most in scenario {name}, {value}" if math.isfinite(value.high) else ""

    def _stochastic_solution(self) -> str:
        return (
            "no recourse in some scenario"
            if self.stochastic_solution.low == math.inf
            else str(self.stochastic_solution)
        )


def insights_of(report: Report, plan: Plan, confidence: float, deadline: Deadline) -> Insights:
    """The insights of a report's decision; what there is no time for is an interval without end."""
    with progress_line() as line:
        found = _Found(plan, deadline, line)
    risk = new_scenario_risk(report, plan, confidence, Deadline(0.0) if found.interrupted else deadline)
    best = (plan.problem.in_users_sign(end) for end in (found.least.low, found.least.high))
    return Insights(
        best_mean=Interval(*sorted(best)),
        price_of_robustness=_difference(found.own, found.least),
        perfect_information=_difference(found.least, found.foreknown),
        information_by_scenario=found.by_scenario,
        stochastic_solution=_difference(found.planned, found.least),
        new_scenarios=risk,
    )


def _difference(larger: Interval, smaller: Interval) -> Interval:
    """What the first exceeds the second by; never negative."""
    if larger.low == math.inf:
        return Interval(math.inf, math.inf) if math.isfinite(smaller.high) else Interval(0.0, math.inf)
    return Interval(max(larger.low - smaller.high, 0.0), max(larger.high - smaller.low, 0.0))


UNKNOWN = Interval(-math.inf, math.inf)


class _Found:
    """
    Mean costs, each as an interval: of the decision, the least of all, with foresight, and of the mean's plan.

    Parameters
    ----------
    plan
        The decision.
    """

    def __init__(self, plan: Plan, deadline: Deadline, line: ProgressLine) -> None:
        self._problem, self._solver, self._deadline, self._line = plan.problem, plan.solver, deadline, line
        self._weights = probabilities_of(self._problem)
        self._envelope = Expected().envelope(self._problem)
        self.interrupted = False
        mean = self._envelope.value(plan.scenario_costs)
        self.own = Interval(mean, mean)
        self.least, totals = self._least_mean(plan)
        self.foreknown, self.by_scenario = self._with_foresight(totals)
        self.planned = self._of_the_means_plan()

    def _least_mean(self, plan: Plan) -> tuple[Interval, Floats]:
        """The least mean, and the costs of the decision that attains its upper end, shape (S,)."""
        session = ObjectiveSession(
            self._problem, self._envelope, "expected", self._solver, self._deadline.part(SHARE), LiveLine(self._line)
        )
        with session:
            session.admit_known([self._problem.decision_vector(plan.decision)])
            found = search_objective(session, CLOSE)
            self._heed(found.status)
            place, value = session.pool.best()
            totals = plan.scenario_costs if place < 0 else np.array(session.pool.totals[place])
        value = min(value, self.own.high)
        return Interval(min(found.lower_bound, value), value), totals

    def _with_foresight(self, totals: Floats) -> tuple[Interval, dict[str, Interval]]:
        """The mean of V({s}), and by scenario what is gained over these total costs."""
        if self.interrupted:
            return UNKNOWN, {}
        likely = np.flatnonzero(self._weights > 0)
        alone = self._problem.restrict(likely.tolist())
        with SearchSession(alone, self._solver, self._deadline.part(SHARE), LiveLine(self._line)) as session:
            best = best_costs(session)
        self._heed(best.ended)
        upper = np.minimum(best.upper, totals[likely])  # whatever a decision costs there, V({s}) is no more
        names = (self._problem.scenario_name(int(s)) for s in likely)
        gains = (
            _difference(Interval(total, total), Interval(low, high))
            for total, low, high in zip(totals[likely].tolist(), best.lower.tolist(), upper.tolist(), strict=True)
        )
        weights = self._weights[likely]
        return Interval(float(weights @ best.lower), float(weights @ upper)), dict(zip(names, gains, strict=True))

    def _of_the_means_plan(self) -> Interval:
        """What a decision that is best for the mean of the data costs on average."""
        if self.interrupted:
            return UNKNOWN
        try:
            x = best_if_certain(self._mean(), "the mean", self._solver, self._deadline, self._line)
        except (InputError, InfeasibleProblemError, UnboundedProblemError, EngineError):
            return UNKNOWN
        except KeyboardInterrupt:
            self.interrupted = True
            return UNKNOWN
        evaluator = Evaluator(self._problem, self._solver)
        mean = self._envelope.value(evaluator.first_cost(x) + evaluator.evaluate(x).recourse_costs)
        return Interval(mean, mean)

    def _mean(self) -> TwoStageProblem:
        return mean_problem(self._problem, self._weights)

    def _heed(self, status: Status | None) -> None:
        self.interrupted |= status is Status.INTERRUPTED
