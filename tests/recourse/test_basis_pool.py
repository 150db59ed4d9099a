"""Scenarios that share a basis: one product tells their costs, and they are those of the plain way."""

import numpy as np
import pytest
from hypothesis import given

import neurprise as nr
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.recourse import bounds
from neurprise.recourse.bounds import BasisPool
from neurprise.recourse.evaluator import Evaluator
from neurprise.recourse.screening import LeanRelaxation
from neurprise.solvers import get_engine
from tests.instances import seeds
from tests.recourse.random_problems import random_decision, random_problem
from tests.recourse.test_ways_agree import FIXED_MATRICES, close

MANY = 60


def production(num_scenarios=500, seed=0):
    """Two demands, met by two machines or bought at a penalty; a handful of bases serves every scenario."""
    rng = np.random.default_rng(seed)
    return nr.TwoStageProblem.from_matrices(
        c=[1, 1.5], A=None, d=None, G=[[2, 1, 1, 0], [1, 3, 0, 1]], h=[0, 0], E=[[1, 0], [0, 1]], M=-np.eye(2),
        xi=rng.uniform(5, 20, (num_scenarios, 2)), b=[3, 4, 9, 9], x_integer=False, y_integer=False, x_upper=8,
        y_upper=6,
    )  # fmt: skip


@pytest.mark.parametrize("bounded", [True, False])
@given(seed=seeds)
def test_costs_are_those_of_the_plain_way(bounded, seed):
    """Over several decisions of one evaluator, so that bases of earlier ones serve later ones."""
    problem = random_problem(seed, integer="none", kinds=FIXED_MATRICES, bounded=bounded, num_scenarios=MANY)
    quick, plain = Evaluator(problem), Evaluator(problem, use_oracle=False)
    for k in range(3):
        x = random_decision(problem, seed + k)
        exact = plain.evaluate(x).recourse_costs
        assert close(quick.evaluate(x).recourse_costs, exact)
        found = quick.bounds(x, range(MANY), Deadline())
        assert close(found.lower, exact.max())
        assert close(exact[found.scenario], exact.max())


def test_a_few_bases_serve_all_scenarios():
    """Also for a decision that they were not made for."""
    problem, everyone = production(), np.arange(500)
    pool, lean = BasisPool(problem), LeanRelaxation(problem, get_engine("highs"), lambda _: None)
    for _ in lean.values(np.array([2.0, 3.0]), range(0, 500, 10), Deadline()):
        pool.add(lean.current.basis())
    assert len(pool) < 25
    for x in (np.array([2.0, 3.0]), np.array([0.0, 5.5])):
        found = pool.costs(x, everyone, Deadline())
        assert np.isnan(found).mean() < 0.2
        exact = Evaluator(problem, use_oracle=False).evaluate(x).recourse_costs
        assert found[~np.isnan(found)] == pytest.approx(exact[~np.isnan(found)])


def test_a_basis_at_an_equation_is_not_optimal_where_the_row_has_room():
    """y = 3 costs 3 less than nothing; where y may be 5 it must not stay at 3."""
    rooms = np.arange(40) % 2 * 2.0
    recourse = {"G": [[1], [1]], "E": [[0], [0]], "h": [3, 3], "y_row_sense": [">=", "<="]}
    problem = nr.TwoStageProblem.from_matrices(
        c=[0], A=None, d=None, **recourse, M=[[0], [-1]], xi=rooms[:, None], b=[-1], x_integer=False, y_integer=False,
        x_upper=1,
    )  # fmt: skip
    assert nr.evaluate(problem, [0]).recourse_costs == pytest.approx(-3 - rooms)


def test_looking_ends_in_time():
    """A pool is asked for many scenarios at once."""
    problem = production(20)
    pool, lean = BasisPool(problem), LeanRelaxation(problem, get_engine("highs"), lambda _: None)
    for _ in lean.values(np.zeros(2), [0], Deadline()):
        pool.add(lean.current.basis())
    with pytest.raises(OutOfTimeError):
        pool.costs(np.zeros(2), np.arange(20), Deadline(0.0))


def test_a_pool_that_serves_hardly_anybody_gives_up():
    """Thirty rows that all move: nearly every scenario has a basis of its own."""
    rng = np.random.default_rng(0)
    rows, columns, scenarios = 30, 60, 300
    problem = nr.TwoStageProblem.from_matrices(
        c=np.ones(3), A=None, d=None, G=rng.uniform(0, 1, (rows, columns)), h=np.zeros(rows),
        E=rng.uniform(0, 1, (rows, 3)), M=-np.eye(rows), xi=rng.uniform(5, 20, (scenarios, rows)),
        b=rng.uniform(1, 2, columns), x_integer=False, y_integer=False,
    )  # fmt: skip
    evaluator = Evaluator(problem)
    x = np.ones(3)
    assert close(evaluator.evaluate(x).recourse_costs, Evaluator(problem, use_oracle=False).evaluate(x).recourse_costs)
    assert not evaluator._recourse._bases.is_worthwhile


def test_a_full_pool_still_serves(monkeypatch):
    """Later decisions are looked up among the bases that are there."""
    monkeypatch.setattr(bounds, "MAX_BASES", 3)
    problem = production()
    evaluator = Evaluator(problem)
    plain = Evaluator(problem, use_oracle=False)
    for x in (np.array([2.0, 3.0]), np.array([1.0, 4.0])):
        assert close(evaluator.evaluate(x).recourse_costs, plain.evaluate(x).recourse_costs)
    pool = evaluator._recourse._bases
    lookup = bounds.BasisLookup(pool, np.array([2.0, 3.0]))
    assert len(pool) == 3
    assert lookup.is_worthwhile_for(500)
    lookup.costs(np.arange(500), Deadline())
    assert not lookup.is_worthwhile_for(500)
