"""What the package claims, in the judges' costs: not in profits, and in the statement's unit of money."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from neurprise.arrays import Floats
from neurprise.recourse.evaluator import Evaluation
from neurprise.reducers import Reduction
from neurprise.report import Report
from neurprise.search.session import Status
from neurprise.search.verification import Verification


@dataclass(frozen=True)
class Claims:
    """What a report says; fields as there, numbers as costs, the percentage as the report itself gives it."""

    x: Floats | None
    worst_case: float
    lower_bound: float
    regret_bound: float
    absolute_gap: float
    status: Status
    scenarios: tuple[int, ...]
    worst_scenario: int | None
    infeasible_scenarios: tuple[int, ...]
    num_checked: int
    verification: Verification | None


def in_costs(answer: Any, maximize: bool, money: float = 1.0) -> Any:
    """A report as Claims; evaluations and reductions in costs of the statement; anything else as it is."""
    sign = (-1.0 if maximize else 1.0) / money
    if isinstance(answer, Report):
        return _claims(answer, sign)
    if isinstance(answer, Evaluation):
        return replace(answer, recourse_costs=sign * answer.recourse_costs, worst_case=sign * answer.worst_case)
    if isinstance(answer, Reduction):
        gains = None if answer.gains is None else tuple(sign * gain for gain in answer.gains)
        return replace(answer, gains=gains, objective=None if answer.objective is None else sign * answer.objective)
    return answer


def _claims(report: Report, sign: float) -> Claims:
    return Claims(
        x=report.x,
        worst_case=sign * report.worst_case,
        lower_bound=sign * report.lower_bound,
        regret_bound=report.regret_bound,
        absolute_gap=report.absolute_gap * abs(sign),
        status=report.status,
        scenarios=report.scenarios,
        worst_scenario=report.worst_scenario,
        infeasible_scenarios=report.infeasible_scenarios,
        num_checked=report.num_checked,
        verification=report.verification,
    )
