"""Figures with matplotlib: what they draw is what the report says."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import neurprise as nr

matplotlib = pytest.importorskip("matplotlib", reason="figures need matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    from matplotlib import pyplot

    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def problem():
    return nr.make_vertex_cover(10, 30, seed=2)


@pytest.fixture(scope="module")
def report(problem):
    return nr.solve(problem, "prise", 3)


def lines(ax):
    """Label -> heights of a line."""
    return {line.get_label(): np.asarray(line.get_ydata()) for line in ax.get_lines()}


def test_costs_fall_from_the_worst_on(problem, report):
    """All scenarios, the kept ones marked, other decisions beside them."""
    drawn = lines(nr.plot.costs(report, comparison=nr.compare(problem, {"none yet": np.zeros(10)})))
    assert drawn["this decision"].tolist() == sorted(nr.evaluate(problem, report.x).total_costs, reverse=True)
    assert len(drawn["scenarios kept"]) == len(report.scenarios)
    assert sorted(drawn["none yet"]) == sorted(nr.evaluate(problem, np.zeros(10)).total_costs)


def test_the_history_ends_at_the_answer(report):
    """Both bounds, with the words of the report."""
    drawn = lines(nr.plot.convergence(report))
    assert drawn["worst case"][-1] == report.worst_case
    assert drawn["lower bound"][-1] == report.lower_bound


def test_gains_are_bars(report):
    """One a scenario; a reducer without gains is named."""
    assert tuple(bar.get_height() for bar in nr.plot.gains(report).patches) == report.gains
    with pytest.raises(nr.InputError, match="'exact' computes neither gains nor scores"):
        nr.plot.gains(nr.solve(report.problem))
    ranked = nr.solve(report.problem, "maxsum", 3)
    assert tuple(bar.get_height() for bar in nr.plot.gains(ranked).patches) == ranked.scores


def test_compared_decisions_show_their_worst(problem, report):
    """One box a decision, in the axes that are given."""
    from matplotlib import pyplot

    compared = nr.compare(problem, {"robust": report}, mean=True)
    ax = pyplot.figure().add_subplot()
    assert nr.plot.comparison(compared, ax=ax) is ax
    assert lines(ax)["worst"].tolist() == compared.worst_case.tolist()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["robust", "best for the mean of the data"]


def test_the_graph_shows_the_cover(report):
    """Nodes taken now, added later, and left out, in any scenario."""
    ax = nr.plot.picture(report, 4)
    counts = {dots.get_label(): len(dots.get_offsets()) for dots in ax.collections}
    now, whole = int(report.x.sum()), int(sum(report.recourse(4).values()))
    assert counts == {"in the cover now": now, "added in this scenario": whole - now, "not in the cover": 10 - whole}


def test_what_cannot_be_drawn_is_refused_with_a_sentence(report):
    """A problem without a picture, a report without its problem."""
    with pytest.raises(nr.InputError, match="no picture"):
        nr.plot.picture(nr.solve(nr.make_selection(4, 3, seed=0)))
    with pytest.raises(nr.InputError, match="pass problem="):
        nr.plot.costs(nr.Report.from_json(report.to_json()))


def test_without_matplotlib_the_remedy_is_named(report, monkeypatch):
    """The extra that installs it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(nr.MissingDependencyError, match=r"neurprise\[plot\]"):
        nr.plot.costs(report)
