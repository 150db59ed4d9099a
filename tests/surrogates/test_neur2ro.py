"""Neur2RO answers like every method: a decision, its true worst case, a proved bound, and sentences where it cannot."""

import math

import numpy as np
import pytest

import neurprise as nr
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.surrogates.neur2ro import SurrogateSearch
from tests.instances import FAMILIES, from_letters, random_letters
from tests.surrogates.networks import described, random_network, solvable


def surrogate(problem, seed=0):
    """Neur2RO with random weights: it may name any scenario, and everything proved must hold all the same."""
    return nr.surrogates.Neur2RO(random_network(problem, seed))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_lies_between_bound_and_worst_case(family, seed):
    """Whatever the network says, V(R) <= V(all) <= Z(x), and Z(x) is true."""
    problem = solvable(family, seed)
    report = surrogate(problem, seed).solve(problem)
    optimum = nr.solve(problem, gap=1e-9).worst_case
    assert report.lower_bound <= optimum * (1 + 1e-6) + 1e-6
    assert report.worst_case >= optimum * (1 - 1e-6) - 1e-6
    assert report.worst_case == pytest.approx(nr.evaluate(problem, report.x).worst_case)
    assert (report.status is nr.Status.OPTIMAL) == (report.regret_bound <= 0.01)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_is_the_value_of_the_scenarios_whose_rows_were_added(family, seed):
    """V(R), proved by one more solve; without it, V of one scenario of R."""
    problem = solvable(family, seed)
    certified = surrogate(problem, seed).solve(problem, gap=1e-9)
    reduced = nr.solve(problem.restrict(certified.scenarios), gap=1e-9).worst_case
    assert certified.lower_bound == pytest.approx(reduced, rel=1e-6)
    quick = surrogate(problem, seed).solve(problem, gap=1e-9, certify=False)
    alone = [nr.solve(problem.restrict([s]), gap=1e-9).worst_case for s in quick.scenarios]
    assert quick.lower_bound == pytest.approx(max(alone), rel=1e-6)
    assert np.array_equal(quick.x, certified.x)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_search_ends_where_the_network_sees_no_worse_scenario(family):
    """Of all scenarios, the network's worst for the last decision is in R."""
    problem = solvable(family, 1)
    method = surrogate(problem, 3)
    report = method.solve(problem)
    if len(report.iterations) == 1:  # then the only decision is the answer
        assert int(np.argmax(method.predict(problem, report.x))) in report.scenarios
    assert len(set(report.scenarios)) == len(report.scenarios) <= problem.num_scenarios


@pytest.mark.parametrize("family", FAMILIES)
def test_another_engine_proves_the_same(family):
    """The network is rows like any other."""
    pytest.importorskip("pyscipopt")
    problem = solvable(family, 2)
    highs, scip = (surrogate(problem).solve(problem, solver=name) for name in ("highs", "scip"))
    assert scip.lower_bound == pytest.approx(highs.lower_bound, rel=1e-4)
    assert scip.solver == "scip"


def test_every_answer_of_facility_location_has_recourse():
    """The auxiliary check adds what a decision cannot survive, even if the network never names it."""
    for seed in range(8):
        problem = solvable("facility-location", seed)
        assert math.isfinite(surrogate(problem, seed).solve(problem).worst_case)


def test_no_time_still_gives_what_is_free():
    """Selection knows V({s}) and its decision without a search; the bound holds."""
    problem = nr.make_selection(30, 20, 0)
    report = surrogate(problem).solve(problem, time_limit=0)
    assert report.status is nr.Status.TIME_LIMIT
    assert report.lower_bound <= nr.solve(problem).worst_case <= report.worst_case


def test_without_time_only_the_first_scenarios_are_read():
    """The network never names a scenario that it has not read."""
    problem = nr.make_selection(50, 2_000, 0)
    network = random_network(problem, 0)
    hurried = network.folded(described(problem), Deadline(0))
    assert 0 < hurried.is_read.sum() < 2_000
    assert hurried.is_read[hurried.worst(np.zeros(50), 0.0)].all()
    assert network.folded(described(problem)).is_read.all()


def test_no_time_gives_what_the_oracle_knows_at_once():
    """Every site open with all its capacity; nothing is proved."""
    problem = nr.make_facility_location(8, 8, 5, 0)
    report = surrogate(problem).solve(problem, time_limit=0)
    assert report.worst_case == nr.evaluate(problem, report.x).worst_case
    assert (report.lower_bound, report.status) == (-math.inf, nr.Status.TIME_LIMIT)


def test_a_limit_in_the_last_solve_keeps_the_answer(monkeypatch):
    """What the main problems found is returned with the bound they proved."""
    problem = solvable("vertex-cover", 3)
    whole = surrogate(problem).solve(problem)

    def out_of_time(_):
        raise OutOfTimeError

    monkeypatch.setattr(SurrogateSearch, "_certify", out_of_time)
    cut = surrogate(problem).solve(problem)
    assert np.array_equal(cut.x, whole.x)
    assert cut.lower_bound <= whole.lower_bound


def test_an_interrupt_returns_the_best_answer_so_far(monkeypatch):
    """Ctrl-C after the first main problem keeps its decision."""
    problem = nr.make_selection(12, 10, 0)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(SurrogateSearch, "_worst_of_all", _first_then(interrupted))
    report = surrogate(problem).solve(problem)
    assert report.status is nr.Status.INTERRUPTED
    assert report.worst_case == nr.evaluate(problem, report.x).worst_case


def _first_then(action):
    """A method that answers scenario 0 once and then acts."""
    calls = []

    def method(*arguments):
        calls.append(arguments)
        return 0 if len(calls) == 1 else action()

    return method


def test_an_infeasible_problem_is_named():
    """The same sentence as everywhere, with the scenarios that cannot be met."""
    problem = nr.FacilityLocation([100.0], [10.0], [50.0], [[1.0]], [[60.0], [10.0]])
    with pytest.raises(nr.InfeasibleProblemError, match="no first-stage decision is feasible for scenario"):
        surrogate(problem).solve(problem)


def test_a_problem_of_no_family_is_refused():
    """The sentence names what to use instead."""
    problem = from_letters(random_letters(0, complete=True))
    for call in (nr.surrogates.Neur2RO.load_for, surrogate(nr.make_selection(4, 3, 0)).solve):
        with pytest.raises(nr.NotApplicableError, match="solve\\(problem\\), or a reducer"):
            call(problem)


def test_a_network_of_another_family_is_refused():
    """Features of items mean nothing to a network trained on nodes."""
    method = surrogate(nr.make_vertex_cover(6, 3, 0))
    with pytest.raises(nr.CheckpointError, match="trained on 'vertex-cover', the problem is 'selection'"):
        method.solve(nr.make_selection(6, 3, 0))


def test_one_scenario_is_solved_exactly():
    """Nothing is left to predict."""
    problem = nr.make_selection(10, 1, 0)
    report = surrogate(problem).solve(problem)
    assert (report.status, report.scenarios) == (nr.Status.OPTIMAL, (0,))


def test_equal_scenarios_are_one():
    """The adversary finds nothing worse than what R holds."""
    problem = nr.Selection([3, 4, 5], [[2, 9, 4]] * 5, 2)
    report = surrogate(problem).solve(problem)
    assert report.status is nr.Status.OPTIMAL
    assert len(report.scenarios) == 1


@pytest.mark.parametrize(
    "problem",
    [
        pytest.param(nr.Selection([0, 0], [[0, 0], [0, 0]], 1), id="all costs zero"),
        pytest.param(nr.Selection([3, 4], [[2, 9], [5, 1]], 0), id="nothing to select"),
        pytest.param(nr.VertexCover([3, 4], [[2, 9], [5, 1]], []), id="no edges"),
        pytest.param(nr.FacilityLocation([5], [1], [9], [[0]], [[0], [4]]), id="free transport"),
    ],
)
def test_degenerate_data_are_answered(problem):
    """Divisors that vanish do not spread."""
    report = surrogate(problem).solve(problem)
    assert report.lower_bound <= nr.solve(problem).worst_case <= report.worst_case


@pytest.mark.parametrize("options", [{"gap": -1}, {"time_limit": -1}, {"solver": "abacus"}])
def test_bad_options_are_refused(options):
    """As `solve` refuses them."""
    problem = nr.make_selection(4, 3, 0)
    with pytest.raises(nr.InputError):
        surrogate(problem).solve(problem, **options)


def test_predictions_do_not_depend_on_units():
    """Costs in cents are predicted as a hundred times the costs in euros."""
    problem = nr.make_selection(6, 4, 0)
    cents = nr.Selection(100 * problem.first_stage_costs, 100 * problem.scenario_costs, problem.num_select)
    x = np.array([1.0, 0, 0, 1, 0, 0])
    method = surrogate(problem)
    assert method.predict(cents, x) == pytest.approx(100 * method.predict(problem, x))


def test_predictions_do_not_depend_on_the_order_of_items():
    """Sets have no order."""
    problem = nr.make_vertex_cover(7, 4, 0)
    order = np.random.default_rng(0).permutation(7)
    place = np.argsort(order)
    moved = nr.VertexCover(problem.first_stage_costs[order], problem.scenario_costs[:, order], place[problem.edges])
    x = np.array([1.0, 0, 0, 1, 0, 1, 0])
    method = surrogate(problem)
    assert method.predict(moved, x[order]) == pytest.approx(method.predict(problem, x))


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_decided_about_an_item_is_a_mixture_of_corners(family):
    """Shares are zero or positive and sum to one, and mix the corners to what x says."""
    problem = FAMILIES[family](4)
    instance = described(problem)
    for x in (problem.first_stage.lower, instance.reference):
        shares = instance.shares_of(x[None])[0]
        assert (shares >= -1e-12).all()
        assert shares.sum(axis=1) == pytest.approx(1.0)
    if family == "facility-location":
        m = len(problem.opening_costs)
        half = np.concatenate([np.ones(m), problem.max_capacities / 2])
        assert instance.shares_of(half[None])[0] @ instance.corners == pytest.approx(np.tile([1.0, 0.5], (m, 1)))
