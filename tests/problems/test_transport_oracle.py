"""Cheapest shipments by the compiled oracle are those of the linear program that an engine solves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurprise as nr
from neurprise.problems.facility_location import oracle as transport
from neurprise.recourse.evaluator import Evaluator

seeds = st.integers(0, 10**6)

COSTS = {
    "whole": lambda rng, shape: rng.integers(1, 1001, shape),
    "tied": lambda rng, shape: rng.integers(0, 3, shape),
    "equal": lambda rng, shape: np.full(shape, 7.0),
    "free": lambda rng, shape: np.zeros(shape),
    "decimal": lambda rng, shape: rng.choice([0.1, 0.2, 0.3], shape),
    "tiny to huge": lambda rng, shape: 10.0 ** rng.uniform(-3, 6, shape),
    "paid": lambda rng, shape: rng.integers(-20, 50, shape),
}


def location(transport, demands):
    """Sites of unlimited size; only transport costs and demands matter to the recourse."""
    m = len(transport)
    return nr.FacilityLocation(np.ones(m), np.ones(m), np.full(m, 1e12), transport, demands)


def drawn(rng, costs, m, n):
    """A problem of up to 4 scenarios, and capacities: none at some sites; in total too little, exact or ample."""
    unit = 10.0 ** rng.choice([-2, 0, 0, 4])
    demands = rng.integers(0, 20, (int(rng.integers(1, 5)), n)) * unit * rng.choice([1.0, rng.random()])
    capacities = rng.random(m) * (rng.random(m) < 0.7)
    if capacities.sum() > 0:
        capacities *= demands.sum(axis=1).max() * rng.choice([0.7, 1.0, 1.2, 1e4]) / capacities.sum()
    return location(COSTS[costs](rng, (m, n)), demands), capacities


def decision(capacities):
    return np.concatenate([np.ones(len(capacities)), capacities])


def by_engine(problem, x):
    """Q(x, s) of the same rows without the family's oracle, shape (S,)."""
    rows = nr.TwoStageProblem(problem.first_stage, problem.recourse, problem.changes, problem.num_scenarios)
    return Evaluator(rows).evaluate(x).recourse_costs


def is_feasible(problem, x, y, scenario):
    """Every recourse row holds as engines hold it, up to rounding of large amounts."""
    slack = problem.recourse.technology @ x + problem.recourse.matrix @ y - problem.scenario(scenario).row_lower
    return bool((y >= 0).all() and (slack >= -1e-6 - 1e-12 * np.abs(y).sum()).all())


@pytest.mark.parametrize("costs", COSTS)
@given(seed=seeds, m=st.integers(1, 7), n=st.integers(1, 7))
def test_costs_are_those_of_the_linear_program(costs, seed, m, n):
    """Any costs, any amounts, few sites or customers; inf in the same scenarios."""
    problem, capacities = drawn(np.random.default_rng(seed), costs, m, n)
    x = decision(capacities)
    expected = by_engine(problem, x)
    # Engines may leave 1e-6 of a demand unserved.
    allowance = 1e-6 * np.abs(problem.transport_costs).max()
    assert problem.oracle.recourse_costs(x) == pytest.approx(expected, rel=1e-7, abs=allowance)


@pytest.mark.parametrize("seed", range(3))
def test_costs_agree_at_the_size_of_the_benchmark(seed):
    """30 sites, two thirds of them open, exactly as much capacity as the largest demand needs."""
    problem = nr.make_facility_location(30, 30, 20, seed)
    capacities = problem.max_capacities * (np.arange(30) < 20)
    capacities *= problem.demands.sum(axis=1).max() / capacities.sum()
    x = decision(capacities)
    assert problem.oracle.recourse_costs(x) == pytest.approx(by_engine(problem, x), rel=1e-10)


@pytest.mark.parametrize("costs", COSTS)
@given(seed=seeds, m=st.integers(1, 7), n=st.integers(1, 7))
def test_decisions_are_feasible_and_attain_the_costs(costs, seed, m, n):
    """y satisfies the package's own recourse rows and costs Q(x, s); there is none where that is inf."""
    problem, capacities = drawn(np.random.default_rng(seed), costs, m, n)
    x = decision(capacities)
    for s, cost in enumerate(problem.oracle.recourse_costs(x)):
        y = problem.oracle.recourse_decision(x, s)
        if np.isinf(cost):
            assert y is None
        else:
            assert is_feasible(problem, x, y, s)
            assert problem.recourse.costs @ y == pytest.approx(cost, rel=1e-9, abs=1e-9 * np.abs(x).max())


@given(seed=seeds)
def test_the_order_of_scenarios_does_not_matter(seed):
    """Each search begins where the last one ended, and ends where it would have anyway."""
    rng = np.random.default_rng(seed)
    problem = location(rng.integers(1, 1001, (8, 6)), rng.integers(0, 500, (12, 6)))
    x = decision(rng.integers(200, 701, 8).astype(float))
    order = rng.permutation(12)
    assert problem.restrict(order).oracle.recourse_costs(x) == pytest.approx(
        problem.oracle.recourse_costs(x)[order], rel=1e-12
    )
    alone = [problem.restrict([s]).oracle.recourse_costs(x)[0] for s in range(12)]
    assert alone == pytest.approx(problem.oracle.recourse_costs(x).tolist(), rel=1e-12)


@pytest.mark.parametrize("costs", ["tied", "equal", "free", "decimal"])
def test_ties_do_not_make_the_search_go_in_circles(costs):
    """Forty sites and customers of hardly different costs: thousands of optimal trees."""
    rng = np.random.default_rng(0)
    demands = rng.integers(1, 50, (5, 40)).astype(float)
    problem = location(COSTS[costs](rng, (40, 40)), demands)
    x = decision(np.full(40, demands.sum(axis=1).max() / 40))
    assert problem.oracle.recourse_costs(x) == pytest.approx(by_engine(problem, x), rel=1e-9, abs=1e-9)


def test_zero_demand_costs_nothing():
    """With and without capacity."""
    problem = location([[3.0, 4.0], [5.0, 6.0]], [[0.0, 0.0]])
    for capacities in ([0.0, 0.0], [7.0, 0.0], [7.0, 7.0]):
        x = decision(np.array(capacities))
        assert problem.oracle.recourse_costs(x).tolist() == [0.0]
        assert problem.oracle.recourse_decision(x, 0).tolist() == [0.0, 0.0, 0.0, 0.0]


def test_one_site_and_one_customer():
    """Amount times cost."""
    problem = location([[3.0]], [[2.0], [5.0], [6.0]])
    assert problem.oracle.recourse_costs(np.array([1.0, 5.0])).tolist() == [6.0, 15.0, np.inf]
    assert problem.oracle.recourse_decision(np.array([1.0, 5.0]), 1).tolist() == [5.0]


def test_no_sites_serve_no_demand():
    """A problem without sites can be asked."""
    problem = nr.FacilityLocation([], [], [], np.zeros((0, 2)), [[0.0, 0.0], [0.0, 1.0]])
    assert problem.oracle.recourse_costs(np.zeros(0)).tolist() == [0.0, np.inf]
    assert problem.oracle.recourse_decision(np.zeros(0), 0).tolist() == []


@pytest.mark.parametrize("short, served", [(-1e-9, True), (5e-7, True), (2e-6, False), (1e-3, False)])
def test_capacity_may_be_short_by_what_engines_forgive(short, served):
    """The same answer as an engine's, and a decision that it accepts."""
    problem = location([[3.0, 4.0], [5.0, 1.0], [9.0, 9.0]], [[200.0, 300.0]])
    x = decision(np.array([400.0, 100.0 - short, 0.0]))
    assert np.isfinite(problem.oracle.recourse_costs(x)).tolist() == [served]
    assert problem.oracle.recourse_costs(x) == pytest.approx(by_engine(problem, x), rel=1e-7)
    if served:
        assert is_feasible(problem, x, problem.oracle.recourse_decision(x, 0), 0)


def test_capacity_below_zero_is_forgiven_up_to_the_same_tolerance():
    """Engines return such zeros."""
    problem = location([[3.0], [5.0]], [[10.0]])
    for noise in (-1e-7, -1e-3):
        x = decision(np.array([20.0, noise]))
        assert problem.oracle.recourse_costs(x).tolist() == by_engine(problem, x).tolist()


def test_noise_in_the_capacities_changes_costs_by_as_little():
    """x from an engine is exact to seven digits or so."""
    problem = nr.make_facility_location(10, 10, 8, 1)
    x = decision(problem.max_capacities)
    noisy = x + 1e-7 * np.random.default_rng(0).uniform(-1, 1, 20)
    assert problem.oracle.recourse_costs(noisy) == pytest.approx(problem.oracle.recourse_costs(x), abs=1e-2)


def test_small_demands_are_exact_beside_huge_capacities():
    """Capacity that nobody needs does not drown what is shipped in rounding."""
    problem = location([[2.0, 3.0], [1.0, 1.0]], [[1e-3, 2e-3], [5e6, 1e6]])
    x = decision(np.array([1e12, 1e-3]))
    assert problem.oracle.recourse_costs(x) == pytest.approx([2e-3 + 3e-3 + 1e-3, 1e7 + 3e6 - 2e-3], rel=1e-9)


def test_customers_who_pay_take_all_there_is():
    """Demand is what must be served at least."""
    problem = location([[-2.0, 5.0], [1.0, 4.0]], [[1.0, 1.0]])
    x = decision(np.array([10.0, 10.0]))
    assert problem.oracle.recourse_costs(x).tolist() == [-20.0 + 4.0]
    assert problem.oracle.recourse_decision(x, 0).tolist() == [10.0, 0.0, 0.0, 1.0]


def test_many_scenarios_are_answered_at_once():
    """Nothing but demands and costs is kept per scenario."""
    rng = np.random.default_rng(0)
    problem = location(rng.integers(1, 100, (5, 4)), rng.integers(0, 50, (20_000, 4)))
    x = decision(np.full(5, 60.0))
    costs = problem.oracle.recourse_costs(x)
    some = [0, 777, 19_999]
    assert costs[some] == pytest.approx(by_engine(problem.restrict(some), x))


def test_what_the_oracle_gives_up_the_engine_answers(monkeypatch):
    """No search ever failed to end; if one does, the answer is only slower."""
    problem = nr.make_facility_location(4, 3, 5, 0)
    x = decision(problem.max_capacities)
    expected = problem.oracle.recourse_costs(x)

    def give_up(transport, capacities, demands, tolerance):
        return np.full(len(demands), np.nan), np.full(transport.shape, np.nan)

    monkeypatch.setattr(transport, "ship", give_up)
    evaluator = Evaluator(problem)
    assert evaluator.evaluate(x).recourse_costs == pytest.approx(expected)
    assert problem.recourse.costs @ evaluator.decision(x, 2) == pytest.approx(expected[2])


def test_the_evaluator_asks_the_oracle():
    """No engine is opened for the costs of facility location."""
    evaluator = Evaluator(nr.make_facility_location(4, 3, 5, 0), "no such engine")
    assert evaluator.has_oracle
    assert np.isinf(evaluator.evaluate(np.zeros(8)).worst_case)
