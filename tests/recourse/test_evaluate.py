"""evaluate(): the true cost of a decision under every scenario."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import InputError
from neurprise.recourse.evaluator import Evaluator
from tests.instances import from_letters, random_letters

# one item bought now at 2 or later at 1 and 4; one unit must be had: y >= 1 - x
BUY = {
    "c": [2.0], "A": None, "d": None, "G": [[1.0]], "h": [1.0], "E": [[1.0]], "M": None, "xi": None,
    "b": [[1.0], [4.0]], "x_integer": True, "y_integer": False, "x_upper": 1.0,
}  # fmt: skip


def sites(demands):
    """Two sites of capacity 5 and 8."""
    return nr.FacilityLocation([3, 4], [1, 1], [5, 8], [[1, 2], [2, 1]], demands)


def test_costs_worst_case_and_worst_scenario():
    """Q(x, s), Z(x) and where it is attained."""
    evaluation = nr.evaluate(from_letters(BUY), [0.0])
    assert evaluation.recourse_costs.tolist() == [1.0, 4.0]
    assert (evaluation.worst_case, evaluation.worst_scenario) == (4.0, 1)
    assert nr.evaluate(from_letters(BUY), [1.0]).worst_case == 2.0


def test_the_first_of_equally_bad_scenarios_is_named():
    """Ties go to the smallest index."""
    assert nr.evaluate(from_letters(BUY | {"b": [[4.0], [4.0]]}), [0.0]).worst_scenario == 0


def test_recourse_costs_are_read_only():
    """Results are data."""
    with pytest.raises(ValueError, match="read-only"):
        nr.evaluate(from_letters(BUY), [0.0]).recourse_costs[0] = 0.0


def test_too_little_capacity_costs_inf():
    """Only the scenario that cannot be served is inf, and it is the worst."""
    evaluation = nr.evaluate(sites([[2, 2], [6, 8], [3, 1]]), [1, 1, 5, 8])
    assert np.isinf(evaluation.recourse_costs).tolist() == [False, True, False]
    assert (evaluation.worst_case, evaluation.worst_scenario) == (np.inf, 1)


def test_closed_sites_serve_nothing():
    """Zero capacity serves zero demand and no other."""
    assert nr.evaluate(sites([[0, 0], [0, 1]]), np.zeros(4)).recourse_costs.tolist() == [0.0, np.inf]


@pytest.mark.parametrize("seed", range(6))
def test_engines_agree(engine, seed):
    """The same costs whichever engine answers, infeasible scenarios included."""
    problem = from_letters(random_letters(seed, complete=seed % 2 == 0))
    x = np.floor(problem.first_stage.upper / 2)
    reference = Evaluator(problem, "highs").evaluate(x)
    other = Evaluator(problem, engine).evaluate(x)
    assert other.recourse_costs == pytest.approx(reference.recourse_costs, rel=1e-6, abs=1e-6)


def test_evaluating_twice_gives_the_same(engine):
    """The open model of one evaluator carries nothing over from one decision to the next."""
    problem = sites([[2, 2], [6, 8], [3, 1]])
    evaluator = Evaluator(problem, engine)
    decisions = [np.array([1.0, 1.0, 5.0, 8.0]), np.array([1.0, 0.0, 5.0, 0.0]), np.zeros(4)]
    fresh = [Evaluator(problem, engine).evaluate(x).recourse_costs.tolist() for x in decisions]
    assert [evaluator.evaluate(x).recourse_costs.tolist() for x in decisions] == fresh
    assert [evaluator.evaluate(x).recourse_costs.tolist() for x in decisions] == fresh


def test_decisions_attain_the_costs(engine):
    """y of the worst scenario costs Q(x, s); none where recourse is infeasible."""
    problem = sites([[2, 2], [6, 8]])
    evaluator = Evaluator(problem, engine)
    x = np.array([1.0, 1.0, 5.0, 8.0])
    y = evaluator.decision(x, 0)
    assert problem.recourse.costs @ y == pytest.approx(evaluator.evaluate(x).recourse_costs[0])
    assert evaluator.decision(x, 1) is None


def test_a_recourse_on_the_edge_may_miss_a_row_by_the_tolerance(engine):
    """Engines may accept y = 1 in a warm model and refuse it in a fresh one: the row asks for 1.4 millionths more."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[0],
        A=None,
        d=None,
        G=[[1]],
        h=[1 + 1.4e-6],
        E=[[0]],
        M=None,
        xi=None,
        b=[[1]],
        x_integer=True,
        y_integer=False,
        y_upper=1,
    )
    evaluator = Evaluator(problem, engine)
    assert evaluator.almost_feasible_decision(np.zeros(1), 0) == pytest.approx([1.0])


def test_recourse_that_earns_without_limit_never_decides(engine):
    """Selling is paid and unlimited in the second scenario: it costs -inf, and the first one is the worst."""
    problem = from_letters(BUY | {"b": [[1.0], [-1.0]]})
    evaluation = nr.evaluate(problem, [0.0], solver=engine)
    assert evaluation.recourse_costs[1] == -np.inf
    assert evaluation.worst_scenario == 0
    assert np.isfinite(evaluation.worst_case)


@pytest.mark.parametrize(
    "x, words",
    [
        ([0.0, 1.0], r"x must be of shape \(1,\), got shape \(2,\)"),
        ([], r"x must be of shape \(1,\)"),
        ([np.nan], "x must be finite"),
        (["a"], "x must be numbers"),
        ([0.5], r"'x\[0\]' must be a whole number near 0, got 0.5"),
        ([2.0], r"'x\[0\]' must be at most 1, got 2"),
        ([-1.0], r"'x\[0\]' must be at least 0, got -1"),
    ],
)
def test_decisions_are_checked_against_the_first_stage(x, words):
    """Length, numbers, integrality and bounds."""
    with pytest.raises(InputError, match=words):
        nr.evaluate(from_letters(BUY), x)


def test_first_stage_rows_are_checked():
    """Capacity in a closed site."""
    with pytest.raises(InputError, match="first-stage rows"):
        nr.evaluate(sites([[1, 1]]), [0, 0, 5, 0])


def test_engine_noise_in_x_is_forgiven():
    """Engines return integers within a tolerance; they are rounded before they are priced."""
    assert nr.evaluate(from_letters(BUY), [1.0 - 1e-7]).recourse_costs.tolist() == [0.0, 0.0]


def test_the_decision_of_a_search_without_one_is_refused():
    """report.x is None where time was over too early; that is told, and not as a number that is missing."""
    with pytest.raises(InputError, match="x must be a decision, got None"):
        nr.evaluate(nr.make_selection(3, 2, seed=0), None)


def test_unknown_solvers_are_refused():
    """Also where the answer needs an engine."""
    with pytest.raises(InputError, match="solver must be one of"):
        nr.evaluate(from_letters(BUY), [0.0], solver="abacus")


def test_a_passed_deadline_ends_the_evaluation(engine):
    """No half-evaluated decision is returned."""
    problem = from_letters(random_letters(0, complete=True))
    with pytest.raises(OutOfTimeError):
        Evaluator(problem, engine).evaluate(np.zeros(problem.num_first_stage), Deadline(0.0))


def test_an_oracle_looks_at_the_clock_now_and_then():
    """A few scenarios are answered in no time; among very many the deadline ends the evaluation."""
    x = np.concatenate([np.ones(4), np.full(4, 200.0)])
    assert Evaluator(nr.make_facility_location(4, 3, 5, 0)).evaluate(x, Deadline(0.0)).recourse_costs.shape == (5,)
    with pytest.raises(OutOfTimeError):
        Evaluator(nr.make_facility_location(4, 3, 1_001, 0)).evaluate(x, Deadline(0.0))


def test_oracles_answer_many_scenarios_as_they_answer_few():
    """Under a time limit scenarios are evaluated in parts; the costs are those of one call."""
    problem, x = nr.make_selection(5, 2_500, 0), np.zeros(5)
    in_parts = Evaluator(problem).evaluate(x, Deadline(60)).recourse_costs
    assert in_parts.tolist() == problem.oracle.recourse_costs(x).tolist()


def test_an_oracle_that_gives_up_on_one_scenario_leaves_it_to_an_engine():
    """nan means: ask somebody else."""

    class Unsure(nr.Selection):
        """Answers all scenarios but the second."""

        @property
        def oracle(self):
            return self

        def recourse_costs(self, x, scenarios=slice(None)):
            costs = super().oracle.recourse_costs(x, scenarios)
            return np.where(np.arange(len(costs)) == 1, np.nan, costs)

        def recourse_decision(self, x, scenario):
            return None

    sure = nr.make_selection(5, 3, 0)
    unsure = Unsure(sure.first_stage_costs, sure.scenario_costs, sure.num_select)
    x = np.zeros(5)
    assert nr.evaluate(unsure, x).recourse_costs == pytest.approx(nr.evaluate(sure, x).recourse_costs)
    assert Evaluator(unsure).decision(x, 0).sum() == pytest.approx(sure.num_select)


@pytest.mark.parametrize("seed", range(5))
def test_upper_costs_are_exact_where_it_matters(seed):
    """With integer recourse only the largest entry must be exact; the others may stop at an upper bound."""
    rng = np.random.default_rng(seed)
    problem = nr.TwoStageProblem.from_matrices(
        c=[1, 2], A=None, d=None, G=rng.integers(1, 5, (3, 4)), h=np.zeros(3), E=np.ones((3, 2)), M=-np.eye(3),
        xi=rng.integers(3, 20, (8, 3)), b=rng.integers(1, 9, (8, 4)), x_integer=True, y_integer=True, x_upper=9,
    )  # fmt: skip
    x = np.array([1.0, 0.0])
    exact = nr.evaluate(problem, x)
    upper = Evaluator(problem).upper_costs(x, range(8), Deadline())
    assert (upper >= exact.recourse_costs - 1e-6).all()
    assert upper.max() == pytest.approx(exact.recourse_costs.max())
    assert Evaluator(problem).bounds(x, range(8), Deadline()).scenario == exact.worst_scenario


def test_a_large_variable_excuses_no_other_one():
    """Each rule is kept to the tolerance of its own numbers; a thousand millions may be off by more than a switch."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[0, 1], A=None, d=None, G=[[1]], h=[0], E=[[0, 1]], M=[[-1]], xi=[[1]], b=[1],
        x_integer=[False, True], y_integer=False, x_upper=[1e10, 1],
    )  # fmt: skip
    assert nr.evaluate(problem, [1e9, 1]).worst_case == 1.0
    with pytest.raises(InputError, match=r"'x\[1\]' must be a whole number near 0, got 0.4"):
        nr.evaluate(problem, [1e9, 0.4])
