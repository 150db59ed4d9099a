"""A maximisation and its negated minimisation tell the same story, each in its own sign."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

import neurprise as nr
from experiments.baselines.naive_prise import NaivePRISE
from neurprise.search.session import Iteration, describe
from tests.instances import from_letters, random_letters, seeds

SAME = (
    "x", "decision", "status", "scenarios", "scenario_names", "worst_scenario", "worst_scenario_name",
    "infeasible_scenarios", "num_checked", "num_solves", "regret_bound", "gap_percent", "absolute_gap",
)  # fmt: skip


def both(seed, complete=True):
    """The same problem as costs and as profits."""
    letters = random_letters(seed, complete=complete)
    profits = letters | {"c": -letters["c"], "b": -letters["b"], "offset": -7.0, "maximize": True}
    return from_letters(letters | {"offset": 7.0}), from_letters(profits)


def mirrored(values):
    """The values of the other sign; None stays unknown."""
    return [None if value is None else -value for value in values]


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_reports_mirror_each_other(seed):
    """Decision, status, scenarios and gaps are the same; worst case, bound and history change sign."""
    costs, profits = both(seed)
    loss, gain = nr.solve(costs).to_dict(), nr.solve(profits).to_dict()
    assert {name: loss[name] for name in SAME} == {name: gain[name] for name in SAME}
    for name in ("worst_case", "lower_bound"):
        assert gain[name] == -loss[name]
        history = [[step[name] for step in told["iterations"]] for told in (loss, gain)]
        assert history[1] == mirrored(history[0])
    assert gain["worst_case"] <= gain["lower_bound"]
    assert (loss["maximize"], gain["maximize"]) == (False, True)


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_evaluations_tables_and_plans_mirror_each_other(seed):
    """Costs per scenario change sign; the plan and the regret do not."""
    costs, profits = both(seed)
    x = nr.solve(costs).x
    loss, gain = nr.evaluate(costs, x), nr.evaluate(profits, x)
    assert gain.worst_case == -loss.worst_case
    assert gain.worst_scenario == loss.worst_scenario
    assert gain.recourse_costs == pytest.approx(-loss.recourse_costs)
    assert gain.total_costs == pytest.approx(-loss.total_costs)
    assert gain.total_costs.min() == pytest.approx(gain.worst_case)
    assert gain.recourse(0) == loss.recourse(0)
    frames = [nr.solve(problem).to_frame(regret=True) for problem in (costs, profits)]
    assert frames[1]["regret"].to_numpy() == pytest.approx(frames[0]["regret"].to_numpy(), abs=1e-6)
    assert frames[1]["best_profit"].to_numpy() == pytest.approx(-frames[0]["best_cost"].to_numpy())
    assert (frames[1]["regret"] >= 0).all()


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_reductions_mirror_each_other(seed):
    """PRISE keeps the same scenarios; gains and V(R) change sign."""
    costs, profits = both(seed)
    loss, gain = (nr.reducers.PRISE().reduce(problem, 3) for problem in (costs, profits))
    assert gain.indices == loss.indices
    assert gain.gains == pytest.approx(mirrored(loss.gains))
    assert gain.objective == pytest.approx(-loss.objective)


@pytest.mark.parametrize("reducer", [nr.reducers.PRISE(), nr.reducers.CCG(), NaivePRISE()], ids=lambda r: r.name)
def test_reducers_keep_their_contract_on_profits(reducer):
    """The shipped check compares with V(R) in either sign."""
    nr.testing.check_reducer(reducer, {"profits": both(3)[1]})


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_json_keeps_the_sign(seed):
    """A profit read back is the same profit, and prints the same."""
    report = nr.solve(both(seed)[1], "maxsum", 1)
    again = nr.Report.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    assert str(again) == str(report)


def test_decisions_without_recourse_mirror_each_other():
    """No recourse is an infinite cost, or a profit of minus infinity; both are named."""
    letters = {"c": [1.0], "A": None, "d": None, "G": [[0.0]], "h": [0.0], "E": [[1.0]], "M": [[-1.0]],
               "xi": [[0.0], [1.0]], "b": [1.0], "x_integer": True, "y_integer": True, "x_upper": 1.0}  # fmt: skip
    loss = nr.evaluate(from_letters(letters), [0])
    gain = nr.evaluate(from_letters(letters | {"c": [-1.0], "b": [-1.0], "maximize": True}), [0])
    assert (loss.worst_case, gain.worst_case) == (math.inf, -math.inf)
    assert loss.infeasible_scenarios == gain.infeasible_scenarios == (1,)


def test_unknown_profits_survive_json():
    """Nothing attained is -inf, nothing proved is inf, and neither is ever called proved."""
    profits = both(1)[1]  # where no decision is evident
    report = nr.solve(profits, time_limit=0)
    assert (report.worst_case, report.lower_bound) == (-math.inf, math.inf)
    again = nr.Report.from_json(report.to_json())
    assert (again.worst_case, again.lower_bound, again.absolute_gap) == (-math.inf, math.inf, math.inf)
    assert "inf" not in str(report)


def test_the_words_fit_a_profit():
    """Guaranteed at least; no decision can guarantee more."""
    printed = str(nr.solve(both(3)[1]))
    assert "guaranteed   at least" in printed
    assert "no decision can guarantee more" in printed
    assert "worst case" not in printed


def test_the_live_line_speaks_of_profit():
    """The line on the terminal has the sign of the answer."""
    line = describe(Iteration(2, lower_bound=-120.0, worst_case=-100.0, seconds=0.5), both(3)[1])
    assert line == "2 scenarios  bound 120  guaranteed 100  gap 16.7 %"


def test_a_callback_sees_profits():
    """on_progress gets the numbers of the report."""
    seen = []
    report = nr.solve(both(3)[1], on_progress=seen.append)
    assert (seen[-1].worst_case, seen[-1].lower_bound) == (report.worst_case, report.lower_bound)


def test_a_second_engine_speaks_of_profit():
    """What the witness found has the sign of the answer."""
    report = nr.solve(both(3)[1], verify="scip")
    assert report.verification.worst_case == pytest.approx(report.worst_case)


def test_zero_has_no_sign():
    """-0 would look like a loss."""
    profits = both(3)[1]
    assert math.copysign(1, profits.in_users_sign(0.0)) == 1
    assert (np.copysign(1, profits.in_users_sign(np.zeros(2))) == 1).all()
