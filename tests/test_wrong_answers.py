"""Small problems on which an engine or this package once gave a wrong answer; each truth is found by hand."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import neurprise as nr
from neurprise.io.lp import read_lp
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.extensive_form import Master
from neurprise.solvers import EngineResult, EngineStatus, Limits, Purpose
from tests.solvers.models import model

TRAPS = Path(__file__).parents[2] / "shared" / "data" / "traps"


def test_fractional_bounds_of_integer_recourse_are_rounded_inward(engine):
    """y is 1 or 2 although its bound says 2.7, so Q is -2 in the first scenario and 3 in the second."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[0], A=None, d=None, G=[[1]], h=[1], E=[[0]], M=None, xi=None, b=[[-1], [3]],
        x_integer=True, y_integer=True, y_upper=2.7, x_upper=1,
    )  # fmt: skip
    assert nr.evaluate(problem, [0], solver=engine).recourse_costs.tolist() == [-2, 3]


def test_an_integer_bound_below_one_leaves_zero(engine):
    """y can only be 0, and x = 1 is then feasible and earns 2."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[-2], A=None, d=None, G=[[1], [-3]], h=[-5, -1], E=[[2], [-1]], M=None, xi=None, b=[[4], [0]],
        x_integer=True, y_integer=True, y_upper=0.2, x_upper=1,
    )  # fmt: skip
    report = nr.solve(problem, solver=engine)
    assert (report.worst_case, report.lower_bound) == (-2, -2)


def test_bounds_that_scenarios_change_are_rounded_too():
    """The upper bound of y is 2.7 in one scenario and 0.9 in the other."""
    base = nr.TwoStageProblem.from_matrices(
        c=[0], A=None, d=None, G=[[1]], h=[0], E=[[0]], M=None, xi=None, b=[[-1], [-1]],
        x_integer=True, y_integer=True, x_upper=1,
    )  # fmt: skip
    upper = type(base.changes["costs"])(np.array([0]), np.array([[2.7], [0.9]]))
    problem = nr.TwoStageProblem(base.first_stage, base.recourse, {**base.changes, "upper": upper}, 2)
    assert nr.evaluate(problem, [0]).recourse_costs.tolist() == [-2, 0]


def test_a_bound_that_is_whole_but_for_rounding_stays_whole():
    """0.1 + 0.2 times ten is a little more than 3, and 2.9999999999 is 3."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[-1], A=None, d=None, G=[[1]], h=[0], E=[[0]], M=None, xi=None, b=[[1]],
        x_integer=True, y_integer=False, x_upper=2.9999999999,
    )  # fmt: skip
    assert nr.solve(problem).worst_case == -3


@pytest.mark.skipif(not TRAPS.is_dir(), reason="the shared instances are not here")
def test_unbounded_integers_do_not_mislead_the_engine(engine):
    """HiGHS by itself calls 16.61 optimal; c1 = 1, c2 = 2, c8 = 0.111 costs 0.84 and keeps every row."""
    linear = read_lp(TRAPS / "highs_wrong_optimum.lp")
    given = model(
        linear.costs, linear.matrix.toarray(), linear.row_lower, linear.row_upper,
        lower=linear.lower, upper=linear.upper, integer=linear.integer,
    )  # fmt: skip
    assert engine.solve(given, Limits()).objective == pytest.approx(0.84, abs=1e-5)
    session = engine.session(given)
    assert session.solve(Limits()).objective == pytest.approx(0.84, abs=1e-5)


def test_an_optimum_far_from_zero_is_found(engine):
    """The integer column must be at least three million."""
    result = engine.solve(model([1.0], [[1.0]], 3_000_000.4), Limits())
    assert (result.status, result.objective) == (EngineStatus.OPTIMAL, pytest.approx(3_000_001))


def test_integers_without_bounds_may_be_negative(engine):
    """min v with v >= -7.5 in a row, no bound on the column."""
    assert engine.solve(model([1.0], [[1.0]], -7.5, lower=-math.inf), Limits()).objective == pytest.approx(-7)


def test_a_box_around_integers_does_not_hide_that_the_cost_falls(engine):
    """min u - v with u - v + 2 w = 13 in whole numbers falls for ever, and parity keeps it off any even edge."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[0], A=None, d=None, G=[[1, -1, 2], [-1, 1, -2]], h=[13, -13], E=[[0], [0]], M=None, xi=None, b=[[1, -1, 0]],
        x_integer=True, y_integer=True,
    )  # fmt: skip
    with pytest.raises(nr.UnboundedProblemError, match="falls without limit"):
        nr.solve(problem, solver=engine)


def test_a_search_that_stops_early_proves_nothing_at_the_edge_of_the_box(engine):
    """v = 6.34 - 1.69 w may fall to -2,999,889; HiGHS stopped at -139, and its box alone proved -999,973."""
    given = model([1.0, 0.0], [[1.0, 1.69], [1.0, 0.0]], [6.34, -3e6], [6.34, math.inf], lower=[-math.inf, 0])
    result = engine.solve(given, Limits(target=1e15, purpose=Purpose.PROOF))
    assert result.bound <= -2_999_889 <= result.objective


def test_a_search_that_stops_early_still_tells_that_the_cost_falls_for_ever(engine):
    """53 u = 121 v + 35 has solutions without end; the edge of the box was the proved bound of a report."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[-1, 0], A=[[-0.53, 1.21], [0.53, -1.21]], d=[-0.35, 0.35], G=[[1]], h=[0], E=[[0, 0]], M=None, xi=None,
        b=[[1], [1]], x_integer=True, y_integer=False,
    )  # fmt: skip
    with pytest.raises(nr.UnboundedProblemError, match="falls without limit"):
        nr.solve(problem, "random", 2, solver=engine)


@pytest.mark.parametrize(("reducer", "budget"), [(None, None), ("maxsum", 1)])
def test_a_cost_that_falls_along_an_equation_of_integers_is_seen_in_time(engine, reducer, budget):
    """HiGHS followed it for 13 s and heard no interrupt, so that a limit of 10 s ended without an answer."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[-10.04, 13.47], A=[[1.01, 1.01]], d=[-1.15], G=[[0.9]], h=[4.5], E=[[2.11, 2.61]], M=None, xi=None,
        b=[[7.33]], x_integer=True, y_integer=True,
    )  # fmt: skip
    first = replace(problem.first_stage, lower=np.array([0.0, -math.inf]), upper=np.array([math.inf, 3.0]))
    recourse = replace(problem.recourse, row_upper=problem.recourse.row_lower)
    with pytest.raises(nr.UnboundedProblemError, match="falls without limit"):
        nr.solve(replace(problem, first_stage=first, recourse=recourse), reducer, budget, solver=engine, time_limit=4.0)


@pytest.mark.parametrize(("most", "truth"), [(4e6, -3e6), (math.inf, -math.inf)])
def test_whole_steps_may_be_longer_than_the_box(engine, most, truth):
    """v is a multiple of 1.5 million, so that zero is all that lies within a million of it."""
    given = model([-1.0, 0.0], [[1.0, -1.5e6], [1.0, 0.0]], [0.0, -math.inf], [0.0, most])
    assert engine.solve(given, Limits()).objective == truth


def test_a_direction_within_the_tolerance_is_none(engine):
    """Four scenarios share x and the worst cost t; SCIP moves by a billionth against their rows."""
    blocks = [[[-q, 1], [2.75, 0], [-1.25, 0], [0, 0]] for q in (9, 10.75, 5.25, 0.5)]
    recourse = np.kron(np.eye(4), [[0, 9, 3], [-2.5, -1, 0], [0.75, 0, 0.75], [0, -2.75, 0]])
    row_lower = [0, 7.625, -3.75, 6.1875, 0, 4.75, -4.3125, 0, 0, 2.5, -2.8125, -6.1875, 0, -3.25, 3.9375, 5.5]
    row_upper = [value if k % 4 == 1 else math.inf for k, value in enumerate(row_lower)]
    given = model(
        [1.25, 1, *[0] * 12], np.hstack([np.vstack(blocks), recourse]), row_lower, row_upper,
        lower=[-math.inf, -math.inf, *[-2, -math.inf, -math.inf] * 4],
        upper=[4.2, math.inf, *[math.inf, math.inf, 4] * 4],
        integer=[False, False, *[False, False, True] * 4], offset=-27.5,
    )  # fmt: skip
    found = engine.solve(given, Limits())
    assert (found.status, found.objective) == (EngineStatus.OPTIMAL, pytest.approx(-17.852272727))


class StopsAtOne:
    """Stops at a cost of 1, which its tolerance makes a millionth less, if it may; the optimum is 0."""

    name = "stops at one"

    def solve(self, model, limits, start=None):
        x = 1.0 if limits.absolute_gap >= 1 - 1e-6 else 0.0
        return EngineResult(EngineStatus.OPTIMAL, x * (1 - 1e-6), 0.0, np.array([x, 0.0, 0.0]))


def test_a_tolerance_is_no_part_of_the_step_between_whole_numbers():
    """HiGHS stopped so at 62.999999, beside a bound of 62, and V(R) was called 63."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[1], A=None, d=None, G=[[1]], h=[0], E=[[0]], M=None, xi=None, b=[[0]], x_integer=True, y_integer=True,
    )  # fmt: skip
    result = Master(Evaluator(problem), StopsAtOne()).solve([0], Limits())
    assert (result.value, result.bound) == (0, 0)


def test_negative_prices_of_items_that_are_not_needed_stay_where_they_are():
    """With nothing left to take later, the compiled oracle once wrote before the start of an empty list."""
    problem = nr.Selection([18.461, -0.589, 12.328, 15.843], [[12.9, -19.9, 14.7, 3.7], [3.9, -10.8, 11.5, 1.2]], 1)
    assert nr.solve(problem).worst_case == pytest.approx(-10.8)


def test_a_scenario_whose_cost_falls_without_limit_never_decides(engine):
    """Q is -inf in the second scenario and the maximum ignores it: x = 8 costs 8 in the first."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[1], A=None, d=None, G=[[1]], h=[0], E=[[1]], M=[[-1]], xi=[[8], [3]], b=[[5], [-1]],
        x_integer=True, y_integer=False,
    )  # fmt: skip
    for reducer, budget in ((None, None), ("ccg", 2), ("prise", 2), ("singlevalue", 1)):
        report = nr.solve(problem, reducer, budget, solver=engine)
        assert (report.worst_case, report.lower_bound) == (pytest.approx(8), pytest.approx(8))


def test_shipping_that_earns_money_may_exceed_the_demand(engine):
    """Site 2 ships to customer 1 at -0.25 a unit, whether asked or not; capacity costs 1 there: 0.75 in all."""
    problem = nr.FacilityLocation([0, 0], [0, 1], [1, 1], [[1, 0], [-0.25, 0]], [[0, 1], [1, 0]])
    assert nr.solve(problem, gap=0, solver=engine).worst_case == pytest.approx(0.75)


@pytest.mark.parametrize("reducer", ["ccg", "prise", "singlevalue"])
def test_reducers_end_where_a_scenario_costs_less_than_any_number(reducer):
    """V({1}) is -inf and both scenarios are asked for."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[1], A=None, d=None, G=[[1]], h=[0], E=[[1]], M=[[-1]], xi=[[8], [3]], b=[[5], [-1]],
        x_integer=True, y_integer=False,
    )  # fmt: skip
    assert nr.reducers.get_reducer(reducer).reduce(problem, 2).indices[0] == 0


@pytest.mark.parametrize("seed", range(8))
def test_the_scenario_named_worst_attains_the_worst_case(seed):
    """With integer recourse most costs are only bounded; the one that is named is exact."""
    rng = np.random.default_rng(seed)
    problem = nr.TwoStageProblem.from_matrices(
        c=[-2.5, 2], A=None, d=None, G=rng.integers(1, 5, (3, 4)), h=np.zeros(3), E=np.ones((3, 2)), M=-np.eye(3),
        xi=rng.integers(3, 9, (8, 3)), b=rng.integers(1, 4, (8, 4)), x_integer=False, y_integer=True, x_upper=3,
    )  # fmt: skip
    report = nr.solve(problem, gap=0)
    costs = problem.first_stage.costs @ report.x + nr.evaluate(problem, report.x).recourse_costs
    assert costs[report.worst_scenario] == pytest.approx(report.worst_case)


def test_signs_that_differ_allow_no_percentage():
    """The optimum is 120: a bound of -2140 below and a worst case of 1650 above it prove no percentage."""
    report = nr.Report(None, 1650.0, -2140.0, nr.Status.TIME_LIMIT, (0,), 0, 1.0)
    assert report.regret_bound == math.inf
    assert report.absolute_gap == 3790


@pytest.mark.parametrize("worst_case, lower_bound", [(120.0, 100.0), (-100.0, -120.0), (0.0, -5.0), (5.0, 5.0)])
def test_a_percentage_holds_wherever_between_both_ends_the_optimum_is(worst_case, lower_bound):
    """The true regret (Z - V) / |V| never exceeds it."""
    report = nr.Report(None, worst_case, lower_bound, nr.Status.TIME_LIMIT, (0,), 0, 1.0)
    for optimum in np.linspace(lower_bound, worst_case, 50):
        regret = 0.0 if optimum == worst_case else 100 * (worst_case - optimum) / abs(optimum)
        assert regret <= report.regret_bound + 1e-9


def test_a_decision_without_recourse_in_some_scenario_is_returned_with_its_name():
    """One scenario kept: x = 0 serves it. No decision serves the other one, which needs x >= 7."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[1], A=None, d=None, G=[[1]], h=[0], E=[[1]], M=[[-1]], xi=[[2], [9]], b=[0.5],
        x_integer=True, y_integer=False, x_upper=5, y_upper=2,
    )  # fmt: skip
    report = nr.solve(problem, nr.reducers.get_reducer(_Keeps(0)), 1)
    assert report.x.tolist() == [0]
    assert report.worst_case == math.inf
    assert report.infeasible_scenarios == (1,)
    assert "no recourse in 1 of 2 scenarios (1)" in str(report)


class _Keeps:
    """Keeps one scenario, whatever it costs."""

    name = "keeps"

    def __init__(self, scenario):
        self._scenario = scenario

    def reduce(self, problem, budget, seed=0):
        return nr.reducers.Reduction((self._scenario,))
