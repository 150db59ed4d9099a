"""Listing the decisions of a selection finds exactly those below the cutoff."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurprise as nr
from neurprise import compiled as room
from neurprise.problems.selection import oracle


def every_decision(problem, scenario):
    """Number and cost of every feasible binary x, by the recourse oracle."""
    n, costs = problem.num_first_stage, {}
    for number in range(1 << n):
        x = np.array([float(number >> i & 1) for i in range(n)])
        if x.sum() <= problem.num_select:
            costs[number] = problem.first_stage_costs @ x + problem.oracle.recourse_costs(x)[scenario]
    return costs


@given(seed=st.integers(0, 10**6), share=st.floats(0.9, 1.6), num_select=st.integers(0, 6))
def test_exactly_the_decisions_below_the_cutoff_are_listed(seed, share, num_select):
    """None is missed, none is added, every cost is right."""
    drawn = nr.make_selection(6, 3, seed)
    problem = nr.Selection(drawn.first_stage_costs, drawn.scenario_costs, num_select)
    cutoff = share * problem.single_scenarios.values()[1] + 0.5
    numbers, costs = problem.first_stage_list.below(1, cutoff)
    expected = {number: cost for number, cost in every_decision(problem, 1).items() if cost < cutoff}
    assert dict(zip(numbers.tolist(), costs.tolist(), strict=True)) == pytest.approx(expected)


@given(seed=st.integers(0, 10**6), num_select=st.integers(0, 7), cutoff=st.floats(-1, 6) | st.just(np.inf))
def test_numpy_and_compiled_functions_list_alike(seed, num_select, cutoff):
    """In the same order, so that no answer depends on which of them was asked; rewards included."""
    rng = np.random.default_rng(seed)
    now, later = rng.random(7) - 0.1, rng.random(7)
    seen = []
    for seconds in (0.0, 1e9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(room, "SECONDS_OF_NUMPY", seconds)
            for function in (oracle.decisions_below, oracle.costs_of):
                patch.setattr(function, "_call", function._first_call)
            numbers, costs = oracle.decisions_below(now, later, num_select, cutoff)
            seen.append((numbers.tolist(), costs, oracle.costs_of(numbers, now, later, num_select)))
    (compiled, *costs), (plain, *same) = seen
    assert compiled == plain
    for one, other in zip(costs, same, strict=True):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-12)


def test_costs_of_listed_decisions_are_those_of_the_recourse_oracle():
    """Any scenario, any subset of decisions."""
    problem = nr.make_selection(6, 4, 3)
    numbers = np.array([0, 5, 12, 33])
    expected = every_decision(problem, 2)
    assert problem.first_stage_list.costs(2, numbers).tolist() == [expected[int(k)] for k in numbers]


def test_large_selections_are_left_to_the_engine():
    """Listing pays up to twenty items."""
    assert nr.make_selection(21, 2, 0).first_stage_list is None
