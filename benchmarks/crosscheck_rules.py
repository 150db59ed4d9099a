"""What must hold of everything the package says about one random problem, judged from outside."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from benchmarks.judges import Judge
from benchmarks.judges.truth import SLACK, Truth, UndecidedError, margin
from benchmarks.random_problems import Case
from benchmarks.random_problems.decisions import is_feasible
from neurprise.arrays import Floats
from neurprise.convergence import Status
from neurprise.errors import (
    CheckpointError,
    InfeasibleProblemError,
    NotApplicableError,
    UnboundedProblemError,
)
from neurprise.evaluate import Evaluation
from neurprise.report import Report

#: Calls may take this many seconds longer than their limit.
OVERRUN = 1.0
#: Seconds after which a call without a limit counts as endless.
GIVE_UP = 60


@dataclass(frozen=True)
class Finding:
    """
    One rule that was broken.

    Parameters
    ----------
    sort
        "wrong", "exception" or "overrun", which must not happen; "undecided", where the judges do not know;
        "unfinished", where the package says itself that its engine's tolerances leave a gap open.
    call
        What was asked, e.g. "solve, scip".
    """

    sort: str
    call: str
    message: str


@dataclass
class Examination:
    """Everything found out about one problem; `ask` puts a question to the package and checks the answer."""

    case: Case
    truth: Truth
    findings: list[Finding] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def ask(
        self,
        call: str,
        question: Callable[[], Any],
        check: Callable[[Examination, str, Any], None],
        *,
        time_limit: float = math.inf,
        may_refuse: bool = False,
    ) -> Any:
        """The answer, after `check` has looked at it; None where an error came, which must have the right meaning."""
        start, answer, error = time.perf_counter(), None, None
        try:
            with _given_up_after(GIVE_UP):
                answer = question()
        except Exception as caught:  # whatever comes is a finding
            error = caught
        seconds = time.perf_counter() - start
        self.answers.append(f"{call}: {seconds:.3f} s, {answer if error is None else repr(error)}")
        if seconds > time_limit + OVERRUN:
            self.find("overrun", call, f"took {seconds:.1f} s with a limit of {time_limit:g} s")
        try:
            if error is None:
                check(self, call, answer)
            elif not (may_refuse and isinstance(error, (NotApplicableError, CheckpointError))):
                self._check_error(call, error)
        except UndecidedError:
            self.find("undecided", call, "the judges do not know")
        return answer

    def require(self, holds: bool, call: str, message: str) -> None:
        if not holds:
            self.find("wrong", call, message)

    def find(self, sort: str, call: str, message: str) -> None:
        self.findings.append(Finding(sort, call, message))

    def _check_error(self, call: str, error: Exception) -> None:
        """Infeasible and unbounded must be true; nothing else is wrong with these problems."""
        if isinstance(error, InfeasibleProblemError):
            right = self.truth.is_at_most(math.inf, Judge.value)
        elif isinstance(error, UnboundedProblemError):
            right = self.truth.is_at_least(-math.inf, Judge.value)
        else:
            self.find("exception", call, f"{type(error).__name__}: {error}")
            return
        self.require(right, call, f"{type(error).__name__}, but the value is {self.truth.known(Judge.value):.9g}")


@contextmanager
def _given_up_after(seconds: int) -> Iterator[None]:
    """Raise TimeoutError inside after so many seconds; only the main thread of a process can be interrupted so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(*_: object) -> None:
        raise TimeoutError(f"no answer after {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def optimal_within(gap: float) -> Callable[[Examination, str, Report], None]:
    """A rule: the search ran to its end, so the answer is optimal within the gap."""

    def check(examination: Examination, call: str, report: Report) -> None:
        if report.status is Status.OPTIMAL:
            extra = gap * abs(report.lower_bound) if math.isfinite(report.lower_bound) else 0.0
            right = examination.truth.is_value(report.worst_case, Judge.value, extra)
            value = examination.truth.known(Judge.value)
            examination.require(right, call, f"worst case {report.worst_case:.9g}, but the value is {value:.9g}")
            examination.require(report.x is not None, call, "optimal without a decision")
        elif report.status is Status.TIME_LIMIT:
            examination.find("overrun", call, "a tiny problem was not solved in time")
        else:
            unfinished = report.status is Status.NUMERICAL_LIMIT
            examination.find("unfinished" if unfinished else "wrong", call, f"ended with status {report.status.value}")
        certified(examination, call, report)

    return check


def reduced(examination: Examination, call: str, report: Report) -> None:
    """A rule: without a limit, a reduced problem that has a solution gives a decision."""
    if report.x is None:
        value = examination.truth.known(lambda judge: judge.value(report.scenarios))
        examination.require(not math.isfinite(value), call, f"no decision, but V(R) is {value:.9g}")
    certified(examination, call, report)


def certified(examination: Examination, call: str, report: Report) -> None:
    """A rule: lower bound <= V <= worst case = Z(x), and what the report says about the regret bounds it."""
    truth, value = examination.truth, examination.truth.known(Judge.value)
    right = truth.is_at_most(report.lower_bound, Judge.value)
    examination.require(right, call, f"lower bound {report.lower_bound:.9g} above the value {value:.9g}")
    right = truth.is_at_least(report.worst_case, Judge.value)
    examination.require(right, call, f"worst case {report.worst_case:.9g} below the value {value:.9g}")
    if report.x is None:
        examination.require(report.worst_case == math.inf, call, f"worst case {report.worst_case:.9g} of no decision")
        return
    _worst_case_is_true(examination, call, report)
    if math.isfinite(value) and math.isfinite(report.worst_case) and not truth.hinges:
        _regret_is_bounded(examination, call, report, value)


def _worst_case_is_true(examination: Examination, call: str, report: Report) -> None:
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


def _scenarios_are_true(examination: Examination, call: str, report: Report, x: Floats) -> None:
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


def _regret_is_bounded(examination: Examination, call: str, report: Report, value: float) -> None:
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


def _recourse_cost(x: Floats, s: int) -> Callable[[Judge], float]:
    return lambda judge: judge.recourse_cost(x, s)


def subset_value(scenarios: Sequence[int]) -> Callable[[Judge], float]:
    """V(R) as a question to a judge."""
    return lambda judge: judge.value(scenarios)
