"""Dominated scenarios cost no more than their dominators, whatever is decided."""

import numpy as np
import pytest
from hypothesis import given

import neurprise as nr
from neurprise.clock import Deadline
from neurprise.recourse.evaluator import Evaluator
from neurprise.recourse.model import dominators
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.session import SearchSession
from tests.instances import from_letters, seeds
from tests.recourse.random_problems import random_decision, random_problem


def demands(xi):
    """Buy y >= demand - x for two goods, at prices 1 and 2."""
    return from_letters({
        "c": [1.0, 1.0], "A": None, "d": None, "G": np.eye(2), "h": np.zeros(2), "E": np.eye(2), "M": -np.eye(2),
        "xi": xi, "b": [1.0, 2.0], "x_integer": False, "y_integer": False, "x_upper": 9.0,
    })  # fmt: skip


def test_the_largest_demand_dominates():
    """(3, 3) dominates all that is smaller in both goods, and nothing else."""
    assert dominators(demands([[1, 2], [3, 3], [0, 4], [3, 1]])).tolist() == [1, 1, 2, 1]


def test_of_equal_scenarios_the_first_stands_for_all():
    """Ties go to the smallest index."""
    assert dominators(demands([[1, 2], [1, 2], [0, 2], [1, 2]])).tolist() == [0, 0, 0, 0]


def test_higher_prices_dominate_where_purchases_are_nonnegative():
    """Uncertain costs."""
    letters = {
        "c": [1.0], "A": None, "d": None, "G": [[1.0, 1.0]], "h": [4.0], "E": [[1.0]], "M": None, "xi": None,
        "b": [[1.0, 2.0], [2.0, 2.0], [3.0, 1.0]], "x_integer": True, "y_integer": True, "x_upper": 3.0, "y_upper": 5.0,
    }  # fmt: skip
    assert dominators(from_letters(letters)).tolist() == [1, 1, 2]


def test_only_maximal_failures_remain():
    """A site that fails loses its capacity: failing sets within other failing sets never matter."""
    failing = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]])
    problem = from_letters({
        "c": np.ones(3), "A": None, "d": None, "G": -np.eye(3), "h": np.zeros(3), "E": np.eye(3), "M": 5.0 * np.eye(3),
        "xi": -failing, "b": np.ones(3), "x_integer": True, "y_integer": True, "x_upper": 1.0,
    })  # fmt: skip
    assert dominators(problem).tolist() == [1, 1, 2, 1]


@pytest.mark.parametrize("integer", ["none", "all", "some"])
@given(seed=seeds)
def test_nobody_costs_more_than_its_dominator(integer, seed):
    """Whatever scenarios change, for several decisions, by exact costs."""
    problem = random_problem(seed, integer=integer, num_scenarios=12)
    dominator = dominators(problem)
    assert (dominator[dominator] == dominator).all()
    for k in range(3):
        costs = Evaluator(problem, use_oracle=False).evaluate(random_decision(problem, seed + k)).recourse_costs
        assert (costs <= costs[dominator] + 1e-5 * (1 + np.abs(np.nan_to_num(costs, posinf=0, neginf=0)))).all()


def test_dominance_is_met_in_the_draws():
    """The property above is not empty."""
    found = [dominators(random_problem(seed, integer="some", num_scenarios=12)) != np.arange(12) for seed in range(30)]
    assert np.mean(found) > 0.1


def test_the_worst_scenario_is_never_a_dominated_one():
    """Dominated scenarios get their dominator's cost as an upper bound, which must not name them."""
    problem = demands([[1, 2], [3, 3], [0, 1], [3, 1]])
    found = Evaluator(problem).bounds(np.zeros(2), range(4), Deadline())
    assert (found.scenario, found.lower) == (1, 9.0)
    assert (found.upper >= nr.evaluate(problem, np.zeros(2)).recourse_costs).all()


def test_ten_thousand_scenarios_are_compared_within_the_work_limit():
    """A scenario that dominates all is found among many."""
    xi = np.random.default_rng(0).uniform(0, 9, (10_000, 2))
    xi[77] = 9.0
    assert (dominators(demands(xi)) == 77).all()


@pytest.mark.parametrize("start", [(0,), (1,), (3, 0)])
def test_a_search_from_a_dominated_scenario_finds_its_dominator(start):
    """What is known of a dominated scenario is its dominator's bound, not what it costs."""
    problem = demands([[1, 2], [3, 3], [0, 4], [3, 1]])
    found = ColumnAndConstraintGeneration(SearchSession(problem)).run(start)
    assert found.status == "optimal"
    assert found.worst_case == pytest.approx(nr.solve(problem.restrict([1, 2])).worst_case)


def test_of_equal_scenarios_one_is_enough():
    """A scenario costs no more than one like it, so a search that holds one needs no other."""
    problem = demands([[1, 2], [1, 2], [0, 2]])
    assert ColumnAndConstraintGeneration(SearchSession(problem)).run([1]).scenarios == (1,)
