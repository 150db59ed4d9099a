"""Problems, reductions and reports in notebooks: tables whose texts are escaped."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import neurprise as nr

EVIL = "<script>alert(1)</script>&\"'"


class Balanced(HTMLParser):
    """Refuses markup whose elements do not nest, and collects text and tags."""

    def __init__(self, markup: str):
        super().__init__()
        self.open, self.tags, self.text = [], set(), ""
        self.feed(markup)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def problem():
    return nr.make_selection(4, 3, seed=1).with_labels(
        x_names=[f"{EVIL}{i}" for i in range(4)], scenario_names=[f"{EVIL}{s}" for s in range(3)]
    )


def test_a_problem_shows_its_sizes(problem):
    """How many scenarios, variables and rows, and what scenarios change."""
    cell = Balanced(problem._repr_html_())
    assert "selection problem" in cell.text
    assert "4 integer, 1 row" in cell.text
    assert "4 costs" in cell.text


def test_a_report_shows_decision_and_verdict(problem):
    """Names from files are text, never markup."""
    report = nr.solve(problem)
    cell = Balanced(report._repr_html_())
    assert "script" not in cell.tags
    assert all(name in cell.text for name, value in report.decision.items() if value)
    assert "whichever scenario comes" in cell.text


def test_a_comparison_is_a_table(problem):
    """Names are escaped, the best of a column has its star, and the note on planned decisions is there."""
    cell = Balanced(nr.compare(problem, {"<b>": nr.solve(problem)}, mean=True)._repr_html_())
    assert "<b>" in cell.text
    assert "worst case" in cell.text
    assert "no star, because" in cell.text


@pytest.mark.parametrize("method", ["prise", "maxsum"])
def test_a_reduction_shows_what_it_keeps(problem, method):
    """One row per scenario, with gains where the method computes them."""
    reduction = nr.reducers.get_reducer(method).reduce(problem, 2)
    cell = Balanced(reduction._repr_html_())
    assert all(str(s) in cell.text for s in reduction.indices)
    assert ("V(kept)" in cell.text) == (reduction.gains is not None)
