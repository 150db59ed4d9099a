"""Two-stage problems with a big M in either stage, against all decisions and all setups listed by hand."""

import itertools
import math

import numpy as np
import pytest

import neurprise as nr


def lot_sizing(big_m, setups_now, demands=((60, 20), (10, 90)), setup=(300, 200), penalty=40):
    """Two periods: y_t <= M times the setup of t, decided now or later; a unit costs 2, stock 1, shortage 40."""
    later = 0 if setups_now else 2
    balance = np.array([[1, 0, -1, 0, 1, 0], [0, 1, 1, -1, 0, 1]])
    recourse = np.hstack([np.vstack([balance, -np.eye(2, 6)]), np.zeros((4, later))])
    technology = np.zeros((4, 2))
    (technology if setups_now else recourse[:, 6:])[2:] = big_m * np.eye(2)
    licences = np.hstack([np.zeros((2, 6)), -np.eye(2)]) if later else np.zeros((0, 6))
    return nr.TwoStageProblem.from_matrices(
        c=setup if setups_now else [5, 7], A=None, d=None, G=np.vstack([recourse, licences]), h=np.zeros(4 + later),
        E=np.vstack([technology, np.eye(2)[:later]]), M=-np.eye(4 + later, 2), xi=demands,
        b=[2, 2, 1, 1, penalty, penalty, *setup[:later]], x_integer=True, y_integer=[False] * 6 + [True] * later,
        x_upper=1, y_upper=[math.inf] * 6 + [1] * later, y_row_sense=["=", "=", ">=", ">=", *[">="] * later],
    )  # fmt: skip


def lot_cost(open_now, demand, penalty=40):
    """The cheapest plan for these setups: make in time, else make before and keep, else pay."""
    first, second = demand
    cost = first * (2 if open_now[0] else penalty)
    return cost + second * (2 if open_now[1] else 3 if open_now[0] else penalty)


def worst_cost(x, setups_now, demands=((60, 20), (10, 90)), setup=(300, 200)):
    """Z(x), by listing the setups."""
    if setups_now:
        return np.dot(setup, x) + max(lot_cost(x, demand) for demand in demands)
    plans = [z for z in itertools.product((0, 1), repeat=2) if all(np.less_equal(z, x))]
    return np.dot([5, 7], x) + max(min(np.dot(setup, z) + lot_cost(z, demand) for z in plans) for demand in demands)


@pytest.mark.parametrize("big_m", [1e3, 1e6, 2e7, 1e8, 1e10])
@pytest.mark.parametrize("setups_now", [True, False])
def test_lot_sizing_is_solved_beside_any_big_m(engine, setups_now, big_m):
    """Setups of the first stage leak into masters, those of the recourse into its models."""
    truth = {x: worst_cost(x, setups_now) for x in itertools.product((0, 1), repeat=2)}
    report = nr.solve(lot_sizing(big_m, setups_now), solver=engine, gap=0)
    assert report.status == nr.Status.OPTIMAL
    assert report.worst_case == pytest.approx(min(truth.values()))
    assert report.lower_bound == pytest.approx(min(truth.values()))
    assert report.worst_case == pytest.approx(truth[tuple(report.x.astype(int))])


@pytest.mark.parametrize("big_m", [1e6, 1e10])
@pytest.mark.parametrize("x", list(itertools.product((0, 1), repeat=2)))
def test_evaluation_prices_setups_of_the_recourse(engine, big_m, x):
    """A relaxation with z = 6e-9 looks whole; its setup must be paid all the same."""
    found = nr.evaluate(lot_sizing(big_m, setups_now=False), x, solver=engine.name)
    assert found.worst_case == pytest.approx(worst_cost(x, setups_now=False))


def test_a_second_engine_confirms_answers_beside_a_big_m():
    """SCIP and HiGHS are given the same tight rows."""
    report = nr.solve(lot_sizing(1e9, setups_now=False), verify="scip", gap=0)
    assert report.verification.agrees


def test_what_no_engine_can_tell_is_no_proof(engine):
    """A slack column keeps M = 1e10 in an equation; the truth is 5 for the licence and 405 for the setup."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[5], A=None, d=None, G=[[1, 1, 0, 0], [1, 0, -1e10, 1], [0, 0, -1, 0]], h=[0, 0, 0], E=[[0], [0], [1]],
        M=[[-1], [0], [0]], xi=[[60], [200]], b=[0, 40, 405, 0], x_integer=True, x_upper=1,
        y_integer=[False, False, True, False], y_upper=[math.inf, math.inf, 1, math.inf],
        y_row_sense=[">=", "=", ">="],
    )  # fmt: skip
    report = nr.solve(problem, solver=engine, gap=0)
    assert report.status in (nr.Status.NUMERICAL_LIMIT, nr.Status.OPTIMAL)
    assert report.lower_bound <= 410 + 1e-6
    assert report.worst_case >= 410 - 1e-6
