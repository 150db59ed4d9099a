"""report.expected and report.cvar: always there, whatever was asked; judged by linear programs written here."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

import neurprise as nr


def tail_mean(costs, weights, level):
    """max p'costs with p <= weights / (1 - level), as a linear program."""
    bounds = [(0, weight / (1 - level)) for weight in weights]
    found = linprog(-costs, A_eq=np.ones((1, len(costs))), b_eq=[1], bounds=bounds)
    return -found.fun


def sold(prices, asked):
    """Buy x at 2, sell at the price of the scenario what is asked for: a maximisation."""
    return nr.TwoStageProblem.from_matrices(
        [-2], None, None, [[1], [1]], [0, 0], [[-1], [0]], [[0], [-1]], np.array(asked)[:, None],
        np.array(prices)[:, None], x_integer=True, y_integer=True, x_upper=9, maximize=True, y_row_sense="<=",
    )  # fmt: skip


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_mean_and_tail_are_those_of_all_scenarios(seed, weighted):
    """Of reports and evaluations, with the probabilities of the problem or equal ones."""
    weights = np.random.default_rng(seed).dirichlet(np.ones(12)) if weighted else np.full(12, 1 / 12)
    problem = nr.make_selection(6, 12, seed).with_labels(probabilities=weights if weighted else None)
    report = nr.solve(problem)
    evaluation = nr.evaluate(problem, report.x)
    for answer in (report, evaluation):
        assert answer.expected == pytest.approx(weights @ evaluation.total_costs)
        for level in (0.0, 0.3, 0.9, 0.999):
            assert answer.cvar(level) == pytest.approx(tail_mean(evaluation.total_costs, weights, level))
    steps = [report.expected, report.cvar(0.5), report.cvar(0.9), report.worst_case]
    assert (np.diff(steps) >= -1e-12 * report.worst_case).all()
    assert max(steps) == report.worst_case
    assert ("by the problem's probabilities" if weighted else "equally likely") in str(report)


def test_integer_recourse_is_priced_on_all_scenarios():
    """The search leaves many costs open there; the answer does not."""
    problem = sold([3, 4, 5, 3], [7, 2, 9, 4])
    report = nr.solve(problem)
    costs = nr.evaluate(problem, report.x).total_costs
    assert report.expected == pytest.approx(costs.mean())


def test_of_profits_the_lowest_are_the_tail():
    """The mean of the lower half of four profits."""
    problem = sold([3, 4, 5, 3], [7, 2, 9, 4])
    evaluation = nr.evaluate(problem, [4])
    profits = np.sort(evaluation.total_costs)
    assert evaluation.cvar(0.5) == pytest.approx(profits[:2].mean())
    assert evaluation.expected == pytest.approx(profits.mean())
    assert "lowest tenth" in str(nr.solve(problem))


def test_a_scenario_without_recourse_costs_everything_unless_it_is_impossible():
    """One small depot serves the first day only."""
    problem = nr.FacilityLocation([5], [1], [9], [[1]], [[5], [10]])
    assert nr.evaluate(problem, [1, 9]).expected == math.inf
    likely = problem.with_labels(probabilities=[1, 0])
    evaluation = nr.evaluate(likely, [1, 9])
    assert evaluation.expected == evaluation.cvar(0.9) == evaluation.total_costs[0]


def test_one_scenario_and_equal_scenarios_have_one_cost():
    """Mean, tail and worst case are the same."""
    for problem in (nr.make_selection(5, 1, 0), nr.Selection([3.0, 4.0], [[5.0, 2.0]] * 4, 1)):
        report = nr.solve(problem)
        assert report.expected == pytest.approx(report.worst_case) == report.cvar(0.9)


def test_json_keeps_what_was_known():
    """Read back, the mean is there without the problem; other levels need it."""
    problem = nr.make_selection(6, 12, 1)
    report = nr.solve(problem)
    data, again = json.loads(report.to_json()), nr.Report.from_json(report.to_json())
    assert data["expected"] == again.expected == report.expected
    assert data["cvar"]["0.9"] == pytest.approx(report.cvar(0.9))
    assert data["probabilities"] == "equal"
    assert again.cvar(0.7, problem=problem) == report.cvar(0.7)
    with pytest.raises(nr.InputError, match="does not contain its problem"):
        again.cvar(0.7)


def test_json_of_before_is_still_read():
    """Without averages."""
    data = json.loads(nr.solve(nr.make_selection(6, 12, 1)).to_json())
    for name in ("expected", "cvar", "probabilities"):
        del data[name]
    assert nr.Report.from_json(json.dumps(data)).averages is None


def test_without_a_decision_nothing_has_a_mean():
    """Infinite, as the worst case."""
    report = nr.solve(nr.make_selection(6, 12, 1))
    assert replace(report, x=None).expected == replace(report, x=None).cvar(0.9) == math.inf
    assert "expected" not in str(replace(report, x=None))


@pytest.mark.parametrize("level", [-0.1, 1, "much"])
def test_a_level_is_at_least_0_and_below_1(level):
    """The worst case is its limit."""
    with pytest.raises(nr.InputError, match="level must be"):
        nr.solve(nr.make_selection(6, 12, 1)).cvar(level)


def test_the_page_shows_the_mean(tmp_path):
    """Beside the worst case."""
    report = nr.solve(nr.make_selection(6, 12, 1))
    report.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<dt>expected</dt>" in page
    assert "equally likely" in page
