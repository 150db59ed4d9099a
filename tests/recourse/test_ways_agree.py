"""Every way to compute Q(x, s) gives what the plain way gives: one engine model, scenario by scenario."""

import math

import numpy as np
import pytest
from hypothesis import given

import neurprise as nr
from experiments.judges.random_problems import ORDINARY, draw_case
from neurprise.clock import Deadline
from neurprise.recourse.blocks import ListedRecourse
from neurprise.recourse.evaluator import Evaluator
from neurprise.recourse.linear import LinearRecourse
from neurprise.recourse.screening import ScreenedRecourse
from tests.instances import seeds
from tests.recourse.random_problems import random_decision, random_problem

FIXED_MATRICES = ("x_costs", "row_lower", "row_upper", "lower", "upper")
DRAWS = {
    "linear": (LinearRecourse, {"integer": "none"}),
    "linear, costs and matrices fixed": (LinearRecourse, {"integer": "none", "kinds": FIXED_MATRICES}),
    "linear, unbounded": (LinearRecourse, {"integer": "none", "bounded": False}),
    "blocks": (ListedRecourse, {"integer": "all", "blocks": 3}),
    "one block": (ListedRecourse, {"integer": "all"}),
    "mixed": (ScreenedRecourse, {"integer": "some"}),
    "mixed, costs and matrices fixed": (ScreenedRecourse, {"integer": "some", "kinds": FIXED_MATRICES}),
    "integer, unbounded": (ScreenedRecourse, {"integer": "all", "bounded": False}),
    "mixed, unbounded": (ScreenedRecourse, {"integer": "some", "bounded": False}),
}


def ways(draw, seed):
    """The problem, its evaluator, the plain one, and whether the way that was meant was chosen."""
    way, options = DRAWS[draw]
    problem = random_problem(seed, **options)
    return problem, Evaluator(problem), Evaluator(problem, use_oracle=False), way


def close(one, other):
    return one == pytest.approx(other, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("draw", DRAWS)
def test_the_way_that_is_meant_is_tested(draw):
    """Some draws are listable or linear by chance; most are what their name says."""
    chosen = [type(ways(draw, seed)[1]._recourse) is DRAWS[draw][0] for seed in range(20)]
    assert np.mean(chosen) >= 0.5


@pytest.mark.parametrize("draw", DRAWS)
@given(seed=seeds)
def test_costs_are_those_of_the_plain_way(draw, seed):
    """Infeasible, unbounded and degenerate scenarios included, over several decisions of one evaluator."""
    problem, quick, plain, _ = ways(draw, seed)
    for k in range(3):
        x = random_decision(problem, seed + k)
        assert close(quick.evaluate(x).recourse_costs, plain.evaluate(x).recourse_costs)


@pytest.mark.parametrize("draw", DRAWS)
@given(seed=seeds)
def test_bounds_hold_and_their_largest_entry_is_exact(draw, seed):
    """Also from the fourth decision on, when earlier ones dismiss scenarios."""
    problem, quick, plain, _ = ways(draw, seed)
    for k in range(5):
        x = random_decision(problem, seed + k)
        exact, found = plain.evaluate(x).recourse_costs, quick.bounds(x, range(6), Deadline())
        assert found.complete
        assert (found.upper >= exact - 1e-5 * (1 + np.abs(np.where(np.isfinite(exact), exact, 0)))).all()
        assert close(found.lower, exact.max())
        assert close(exact[found.scenario], exact.max())


@pytest.mark.parametrize("draw", DRAWS)
@given(seed=seeds)
def test_a_violated_scenario_is_found_exactly_where_there_is_one(draw, seed):
    """Half a unit to either side of the worst cost, which no tolerance reaches."""
    problem, quick, plain, _ = ways(draw, seed)
    for k in range(4):
        x = random_decision(problem, seed + k)
        exact = plain.evaluate(x).recourse_costs
        if not math.isfinite(exact.max()):
            continue
        scenario, cost = quick.find_violated(x, exact.max() - 0.5, range(6), Deadline())
        assert exact.max() - 0.5 <= cost <= exact[scenario] + 1e-5
        assert quick.find_violated(x, exact.max() + 0.5, range(6), Deadline()) is None


@pytest.mark.parametrize("draw", DRAWS)
@given(seed=seeds)
def test_decisions_attain_the_costs(draw, seed):
    """A recourse keeps every row and costs no more than the upper bound that was reported with it."""
    problem, quick, plain, _ = ways(draw, seed)
    x = random_decision(problem, seed)
    upper, exact = quick.bounds(x, range(6), Deadline()).upper, plain.evaluate(x).recourse_costs
    for s in range(6):
        y = quick.decision(x, s)
        assert (y is None) == (exact[s] == np.inf)
        if y is not None and np.isfinite(exact[s]):
            assert exact[s] - 1e-4 <= quick.attained_cost(x, y, s) <= max(upper[s], exact[s]) + 1e-4


@pytest.mark.parametrize("draw", DRAWS)
@given(seed=seeds)
def test_recourses_known_for_every_scenario_leave_the_worst_case_exact(draw, seed):
    """Loosely known costs settle which scenarios are harmless; worst case and worst scenario are the plain way's."""
    problem, quick, plain, _ = ways(draw, seed)
    for k in range(3):
        x = random_decision(problem, seed + k)
        exact = plain.evaluate(x).recourse_costs
        if not np.isfinite(exact).all():
            continue
        # As a master leaves them: some optimal, the others anywhere up to the worst.
        loose = np.where(np.arange(6) % 2 == k % 2, exact, exact.max())
        found = quick.bounds(x, range(6), Deadline(), dict(enumerate(loose.tolist())))
        assert found.complete
        assert close(found.lower, exact.max())
        assert close(exact[found.scenario], exact.max())
        assert (found.upper >= exact - 1e-5 * (1 + np.abs(exact))).all()


@pytest.mark.parametrize("draw", DRAWS)
def test_known_costs_are_never_exceeded(draw):
    """What a master attained is an upper bound of the entry."""
    problem, quick, plain, _ = ways(draw, 5)
    x = random_decision(problem, 5)
    exact = plain.evaluate(x).recourse_costs
    known = {s: cost + 0.25 for s, cost in enumerate(exact.tolist()) if math.isfinite(cost)}
    found = quick.bounds(x, range(6), Deadline(), known)
    assert close(found.lower, exact.max())


def test_small_entries_of_scenarios_keep_their_digits():
    """T_s x is summed from the scenario's own entries; by differences to 77 x it would be off by 1e-11, y by 1e-5."""
    problem = draw_case(30459, ORDINARY).problem
    x = np.array([2299.958998588031, -3.3041129032258065])
    plain, quick = Evaluator(problem, use_oracle=False), Evaluator(problem)
    assert quick.evaluate(x).recourse_costs == pytest.approx(plain.evaluate(x).recourse_costs)
    assert math.isfinite(quick.evaluate(x).recourse_costs[1])


@pytest.mark.parametrize("entry", [0.0, 1.0])
@pytest.mark.parametrize(("x", "cost"), [(1.0, math.inf), (2.0, 0.0)])
def test_rows_without_recourse_still_bind(entry, x, cost):
    """x >= 2, or 0 >= 2 - x with x fixed in the limits, stands in the second stage, where no y can help."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[1], A=None, d=None, G=[[1], [0]], h=[0, 2 if entry else 2 - x], E=[[0], [entry]], M=None, xi=None, b=[[3]],
        y_upper=4, x_integer=True, y_integer=True, x_upper=5,
    )  # fmt: skip
    assert isinstance(Evaluator(problem)._recourse, ListedRecourse)
    assert Evaluator(problem).evaluate(np.array([x])).recourse_costs.tolist() == [cost]
