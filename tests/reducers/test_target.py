"""A budget that says how good the answer must be instead of how many scenarios to keep."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurprise as nr
from neurprise.reducers import budget as budgeted
from neurprise.reducers.base import Growth
from neurprise.reducers.budget import checked_budget
from neurprise.search.ccg import outcome
from tests.instances import instance, seeds
from tests.recourse.random_problems import random_problem

METHODS = nr.reducers.reducer_names()


@given(
    seed=st.integers(0, 10**6), method=st.sampled_from(["random", "maxsum", "kmeans", "singlevalue", "ccg", "prise"])
)
def test_the_regret_proved_is_the_one_asked_for(seed, method):
    """Judged by the paper's own extensive form: the answer is within 3 % of the optimum."""
    problem, paper = instance("selection", seed)
    report = nr.solve(problem, method, "3%")
    assert report.regret_bound <= 3
    assert report.worst_case <= 1.03 * paper.value() + 1e-6
    assert report.worst_case == pytest.approx(nr.evaluate(problem, report.x).worst_case)


@pytest.mark.parametrize("method", ["prise", "ccg", "maxsum", "singlevalue"])
def test_no_scenario_more_than_the_proof_needs(method):
    """Solved on one scenario less, the same method proves less."""
    problem = nr.make_vertex_cover(12, 25, 3)
    reached = nr.solve(problem, method, nr.Target(regret=0.005))
    kept = len(reached.scenarios)
    assert reached.regret_bound <= 0.5
    assert kept > 1
    assert nr.solve(problem, method, kept - 1).regret_bound > 0.5


@pytest.mark.parametrize("integer", ["all", "some"])
@given(seed=seeds, method=st.sampled_from(["random", "kmeans", "maxsum", "relaxation"]), refine=st.booleans())
def test_without_a_time_limit_the_target_is_reached(integer, seed, method, refine):
    """Also where integer recourse is evaluated by bounds."""
    problem = random_problem(seed, integer=integer, num_scenarios=8)
    try:
        best = nr.solve(problem)
    except nr.InfeasibleProblemError:
        return
    report = nr.solve(problem, method, "1%", refine=refine)
    assert report.status in ("optimal", "reduced")
    assert report.regret_bound <= 1 or report.absolute_gap <= 1e-4 * max(1.0, abs(best.worst_case))


def test_tolerances_on_few_scenarios_do_not_end_the_search_for_a_target(monkeypatch):
    """More scenarios are another problem, and the exact search is yet another."""
    limited = nr.Status.NUMERICAL_LIMIT
    monkeypatch.setattr(budgeted, "_searched_within", lambda session, *_: outcome(session, (0,), limited))
    report = nr.solve(nr.make_vertex_cover(12, 25, 3), "maxsum", "1%")
    assert report.regret_bound <= 1
    assert report.status in ("optimal", "reduced")


def test_a_target_of_zero_is_the_exact_answer():
    """A method that ends before is continued by the exact search."""
    problem = nr.make_selection(12, 20, 5)
    assert nr.solve(problem, "prise", "0%", gap=0).worst_case == nr.solve(problem, gap=0).worst_case


def test_reaching_the_target_is_not_called_optimal():
    """The status claims the requested gap only where that is proved."""
    problem = nr.make_vertex_cover(14, 30, 3)
    report = nr.solve(problem, "singlevalue", "2%")
    assert 0.01 < report.regret_bound <= 2
    assert report.status == "reduced"


def test_refinement_goes_on_from_the_target_to_the_gap():
    """As from a number of scenarios."""
    problem = nr.make_vertex_cover(14, 30, 3)
    assert nr.solve(problem, "singlevalue", "2%", refine=True).regret_bound <= 0.01


def test_a_method_that_is_cut_short_is_continued_to_the_target():
    """Only the time for choosing was over: the rest of it belongs to the search."""
    report = nr.solve(nr.make_vertex_cover(14, 30, 3), nr.reducers.PRISE(time_limit=0), "1%")
    assert report.regret_bound <= 1
    assert report.status in ("optimal", "reduced")


def test_time_may_be_over_before_the_target():
    """Then the status says so."""
    report = nr.solve(nr.make_facility_location(6, 6, 12, 0), "maxsum", "0.001%", time_limit=0)
    assert report.status == "time limit"


@pytest.mark.parametrize("method", METHODS)
def test_methods_that_rank_keep_the_first_of_one_order(method):
    """Which is what their `growth` promises to the search for a target."""
    reducer, problem = nr.reducers.get_reducer(method), nr.make_selection(8, 12, 3)
    if getattr(reducer, "growth", Growth.SETS) is Growth.SETS:
        pytest.skip("chosen anew for every budget")
    everything = reducer.reduce(problem, problem.num_scenarios).indices
    for budget in range(1, 8):
        assert everything[:budget] == reducer.reduce(problem, budget).indices


@pytest.mark.parametrize("text", ["1%", " 1 %", "1.0%"])
def test_percentages_are_read_as_people_write_them(text):
    """One percent is 0.01."""
    assert checked_budget(text) == nr.Target(gap=0.01) == nr.Target(0.01) == nr.Target(regret=0.01)


@pytest.mark.parametrize("budget", ["1", "one %", "-1%", "1e-2", "", "inf%"])
def test_other_texts_are_no_budget(budget):
    """A number in quotes might be meant either way."""
    with pytest.raises(nr.InputError, match="whole number of scenarios or a gap in percent"):
        nr.solve(nr.make_selection(4, 3, 0), "maxsum", budget)


@pytest.mark.parametrize("regret", [-0.1, float("nan"), "1%"])
def test_a_target_is_a_number(regret):
    """Zero or positive."""
    with pytest.raises(nr.InputError, match="regret must be"):
        nr.Target(regret=regret)


@pytest.mark.parametrize("named", [{}, {"gap": 0.1, "regret": 0.1}])
def test_a_target_is_one_gap(named):
    """By its name, or by the old one."""
    with pytest.raises(nr.InputError, match="Target takes a gap"):
        nr.Target(**named)
