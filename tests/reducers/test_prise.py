"""PRISE returns the trace of Algorithm 1, however it is accelerated."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neurprise as nr
from experiments.baselines.naive_prise import NaivePRISE
from neurprise.problems import Selection, VertexCover
from neurprise.testing import check_reducer


class EngineOnlySelection(Selection):
    """A selection that does not list its first stage, so that the engine solves every V(R)."""

    first_stage_list = None


class EngineOnlyCover(VertexCover):
    """A vertex cover that does not list its first stage, so that the engine solves every V(R)."""

    first_stage_list = None


@pytest.fixture
def counterexample():
    """The paper's three decisions and three scenarios with f(x, s); V is not submodular on it."""
    costs = np.array([[9, 1, 4], [1, 9, 4], [5, 6, 8]], dtype=float)  # one row per scenario
    return nr.TwoStageProblem.from_matrices(
        c=np.zeros(3),
        A=[[1, 1, 1], [-1, -1, -1]],
        d=[1, -1],
        G=np.eye(3),
        h=np.zeros(3),
        E=-np.eye(3),
        M=None,
        xi=None,
        b=costs,
        x_integer=True,
        y_integer=False,
        x_upper=1,
    )


def random_generic_problem(seed):
    """Integer x, continuous y with a costly slack, uncertain right-hand sides and costs."""
    rng = np.random.default_rng(seed)
    n, m, rows, num_scenarios = 4, 4, 3, 7
    G = np.hstack([rng.integers(0, 4, (rows, m)), np.eye(rows)])
    b = np.hstack([rng.uniform(1, 9, (num_scenarios, m)), np.full((num_scenarios, rows), 40.0)])
    return nr.TwoStageProblem.from_matrices(
        c=rng.uniform(1, 6, n),
        A=None,
        d=None,
        G=G,
        h=rng.integers(3, 9, rows),
        E=rng.integers(0, 3, (rows, n)),
        M=-np.eye(rows),
        xi=rng.integers(0, 9, (num_scenarios, rows)),
        b=b,
        x_integer=True,
        y_integer=False,
        x_upper=3,
    )


MAKERS = {
    "selection": lambda seed: nr.make_selection(8, 12, seed),
    "selection, normal": lambda seed: nr.make_selection(8, 10, seed, "normal"),
    "vertex cover": lambda seed: nr.make_vertex_cover(9, 10, seed),
    "vertex cover, multimodal": lambda seed: nr.make_vertex_cover(8, 8, seed, "multimodal"),
    "facility location": lambda seed: nr.make_facility_location(4, 4, 7, seed),
    "matrices": random_generic_problem,
}


@pytest.mark.parametrize("family", MAKERS)
@pytest.mark.parametrize("seed", range(6))
def test_the_trace_is_that_of_algorithm_1(family, seed):
    """Same scenarios, same order, same gains as one exact solve per candidate and step."""
    problem = MAKERS[family](seed)
    fast, naive = nr.reducers.PRISE().reduce(problem, 6), NaivePRISE().reduce(problem, 6)
    assert fast.indices == naive.indices
    assert fast.gains == pytest.approx(naive.gains, rel=1e-6, abs=1e-6)
    assert fast.num_solves < naive.num_solves


@pytest.mark.parametrize("reducer", [NaivePRISE(), nr.reducers.PRISE()])
def test_a_scenario_that_leaves_no_decision_is_named(reducer):
    """At most four units can be had in all, and the second scenario asks for nine."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[1], A=None, d=None, G=[[1]], h=[0], E=[[1]], M=[[-1]], xi=[[2], [9]], b=[1], x_integer=True,
        y_integer=False, x_upper=3, y_upper=1,
    )  # fmt: skip
    for ask in (lambda: reducer.reduce(problem, 2), lambda: nr.solve(problem, reducer, 2)):
        with pytest.raises(nr.InfeasibleProblemError) as caught:
            ask()
        assert caught.value.scenarios == (1,)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_listing_and_engine_give_one_trace(seed):
    """Listing every first-stage decision is a shortcut, not another method."""
    cover, choice = nr.make_vertex_cover(9, 9, seed), nr.make_selection(9, 9, seed)
    plain_cover = EngineOnlyCover(cover.first_stage_costs, cover.scenario_costs, cover.edges)
    plain_choice = EngineOnlySelection(choice.first_stage_costs, choice.scenario_costs, choice.num_select)
    for problem, plain in ((cover, plain_cover), (choice, plain_choice)):
        fast, slow = nr.reducers.PRISE().reduce(problem, 5), nr.reducers.PRISE().reduce(plain, 5)
        assert (fast.indices, fast.gains) == (slow.indices, slow.gains)


def test_the_papers_counterexample_is_traced_as_printed(counterexample):
    """Remark 1: the order s3, s1, s2 with values 5, 6, 8, so gains are not monotone."""
    reduction = nr.reducers.PRISE().reduce(counterexample, 3)
    assert reduction.indices == (2, 0, 1)
    assert np.cumsum(reduction.gains) == pytest.approx([5, 6, 8])


@pytest.mark.parametrize("engine", ["scip", "gurobi"])
def test_every_engine_gives_the_same_trace(engine):
    """The trace depends on the problem, not on who solves it."""
    pytest.importorskip({"scip": "pyscipopt", "gurobi": "gurobipy"}[engine])
    for make in (MAKERS["selection"], MAKERS["facility location"]):
        problem = make(3)
        assert (
            nr.reducers.PRISE(solver=engine).reduce(problem, 4).indices
            == nr.reducers.PRISE().reduce(problem, 4).indices
        )


def test_whole_numbers_give_whole_gains():
    """With integer data a gain is an integer; engine noise is not a gain."""
    for seed in range(5):
        gains = nr.reducers.PRISE().reduce(nr.make_selection(10, 20, seed), 8).gains
        assert all(gain == round(gain) and gain >= 1 for gain in gains)


def test_ties_go_to_the_smallest_index():
    """Equal scenarios are told apart only by their number."""
    problem = nr.Selection([5, 5, 5], [[9, 9, 1]] * 4, 2)
    assert nr.reducers.PRISE().reduce(problem, 3).indices == (0,)


def test_the_objective_is_the_value_of_the_kept_scenarios():
    """V(R) bounds the optimum from below and is attained by one of the decisions returned."""
    problem = nr.make_facility_location(4, 4, 8, 1)
    reduction = nr.reducers.PRISE().reduce(problem, 2)
    report = nr.solve(problem.restrict(reduction.indices), gap=0)
    assert reduction.objective == pytest.approx(report.worst_case, rel=1e-6)
    assert reduction.objective <= nr.solve(problem, gap=0).worst_case * (1 + 1e-6)
    assert reduction.decisions


def test_a_time_limit_returns_the_steps_taken_so_far():
    """Nothing is lost when the time is over; at least one scenario is kept."""
    reduction = nr.reducers.PRISE(time_limit=0.0).reduce(nr.make_facility_location(4, 4, 8, 1), 4)
    assert len(reduction.indices) >= 1
    assert reduction.objective is None or math.isfinite(reduction.objective)


def test_an_infeasible_scenario_is_named():
    """Demand beyond all capacity cannot be served by any first-stage decision."""
    problem = nr.FacilityLocation([1, 1], [1, 1], [5, 5], np.ones((2, 2)), [[1, 1], [50, 1]])
    with pytest.raises(nr.InfeasibleProblemError, match="scenario 1"):
        nr.reducers.PRISE().reduce(problem, 2)


def test_prise_keeps_the_contract():
    """The shipped check accepts it; PRISE may keep fewer scenarios than the budget."""
    check_reducer(nr.reducers.PRISE())
