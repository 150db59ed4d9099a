"""SOR and its guarantee."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurprise as nr
from neurprise.reducers.sor import SINGLE_WEIGHT, representation

COSTS = st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=2, max_size=5)


def value(problem, indices=None):
    """V(R), or V(all)."""
    return nr.solve(problem if indices is None else problem.restrict(indices), gap=0.0).worst_case


def objective(represents, chosen):
    """t + 0.001 sum_i t_i."""
    single = represents[:, list(chosen)].max(axis=1)
    return single.min() + SINGLE_WEIGHT * single.sum()


@given(first=st.lists(st.integers(0, 9), min_size=4, max_size=4), later=COSTS, budget=st.integers(1, 3))
def test_the_guarantee_holds_for_selection(first, later, budget):
    """V(R) <= V(all) <= V(R) / t, zero costs included."""
    problem = nr.Selection(first, later, 2)
    reduction = nr.reducers.SOR().reduce(problem, budget)
    reduced, full = value(problem, reduction.indices), value(problem)
    assert reduced <= full + 1e-6
    assert reduction.guarantee * full <= reduced + 1e-6


@given(first=st.lists(st.integers(0, 9), min_size=4, max_size=4), later=COSTS, budget=st.integers(1, 3))
def test_the_guarantee_holds_for_vertex_cover(first, later, budget):
    """The cover formulation's negative cost on x is only a substitution."""
    problem = nr.VertexCover(first, later, [(0, 1), (1, 2), (2, 3), (0, 2)])
    reduction = nr.reducers.SOR().reduce(problem, budget)
    assert reduction.guarantee * value(problem) <= value(problem, reduction.indices) + 1e-6


@pytest.mark.parametrize("budget", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_choice_is_the_best_of_all_choices(seed, budget):
    """The engine, on the pairs that a greedy bound leaves, finds what enumeration finds."""
    problem = nr.make_selection(4, 8, seed=seed)
    represents = representation(problem.scenario_costs)
    best = max(objective(represents, chosen) for chosen in combinations(range(8), budget))
    reduction = nr.reducers.SOR().reduce(problem, budget)
    assert objective(represents, reduction.indices) == pytest.approx(best, abs=1e-7)


def test_every_engine_finds_the_same_guarantee(engine):
    """The model is an ordinary mixed-integer program."""
    problem = nr.make_selection(4, 8, seed=0)
    assert nr.reducers.SOR(engine).reduce(problem, 2).guarantee == pytest.approx(
        nr.reducers.SOR().reduce(problem, 2).guarantee
    )


def test_a_zero_cost_is_represented_by_any_cost():
    """0/0 restricts nothing; a positive cost over a zero one neither; zero over positive is worth nothing."""
    ratios = representation(np.array([[0.0, 4.0], [0.0, 2.0], [3.0, 0.0], [0.0, 0.0]]))
    assert ratios[0].tolist() == [1.0, 0.5, 0.0, 0.0]
    assert ratios[3].tolist() == [1.0, 1.0, 1.0, 1.0]


def test_keeping_every_scenario_is_a_perfect_guarantee():
    """And needs no engine."""
    reduction = nr.reducers.SOR().reduce(nr.make_selection(4, 3, seed=0), 5)
    assert (reduction.indices, reduction.guarantee, reduction.num_solves) == ((0, 1, 2), 1.0, 0)


def test_uncertain_demands_are_refused():
    """Facility location changes right-hand sides, where the proof does not hold."""
    with pytest.raises(nr.NotApplicableError, match=r"recourse region that no scenario changes, .* row_lower"):
        nr.reducers.SOR().reduce(nr.make_facility_location(4, 3, 4, seed=0), 2)


def test_negative_recourse_costs_are_refused():
    """A reward does not scale like a price."""
    with pytest.raises(nr.NotApplicableError, match="recourse costs that are zero or positive, got -2"):
        nr.reducers.SOR().reduce(nr.Selection([1, 1], [[1, -2], [3, 4]], 1), 1)


def test_first_stage_rewards_are_refused():
    """V(all) <= V(R) / t needs a first stage that only adds."""
    with pytest.raises(nr.NotApplicableError, match="first-stage costs that cannot be negative"):
        nr.reducers.SOR().reduce(nr.Selection([1, -1], [[1, 2], [3, 4]], 1), 1)


def test_free_recourse_variables_are_refused():
    """A variable below zero turns a price into a reward."""
    problem = nr.Selection([1, 1], [[1, 2], [3, 4]], 1)
    recourse = problem.recourse
    free = nr.TwoStageProblem(
        problem.first_stage,
        type(recourse)(**{**vars(recourse), "lower": np.full(2, -5.0)}),
        problem.changes,
        2,
    )
    with pytest.raises(nr.NotApplicableError, match="variables that are zero or positive where they cost"):
        nr.reducers.SOR().reduce(free, 1)


def test_too_many_scenarios_are_refused():
    """The model grows with their square."""
    with pytest.raises(nr.NotApplicableError, match=r"at most 1000 scenarios, .* got 1001"):
        nr.reducers.SOR().reduce(nr.make_selection(2, 1001, seed=0), 2)


def test_no_time_gives_a_choice_with_its_own_guarantee():
    """Stopped early, the choice may be worse; what it promises still holds."""
    problem = nr.make_selection(5, 10, seed=1)
    reduction = nr.reducers.SOR(time_limit=0.0).reduce(problem, 2)
    assert len(reduction.indices) == 2
    assert reduction.guarantee * value(problem) <= value(problem, reduction.indices) + 1e-6
