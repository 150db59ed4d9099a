"""Decisions that are not evaluated to the end: what the pool knows of them, and where the search ends all the same."""

import math

import numpy as np
import pytest
from hypothesis import given

import neurprise as nr
from experiments.baselines.naive_prise import NaivePRISE
from neurprise.clock import Deadline
from neurprise.errors import InputError
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.extensive_form import Master
from neurprise.search.pool import DecisionPool
from neurprise.search.session import SearchSession
from neurprise.solvers import Limits, get_engine
from tests.instances import from_letters, seeds
from tests.recourse.random_problems import random_decision, random_problem

# y >= demand - x at price 1; x costs 2
DEMANDS = {
    "c": [2.0], "A": None, "d": None, "G": [[1.0]], "h": [0.0], "E": [[1.0]], "M": [[-1.0]],
    "xi": [[3.0], [9.0], [1.0], [7.0]], "b": [1.0], "x_integer": True, "y_integer": False, "x_upper": 9.0,
}  # fmt: skip


def incomparable(num_scenarios=40, seed=0):
    """Two goods, many demands of which none dominates another."""
    first = np.sort(np.random.default_rng(seed).uniform(0, 9, num_scenarios))
    letters = DEMANDS | {
        "c": [2.0, 2.0], "G": np.eye(2), "h": np.zeros(2), "E": np.eye(2), "M": -np.eye(2), "b": [1.0, 1.5],
        "xi": np.column_stack([first, 9 - first]),
    }  # fmt: skip
    return from_letters(letters)


def value_of_all(problem):
    """V over all scenarios by one extensive form; inf if infeasible."""
    master = Master(Evaluator(problem, use_oracle=False), get_engine("highs"))
    return master.solve(range(problem.num_scenarios), Limits()).value


def test_a_bad_enough_scenario_ends_the_evaluation():
    """Total costs that are not known are inf: valid upper bounds, and never the best."""
    problem = incomparable()
    pool = DecisionPool(Evaluator(problem))
    full = pool.add(np.array([4.0, 4.0]), enough=math.inf)
    half = pool.add(np.array([0.0, 0.0]), enough=pool.suspect(full).total - 10)
    assert pool.suspect(full).is_worst
    assert not pool.suspect(half).is_worst
    exact = nr.evaluate(problem, [0.0, 0.0])
    assert (pool.totals[half] >= exact.recourse_costs - 1e-9).all()
    assert np.isinf(pool.totals[half]).any()
    assert pool.suspect(half).total <= exact.worst_case + 1e-9
    assert pool.best()[0] == full


def test_a_half_evaluated_decision_is_completed_when_asked():
    """Adding it again without a threshold gives its true worst case at the same place."""
    problem = incomparable()
    pool = DecisionPool(Evaluator(problem))
    half = pool.add(np.zeros(2), enough=1.0)
    assert pool.add(np.zeros(2), enough=1.0) == half
    assert not pool.suspect(half).is_worst
    assert pool.add(np.zeros(2)) == half
    assert pool.best() == (half, pytest.approx(nr.evaluate(problem, [0.0, 0.0]).worst_case))


def test_the_worst_of_some_scenarios_is_exact_in_a_half_evaluated_decision():
    """What was not looked at is looked at now."""
    problem = incomparable()
    pool = DecisionPool(Evaluator(problem))
    half = pool.add(np.zeros(2), enough=1.0)
    costs = nr.evaluate(problem, [0.0, 0.0]).recourse_costs
    assert pool.worst_of(half, [3, 17, 30], Deadline()) == pytest.approx(costs[[3, 17, 30]].max())


@given(seed=seeds)
def test_bounds_of_screened_recourse_are_not_taken_for_costs(seed):
    """Dives settle a scenario by any recourse cheaper than the worst one; asked about it alone, the pool is exact."""
    problem = random_problem(seed, integer="some", num_scenarios=8)
    pool, x = DecisionPool(Evaluator(problem)), random_decision(problem, seed)
    place = pool.add(x, enough=math.inf)
    totals = Evaluator(problem).first_cost(x) + nr.evaluate(problem, x).recourse_costs
    for scenarios in ([0], [1, 2], [3, 4, 5, 6], range(8)):
        assert pool.worst_of(place, scenarios, Deadline()) == pytest.approx(totals[list(scenarios)].max(), abs=1e-6)
    assert pool.totals[place] == pytest.approx(np.maximum(totals, pool.totals[place]), abs=1e-6)


def test_the_adversary_names_a_scenario_outside_the_reduced_set():
    """Also where the scenario that ended the evaluation is inside: then the decision is completed."""
    session = SearchSession(incomparable())
    half = session.pool.add(np.zeros(2), enough=1.0)
    suspect = session.pool.suspect(half).scenario
    assert session.pool.missing(half, [20], session.deadline) is not None
    assert session.pool.missing(half, [suspect], session.deadline) != suspect
    assert session.pool.missing(half, range(40), session.deadline) is None


def test_dominated_scenarios_are_never_added():
    """The demand of 9 stands for the others."""
    report = nr.solve(from_letters(DEMANDS))
    assert report.worst_case == pytest.approx(9.0)
    assert report.scenarios == (1,)


@pytest.mark.parametrize("integer", ["none", "some", "all"])
@given(seed=seeds)
def test_the_search_ends_at_the_value_of_all_scenarios(integer, seed):
    """Lazy evaluation changes the path and never the end; judged by one model of all scenarios."""
    problem = random_problem(seed, integer=integer, num_scenarios=8)
    value = value_of_all(problem)
    if math.isfinite(value):
        assert nr.solve(problem, gap=1e-6).worst_case == pytest.approx(value, rel=1e-5, abs=1e-4)
    else:
        with pytest.raises(InputError):
            nr.solve(problem)


@given(seed=seeds)
def test_prise_keeps_its_trace(seed):
    """Upper bounds that are not exact never change what PRISE chooses."""
    problem = random_problem(seed, integer="some", kinds=("row_lower", "row_upper", "costs"), num_scenarios=6)
    if math.isfinite(value_of_all(problem)):
        naive = NaivePRISE().reduce(problem, 3)
        assert nr.reducers.PRISE().reduce(problem, 3).indices == naive.indices
