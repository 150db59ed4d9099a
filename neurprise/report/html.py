"""A report as one self-contained HTML page, and as a notebook cell: no scripts, no external resources."""

from __future__ import annotations

import json
import math
from collections.abc import Sized
from html import escape
from importlib import metadata
from string import Template
from typing import TYPE_CHECKING

from neurprise.plan import Plan
from neurprise.report import text
from neurprise.report.chart import convergence_chart

if TYPE_CHECKING:
    from neurprise.report.report import Report

#: Longer decisions are cut; the JSON at the end of the page has all of them.
MAX_ROWS = 200

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { padding: .15rem 1.2rem .15rem 0; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
tr.worst { font-weight: 600; }
svg { width: 100%; height: auto; } pre { white-space: pre-wrap; overflow-wrap: anywhere; }
footer { margin-top: 3rem; font-size: .85rem; opacity: .7; }
</style>
</head>
<body>
<h1>$title</h1>
<p>$verdict</p>
<pre>$numbers</pre>
<details><summary>how the gap is computed</summary><p>$formula</p></details>
<h2>Decision</h2>
$decision
<h2>The scenarios that decide</h2>
$scenarios
<h2>Convergence</h2>
$chart
<h2>Everything, as JSON</h2>
<details><summary>show</summary><pre>$json</pre></details>
<footer>neurprise $version</footer>
</body>
</html>
""")


def render(report: Report, title: str) -> str:
    """The page."""
    return _PAGE.substitute(
        title=escape(title),
        verdict=escape(verdict(report)),
        numbers=escape(str(report)),
        formula=escape(_formula(report)),
        chart=convergence_chart(report.iterations, report.maximize),
        scenarios=_scenarios(report),
        decision=_decision(report),
        json=escape(json.dumps(report.to_dict(), indent=1)),
        version=escape(metadata.version("neurprise")),
    )


def cell(report: Report) -> str:
    """What a notebook shows: the verdict, the numbers, the decision."""
    return f"<div><p>{escape(verdict(report))}</p><pre>{escape(str(report))}</pre>{_decision(report)}</div>"


def verdict(report: Report) -> str:
    """What the decision promises, in a sentence."""
    if report.x is None:
        return f"No decision was found ({report.status.value})."
    if report.infeasible_scenarios or not math.isfinite(report.worst_case):
        return "The decision below has no recourse in some scenarios, or was not checked on all of them."
    value, bound = text.number(report.worst_case), text.number(report.lower_bound)
    if report.maximize:
        promise, best = f"guarantees a profit of at least {value}", "no decision can guarantee more"
    else:
        promise, best = f"never costs more than {value}", "no decision can promise less"
    promise = f"The decision below {promise}, whichever scenario comes"
    if report.absolute_gap == 0:
        return f"{promise}, and {best}: it is optimal."
    if not math.isfinite(report.absolute_gap):
        return f"{promise}; how far that is from the best is not proved."
    return f"{promise}, and {best} than {bound}: the gap is {text.gap(report)}."


def _formula(report: Report) -> str:
    worst, bound = text.worst_word(report.maximize), text.bound_word(report.maximize)
    left, right = (bound, worst) if report.maximize else (worst, bound)
    return (
        f"gap = {left} - {right}, in percent 100 ({left} - {right}) / |{bound}|: the optimum lies between the two. "
        "Where their signs differ, no percentage is proved."
    )


def _scenarios(report: Report) -> str:
    """What the decision costs under each scenario of the last reduced problem, in the order of choice."""
    if report.x is None:
        return "<p>None.</p>"
    kept = list(report.scenarios[:MAX_ROWS])
    costs = _costs(report, kept)
    rows = [
        f"<tr{' class=worst' if s == report.worst_scenario else ''}><td>{escape(report.scenario_name(s))}</td>"
        f"<td class=number>{escape(cost)}</td></tr>"
        for s, cost in zip(kept, costs, strict=True)
    ]
    head = f"<tr><th>scenario</th><th>{'profit' if report.maximize else 'total cost'}</th></tr>"
    return f"<table>{head}{''.join(rows)}</table>{_rest(report.scenarios)}"


def _costs(report: Report, scenarios: list[int]) -> list[str]:
    """Costs as text; empty for a report without its problem."""
    if report.problem is None or report.x is None:
        return [""] * len(scenarios)
    plan = Plan(report.problem.restrict(scenarios), report.x, report.solver)
    return [f"{cost:,.6g}" for cost in plan.total_costs.tolist()]


def _decision(report: Report) -> str:
    """The entries of x that are not zero."""
    if report.decision is None:
        return "<p>None.</p>"
    chosen = [(name, value) for name, value in report.decision.items() if value != 0]
    rows = [
        f"<tr><td>{escape(name)}</td><td class=number>{escape(text.number(value))}</td></tr>"
        for name, value in chosen[:MAX_ROWS]
    ]
    return f"<p>Everything not listed is 0.</p><table>{''.join(rows)}</table>{_rest(chosen)}"


def _rest(items: Sized) -> str:
    more = len(items) - MAX_ROWS
    return f"<p>and {more} more; the JSON has all</p>" if more > 0 else ""
