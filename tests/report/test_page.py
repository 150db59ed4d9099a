"""The page without a browser: honest sentences, charts with numbers, nothing from outside. tests/browser opens it."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

import neurprise as nr
from docs import vendor
from neurprise.report.page import content, render
from neurprise.report.page.chart import convergence_chart
from neurprise.report.page.columns import comparison_table
from neurprise.report.page.elements import MAX_ROWS
from neurprise.search.session import Iteration

VOID = ("meta", "input", "br")
EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def problem() -> nr.TwoStageProblem:
    return nr.make_selection(8, 12, seed=7)


@pytest.fixture(scope="module")
def report(problem: nr.TwoStageProblem) -> nr.Report:
    return nr.solve(problem)


class FirstOnly:
    """Keeps the first scenario."""

    name = "first-only"

    def reduce(self, problem, budget, seed=0):
        return nr.reducers.Reduction((0,))


class Tags(HTMLParser):
    """Refuses markup whose elements do not nest; collects tags, texts, and attributes that could load something."""

    def __init__(self, page: str):
        super().__init__()
        self.tags, self.loads, self.text, self._open = [], [], "", []
        self.feed(page)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loads += [value for name, value in attrs if name in ("src", "href") and not value.startswith("#")]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] not in ("script", "style"):
            self.text += data


def data_of(page: str) -> dict:
    """What the page's script reads."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


def test_the_page_is_well_formed_and_loads_nothing(report):
    """Every element is closed; nothing points outside; a policy forbids whatever would."""
    page = render(report, "instance")
    assert Tags(page).loads == []
    assert "default-src 'none'" in page
    assert re.findall(r"https?://(?!www\.w3\.org/|github\.com/leeoniya)", page) == []


def test_an_optimal_answer_is_called_optimal(report):
    """The verdict is a sentence."""
    assert "it is optimal" in render(report, "instance")


def test_a_gap_is_stated_in_percent(report):
    """A decision that may not be the best says how far off it can be."""
    page = render(replace(report, lower_bound=report.worst_case / 1.1), "instance")
    assert "at most 10 % (proved)" in page


def test_no_decision_is_admitted(report):
    """A search that found nothing has a page too."""
    empty = replace(report, x=None, worst_case=math.inf, worst_scenario=None, status=nr.Status.TIME_LIMIT)
    assert "No decision was found (time limit)" in Tags(render(empty, "instance")).text


def test_a_decision_that_was_not_checked_on_all_is_called_so(report):
    """Its page lists the scenarios kept, and evaluates no others."""
    part = replace(report, worst_case=math.inf, num_checked=3)
    page = render(part, "instance")
    assert "checked on 3 of 12 scenarios only" in page
    assert data_of(page)["scenarios"]["number"] == list(report.scenarios)


def test_a_report_without_its_problem_has_a_page(report, problem):
    """The costs are missing there, unless the problem is given again."""
    alone = nr.Report.from_json(report.to_json())
    assert data_of(render(alone, "instance"))["scenarios"] is None
    costs = data_of(render(alone, "instance", problem))["scenarios"]["cost"]
    assert costs == nr.evaluate(problem, report.x).total_costs.tolist()


def test_names_from_files_are_escaped(problem):
    """Names of scenarios and variables and the title are text, never markup."""
    storms = [f"{EVIL}{s}" for s in range(problem.num_scenarios)]
    items = [f"</script>{i}" for i in range(problem.num_first_stage)]
    page = render(nr.solve(problem.with_labels(scenario_names=storms, x_names=items)), EVIL)
    assert page.count("<script") == 4
    assert page.count("</script") == 4
    assert Tags(page).text.count("</script>") > 0


def test_scenarios_are_ordered_from_the_worst_on(report, problem):
    """Kept ones carry the place of their choice."""
    shown = data_of(render(report, "instance"))["scenarios"]
    costs = [shown["cost"][k] for k in shown["order"]]
    assert costs == sorted(costs, reverse=True)
    assert [shown["chosen"][s] for s in report.scenarios] == list(range(1, len(report.scenarios) + 1))


def test_ties_are_named():
    """Scenarios as bad as the worst one are listed."""
    page = render(nr.solve(nr.Selection([5.0, 6.0], [[9.0, 9.0]] * 3, 1)), "instance")
    assert "Equally bad: 0, 1, 2." in page
    assert "in scenario 0 and 2 more" in page


def test_costs_that_differ_by_rounding_are_tied():
    """As recourse that an engine or a simplex computes may."""
    costs = [[9.0, 9.0], [9.0 + 1e-13, 9.0 + 1e-13], [8.0, 8.0]]
    assert "Equally bad: 0, 1." in render(nr.solve(nr.Selection([50.0, 60.0], costs, 1)), "instance").replace(
        ": 1, 0", ": 0, 1"
    )


def test_profits_are_called_profits():
    """A maximisation has a guarantee, and its worst scenario is the one of least profit."""
    plan = nr.TwoStageProblem.from_matrices(
        [0.0], None, None, [[-1.0]], [0.0], [[1.0]], None, None, [[3.0], [2.0]],
        x_integer=True, y_integer=False, x_upper=4, maximize=True,
    )  # fmt: skip
    page = render(nr.solve(plan), "instance")
    assert "guarantees a profit of at least 8" in page
    assert data_of(page)["scenarios"]["order"] == [1, 0]


def test_a_decision_without_recourse_is_told():
    """Infinite costs are words in the page."""
    report = nr.solve(nr.FacilityLocation([1.0], [1.0], [10.0], [[1.0]], [[5.0], [20.0]]), FirstOnly(), 1)
    page = render(report, "instance")
    assert "no recourse in some scenarios (1)" in page
    assert data_of(page)["scenarios"]["cost"][1] == "inf"


def test_gains_are_shown_where_the_reducer_has_them(problem):
    """PRISE has gains, MaxSum has scores, K-means neither."""
    pages = {name: render(nr.solve(problem, name, 2), "instance") for name in ("prise", "maxsum", "kmeans")}
    assert "gain of each scenario" in pages["prise"]
    assert "scores of maxsum" in pages["maxsum"]
    assert "in the order of choice" not in pages["kmeans"] + pages["maxsum"]


@pytest.mark.parametrize("method", ["maxsum", "singlevalue", "relaxation", "neurprise"])
def test_scores_are_shown_where_the_reducer_ranks_by_them(problem, method):
    """By falling score, also under a time limit that sufficed for all scenarios."""
    report = nr.solve(problem, method, 3, time_limit=60)
    shown = data_of(render(report, "instance"))["chosen"]
    names, scores, bars = (column["values"] for column in shown["columns"])
    assert f"scores of {method}" in shown["caption"]
    assert names == [report.scenario_name(s) for s in report.scenarios]
    assert scores == pytest.approx(sorted(report.scores, reverse=True))
    assert max(bars) == 100.0


def test_single_values_are_the_scores_of_their_reducer():
    """V({j}), the optimum if scenario j were certain."""
    problem = nr.make_vertex_cover(8, 6, seed=1)
    report = nr.solve(problem, "singlevalue", 2)
    alone = [nr.solve(problem.restrict([s])).worst_case for s in report.scenarios]
    assert report.scores == pytest.approx(alone)


@pytest.mark.parametrize("method", ["prise", "ccg"])
def test_the_history_begins_while_scenarios_are_chosen(method):
    """One line a chosen scenario, and bounds that only close."""
    steps = nr.solve(nr.make_vertex_cover(12, 30, seed=2), method, 3).iterations
    assert [step.num_scenarios for step in steps[:2]] == [1, 2]
    assert all(a.lower_bound <= b.lower_bound and a.worst_case >= b.worst_case for a, b in pairwise(steps))


def test_scores_survive_json(problem):
    """As gains do."""
    report = nr.solve(problem, "maxsum", 2)
    severity = problem.severity
    assert report.scores == tuple(severity[list(report.scenarios)])
    assert nr.Report.from_json(report.to_json()).scores == report.scores


def test_other_decisions_stand_beside_it(problem, report):
    """In a table, and as columns of the scenarios; the decision itself is not repeated."""
    comparison = nr.compare(problem, {"robust": report, "none yet": np.zeros(8)}, mean=True)
    page = render(report, "instance", comparison=comparison, regret=True)
    assert [column["title"] for column in data_of(page)["scenarios"]["others"]] == [
        "best in hindsight", "regret", "none yet", "best for the mean of the data",
    ]  # fmt: skip
    assert "Comparison with other decisions" in page


@pytest.mark.parametrize("name", ["regret", "best in hindsight", "cost", "2"])
def test_a_decision_may_be_called_as_a_column_is(problem, report, name):
    """Both columns are there, each with its own numbers."""
    comparison = nr.compare(problem, {"robust": report, name: np.zeros(8)})
    others = data_of(render(report, "instance", comparison=comparison, regret=True))["scenarios"]["others"]
    known, regret, other = others
    marked = name if name == "2" else f"{name} (decision)"
    assert (known["title"], regret["title"], other["title"]) == ("best in hindsight", "regret", marked)
    assert other["values"] == pytest.approx(comparison.totals[1])
    assert regret["values"] != other["values"]
    assert (regret["drawn"], other["drawn"]) == (False, True)


def test_only_what_may_be_best_is_bold(problem, report):
    """A decision for the mean of the data is not best in the mean, and nothing infinite is best."""
    comparison = nr.compare(problem, {"robust": report}, mean=True)
    table = comparison_table(comparison)
    assert "never bold, because meant for none of these columns: best for the mean" in table.caption
    assert all(not column.best or not column.best[1] for column in table.columns)


def test_long_tables_are_cut_for_readers_without_scripts():
    """The script's own tables turn pages."""
    large = nr.Selection(np.ones(2 * MAX_ROWS), np.ones((1, 2 * MAX_ROWS)), 2 * MAX_ROWS)
    assert f"and {MAX_ROWS} more" in render(nr.solve(large), "instance")


def test_a_thousand_scenarios_take_less_than_300_kilobytes():
    """Also where every one of them has a plan of its own; plans that do not fit are left out, the worst last."""
    problem = nr.make_facility_location(20, 30, 1000, seed=1)
    page = render(nr.solve(problem, "maxsum", 2), "instance")
    assert len(page.encode()) < 300_000
    assert len(re.search(r'id="plans">(.*?)</script>', page)[1]) < content.MAX_CHARACTERS * 1.1


def test_where_it_comes_from_is_told(report, tmp_path):
    """Versions and the method; what the caller adds comes first."""
    report.to_html(tmp_path / "plan.html", provenance={"file": "mine.toml"})
    page = (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert "<title>plan</title>" in page
    assert all(word in page for word in ("mine.toml", "page written"))


@pytest.mark.parametrize(("num_solves", "is_named"), [(0, False), (1, True)])
def test_the_engine_is_named_where_it_was_asked(report, num_solves, is_named):
    """Listing every decision takes none."""
    assert ("highs 1." in render(replace(report, num_solves=num_solves), "instance")) is is_named


def test_a_maximisation_earns():
    """Profits are no costs; nothing to do is told in words, and there are no halves of scenarios."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[-1.0], A=None, d=None, G=[[1.0]], h=[0.0], E=[[1.0]], M=[[-1.0]], xi=[[4.0], [7.0]], b=[-3.0],
        x_integer=True, y_integer=False, x_upper=9, maximize=True,
    )  # fmt: skip
    page = render(nr.solve(problem), "instance")
    assert "Its profit in every scenario" in page
    assert "Nothing to do: every recourse variable is 0." in page
    assert ">1.2</text>" not in page


def test_a_cost_below_zero_is_not_promised_never_to_rise():
    """ "never costs more than -5" must be read twice."""
    problem = nr.TwoStageProblem.from_matrices(
        [-1000.3], None, None, [[1.0]], [0.0], [[0.0]], None, None, [[1.0], [2.0]],
        x_integer=True, y_integer=False, x_upper=4,
    )  # fmt: skip
    assert "This decision costs -4,001.2 in the worst case" in render(nr.solve(problem), "instance")


def test_a_page_ends_in_html(report, tmp_path):
    """A name with another suffix is refused."""
    with pytest.raises(nr.InputError, match=r"must end in .html or .htm, got .*plan.pdf"):
        report.to_html(tmp_path / "plan.pdf")


def test_every_tile_is_explained(problem, report):
    """Also those of another objective and of a second engine."""
    full = nr.solve(problem, objective="cvar:0.9")
    for answer in (report, full, replace(report, worst_case=math.inf, num_checked=3)):
        shown = re.search(r'<section id="numbers".*?</section>', render(answer, "instance"), re.S)[0]
        names, meanings = (re.findall(r"<dt>(.*?)</dt>", part) for part in shown.split("<details>"))
        assert names == meanings
        assert len(set(names)) == len(names) > 4
        assert "<dd></dd>" not in shown.split("<details>")[1]


def test_the_decision_comes_right_after_the_headline(report):
    """Before numbers, charts and tables."""
    page = render(report, "instance")
    sections = re.findall(r'<section id="(\w+)"', page)
    assert sections[:3] == ["decision", "numbers", "costs"]


def test_indexed_decisions_are_a_grid():
    """Units by hours; rounding of an engine is shown as zero."""
    names = [f"on[{unit}, {hour}]" for unit in ("coal", "gas") for hour in (1, 2)]
    report = nr.solve(nr.make_selection(4, 3, seed=1).with_labels(x_names=names))
    page = render(replace(report, x=np.array([1.0, 2.5, 1e-15, 0.0])), "instance")
    cells = re.findall(r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>", re.search(r'<table class="grid">.*?</table>', page, re.S)[0])
    assert cells == ["", "1", "2", "coal", "1", "2.5", "gas", "0", "0"]


def test_a_single_step_and_a_single_scenario_are_no_charts():
    """A sentence says the numbers."""
    report = nr.solve(nr.Selection([5.0, 6.0], [[9.0, 9.0]], 1))
    page = render(replace(report, iterations=report.iterations[:1]), "instance")
    assert "There is only one scenario." in page
    assert "At the end: worst case 5, lower bound 5." in page
    assert "<svg" not in page.split("<footer>")[0]
    assert 'id="proof-plot"' not in page


def test_the_chart_draws_both_bounds_over_time():
    """One dot per reduced problem and bound, and one at the end; unknown values have none."""
    steps = [Iteration(1, 5.0, math.inf, 0.1), Iteration(2, 6.0, 9.0, 0.2), Iteration(3, 8.0, 8.0, 0.3)]
    chart = convergence_chart(steps, 0.4)
    assert chart.count("<circle") == 7
    assert "seconds" in chart


def test_a_chart_without_data_is_a_sentence():
    """Nothing to draw is said in words."""
    assert convergence_chart([], 1.0) == "<p>No reduced problem was solved in time.</p>"


def test_the_embedded_library_is_the_one_that_was_checked():
    """`make vendor` writes files and hashes together."""
    assert vendor.hashes() == {name: entry["sha256"] for name, entry in vendor.manifest()["files"].items()}
