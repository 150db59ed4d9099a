"""What relaxed decisions round to joins the answers of a search on few scenarios."""

from __future__ import annotations

import math

import numpy as np
import pytest

import neurprise as nr
from experiments.classes.lot_sizing import draw
from neurprise.clock import Deadline
from neurprise.reducers import Relaxation
from neurprise.search.relaxation import solve_relaxation
from neurprise.search.start import roundings
from neurprise.solvers import get_engine


@pytest.fixture(scope="module")
def lots():
    """Setups are binary; a plan for one scenario is dear in others."""
    return draw(1).restrict(range(12))


@pytest.fixture(scope="module")
def rounded(lots):
    relaxed = solve_relaxation(lots, get_engine("highs"), Deadline())
    return list(roundings(lots.first_stage, relaxed))


def test_they_are_whole_and_within_their_bounds(lots, rounded):
    """Whatever an engine's tolerance left of them."""
    first = lots.first_stage
    for x in rounded:
        assert np.array_equal(x[first.integer], np.round(x[first.integer]))
        assert (first.lower <= x).all()
        assert (x <= first.upper).all()


def test_the_answer_on_one_scenario_is_no_worse_than_any_of_them(lots, rounded):
    """The scenario's own plan costs a quarter more."""
    costs = [nr.evaluate(lots, x).worst_case for x in rounded if lots.first_stage.violation(x) <= 1e-6]
    answer = nr.solve(lots, Relaxation(), 1).worst_case
    assert math.isfinite(answer)
    assert answer <= min(costs) * (1 + 1e-6)
    own = nr.solve(lots.restrict(Relaxation().reduce(lots, 1).indices))
    assert answer < 0.9 * nr.evaluate(lots, own.x).worst_case
