"""The HTML report: honest sentences, a chart, names from the problem, nothing from outside."""

from __future__ import annotations

import math
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import neurprise as nr
from neurprise.convergence import Iteration
from neurprise.report.chart import convergence_chart
from neurprise.report.html import MAX_ROWS, render


@pytest.fixture(scope="module")
def problem() -> nr.TwoStageProblem:
    return nr.make_selection(8, 12, seed=7)


@pytest.fixture(scope="module")
def report(problem: nr.TwoStageProblem) -> nr.Report:
    return nr.solve(problem)


class Tags(HTMLParser):
    """Collects opened and closed tags, and every attribute that could load something."""

    def __init__(self, page: str):
        super().__init__()
        self.open, self.closed, self.loads = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.loads += [value for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag):
        self.closed.append(tag)


def test_the_page_is_well_formed_and_loads_nothing(report):
    """Every element is closed; nothing points outside."""
    tags = Tags(render(report, "instance"))
    assert tags.loads == []
    assert sorted(tag for tag in tags.open if tag not in ("meta", "circle", "path")) == sorted(
        tag for tag in tags.closed if tag not in ("circle", "path")
    )


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
    assert "No decision was found (time limit)" in render(empty, "instance")


def test_names_from_files_are_escaped(problem):
    """Names of scenarios and variables and the title are text, never markup."""
    storms = [f"<b>storm {s}</b>" for s in range(problem.num_scenarios)]
    items = [f"<script>{i}</script>" for i in range(problem.num_first_stage)]
    page = render(nr.solve(problem.with_labels(scenario_names=storms, x_names=items)), "<script>")
    assert "&lt;b&gt;storm" in page
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "<b>" not in page


def test_long_decisions_are_cut():
    """The table stays readable; the JSON has everything."""
    large = nr.Selection(np.ones(2 * MAX_ROWS), np.ones((1, 2 * MAX_ROWS)), 2 * MAX_ROWS)
    assert f"and {MAX_ROWS} more" in render(nr.solve(large), "instance")


def test_the_chart_draws_both_bounds():
    """One dot per reduced problem and bound; unknown values have none."""
    steps = [Iteration(1, 5.0, math.inf, 0.1), Iteration(2, 6.0, 9.0, 0.2), Iteration(3, 8.0, 8.0, 0.3)]
    chart = convergence_chart(steps)
    assert chart.count("<circle") == 5
    assert "3 reduced problems, 0.30 s" in chart


def test_a_chart_without_data_is_a_sentence():
    """Nothing to draw is said in words."""
    assert convergence_chart([]) == "<p>No reduced problem was solved in time.</p>"
