"""Recourse at the bounds that costs prefer: optimal where it is feasible, and never claimed elsewhere."""

import numpy as np
import pytest
from hypothesis import given

import neurprise as nr
from neurprise.recourse.evaluator import Evaluator
from neurprise.recourse.model import evident_costs
from tests.instances import seeds
from tests.recourse.random_problems import random_decision, random_problem


@pytest.mark.parametrize("integer", ["none", "all", "some"])
@given(seed=seeds)
def test_evident_costs_are_those_of_an_engine(integer, seed):
    """Whatever scenarios change; where nothing is evident, nothing is said."""
    problem = random_problem(seed, integer=integer, num_scenarios=2)
    x = random_decision(problem, seed)
    costs = evident_costs(problem, x)
    if costs is not None:
        plain = Evaluator(problem, use_oracle=False).evaluate(x).recourse_costs
        assert costs == pytest.approx(plain, rel=1e-6, abs=1e-5)


def test_evident_costs_are_met_in_the_draws():
    """Else the test above would say nothing."""
    draws = [random_problem(seed, integer="some", num_scenarios=2) for seed in range(200)]
    known = [evident_costs(problem, random_decision(problem, seed)) is not None for seed, problem in enumerate(draws)]
    assert sum(known) >= 20


def test_taking_every_node_leaves_nothing_to_do():
    """Rows of one variable put every node into the cover; nothing is bought later."""
    problem = nr.make_vertex_cover(140, 3, seed=0)
    assert evident_costs(problem, np.ones(140)).tolist() == [0.0, 0.0, 0.0]
    assert evident_costs(problem, np.zeros(140)) is None
