"""An answer on few scenarios is sensible on all: never worse there than the reduced problem's own decision."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurprise as nr
from experiments.classes import covering, lot_sizing, maintenance
from neurprise.errors import NotApplicableError
from tests.instances import FAMILIES, from_letters, random_letters, seeds
from tests.recourse.random_problems import random_problem

SMPS = Path(__file__).parents[3] / "shared" / "data" / "smps"
METHODS = nr.reducers.reducer_names()


def own_worst_case(problem, kept):
    """Of what the reduced problem, solved apart, decides; None where it has no answer."""
    try:
        own = nr.solve(problem.restrict(kept))
    except (nr.InfeasibleProblemError, nr.UnboundedProblemError):
        return None
    return nr.evaluate(problem, own.x).worst_case


def assert_no_worse_than_its_own(problem, method, budget):
    """And the bound is no worse either: V(R) <= V'(R) <= V <= Z(x)."""
    try:
        report = nr.solve(problem, method, budget)
    except (nr.InfeasibleProblemError, nr.UnboundedProblemError, NotApplicableError):
        return
    own = own_worst_case(problem, report.scenarios)
    if own is None or not math.isfinite(own):
        return
    sign, tolerance = (-1 if problem.maximize else 1), 1e-6 * max(1.0, abs(own))
    assert sign * report.worst_case <= sign * own + tolerance
    assert report.worst_case == pytest.approx(nr.evaluate(problem, report.x).worst_case, rel=1e-6, abs=1e-6)
    optimum = nr.solve(problem).worst_case
    assert sign * report.lower_bound <= sign * optimum + 2e-4 * max(1.0, abs(optimum))


@pytest.mark.parametrize("family", sorted(FAMILIES))
@given(seed=seeds, method=st.sampled_from(METHODS), budget=st.integers(1, 3))
def test_families_are_no_worse(family, seed, method, budget):
    """They evaluate every decision that they meet, and flip entries of the best."""
    assert_no_worse_than_its_own(FAMILIES[family](seed), method, budget)


@pytest.mark.parametrize("integer", ["none", "all", "some"])
@given(seed=seeds, method=st.sampled_from(METHODS), budget=st.integers(1, 3))
def test_general_problems_are_no_worse(integer, seed, method, budget):
    """Mixed signs, integer recourse, scenarios without recourse."""
    assert_no_worse_than_its_own(random_problem(seed, integer=integer, num_scenarios=7), method, budget)


@given(seed=seeds, method=st.sampled_from(METHODS), budget=st.integers(1, 3))
def test_maximisations_are_no_worse(seed, method, budget):
    """The guaranteed profit is no smaller."""
    letters = random_letters(seed, complete=True)
    profits = letters | {"c": -letters["c"], "b": -letters["b"], "maximize": True}
    assert_no_worse_than_its_own(from_letters(profits), method, budget)


@pytest.mark.parametrize("draw", [covering.draw, maintenance.draw, lot_sizing.draw])
def test_one_scenario_leads_to_a_good_decision(draw):
    """Its own decision costs at least a tenth more; relaxed recourse and repairs leave at most a twentieth of that."""
    problem = draw(1).restrict(range(12))
    report = nr.solve(problem, "maxsum", 1)
    own, optimum = own_worst_case(problem, report.scenarios), nr.solve(problem).worst_case
    assert own > 1.1 * optimum
    assert report.worst_case - optimum <= 0.05 * (own - optimum)


@pytest.mark.skipif(not SMPS.is_dir(), reason="the shared instances are not here")
@pytest.mark.parametrize("method", ["maxsum", "neurprise"])
@pytest.mark.parametrize(("name", "num_scenarios"), [("dcap332_200", 25), ("sslp_5_25_15_CC", 15)])
def test_four_scenarios_of_a_published_problem_lead_to_a_good_decision(name, num_scenarios, method):
    """Of the decisions that are optimal for them, the one that came first cost up to 180 % more than the optimum."""
    problem = nr.read(SMPS / name / f"{name}.cor").restrict(range(num_scenarios))
    optimum = nr.solve(problem).worst_case
    assert nr.solve(problem, method, 4).worst_case <= optimum + 0.05 * abs(optimum)


def test_cuts_raise_the_bound():
    """V'(R) is above V(R) where R lacks what matters."""
    problem = maintenance.draw(1).restrict(range(12))
    report = nr.solve(problem, "maxsum", 1)
    assert report.lower_bound > 1.01 * nr.solve(problem.restrict(report.scenarios)).worst_case


def test_a_scenario_without_recourse_becomes_a_rule():
    """The reduced problem orders for a demand of 1; an elastic program says what a demand of 9 needs."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[2.0], A=None, d=None, G=[[1.0]], h=[0.0], E=[[1.0]], M=[[-1.0]], xi=[[1.0], [9.0], [5.0]], b=[3.0],
        x_integer=True, y_integer=True, x_upper=20.0, y_upper=2.0,
    )  # fmt: skip
    report = nr.solve(problem, _First(), 1)
    assert report.scenarios == (0,)
    assert nr.evaluate(problem, nr.solve(problem.restrict([0])).x).worst_case == math.inf
    assert report.worst_case == nr.solve(problem).worst_case == 18.0


def test_the_paper_s_v_of_r_is_that_of_the_restricted_problem():
    """Nothing of the other scenarios is in it."""
    problem = maintenance.draw(1).restrict(range(12))
    kept = nr.solve(problem, "maxsum", 1).scenarios
    alone = nr.solve(problem.restrict(kept), gap=1e-6)
    forgotten = nr.solve(problem.restrict([*kept, 5]).restrict([0]), gap=1e-6)
    assert alone.lower_bound == forgotten.lower_bound
    assert np.array_equal(alone.x, forgotten.x)


class _First:
    """Keep the first scenarios."""

    name = "first"

    def reduce(self, problem, budget, seed=0):
        return nr.reducers.Reduction(tuple(range(budget)))
