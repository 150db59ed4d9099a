"""Flips lower the worst case, or find what a few scenarios allow."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.clock import Deadline
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.local_search import FlipSearch


@pytest.mark.parametrize("make", [nr.make_selection, nr.make_vertex_cover])
def test_the_descent_ends_where_no_flip_helps(make):
    """Every single flip of the end point is infeasible or no cheaper."""
    problem = make(9, 7, 2)
    evaluator = Evaluator(problem)
    start = np.zeros(9)
    x, value = FlipSearch(evaluator).improve(start, evaluator.evaluate(start).worst_case, [0, 1], Deadline())
    assert value == evaluator.evaluate(x).worst_case <= evaluator.evaluate(start).worst_case
    for place in range(9):
        flipped = np.where(np.arange(9) == place, 1 - x, x)
        assert problem.first_stage.violation(flipped) > 0 or evaluator.evaluate(flipped).worst_case >= value


@pytest.mark.parametrize("reducer", ["ccg", "prise", "maxsum", "neurprise"])
@pytest.mark.parametrize("make", [nr.make_selection, nr.make_vertex_cover])
def test_no_flip_helps_an_answer_on_few_scenarios(make, reducer):
    """Also where the reducer itself has solved the reduced problem, and nothing is left to search."""
    for seed in range(4):
        problem = make(9, 12, seed)
        report = nr.solve(problem, reducer, 1)
        for place in range(9):
            flipped = np.where(np.arange(9) == place, 1 - report.x, report.x)
            broken = problem.first_stage.violation(flipped) > 0
            assert broken or nr.evaluate(problem, flipped).worst_case >= report.worst_case


def test_flips_find_a_decision_below_a_target_where_there_is_one():
    """From a poor end of a descent they come to the optimum of a few scenarios, which exact search knows."""
    problem = nr.make_vertex_cover(12, 8, 5)
    few = [1, 4, 6]
    optimum = nr.solve(problem.restrict(few)).worst_case
    x = FlipSearch(Evaluator(problem)).below(optimum + 1e-6, np.ones(12), few, Deadline(20.0))
    assert Evaluator(problem.restrict(few)).evaluate(x).worst_case == optimum


def test_flips_say_so_when_they_find_nothing_below_a_target():
    """Nothing costs less than the optimum."""
    problem = nr.make_vertex_cover(12, 8, 5)
    optimum = nr.solve(problem).worst_case
    assert FlipSearch(Evaluator(problem)).below(optimum, np.ones(12), range(8), Deadline(0.1)) is None


def test_flips_keep_the_rows_of_the_first_stage():
    """Of selection: at most p items."""
    problem = nr.make_selection(9, 7, 2)
    optimum = nr.solve(problem.restrict([0])).worst_case
    x = FlipSearch(Evaluator(problem)).below(optimum + 1e-6, np.zeros(9), [0], Deadline(20.0))
    assert problem.first_stage.violation(x) == 0


def test_no_time_returns_the_start():
    """A passed deadline changes nothing."""
    evaluator = Evaluator(nr.make_vertex_cover(9, 7, 2))
    x, value = FlipSearch(evaluator).improve(np.zeros(9), 1e9, [0], Deadline(0))
    assert value == 1e9
    assert not x.any()


def test_continuous_first_stages_are_left_alone():
    """Facility location has capacities to choose, not only switches."""
    assert not FlipSearch(Evaluator(nr.make_facility_location(3, 3, 2, 0))).applies
