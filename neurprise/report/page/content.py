"""What the page shows, as plain data; `page.js` reads it by these names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neurprise.arrays import Floats
from neurprise.recourse.plan import Plan
from neurprise.report import text
from neurprise.report.regret import hindsight_costs, regrets

if TYPE_CHECKING:
    from neurprise.problem import TwoStageProblem
    from neurprise.problem.picture import Picture
    from neurprise.report.comparison import Comparison
    from neurprise.report.report import Report

#: Digits that numbers keep on their way into the page.
DIGITS = 12
#: Costs that differ by less, relatively, are equally bad.
TIE = 1e-9


@dataclass(frozen=True)
class ScenarioCosts:
    """
    What the decision costs in the scenarios that the page lists; profits of a maximisation.

    Parameters
    ----------
    numbers, names
        Of the scenarios, length L: all of them, or those kept where the decision was not checked on all.
    costs
        Total costs, shape (L,); infinite where there is no recourse, or none that is best.
    order
        Places in these lists from the worst scenario to the best, ties in the order of scenarios; shape (L,).
    """

    numbers: tuple[int, ...]
    names: tuple[str, ...]
    costs: Floats
    order: tuple[int, ...]

    @property
    def ties(self) -> int:
        """How many scenarios cost as much as the worst one up to rounding, that one included."""
        worst = self.costs[self.order[0]]
        return int(np.isclose(self.costs, worst, rtol=TIE, atol=0.0).sum())


def scenario_costs(report: Report, plan: Plan | None) -> ScenarioCosts | None:
    """Costs by scenario; None without a decision or its problem."""
    if plan is None:
        return None
    problem = plan.problem
    # The rest may take longer than anybody waits.
    if report.num_checked < problem.num_scenarios or not plan.is_complete:
        numbers = tuple(report.scenarios)
        costs = Plan(problem.restrict(numbers), _decision(report), plan.solver).total_costs
    else:
        numbers, costs = tuple(range(problem.num_scenarios)), plan.total_costs
    worst_first = np.argsort(costs if problem.maximize else -costs, kind="stable")
    names = tuple(problem.scenario_name(s) for s in numbers)
    return ScenarioCosts(numbers, names, costs, tuple(worst_first.tolist()))


def page_data(
    report: Report,
    scenarios: ScenarioCosts | None,
    plan: Plan | None,
    comparison: Comparison | None,
    picture: Picture | None,
    regret: bool,
) -> dict[str, Any]:
    """Everything that `page.js` draws and lists, plans apart."""
    return {
        "maximize": report.maximize,
        "tie": TIE,
        "words": {
            "worst": text.worst_word(report.maximize),
            "bound": text.bound_word(report.maximize),
            "cost": "profit" if report.maximize else "cost",
        },
        "worst": number(report.worst_case),
        "bound": number(report.lower_bound),
        "decision": None if report.decision is None else _columns(report.decision),
        "x": None if report.x is None else numbers(report.x),
        "steps": _steps(report),
        "scenarios": None if scenarios is None else _scenario_columns(report, scenarios, plan, comparison, regret),
        "recourse_names": [] if plan is None else list(plan.problem.recourse_names),
        "picture": None if picture is None else _drawn(picture),
    }


def _scenario_columns(
    report: Report, scenarios: ScenarioCosts, plan: Plan | None, comparison: Comparison | None, regret: bool
) -> dict[str, Any]:
    """Columns of equal length, and the order from the worst on."""
    place = {s: k for k, s in enumerate(report.scenarios, start=1)}
    complete = plan is not None and len(scenarios.numbers) == plan.problem.num_scenarios
    columns: list[dict[str, Any]] = []
    if regret and complete:
        assert plan is not None
        best = hindsight_costs(plan)
        off = regrets(scenarios.costs, best, report.maximize)
        columns.append({"title": "best had it been known", "values": numbers(best), "drawn": True})
        columns.append({"title": "regret", "values": numbers(off), "drawn": False})
    if comparison is not None and complete:
        columns += [
            {"title": comparison.names[k], "values": numbers(comparison.totals[k]), "drawn": True}
            for k in different(report, comparison)
        ]
    return {
        "number": list(scenarios.numbers),
        "name": list(scenarios.names),
        "cost": numbers(scenarios.costs),
        "chosen": [place.get(s) for s in scenarios.numbers],
        "order": list(scenarios.order),
        "others": columns,
    }


def different(report: Report, comparison: Comparison) -> list[int]:
    """Which of the compared decisions is not this one."""
    return [k for k, x in enumerate(comparison.decisions) if not np.allclose(x, _decision(report))]


def _steps(report: Report) -> dict[str, list[Any]]:
    """The convergence history by columns; the last entry is the end of the search."""
    steps = report.iterations
    return {
        "seconds": [number(step.seconds) for step in steps] + [number(report.runtime)],
        "scenarios": [step.num_scenarios for step in steps] + [len(report.scenarios)],
        "bound": [number(step.lower_bound) for step in steps] + [number(report.lower_bound)],
        "worst": [number(step.worst_case) for step in steps] + [number(report.worst_case)],
    }


def _columns(values: dict[str, float]) -> dict[str, list[Any]]:
    return {"name": list(values), "value": [number(value) for value in values.values()]}


def _drawn(picture: Picture) -> dict[str, Any]:
    return {
        "now": picture.chosen_now.tolist(),
        "later": picture.chosen_later.tolist(),
        "ends": picture.lines.ravel().tolist(),
        "lines": picture.line_variables.tolist(),
    }


def numbers(values: Floats | Sequence[float]) -> list[float | int | str | None]:
    """As `number` says, one by one."""
    return [number(float(value)) for value in values]


def number(value: float) -> float | int | str | None:
    """Short for JSON: whole where it is; infinities as text, None for what nobody knows."""
    value = float(value)  # bounds of whole-number problems may be int
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value.is_integer() and abs(value) < 2**53:
        return int(value)
    return float(f"{value:.{DIGITS}g}")


def plan_of(report: Report, problem: TwoStageProblem | None) -> Plan | None:
    """The decision and what follows from it; None where either the decision or its problem is not there."""
    if report.x is None or (problem is None and report.problem is None):
        return None
    return report.tables(problem).plan


def _decision(report: Report) -> Floats:
    assert report.x is not None  # there is no plan without one
    return report.x
