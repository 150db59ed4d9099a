"""solve() and its Report: reduce, solve, evaluate, certify."""

import math
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neurprise as nr
from neurprise.clock import Deadline
from neurprise.search.session import SearchSession
from neurprise.search.verification import verify
from neurprise.solvers import get_engine
from tests.instances import exactly_two_of_four, from_letters, random_letters

REDUCERS = ["random", "kmeans", "maxsum", "sor", "singlevalue", "ccg", "prise"]


@pytest.fixture
def cover():
    return nr.make_vertex_cover(10, 15, 4)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), budget=st.integers(1, 9), reducer=st.sampled_from(REDUCERS))
def test_the_bounds_enclose_the_optimum_for_every_reducer(seed, budget, reducer):
    """V(R) <= V(all) <= Z(x), whatever was kept."""
    problem = nr.make_selection(8, 9, seed)
    optimum = nr.solve(problem, gap=0).worst_case
    report = nr.solve(problem, reducer, budget, gap=0)
    assert report.lower_bound <= optimum + 1e-6
    assert optimum <= report.worst_case + 1e-6
    assert report.worst_case == pytest.approx(nr.evaluate(problem, report.x).worst_case)
    assert report.regret_bound >= 0


def test_keeping_every_scenario_gives_regret_zero(cover):
    """With R = all scenarios the reduced problem is the problem."""
    report = nr.solve(cover, "maxsum", cover.num_scenarios)
    assert report.status is nr.Status.OPTIMAL
    assert report.regret_bound <= 0.01


@pytest.mark.parametrize("reducer", REDUCERS)
def test_refinement_closes_the_gap_from_any_start(cover, reducer):
    """refine=True goes on adversarially until the requested gap."""
    report = nr.solve(cover, reducer, 1, refine=True)
    assert report.status is nr.Status.OPTIMAL
    assert report.worst_case == nr.solve(cover).worst_case


def test_a_reducer_may_be_an_object(cover):
    """Names are shortcuts for objects with default parameters."""
    named, given_ = nr.solve(cover, "prise", 3), nr.solve(cover, nr.reducers.PRISE(), 3)
    assert named.scenarios == given_.scenarios


def test_a_time_limit_is_obeyed_inside_an_engine_call_and_never_called_optimal():
    """One second for a problem that takes minutes: the best proven answer, honestly labelled."""
    problem = nr.make_vertex_cover(60, 50, 0)
    start = time.perf_counter()
    report = nr.solve(problem, time_limit=1)
    assert report.status is nr.Status.TIME_LIMIT
    assert report.regret_bound > 0.01
    assert time.perf_counter() - start < 30  # a hang, not a slow machine


def test_no_time_at_all_still_gives_a_report():
    """Zero seconds prove nothing, and the report says so."""
    report = nr.solve(exactly_two_of_four(), time_limit=0)
    assert report.status is nr.Status.TIME_LIMIT
    assert report.x is None
    assert math.isinf(report.worst_case)
    assert nr.Report.from_json(report.to_json()).to_json() == report.to_json()


def test_one_scenario_is_a_deterministic_problem():
    """The bound is reached in one solve."""
    problem = nr.make_selection(9, 1, 0)
    report = nr.solve(problem)
    assert report.worst_case == problem.single_scenarios.values()[0]
    assert report.scenarios == (0,)


def test_equal_scenarios_count_once():
    """The second copy of a scenario never hurts more than the first."""
    problem = nr.VertexCover([3, 4, 5], [[2, 9, 4]] * 6, [(0, 1), (1, 2)])
    assert len(nr.solve(problem).scenarios) == 1


def test_zero_costs_cost_nothing():
    """An optimum of 0 has regret 0, not 0/0."""
    report = nr.solve(nr.Selection(np.zeros(4), np.zeros((3, 4)), 2))
    assert report.worst_case == 0
    assert report.regret_bound == 0


def test_an_infeasible_problem_is_refused_with_a_sentence():
    """Demand beyond all capacity: no decision survives."""
    problem = nr.FacilityLocation([1, 1], [1, 1], [5, 5], np.ones((2, 2)), [[1, 1], [50, 1]])
    with pytest.raises(nr.InfeasibleProblemError, match="no first-stage decision is feasible"):
        nr.solve(problem)


def test_an_unbounded_problem_is_refused_with_a_sentence():
    """A negative first-stage cost without an upper bound."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[-1.0], A=None, d=None, G=[[1.0]], h=[0.0], E=[[0.0]], M=[[1.0]], xi=[[0.0], [1.0]], b=[1.0],
        x_integer=False, y_integer=False,
    )  # fmt: skip
    with pytest.raises(nr.UnboundedProblemError, match="without limit"):
        nr.solve(problem)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"reducer": "prise"}, "come together"),
        ({"budget": 3}, "come together"),
        ({"refine": True}, "refine=True"),
        ({"reducer": "prise", "budget": 0}, "budget must be"),
        ({"reducer": "prise", "budget": 2.5}, "budget must be"),
        ({"reducer": "prize", "budget": 2}, "reducer must be one of"),
        ({"solver": "cplex"}, "solver must be one of"),
        ({"solver": nr.solve}, "solver must be the name of an engine or an engine, got <function"),
        ({"verify": "sciip"}, "verify must be one of highs, scip, gurobi, got 'sciip' .did you mean 'scip'"),
        ({"verify": True}, "verify must be the name of an engine or an engine, got True"),
        ({"gap": -1}, "gap must be"),
        ({"gap": float("nan")}, "gap must be"),
        ({"time_limit": -1}, "time_limit must be"),
    ],
)
def test_bad_arguments_get_a_sentence(cover, arguments, words):
    """The rule, the value, the remedy."""
    with pytest.raises(nr.InputError, match=words):
        nr.solve(cover, **arguments)


def test_a_report_survives_json(cover):
    """to_json and from_json are inverse to each other."""
    report = nr.solve(cover, "prise", 2)
    again = nr.Report.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    assert np.array_equal(again.x, report.x)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"status": "optimal"}', "null"])
def test_foreign_json_is_refused(text):
    """A report is only what to_json wrote."""
    with pytest.raises(nr.FormatError, match="a report must be"):
        nr.Report.from_json(text)


def test_a_reducer_that_proved_the_optimum_leaves_nothing_to_solve():
    """PRISE's own bound meets its own best decision: the search adds no solve to the reducer's."""
    problem = nr.make_selection(12, 10, 3)
    alone = nr.reducers.PRISE().reduce(problem, 10)
    report = nr.solve(problem, "prise", 10, gap=0)
    assert report.status == "optimal"
    assert report.num_solves == alone.num_solves


def test_the_engine_asked_for_is_the_only_one_loaded():
    """A reducer inside solve uses its engine; with SCIP, HiGHS is never imported."""
    code = (
        "import sys, neurprise as nr\n"
        "nr.solve(nr.make_facility_location(3, 3, 4, 0), 'prise', 2, solver='scip')\n"
        "sys.exit('highspy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("reducer", ["prise", "ccg"])
def test_ctrl_c_while_choosing_keeps_steps_bound_and_decision(reducer, monkeypatch):
    """The second reduced problem is interrupted: what the first one found and proved is reported."""
    problem = nr.make_facility_location(8, 8, 20, 3)
    solve, calls = SearchSession.solve_reduced, []

    def interrupted(self, scenarios, limits):
        calls.append(scenarios)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return solve(self, scenarios, limits)

    monkeypatch.setattr(SearchSession, "solve_reduced", interrupted)
    report = nr.solve(problem, reducer, 4)
    assert report.status == "interrupted"
    assert math.isfinite(report.lower_bound)
    assert report.worst_case == pytest.approx(nr.evaluate(problem, report.x).worst_case)


def test_ctrl_c_on_a_reducer_alone_reaches_the_caller(monkeypatch):
    """A loop over reducers can be stopped."""

    def interrupted(self, scenarios, limits):
        raise KeyboardInterrupt

    monkeypatch.setattr(SearchSession, "solve_reduced", interrupted)
    with pytest.raises(KeyboardInterrupt):
        nr.reducers.PRISE().reduce(nr.make_facility_location(4, 4, 6, 1), 3)


def test_a_reducer_cut_short_by_time_is_not_called_reduced():
    """What it had kept by then is solved, and the status says that time was the reason."""
    problem = nr.make_vertex_cover(12, 20, 1)
    report = nr.solve(problem, nr.reducers.PRISE(time_limit=0.0), 3)
    assert report.status == "time limit"
    assert 0 < report.lower_bound < report.worst_case


def test_a_second_engine_confirms_an_answer():
    """SCIP evaluates the decision and tests the bound that HiGHS proved."""
    report = nr.solve(nr.make_facility_location(4, 4, 6, 1), verify="scip")
    assert report.verification.agrees is True
    assert "verified by scip" in str(report)
    assert nr.Report.from_json(report.to_json()).verification == report.verification


@pytest.mark.parametrize("seed", range(12))
def test_a_second_engine_confirms_bounds_wherever_they_came_from(seed):
    """The bound of a general problem may rest on the relaxation, on cuts or on a master; each is tested as it is."""
    problem = from_letters(random_letters(seed, complete=True))
    assert nr.solve(problem, verify="scip").verification.agrees is True


def test_a_second_engine_disputes_a_false_claim():
    """A bound above the optimum and a worst case below the truth are both refuted, with the values found."""
    problem = nr.make_facility_location(4, 4, 6, 1)
    report = nr.solve(problem)
    engine, optimum = get_engine("scip"), report.worst_case
    second = verify(problem, report.x, 0.9 * optimum, 1.1 * optimum, range(6), engine, Deadline())
    assert (second.worst_case_agrees, second.bound_agrees, second.agrees) == (False, False, False)
    assert second.worst_case == pytest.approx(optimum)
    assert second.cheaper == pytest.approx(optimum, rel=1e-3)
    assert "DISPUTED by scip" in str(second)
