"""Small problems on which an engine or this package once gave a wrong answer; each truth is found by hand."""

import math
from pathlib import Path

import numpy as np
import pytest

import neurprise as nr
from neurprise.io.lp import read_lp
from neurprise.solvers import EngineStatus, Limits
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
