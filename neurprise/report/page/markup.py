"""The page: text, tables and drawings for readers without scripts, and its origin."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from html import escape
from importlib import metadata, resources
from string import Template
from typing import TYPE_CHECKING, Any

from neurprise.errors import counted, visible
from neurprise.recourse.plan import Plan
from neurprise.report import text
from neurprise.report.page.chart import convergence_chart, costs_chart, drawn
from neurprise.report.page.columns import chosen_table, comparison_table
from neurprise.report.page.content import PackedPlans, ScenarioCosts, packed_plans, page_data, plan_of, scenario_costs
from neurprise.report.page.decision import decision_section
from neurprise.report.page.elements import MAX_ROWS, rest, short, table
from neurprise.report.page.questions import insights_section, tradeoff_section
from neurprise.report.page.tiles import tiles
from neurprise.solvers import engine_version

if TYPE_CHECKING:
    from neurprise.problem import TwoStageProblem
    from neurprise.report.comparison import Comparison
    from neurprise.report.insights import Insights
    from neurprise.report.report import Report
    from neurprise.report.tradeoff import Tradeoff

_NOTHING_TO_DO = "<p>Nothing to do: every recourse variable is 0.</p>"

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="$policy">
<title>$title</title>
<style>$style</style>
</head>
<body>
<a class="skip" href="#costs">skip to the scenarios</a>
<header>
<h1>$title</h1>
<p class="verdict">$verdict</p>
</header>
<main>
<section id="decision" aria-labelledby="decision-title"><h2 id="decision-title">The decision</h2>
$decision</section>
<section id="numbers" aria-label="the numbers">
$tiles</section>
<section id="costs" aria-labelledby="costs-title"><h2 id="costs-title">Its $cost in every scenario</h2>
$costs</section>
<section id="plan" aria-labelledby="plan-title">$plan</section>
$scenarios$comparison$questions
<section id="proof" aria-labelledby="proof-title"><h2 id="proof-title">Bounds over time</h2>
$proof</section>
<section id="provenance" aria-labelledby="provenance-title"><h2 id="provenance-title">Origin</h2>
$provenance
<details><summary>everything, as JSON</summary>
<p class="live"><button type="button" id="save-json">download</button></p>
<pre id="report-json">$json</pre></details></section>
</main>
<footer>Written by neurprise. Charts: uPlot, MIT licence.</footer>
<script type="application/json" id="data">$data</script>
<script type="text/plain" id="plans">$plans</script>
$scripts
</body>
</html>
""")


def render(
    report: Report,
    title: str,
    problem: TwoStageProblem | None = None,
    comparison: Comparison | None = None,
    tradeoff: Tradeoff | None = None,
    insights: Insights | None = None,
    *,
    regret: bool = False,
    facts: Mapping[str, str] | None = None,
) -> str:
    """
    The page.

    Parameters
    ----------
    problem
        The problem; reports read from JSON need it for costs and plans.
    comparison
        Other decisions over the same scenarios.
    regret
        Add the best cost of each scenario in hindsight, and the regret.
    facts
        Facts for the last section, such as the file and the options.
    tradeoff, insights
        Sections for `nr.tradeoff` and `Report.insights`.
    """
    plan = plan_of(report, problem)
    scenarios = scenario_costs(report, plan)
    picture = None if plan is None else plan.problem.picture
    plans = PackedPlans("", 0)
    if plan is not None and scenarios is not None and scenarios.numbers:
        plans = packed_plans(plan, scenarios, report.scenarios)
    data = page_data(report, scenarios, plan, comparison, picture, regret)
    chosen = chosen_table(report)
    data["comparison"] = None if comparison is None else comparison_table(comparison).data()
    data["chosen"] = None if chosen is None else chosen.data()
    scripts = [_asset("vendor/uPlot.iife.min.js"), _asset("page.js")]
    shown = {
        "title": escape(title),
        "verdict": escape(text.verdict(report)),
        "tiles": tiles(report, scenarios),
        "costs": _costs(report, scenarios),
        "decision": decision_section(report),
        "scenarios": _scenarios(report, scenarios),
        "plan": _plan(report, plan, scenarios),
        "comparison": "" if comparison is None else _comparison(comparison),
        "questions": _questions(tradeoff, insights),
        "proof": _proof(report),
        "provenance": table(provenance(report, facts or {}).items(), style="provenance"),
    }
    return _PAGE.substitute(
        {name: visible(markup) for name, markup in shown.items()},
        policy=_policy(scripts),
        cost=text.words_of(report).cost,
        style=_asset("vendor/uPlot.min.css") + _asset("page.css"),
        json=escape(json.dumps(report.to_dict()), quote=False),
        data=_in_script(data),
        plans=plans.packed,
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


@cache
def _asset(name: str) -> str:
    return (resources.files("neurprise.report.page") / name).read_text(encoding="utf-8")


def _policy(scripts: Iterable[str]) -> str:
    """Load nothing from a network and run only our own scripts, whatever names the problem contains."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def _in_script(data: Any) -> str:
    """JSON that is safe inside <script>."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False).replace("<", "\\u003c")


def _costs(report: Report, scenarios: ScenarioCosts | None) -> str:
    if scenarios is None:
        why = "No decision was found." if report.x is None else "This page was made without its problem."
        return f"<p>{why}</p>"
    if not scenarios.numbers:
        return "<p>The decision was not checked on all scenarios.</p>"
    part = len(scenarios.numbers) < report.num_scenarios
    caution = "<p>The decision was not checked on all scenarios; those kept are listed.</p>" if part else ""
    note = f'<p class="note">{_tie_words(report, scenarios)}'
    if len(scenarios.numbers) == 1:  # one point is no chart
        return f"{caution}{note}There is only one scenario.</p>"
    return (
        f'{caution}{note}<span class="live">Click a point or a name to see its recourse; the arrow keys move along the '
        "chart.</span></p>"
        f'<div class="still">{costs_chart(scenarios, report.scenarios, text.words_of(report))}</div>'
        '<div class="live"><div class="plot" id="costs-plot" tabindex="0" role="group" '
        'aria-label="chart by scenario; left and right arrow keys choose a scenario"></div>'
        '<p class="legend" id="costs-keys"></p><p class="note" id="costs-readout"></p></div>'
    )


def _scenarios(report: Report, scenarios: ScenarioCosts | None) -> str:
    """The table of all scenarios."""
    if scenarios is None or not scenarios.numbers:
        return ""
    words = text.words_of(report)
    rows = [(scenarios.names[k], words.amount(float(scenarios.costs[k]))) for k in scenarios.order[:MAX_ROWS]]
    return (
        '<section id="scenarios" aria-labelledby="scenarios-title"><h2 id="scenarios-title">All scenarios</h2>'
        f'<div class="still">{table(rows, ("scenario", words.cost))}{rest(scenarios.numbers)}</div>'
        '<div class="live" id="scenario-table"></div></section>\n'
    )


def _tie_words(report: Report, scenarios: ScenarioCosts) -> str:
    if scenarios.ties < 2 or not math.isfinite(report.worst_case):
        return ""
    worst = scenarios.order[: scenarios.ties]
    return escape(f"Equally bad: {text.scenarios(scenarios.names[k] for k in worst)}. ")


def _plan(report: Report, plan: Plan | None, scenarios: ScenarioCosts | None) -> str:
    """The recourse in the worst scenario; the script replaces it by others."""
    if plan is None or scenarios is None or not scenarios.numbers:
        return '<h2 id="plan-title">What to do</h2><p>No plan is known.</p>'
    first = scenarios.order[0]
    name = f'<span id="plan-scenario"{short(scenarios.names[first])}>{escape(scenarios.names[first])}</span>'
    y, listed = None, "<p>The decision has no recourse in this scenario.</p>"
    if math.isfinite(scenarios.costs[first]):
        y = plan.recourse_vector(scenarios.numbers[first])
        used = [(name, text.number(value)) for name, value in plan.problem.named_recourse(y).items() if value != 0]
        listed = f"{table(used[:MAX_ROWS], ('name', 'value'))}{rest(used)}" if used else _NOTHING_TO_DO
    picture = "" if plan.problem.picture is None or report.x is None else drawn(plan.problem.picture, report.x, y)
    return (
        f'<h2 id="plan-title">What to do in scenario {name}</h2>'
        f'<p class="live" id="plan-note" aria-live="polite"></p>{picture}'
        f'<div class="still narrow">{listed}</div><div class="live narrow"><div id="plan-table"></div></div>'
    )


def _comparison(comparison: Comparison) -> str:
    """The comparison as a section."""
    compared = comparison_table(comparison).markup(text.words_of(comparison), MAX_ROWS)
    return (
        '<section id="comparison" aria-labelledby="comparison-title">'
        '<h2 id="comparison-title">Comparison with other decisions</h2>'
        f'<div class="still">{compared}{rest(comparison.names)}</div>'
        '<div class="live" id="comparison-table"></div></section>\n'
    )


def _questions(tradeoff: Tradeoff | None, insights: Insights | None) -> str:
    """Sections for what was asked besides the decision."""
    known = "" if insights is None else insights_section(insights)
    return known + ("" if tradeoff is None else tradeoff_section(tradeoff))


def _proof(report: Report) -> str:
    steps, words = report.iterations, text.words_of(report)
    took = f"{counted(len(steps), 'step')} in {report.runtime:.2f} s."
    ended = f"The optimum lies between {words.worst} and {words.bound}. {took}"
    if len(steps) < 2:  # one step is no line
        worst, bound = _unknown_or(report.value, "not known"), _unknown_or(report.lower_bound, "none proved")
        return f'<p class="note">{ended} At the end: {words.worst} {worst}, {words.bound} {bound}.</p>{_chosen(report)}'
    head = ("seconds", "scenarios", words.bound, words.worst)
    rows = [
        (
            f"{step.seconds:.2f}",
            f"{step.num_scenarios:,}",
            _unknown_or(step.lower_bound, "none yet"),
            _unknown_or(step.worst_case, "none yet"),
        )
        for step in steps
    ]
    return (
        f'<p class="note">{ended}</p>'
        f'<div class="still">{convergence_chart(steps, report.runtime, words)}</div>'
        '<div class="live"><div class="plot" id="proof-plot" role="img" '
        'aria-label="bounds over time; the numbers are in the table below"></div>'
        '<p class="legend" id="proof-keys"></p><p class="note" id="proof-readout"></p></div>'
        f'{_chosen(report)}<details><summary>step by step</summary><div class="still">'
        f"{table(rows[-MAX_ROWS:], head, numeric=(0, 1, 2, 3))}{rest(rows)}"
        '</div><div class="live" id="steps-table"></div></details>'
    )


def _chosen(report: Report) -> str:
    """The table of gains or scores."""
    chosen = chosen_table(report)
    if chosen is None:
        return ""
    return (
        f'<div class="still">{chosen.markup(text.words_of(report), MAX_ROWS)}{rest(chosen.columns[0].values)}</div>'
        '<div class="live" id="chosen-table"></div>'
    )


def _unknown_or(value: float, unknown: str) -> str:
    return text.number(value) if math.isfinite(value) else unknown


def provenance(report: Report, given: Mapping[str, str]) -> dict[str, str]:
    """Origin of the answer, by name: the caller's facts, then method, versions and date of the page."""
    return {
        **given,
        "method": report.reducer,
        **_engine(report),
        "neurprise": metadata.version("neurprise"),
        "python": f"{platform.python_version()} on {platform.system()}",
        "page written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _engine(report: Report) -> dict[str, str]:
    """The engine, if it was used."""
    if report.num_solves == 0:
        return {}
    return {"engine": f"{report.solver} {engine_version(report.solver) or ''}".strip()}
