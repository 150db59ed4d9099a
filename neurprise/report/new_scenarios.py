"""
Are the scenarios enough? How likely it is that a new scenario costs more than the guarantee.

Campi, Garatti and Ramponi (2018): N scenarios are drawn independently, and some rule finds the decision and its
guarantee from k of them alone. Then, with confidence 1 - b, a new scenario costs more than the guarantee with
probability at most

    e(k) = 1 - (b / (N C(N, k)))^(1 / (N - k)).

The proof: fix k of the N places. The rule's answer there does not depend on the other N - k scenarios, so that the
chance that none of these costs more, although a new one would with probability above e, is at most (1 - e)^(N - k).
There are C(N, k) sets of k places, and N - 1 sizes k < N; the sum over all of them is at most b. So it does not matter
how the k scenarios were found, as long as the rule, given them and nothing else, returns the same decision. The rule
here is one model of the k scenarios, solved to the end from a cold start. It is applied before a number is stated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neurprise import arrays
from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError, InfeasibleProblemError, InputError, counted, part_of
from neurprise.progress import progress_line
from neurprise.recourse.engine import cost_scale
from neurprise.recourse.evaluator import Evaluator
from neurprise.report.text import number, scenarios
from neurprise.search.session import reduced_solver
from neurprise.solvers import EngineStatus, Limits, get_engine
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

if TYPE_CHECKING:
    from neurprise.recourse.plan import Plan
    from neurprise.report.report import Report


@dataclass(frozen=True)
class NewScenarioRisk:
    """
    How likely it is that a new scenario costs more than the guarantee, with the confidence of that.

    Parameters
    ----------
    probability
        At most this likely; None where nothing is proved.
    confidence
        The chance that scenarios drawn independently lead to a true statement.
    guarantee
        The worst case of the decision; the guaranteed profit of a maximisation.
    num_scenarios
        N, the number of scenarios.
    scenarios
        The k scenarios that determine decision and guarantee; empty where nothing is proved.
    scenario_names
        Their names.
    reason
        Why nothing is proved; empty where something is.
    maximize
        The guarantee is a profit.
    """

    probability: float | None
    confidence: float
    guarantee: float
    num_scenarios: int
    scenarios: tuple[int, ...] = ()
    scenario_names: tuple[str, ...] = ()
    reason: str = ""
    maximize: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        data = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return data | {"guarantee": self.guarantee if math.isfinite(self.guarantee) else None}

    def __str__(self) -> str:
        if self.probability is None:
            return f"not known: {self.reason}"
        worse = "earns less than" if self.maximize else "costs more than"
        determined = part_of(len(self.scenarios), self.num_scenarios, "scenario")
        return (
            f"a new scenario {worse} {number(self.guarantee)} with probability at most {100 * self.probability:.3g} % "
            f"(confidence {100 * self.confidence:.6g} %), if all were drawn independently from one distribution; "
            f"{determined} determine the decision ({scenarios(self.scenario_names)})"
        )


def largest_probability(num_scenarios: int, num_determining: int, confidence: float) -> float:
    """e(k) for N = num_scenarios and k = num_determining; 1 if k = N, which says nothing."""
    free = num_scenarios - num_determining
    if free <= 0:
        return 1.0
    log_sets = math.lgamma(num_scenarios + 1) - math.lgamma(num_determining + 1) - math.lgamma(free + 1)
    log_share = math.log1p(-confidence) - math.log(num_scenarios) - log_sets
    return -math.expm1(log_share / free)


def new_scenario_risk(
    report: Report, plan: Plan | None, confidence: float = 0.99, deadline: Deadline | None = None
) -> NewScenarioRisk:
    """
    The risk of the report's decision.

    Parameters
    ----------
    plan
        The decision with its costs; None without a decision.
    confidence
        Between 0 and 1, both excluded.
    deadline
        When the search for few scenarios that determine the decision ends; the fewest found by then count.
    """
    level = arrays.number("confidence", confidence)
    if not 0.0 < level < 1.0:
        raise InputError(f"confidence must be above 0 and below 1, got {confidence!r}; 0.99 is usual.")
    known: dict[str, Any] = {
        "confidence": level,
        "guarantee": report.worst_case,
        "num_scenarios": report.num_scenarios,
        "maximize": report.maximize,
    }
    try:
        found = _determining(report, _applicable(report, plan), deadline or Deadline())
    except _NotProvedError as reason:
        return NewScenarioRisk(None, reason=str(reason), **known)
    names = tuple(plan.problem.scenario_name(s) for s in found) if plan else ()
    probability = largest_probability(report.num_scenarios, len(found), level)
    return NewScenarioRisk(probability, scenarios=found, scenario_names=names, **known)


class _NotProvedError(Exception):
    """Says why no probability is proved."""


def _applicable(report: Report, plan: Plan | None) -> Plan:
    """The plan, if the theorem may apply."""
    if plan is None or not math.isfinite(report.worst_case):
        raise _NotProvedError("the decision has no guarantee")
    if report.objective != "worst":
        raise _NotProvedError(f"the decision was made for the objective {report.objective!r}, not for its worst case")
    weights = plan.problem.probabilities
    if weights is not None and not np.allclose(weights, weights[0]):
        raise _NotProvedError("the scenarios have different probabilities, so they are not draws of one distribution")
    return plan


def _determining(report: Report, plan: Plan, deadline: Deadline) -> tuple[int, ...]:
    """The fewest scenarios found that lead the rule to decision and guarantee."""
    costs = plan.scenario_costs
    candidates = sorted({*report.scenarios, int(np.argmax(costs))}, key=lambda s: -costs[s])
    with progress_line() as line:
        line.say("solving again on the scenarios that may determine the decision")
        rule = _Rule(plan, deadline)
        try:
            enough = _grown(candidates, rule)
        except OutOfTimeError:
            raise _NotProvedError("there was no time to solve again on scenarios that may determine it") from None
        if enough is None:
            raise _NotProvedError(
                f"solving again on the {counted(len(candidates), 'scenario')} kept gives another decision, because the "
                "gap is not closed or several decisions are equally good"
            )
        fewest = _fewer(enough, rule)
    if len(fewest) == report.num_scenarios:
        raise _NotProvedError(f"the decision depends on each of {counted(report.num_scenarios, 'scenario')}")
    return tuple(sorted(fewest))


def _grown(candidates: list[int], rule: _Rule) -> list[int] | None:
    """
    Scenarios from which the rule finds the decision; None if it finds another one even from all candidates.

    From the worst one on, always the candidate is added that costs the rule's own decision most.
    """
    few = candidates[:1]
    while (found := rule.decision(few)) is not None and not rule.is_same(found, few):
        others = [s for s in candidates if s not in few]
        new = rule.worst(found, few, others)
        if new is None:  # as good, but another one
            few = candidates
            found = rule.decision(few) if others else None
            return few if found is not None and rule.is_same(found, few) else None
        few = [*few, new]
    return None if found is None else few


def _fewer(enough: list[int], rule: _Rule) -> list[int]:
    """Leave out one scenario after another, the last first, as long as the rule's decision stays the same."""
    for scenario in reversed(enough[1:]):
        rest = [s for s in enough if s != scenario]
        try:
            found = rule.decision(rest)
        except OutOfTimeError:
            break
        enough = rest if found is not None and rule.is_same(found, rest) else enough
    return enough


class _Rule:
    """
    One model of some scenarios, solved to the end from a cold start, and what it is compared with: a plan.

    Nothing but these scenarios enters a decision: neither the others nor what a search found before, nor a clock.
    """

    def __init__(self, plan: Plan, deadline: Deadline) -> None:
        self._problem, self._solver, self._deadline = plan.problem, plan.solver, deadline
        self._x = self._problem.decision_vector(plan.decision)
        self._guarantee = float(plan.scenario_costs.max())
        self._unit = cost_scale(self._problem).unit

    def decision(self, few: Sequence[int]) -> Floats | None:
        """The rule's decision for these scenarios; None where it finds none. May raise OutOfTimeError."""
        if self._deadline.passed:
            raise OutOfTimeError
        evaluator = Evaluator(self._problem.restrict(sorted(few)), self._solver)
        try:
            solver = reduced_solver(evaluator, get_engine(self._solver))
            result = solver.solve(range(len(few)), Limits(gap=0.0).until(self._deadline))
        except (EngineError, InfeasibleProblemError):
            return None
        if result.status is EngineStatus.TIME_LIMIT:
            raise OutOfTimeError
        solved = result.status is EngineStatus.OPTIMAL and result.x is not None
        return evaluator.rounded(result.x) if solved else None  # type: ignore[arg-type]

    def is_same(self, x: Floats, few: Sequence[int]) -> bool:
        """Whether x is the plan's decision, and costs its guarantee in one of these scenarios."""
        whole = self._problem.first_stage.integer
        same = bool((x[whole] == self._x[whole]).all() and all(map(_close, x[~whole], self._x[~whole])))
        return same and _close(self._costs(x, few).max(), self._guarantee, self._unit)

    def worst(self, x: Floats, few: Sequence[int], others: Sequence[int]) -> int | None:
        """The one of the others that costs x more than all of the few; None if there is none."""
        if not others:
            return None
        costs, known = self._costs(x, others), float(self._costs(x, few).max())
        dearest = int(np.argmax(costs))
        return None if costs[dearest] <= known or _close(costs[dearest], known, self._unit) else others[dearest]

    def _costs(self, x: Floats, few: Sequence[int]) -> Floats:
        """Total costs of x in these scenarios, in their order."""
        evaluator = Evaluator(self._problem.restrict(few), self._solver)
        return evaluator.first_cost(x) + evaluator.evaluate(x).recourse_costs


def _close(one: float, other: float, unit: float = 1.0) -> bool:
    return one == other or abs(one - other) <= FEASIBILITY_TOLERANCE * max(unit, abs(one), abs(other))
