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


def test_no_time_returns_the_start():
    """A passed deadline changes nothing."""
    evaluator = Evaluator(nr.make_vertex_cover(9, 7, 2))
    x, value = FlipSearch(evaluator).improve(np.zeros(9), 1e9, [0], Deadline(0))
    assert value == 1e9
    assert not x.any()


def test_continuous_first_stages_are_left_alone():
    """Facility location has capacities to choose, not only switches."""
    assert not FlipSearch(Evaluator(nr.make_facility_location(3, 3, 2, 0))).applies
