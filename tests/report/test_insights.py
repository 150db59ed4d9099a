"""report.insights: price of robustness, EVPI and VSS as proved intervals, judged by brute force."""

import json
import math
from itertools import product

import numpy as np
import pytest

import neurprise as nr
from neurprise.cli import main
from neurprise.report.comparison import mean_problem
from neurprise.report.insights import Interval


def table_of_totals(problem):
    """Total costs, or profits, of every feasible first-stage decision in all scenarios; one row each."""
    rows = []
    for bits in product(*(range(int(low), int(high) + 1) for low, high in zip(*bounds(problem), strict=True))):
        try:
            rows.append((np.array(bits, dtype=float), nr.evaluate(problem, bits).total_costs))
        except nr.InputError:  # breaks a row of the first stage
            continue
    return [x for x, _ in rows], np.array([totals for _, totals in rows])


def bounds(problem):
    return problem.first_stage.lower, problem.first_stage.upper


def sold():
    """Buy up to nine at 2, sell at the price of the scenario what is asked for: a maximisation."""
    return nr.TwoStageProblem.from_matrices(
        [-2], None, None, [[1], [1]], [0, 0], [[-1], [0]], [[0], [-1]], [[7], [2], [9], [4]],
        [[3], [4], [5], [3]], x_integer=True, y_integer=True, x_upper=9, maximize=True, y_row_sense="<=",
    )  # fmt: skip


PROBLEMS = {
    "selection": nr.make_selection(6, 7, 3),
    "vertex cover": nr.make_vertex_cover(5, 6, 1),
    "weighted": nr.make_selection(5, 4, 0).with_labels(probabilities=[0.5, 0.25, 0.25, 0.0]),
    "profits": sold(),
    "one scenario": nr.make_selection(5, 1, 0),
    "equal scenarios": nr.Selection([3.0, 4.0], [[5.0, 2.0]] * 4, 1),
}


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_every_interval_holds_the_number_that_brute_force_finds(problem):
    """All decisions in all scenarios; of a maximisation every difference is still a gain."""
    count = problem.num_scenarios
    weights = np.full(count, 1 / count) if problem.probabilities is None else problem.probabilities
    _, totals = table_of_totals(problem)
    costs = -totals if problem.maximize else totals
    report = nr.solve(problem, gap=0)
    insights = report.insights()
    best = (costs @ weights).min()
    own = abs(report.expected) if not problem.maximize else -report.expected
    foreknown = costs.min(axis=0) @ weights
    numbers = {
        "best_mean": -best if problem.maximize else best,
        "price_of_robustness": own - best,
        "perfect_information": best - foreknown,
    }
    for name, number in numbers.items():
        interval = getattr(insights, name)
        assert interval.low - 1e-6 <= number <= interval.high + 1e-6, name
        assert interval.high - interval.low <= 1e-4 * max(1.0, abs(best)), name
    known = insights.information_by_scenario
    assert sum(w * known[name].high for name, w in zip(problem.scenario_labels, weights, strict=True) if w) >= (
        numbers["perfect_information"] - 1e-6
    )
    planned = nr.evaluate(problem, nr.solve(mean_problem(problem, weights)).x).expected
    gain = (planned - numbers["best_mean"]) * (-1 if problem.maximize else 1)
    assert insights.stochastic_solution.low - 1e-6 <= gain <= insights.stochastic_solution.high + 1e-6


def test_a_mean_plan_without_recourse_is_told():
    """Two days: the mean demand needs one depot less than the larger one."""
    problem = nr.FacilityLocation([5, 5], [1, 1], [10, 10], [[1, 2], [2, 1]], [[1, 1], [8, 8]])
    insights = nr.solve(problem).insights()
    assert insights.stochastic_solution.low == math.inf
    assert "no recourse in some scenario" in str(insights)


def test_without_time_nothing_is_claimed():
    """Intervals without end, and words that say so."""
    insights = nr.solve(nr.make_facility_location(4, 4, 8, 1)).insights(time_limit=0)
    assert "not known" in insights.rows()["perfect information"]
    assert insights.new_scenarios.probability is None
    json.dumps(insights.to_dict(), allow_nan=False)


def test_a_decision_for_the_mean_has_no_price():
    """Its own mean is the best one."""
    report = nr.solve(nr.make_selection(6, 7, 3), objective="expected")
    insights = report.insights()
    assert insights.price_of_robustness.high <= 1e-3 * insights.best_mean.high
    assert "was made for the objective 'expected'" in insights.new_scenarios.reason


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        (Interval(2.0, 2.0), "2"),
        (Interval(0.0, 3.0), "between 0 and 3"),
        (Interval(0.0, math.inf), "not known"),
        (Interval(2.0, math.inf), "at least 2"),
    ],
)
def test_an_interval_says_what_is_proved(interval, words):
    """Closed, open, half-open."""
    assert str(interval) == words


def test_the_command_and_the_page_have_them(tmp_path, monkeypatch, capsys):
    """`solve --insights` prints them, adds them to JSON and to the page."""
    monkeypatch.chdir(tmp_path)
    nr.make_selection(6, 12, 1).write("items.npz")
    assert main(["solve", "items.npz", "--insights", "--report", "out.html"]) == 0
    assert "price of robustness" in capsys.readouterr().out
    assert '<section id="insights"' in (tmp_path / "out.html").read_text()
    assert main(["solve", "items.npz", "--insights", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["insights"]) >= {"price_of_robustness", "new_scenarios"}
