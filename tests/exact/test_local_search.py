"""Flips only ever lower the true worst case."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.clock import Deadline
from neurprise.evaluate import Evaluator
from neurprise.exact.local_search import FlipSearch


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


def test_wandering_is_never_worse_and_leaves_a_local_optimum():
    """From a poor end of a descent it comes to the optimum, which brute force knows."""
    problem = nr.make_vertex_cover(12, 8, 5)
    evaluator = Evaluator(problem)
    search, start = FlipSearch(evaluator), np.ones(12)
    x, value = search.improve(start, evaluator.evaluate(start).worst_case, range(8), Deadline())
    found, better = search.wander(x, value, range(8), Deadline(1.0))
    assert better == evaluator.evaluate(found).worst_case == nr.solve(problem).worst_case <= value


def test_wandering_keeps_the_rows_of_the_first_stage():
    """Of selection: at most p items."""
    problem = nr.make_selection(9, 7, 2)
    evaluator = Evaluator(problem)
    x, _ = FlipSearch(evaluator).wander(np.zeros(9), evaluator.evaluate(np.zeros(9)).worst_case, [0], Deadline(0.2))
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
