"""The contents of the page as plain data; `page.js` reads them by these names."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.recourse.plan import Plan
from neurprise.report import text
from neurprise.report.tables import hindsight_costs, regrets

if TYPE_CHECKING:
    from neurprise.problem import TwoStageProblem
    from neurprise.problem.display import Picture
    from neurprise.report.comparison import Comparison
    from neurprise.report.report import Report

#: Significant digits of numbers in the page.
DIGITS = 12
#: Costs within this relative difference count as equal.
TIE = 1e-9


@dataclass(frozen=True)
class ScenarioCosts:
    """
    Costs of the decision in the scenarios on the page; profits for a maximisation.

    Parameters
    ----------
    numbers, names
        Of all scenarios, or of those kept if the decision was not checked on all; length L.
    costs
        Total costs, shape (L,); infinite without an optimal recourse.
    order
        Places in these lists from the worst scenario to the best, ties in the order of scenarios; shape (L,).
    """

    numbers: tuple[int, ...]
    names: tuple[str, ...]
    costs: Floats
    order: tuple[int, ...]

    @property
    def ties(self) -> int:
        """Number of scenarios as bad as the worst up to rounding, including the worst."""
        worst = self.costs[self.order[0]]
        return int(np.isclose(self.costs, worst, rtol=TIE, atol=0.0).sum())


def scenario_costs(report: Report, plan: Plan | None) -> ScenarioCosts | None:
    """Costs by scenario; None without a decision or its problem."""
    if plan is None:
        return None
    problem = plan.problem
    # Evaluating the other scenarios may take too long.
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
    """Everything that `page.js` draws and lists, except the plans."""
    words = text.words_of(report)
    return {
        "no_recourse": number(words.no_recourse),
        "tie": TIE,
        "words": {"worst": words.worst, "bound": words.bound, "cost": words.cost},
        "worst": number(report.value),
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
        best = numbers(hindsight_costs(plan))
        columns.append({"title": "best in hindsight", "values": best, "drawn": True})
        columns.append({"title": "regret", "values": numbers(regrets(plan)), "drawn": False})
    if comparison is not None and complete:
        taken = {"scenario", text.words_of(report).cost, "chosen as", "this decision", *(c["title"] for c in columns)}
        columns += [
            {"title": _distinct(comparison.names[k], taken), "values": numbers(comparison.totals[k]), "drawn": True}
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


def _distinct(name: str, taken: set[str]) -> str:
    """The name of a decision, marked as one where a column of that title exists; `taken` learns it."""
    while name in taken:
        name += " (decision)"
    taken.add(name)
    return name


def different(report: Report, comparison: Comparison) -> list[int]:
    """Numbers of the compared decisions that differ from this decision."""
    return [k for k, x in enumerate(comparison.decisions) if not np.allclose(x, _decision(report))]


def _steps(report: Report) -> dict[str, list[Any]]:
    """The convergence history by columns; the last entry is the end of the search."""
    steps = report.iterations
    return {
        "seconds": [number(step.seconds) for step in steps] + [number(report.runtime)],
        "scenarios": [step.num_scenarios for step in steps] + [len(report.scenarios)],
        "bound": [number(step.lower_bound) for step in steps] + [number(report.lower_bound)],
        "worst": [number(step.worst_case) for step in steps] + [number(report.value)],
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
    """Each value as in `number`."""
    return [number(float(value)) for value in values]


def number(value: float) -> float | int | str | None:
    """Short form for JSON: whole numbers as int, infinities as text, nan as None."""
    value = float(value)  # bounds of whole-number problems may be int
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value.is_integer() and abs(value) < 2**53:
        return int(value)
    return float(f"{value:.{DIGITS}g}")


def plan_of(report: Report, problem: TwoStageProblem | None) -> Plan | None:
    """The plan of the decision; None without a decision or its problem."""
    if report.x is None or (problem is None and report.problem is None):
        return None
    return report.tables(problem).plan


def _decision(report: Report) -> Floats:
    assert report.x is not None  # there is no plan without one
    return report.x


#: Limits on the size of the plans in a page and on the time to compute them; important scenarios come first.
MAX_CHARACTERS = 100_000
MAX_SECONDS = 10.0

_BASE64_GROWTH = 4 / 3
#: Number of scenarios between two checks of the size.
_BLOCK = 16


@dataclass(frozen=True)
class PackedPlans:
    """
    Recourse of many scenarios, compressed: only nonzero entries.

    Parameters
    ----------
    packed
        Base64 of deflated lines of JSON, one per scenario: its place in the page's list, then pairs of a recourse
        variable's number and its value.
    count
        Number of scenarios.
    """

    packed: str
    count: int


def packed_plans(plan: Plan, scenarios: ScenarioCosts, kept: Iterable[int]) -> PackedPlans:
    """Plans of as many scenarios as fit: the worst, those kept, then the others from the worst on."""
    deadline, press, parts, size, count = Deadline(MAX_SECONDS), zlib.compressobj(9, wbits=-15), list[bytes](), 0, 0
    for place in _by_importance(scenarios, kept):
        if size * _BASE64_GROWTH > MAX_CHARACTERS or (deadline.passed and count > 0):
            break
        if math.isfinite(scenarios.costs[place]):
            parts.append(press.compress(_line(plan, scenarios.numbers[place], place)))
            count += 1
            if count % _BLOCK == 0:
                parts.append(press.flush(zlib.Z_SYNC_FLUSH))
                size = sum(map(len, parts))
    parts.append(press.flush())
    return PackedPlans(base64.b64encode(b"".join(parts)).decode(), count)


def _by_importance(scenarios: ScenarioCosts, kept: Iterable[int]) -> list[int]:
    """Places in the page's list: the worst scenario, those kept, the others from the worst on."""
    place = {s: k for k, s in enumerate(scenarios.numbers)}
    return list(dict.fromkeys([scenarios.order[0], *(place[s] for s in kept if s in place), *scenarios.order]))


def _line(plan: Plan, scenario: int, place: int) -> bytes:
    y = np.where(plan.problem.recourse_decisions, plan.recourse_vector(scenario), 0.0)
    entries = [part for i in np.flatnonzero(y).tolist() for part in (i, number(float(y[i])))]
    return (json.dumps([place, *entries], separators=(",", ":")) + "\n").encode()
