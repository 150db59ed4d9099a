"""A report as one self-contained HTML page: no scripts, no external resources."""

from __future__ import annotations

import json
from collections.abc import Sized
from html import escape
from importlib import metadata
from string import Template

import numpy as np

from neurprise.convergence_chart import convergence_chart
from neurprise.evaluate import Evaluator
from neurprise.problem import TwoStageProblem
from neurprise.report import Report

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
<h2>Convergence</h2>
$chart
<h2>The scenarios that decide</h2>
$scenarios
<h2>Decision</h2>
$decision
<h2>Everything, as JSON</h2>
<details><summary>show</summary><pre>$json</pre></details>
<footer>neurprise $version</footer>
</body>
</html>
""")


def render(problem: TwoStageProblem, report: Report, title: str) -> str:
    """The page; `problem` gives names and what the decision costs under the kept scenarios."""
    return _PAGE.substitute(
        title=escape(title),
        verdict=escape(_verdict(report)),
        numbers=escape(str(report)),
        chart=convergence_chart(report.iterations),
        scenarios=_scenarios(problem, report),
        decision=_decision(problem, report),
        json=escape(json.dumps(report.to_dict(), indent=1)),
        version=escape(metadata.version("neurprise")),
    )


def _verdict(report: Report) -> str:
    if report.x is None:
        return f"No decision was found ({report.status.value}); no decision has a worst case below the bound."
    if not np.isfinite(report.worst_case):
        return "The decision below has no recourse in some scenarios, or was not checked on all of them."
    promise = f"The decision below never costs more than {report.worst_case:,.6g}, whichever scenario comes"
    if report.regret_bound == 0:
        return f"{promise}, and no decision can promise less: it is optimal."
    return (
        f"{promise}, and no decision can promise less than {report.lower_bound:,.6g}: it is at most "
        f"{report.regret_bound:.4g} % above the best."
    )


def _scenarios(problem: TwoStageProblem, report: Report) -> str:
    """What the decision costs under each scenario of the last reduced problem, in the order of choice."""
    if report.x is None:
        return "<p>None.</p>"
    kept = list(report.scenarios[:MAX_ROWS])
    evaluator = Evaluator(problem.restrict(kept), report.solver)
    costs = evaluator.first_cost(report.x) + evaluator.evaluate(report.x).recourse_costs
    rows = [
        f"<tr{' class=worst' if s == report.worst_scenario else ''}><td>{escape(_scenario_name(problem, s))}</td>"
        f"<td class=number>{cost:,.6g}</td></tr>"
        for s, cost in zip(kept, costs.tolist(), strict=True)
    ]
    return f"<table><tr><th>scenario</th><th>total cost</th></tr>{''.join(rows)}</table>{_rest(report.scenarios)}"


def _decision(problem: TwoStageProblem, report: Report) -> str:
    """The entries of x that are not zero."""
    if report.x is None:
        return "<p>None.</p>"
    chosen = np.flatnonzero(report.x)
    names = problem.first_stage_names
    rows = [f"<tr><td>{escape(names[i])}</td><td class=number>{report.x[i]:,.6g}</td></tr>" for i in chosen[:MAX_ROWS]]
    return f"<p>Everything not listed is 0.</p><table>{''.join(rows)}</table>{_rest(chosen)}"


def _scenario_name(problem: TwoStageProblem, scenario: int) -> str:
    return problem.scenario_labels[scenario]


def _rest(items: Sized) -> str:
    more = len(items) - MAX_ROWS
    return f"<p>and {more} more</p>" if more > 0 else ""
