"""Exact search that starts from a learned choice: never later than the choice is worth."""

from __future__ import annotations

import pytest

import neurprise as nr
from neurprise import reduced_search
from neurprise.exact import relaxed_costs, start
from neurprise.exact.ccg import ColumnAndConstraintGeneration
from neurprise.learn.classes.unit_commitment import draw
from neurprise.reducers import NeurPRISE


@pytest.fixture(scope="module")
def units():
    """A problem of no family, mixed-integer, too large to be solved as one model at once."""
    return draw(3).restrict(range(15))


@pytest.fixture
def no_head_start(monkeypatch):
    """As on a problem so hard that the exact search is still at its beginning when choosing would be over."""
    monkeypatch.setattr(reduced_search, "LEAST_HEAD_START", 0.0)
    monkeypatch.setattr(reduced_search, "CHOOSING_TO_BEGINNING", 0.0)


def test_an_easy_problem_is_solved_before_scenarios_are_chosen(units, monkeypatch):
    """Choosing asks linear programs about every scenario; the exact search needs fewer. The report says so."""
    monkeypatch.setattr(reduced_search, "LEAST_HEAD_START", 600.0)
    monkeypatch.setattr(NeurPRISE, "choose", None)  # calling it would raise
    report = nr.solve(units, "neurprise", 3, refine=True)
    assert report.reducer == "exact"
    assert report.status is nr.Status.OPTIMAL
    assert report.worst_case == pytest.approx(nr.solve(units).worst_case, rel=1e-4)


def test_a_hard_problem_is_refined_from_the_choice(units, no_head_start):
    """After its head start the search goes on from what was chosen, to the same optimum."""
    report = nr.solve(units, "neurprise", 3, refine=True)
    chosen = NeurPRISE().reduce(units, 3).indices
    assert report.reducer == "neurprise"
    assert set(chosen) <= set(report.scenarios)
    assert report.worst_case == pytest.approx(nr.solve(units).worst_case, rel=1e-4)


def test_the_relaxation_is_solved_once(units, no_head_start, monkeypatch):
    """The search's beginning and the network read the same one."""
    solved = []
    for module in (start, relaxed_costs):
        original = module.solve_relaxation
        monkeypatch.setattr(module, "solve_relaxation", lambda *a, f=original: solved.append(1) or f(*a))
    nr.solve(units, "neurprise", 3, refine=True)
    assert len(solved) == 1


def test_a_familys_own_network_needs_no_head_start():
    """It chooses in a millisecond, so it chooses first."""
    problem = nr.make_vertex_cover(12, 10, 1)
    report = nr.solve(problem, "neurprise", 2, refine=True)
    assert report.reducer == "neurprise"
    assert report.scenarios[:2] == NeurPRISE().reduce(problem, 2).indices


def test_the_network_for_any_problem_is_not_asked_where_a_family_has_an_oracle(monkeypatch):
    """There the adversary is free, and what it adds is less than what would be chosen."""
    monkeypatch.setattr(NeurPRISE, "choose", None)  # calling it would raise
    problem = nr.make_vertex_cover(12, 10, 1)
    report = nr.solve(problem, NeurPRISE("universal"), 2, refine=True)
    assert report.reducer == "exact"
    assert report.status is nr.Status.OPTIMAL


def starts_of(monkeypatch, problem, method):
    """The scenarios that the exact search began with, when it refined the choice of a method."""
    starts, run = [], ColumnAndConstraintGeneration.run

    def recording(self, start=(), *arguments, **options):
        starts.append(tuple(start))
        return run(self, start, *arguments, **options)

    monkeypatch.setattr(ColumnAndConstraintGeneration, "run", recording)
    report = nr.solve(problem, method, 3, refine=True)
    assert report.status is nr.Status.OPTIMAL
    return starts


def test_a_ranking_is_refined_from_its_first_where_the_worst_scenario_is_free(monkeypatch):
    """A master of all kept scenarios would keep the first decision waiting."""
    problem = nr.make_vertex_cover(12, 9, 1)
    assert starts_of(monkeypatch, problem, "maxsum") == [nr.reducers.MaxSum().reduce(problem, 3).indices[:1]]


def test_what_solved_reduced_problems_is_refined_from_all_that_it_keeps(monkeypatch):
    """PRISE has decisions, and the bound of all kept scenarios."""
    problem = nr.make_vertex_cover(12, 9, 1)
    assert starts_of(monkeypatch, problem, "prise") == [nr.reducers.PRISE().reduce(problem, 3).indices]
