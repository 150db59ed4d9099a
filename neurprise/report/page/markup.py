"""The page: text, tables and drawings for readers without scripts, and its origin."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from html import escape
from importlib import metadata, resources
from string import Template
from typing import TYPE_CHECKING, Any

from neurprise.errors import counted, part_of, visible
from neurprise.recourse.plan import Plan
from neurprise.report import text
from neurprise.report.page.chart import convergence_chart, costs_chart, drawn
from neurprise.report.page.columns import chosen_table, comparison_table
from neurprise.report.page.content import PackedPlans, ScenarioCosts, packed_plans, page_data, plan_of, scenario_costs
from neurprise.report.page.questions import insights_section, tradeoff_section
from neurprise.solvers import engine_version

if TYPE_CHECKING:
    from neurprise.problem import TwoStageProblem
    from neurprise.report.comparison import Comparison
    from neurprise.report.insights import Insights
    from neurprise.report.report import Report
    from neurprise.report.tradeoff import Tradeoff

#: Tables for readers without scripts are cut; the JSON at the end of the page is complete.
MAX_ROWS = 40
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
$facts
<details><summary>what the numbers mean</summary><p>$formula</p></details>
</header>
<main>
<section id="costs" aria-labelledby="costs-title"><h2 id="costs-title">Its $cost in every scenario</h2>
$costs</section>
<section id="decision" aria-labelledby="decision-title"><h2 id="decision-title">The decision</h2>
$decision</section>
<section id="plan" aria-labelledby="plan-title">$plan</section>
$comparison$questions<section id="proof" aria-labelledby="proof-title"><h2 id="proof-title">Bounds over time</h2>
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
        "facts": _facts(report, scenarios),
        "formula": escape(text.formula(report)),
        "costs": _costs(report, scenarios),
        "decision": _decision(report),
        "plan": _plan(report, plan, scenarios),
        "comparison": "" if comparison is None else _comparison(comparison),
        "questions": _questions(tradeoff, insights),
        "proof": _proof(report),
        "provenance": _table(provenance(report, facts or {}).items(), style="provenance"),
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


def _facts(report: Report, scenarios: ScenarioCosts | None) -> str:
    value = text.number(report.value) if math.isfinite(report.value) else "not known"
    bound = text.number(report.lower_bound) if math.isfinite(report.lower_bound) else "none proved"
    percent = f"{report.regret_bound:.3g} %" if math.isfinite(report.regret_bound) else "no percentage"
    gap = percent if math.isfinite(report.absolute_gap) else "not bounded"
    facts = {
        text.words_of(report).worst: (value, _meaning(report, scenarios)),
        text.words_of(report).bound: (bound, "proved" if math.isfinite(report.lower_bound) else ""),
        "gap": (gap, f"at most {text.absolute_gap(report)}" if math.isfinite(report.absolute_gap) else ""),
        **{name: (words, "") for name, words in text.other_rows(report).items()},
        "scenarios kept": (f"{len(report.scenarios):,}", f"of {report.num_scenarios:,}"),
        "status": (
            report.status.value,
            f"{counted(report.num_solves, 'solve')}, {report.runtime:.2f} s",
        ),
    }
    if report.averages is not None:
        mean, _, tail = str(report.averages).partition(", ")
        facts["expected"] = mean, tail
    if report.verification is not None:
        facts["second engine"] = ("agrees" if report.verification.agrees else "see below", str(report.verification))
    cards = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}<small>{escape(detail)}</small></dd></div>"
        for name, (value, detail) in facts.items()
    )
    return f'<dl class="facts">{cards}</dl>'


def _meaning(report: Report, scenarios: ScenarioCosts | None) -> str:
    """Where the worst case is attained, or the name of another objective."""
    return _where(report, scenarios) if report.objective == text.WORST else report.objective


def _where(report: Report, scenarios: ScenarioCosts | None) -> str:
    """The worst scenario by name, and the number of others that are as bad."""
    if report.worst_scenario_name is None:
        return ""
    ties = 1 if scenarios is None or len(scenarios.numbers) < report.num_scenarios else scenarios.ties
    others = f" and {ties - 1:,} more" if ties > 1 else ""
    return f"in scenario {report.worst_scenario_name}{others}"


def _costs(report: Report, scenarios: ScenarioCosts | None) -> str:
    if scenarios is None:
        why = "No decision was found." if report.x is None else "This page was made without its problem."
        return f"<p>{why}</p>"
    if not scenarios.numbers:
        return "<p>The decision was not checked on all scenarios.</p>"
    part = len(scenarios.numbers) < report.num_scenarios
    caution = "<p>The decision was not checked on all scenarios; those kept are listed.</p>" if part else ""
    words = text.words_of(report)
    dashes = f"Dashed: {words.worst} and {words.bound}."
    rows = [(scenarios.names[k], words.amount(float(scenarios.costs[k]))) for k in scenarios.order[:MAX_ROWS]]
    return (
        f'{caution}<p class="note">{_tie_words(report, scenarios)}'
        '<span class="live">Click a point or a name to see its recourse; the arrow keys move along the chart. '
        f"{escape(dashes)}</span></p>"
        f'<div class="still">{costs_chart(scenarios, report.scenarios, words)}'
        f"{_table(rows, ('scenario', words.cost))}{_rest(scenarios.numbers)}</div>"
        '<div class="live"><div class="plot" id="costs-plot" tabindex="0" role="group" '
        'aria-label="chart by scenario; left and right arrow keys choose a scenario"></div>'
        '<div id="scenario-table"></div></div>'
    )


def _tie_words(report: Report, scenarios: ScenarioCosts) -> str:
    if scenarios.ties < 2 or not math.isfinite(report.worst_case):
        return ""
    worst = scenarios.order[: scenarios.ties]
    return escape(f"Equally bad: {text.scenarios(scenarios.names[k] for k in worst)}. ")


def _decision(report: Report) -> str:
    if report.decision is None:
        return "<p>None was found.</p>"
    chosen = [(name, text.number(value)) for name, value in report.decision.items() if value != 0]
    some_zero = len(chosen) < len(report.decision)
    used = part_of(len(chosen), len(report.decision), "variable")
    words = f"Not zero: {used}." if some_zero else "No variable is zero."
    return (
        f'<p class="note">{words}</p><div class="still narrow">'
        f"{_table(chosen[:MAX_ROWS], ('name', 'value'))}{_rest(chosen)}</div>"
        '<div class="live narrow" id="decision-table"></div>'
    )


def _plan(report: Report, plan: Plan | None, scenarios: ScenarioCosts | None) -> str:
    """The recourse in the worst scenario; the script replaces it by others."""
    if plan is None or scenarios is None or not scenarios.numbers:
        return '<h2 id="plan-title">What to do</h2><p>No plan is known.</p>'
    first = scenarios.order[0]
    name = f'<span id="plan-scenario">{escape(scenarios.names[first])}</span>'
    y, table = None, "<p>The decision has no recourse in this scenario.</p>"
    if math.isfinite(scenarios.costs[first]):
        y = plan.recourse_vector(scenarios.numbers[first])
        used = [(name, text.number(value)) for name, value in plan.problem.named_recourse(y).items() if value != 0]
        table = f"{_table(used[:MAX_ROWS], ('name', 'value'))}{_rest(used)}" if used else _NOTHING_TO_DO
    picture = "" if plan.problem.picture is None or report.x is None else drawn(plan.problem.picture, report.x, y)
    return (
        f'<h2 id="plan-title">What to do in scenario {name}</h2>'
        f'<p class="live" id="plan-note" aria-live="polite"></p>{picture}'
        f'<div class="still narrow">{table}</div><div class="live narrow"><div id="plan-table"></div></div>'
    )


def _comparison(comparison: Comparison) -> str:
    """The comparison as a section."""
    table = comparison_table(comparison).markup(text.words_of(comparison), MAX_ROWS)
    return (
        '<section id="comparison" aria-labelledby="comparison-title">'
        '<h2 id="comparison-title">Comparison with other decisions</h2>'
        f'<div class="still">{table}{_rest(comparison.names)}</div>'
        '<div class="live" id="comparison-table"></div></section>\n'
    )


def _questions(tradeoff: Tradeoff | None, insights: Insights | None) -> str:
    """Sections for what was asked besides the decision."""
    known = "" if insights is None else insights_section(insights)
    return known + ("" if tradeoff is None else tradeoff_section(tradeoff))


def _proof(report: Report) -> str:
    steps = report.iterations
    rows = [
        (
            f"{step.seconds:.2f}",
            f"{step.num_scenarios:,}",
            _unknown_or(step.lower_bound, "none yet"),
            _unknown_or(step.worst_case, "none yet"),
        )
        for step in steps
    ]
    head = ("seconds", "scenarios", text.words_of(report).bound, text.words_of(report).worst)
    ended = f"{counted(len(steps), 'step')} in {report.runtime:.2f} s."
    return (
        f'<p class="note">The optimum lies between the two lines. {ended}</p>'
        f'<div class="still">{convergence_chart(steps, report.runtime, text.words_of(report))}</div>'
        '<div class="live"><div class="plot" id="proof-plot" role="img" '
        'aria-label="bounds over time; the numbers are in the table below"></div></div>'
        f'{_chosen(report)}<details><summary>step by step</summary><div class="still">'
        f"{_table(rows[-MAX_ROWS:], head, numeric=(0, 1, 2, 3))}{_rest(rows)}</div>"
        '<div class="live" id="steps-table"></div></details>'
    )


def _chosen(report: Report) -> str:
    """The table of gains or scores."""
    table = chosen_table(report)
    if table is None:
        return ""
    return (
        f'<div class="still">{table.markup(text.words_of(report), MAX_ROWS)}{_rest(table.columns[0].values)}</div>'
        '<div class="live" id="chosen-table"></div>'
    )


def _table(
    rows: Iterable[Sequence[str]], head: Sequence[str] = (), *, style: str = "", numeric: Sequence[int] = (1,)
) -> str:
    """A table of texts; without a header row, the first column is the header."""
    right = [' class="number"' if head and k in numeric else "" for k in range(max(len(head), 2))]
    titles = "".join(f'<th scope="col"{right[k]}>{escape(name)}</th>' for k, name in enumerate(head))
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{escape(entry)}</th>' if not head and k == 0 else f"<td{right[k]}>{escape(entry)}</td>"
            for k, entry in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    top = f"<thead><tr>{titles}</tr></thead>" if head else ""
    return f'<div class="scroll"><table class="{style}">{top}<tbody>{body}</tbody></table></div>'


def _rest(items: Sequence[object]) -> str:
    more = len(items) - MAX_ROWS
    return f'<p class="note">and {more:,} more</p>' if more > 0 else ""


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
