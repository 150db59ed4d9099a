"""What must hold of everything the package says about one random problem, judged from outside."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence

import numpy as np

from experiments.judges.examining.claims import Claims
from experiments.judges.examining.examination import Examination
from experiments.judges.oracles.program import recourse_program
from experiments.judges.oracles.truth import SLACK, AnyJudge, Question, margin
from experiments.judges.random_problems.decisions import is_feasible
from neurprise.arrays import Floats
from neurprise.recourse.evaluator import Evaluation
from neurprise.search.session import Status


def optimal_within(gap: float) -> Callable[[Examination, str, Claims], None]:
    """A rule: the search ran to its end, so the answer is optimal within the gap."""

    def check(examination: Examination, call: str, report: Claims) -> None:
        if report.status is Status.OPTIMAL:
            extra = gap * abs(report.lower_bound) if math.isfinite(report.lower_bound) else 0.0
            optimum = _optimum(examination, report)
            right = examination.truth.is_value(report.worst_case, optimum, extra)
            value = examination.truth.known(optimum)
            examination.require(right, call, f"worst case {report.worst_case:.9g}, but the value is {value:.9g}")
            examination.require(report.x is not None, call, "optimal without a decision")
        else:
            examination.find(_sort_of(report.status), call, f"ended with status {report.status.value}")
        certified(examination, call, report)

    return check


def _sort_of(status: Status) -> str:
    """How an end without a proof counts."""
    return {Status.TIME_LIMIT: "unfinished", Status.NUMERICAL_LIMIT: "numerical limit"}.get(status, "wrong")


def _optimum(examination: Examination, report: Claims) -> Question:
    """V, which is at most Z(x) of the decision at hand: judges that search may miss one that they can judge."""
    statement, x = examination.case.statement, report.x

    def question(judge: AnyJudge) -> float:
        value = judge.value()
        if x is None or not is_feasible(statement, x, judge.slack):
            return value
        attained = judge.worst_case(x)
        return attained if attained < value else value

    return question


def is_worth(question: Question, gap: float = 1e-4) -> Callable[[Examination, str, Claims], None]:
    """A rule for the answer to another problem of known value: optimal within the gap, and its bound is none above."""

    def check(examination: Examination, call: str, report: Claims) -> None:
        truth, value = examination.truth, examination.truth.known(question)
        right = truth.is_at_least(report.worst_case, question) and truth.is_at_most(report.lower_bound, question)
        if report.status is Status.OPTIMAL:
            right &= truth.is_at_most(report.worst_case - gap * abs(report.lower_bound), question)
        else:
            examination.find(_sort_of(report.status), call, f"ended with status {report.status.value}")
        claim = f"worst case {report.worst_case:.9g}, bound {report.lower_bound:.9g}"
        examination.require(right, call, f"{claim}, but the value is {value:.9g}")

    return check


def reduced(examination: Examination, call: str, report: Claims) -> None:
    """A rule: without a limit, a reduced problem that has a solution gives a decision."""
    if report.x is None:
        value = examination.truth.known(lambda judge: judge.value(report.scenarios))
        examination.require(not math.isfinite(value), call, f"no decision, but V(R) is {value:.9g}")
    certified(examination, call, report)


def certified(examination: Examination, call: str, report: Claims) -> None:
    """A rule: lower bound <= V <= worst case = Z(x), and what the report says about the regret bounds it."""
    truth, optimum = examination.truth, _optimum(examination, report)
    value = truth.known(optimum)
    right = truth.is_at_most(report.lower_bound, optimum)
    examination.require(right, call, f"lower bound {report.lower_bound:.9g} above the value {value:.9g}")
    right = truth.is_at_least(report.worst_case, optimum)
    examination.require(right, call, f"worst case {report.worst_case:.9g} below the value {value:.9g}")
    if report.x is None:
        examination.require(report.worst_case == math.inf, call, f"worst case {report.worst_case:.9g} of no decision")
        return
    _worst_case_is_true(examination, call, report)
    if math.isfinite(value) and math.isfinite(report.worst_case) and not truth.hinges:
        _regret_is_bounded(examination, call, report, value)


def _worst_case_is_true(examination: Examination, call: str, report: Claims) -> None:
    x, truth = report.x, examination.truth
    assert x is not None
    feasible = is_feasible(examination.case.statement, x, SLACK)
    examination.require(feasible, call, f"x = {x.tolist()} breaks the first stage")
    if report.num_checked < examination.case.statement.num_scenarios:  # time was over: nothing is claimed
        examination.require(report.worst_case == math.inf, call, f"worst case {report.worst_case:.9g} is not checked")
        return
    right = truth.is_value(report.worst_case, lambda judge: judge.worst_case(x))
    worst = truth.known(lambda judge: judge.worst_case(x))
    examination.require(right, call, f"worst case {report.worst_case:.9g} of {x.tolist()}, but Z(x) is {worst:.9g}")
    _scenarios_are_true(examination, call, report, x)


def _scenarios_are_true(examination: Examination, call: str, report: Claims, x: Floats) -> None:
    truth, scenario = examination.truth, report.worst_scenario
    if scenario is None:
        examination.find("wrong", call, "no worst scenario is named")
        return
    right = truth.is_value(report.worst_case, lambda judge: judge.first_cost(x) + judge.recourse_cost(x, scenario))
    examination.require(right, call, f"scenario {scenario} does not attain the worst case {report.worst_case:.9g}")
    for s in range(examination.case.statement.num_scenarios):
        named, question = s in report.infeasible_scenarios, _recourse_cost(x, s)
        right = truth.is_at_most(math.inf, question) if named else truth.is_at_least(sys.float_info.max, question)
        examination.require(right, call, f"scenario {s} is {'' if named else 'not '}called infeasible for {x.tolist()}")


def _regret_is_bounded(examination: Examination, call: str, report: Claims, value: float) -> None:
    noise = 2 * margin(value) + margin(report.worst_case)
    excess = report.worst_case - value - noise
    if excess > 0:
        percent = 100 * excess / abs(value) if value else math.inf
        message = f"regret_bound {report.regret_bound:.6g} %, but the regret is {percent:.6g} %"
        examination.require(report.regret_bound * (1 + 1e-9) >= percent, call, message)
    gap = report.absolute_gap
    examination.require(gap >= excess, call, f"absolute_gap {gap:.9g}, but x is {excess:.9g} above the optimum")


def evaluated(x: Floats) -> Callable[[Examination, str, Evaluation], None]:
    """A rule: Q(x, s) is right for every scenario, inf and -inf included, and so is the worst."""

    def check(examination: Examination, call: str, answer: Evaluation) -> None:
        truth = examination.truth
        for s, cost in enumerate(answer.recourse_costs.tolist()):
            question = _recourse_cost(x, s)
            message = f"Q(x, {s}) is {truth.known(question):.9g}, got {cost:.9g} at {x.tolist()}"
            examination.require(truth.is_value(cost, question), call, message)
        right = truth.is_value(answer.worst_case, lambda judge: judge.worst_case(x))
        examination.require(right, call, f"worst case {answer.worst_case:.9g} at {x.tolist()}")
        attained = float(answer.recourse_costs[answer.worst_scenario]) == float(answer.recourse_costs.max())
        examination.require(attained, call, f"scenario {answer.worst_scenario} is not the worst at {x.tolist()}")

    return check


def recourse_of(x: Floats, scenario: int) -> Callable[[Examination, str, dict[str, float]], None]:
    """A rule: the recourse shown for a scenario keeps its limits and costs Q(x, scenario)."""

    def check(examination: Examination, call: str, answer: dict[str, float]) -> None:
        program, y = recourse_program(examination.case.statement, x, scenario), np.array(list(answer.values()))
        feasible = program.keeps(y, SLACK)
        examination.require(feasible, call, f"{y.tolist()} breaks a limit of scenario {scenario} at {x.tolist()}")
        cost = program.offset + float(program.costs @ y)
        right = examination.truth.is_value(cost, _recourse_cost(x, scenario))
        examination.require(right, call, f"{y.tolist()} at cost {cost:.9g} is not best in {scenario} at {x.tolist()}")

    return check


def _recourse_cost(x: Floats, s: int) -> Question:
    return lambda judge: judge.recourse_cost(x, s)


def subset_value(scenarios: Sequence[int]) -> Question:
    """V(R) as a question to a judge."""
    return lambda judge: judge.value(scenarios)
