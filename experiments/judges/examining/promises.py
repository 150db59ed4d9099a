"""Targets, and what a reduced answer must be worth: promises that need more than one solve to be judged."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import neurprise as nr
from experiments.judges.examining.claims import Claims
from experiments.judges.examining.examination import Examination
from experiments.judges.examining.rules import certified
from experiments.judges.oracles.truth import margin
from neurprise.search.session import Status


def reaches(percent: float) -> Callable[[Examination, str, Claims], None]:
    """A rule: without a limit of time the target is reached, or the answer is optimal."""

    def check(examination: Examination, call: str, report: Claims) -> None:
        certified(examination, call, report)
        if report.status is Status.OPTIMAL or report.regret_bound <= percent * (1 + 1e-9):
            return
        message = f"ended with status {report.status.value} at {report.regret_bound:.4g} %, worst case"
        sort = {Status.TIME_LIMIT: "unfinished", Status.NUMERICAL_LIMIT: "numerical limit"}.get(report.status, "wrong")
        examination.find(sort, call, f"{message} {report.worst_case:.9g}")

    return check


def no_worse_than_own_decision(engine: str, time_limit: float) -> Callable[[Examination, str, Claims], None]:
    """A rule: on all scenarios a reduced answer costs no more than the reduced problem's own decision, solved apart."""

    def check(examination: Examination, call: str, report: Claims) -> None:
        problem = examination.case.problem.restrict(report.scenarios)
        try:
            own = nr.solve(problem, solver=engine, time_limit=time_limit)
        except (nr.InfeasibleProblemError, nr.UnboundedProblemError):
            return
        if own.x is None or report.status in (Status.TIME_LIMIT, Status.NUMERICAL_LIMIT):
            return
        x = np.asarray(own.x)
        worst = examination.truth.known(lambda judge: judge.worst_case(x))
        holds = report.worst_case <= worst + 2 * margin(worst)
        if not holds and examination.truth.is_sharp(lambda judge: judge.worst_case(x)):
            message = f"worst case {report.worst_case:.9g}, but {x.tolist()}, best for {list(report.scenarios)}, has"
            examination.find("worse", call, f"{message} {worst:.9g}")

    return check
