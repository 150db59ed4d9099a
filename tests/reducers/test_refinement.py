"""Exact search that starts from a learned choice: never later than the choice is worth."""

from __future__ import annotations

import math

import pytest

import neurprise as nr
from experiments.classes import maintenance, unit_commitment
from neurprise.reducers import NeurPRISE
from neurprise.reducers import budget as reduced_search
from neurprise.search import ccg, relaxation, start
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.search.session import SearchSession
from neurprise.solvers import Limits, get_engine


@pytest.fixture(scope="module")
def repairs():
    """A problem of no family, integers in both stages, too large to be solved as one model at once."""
    return maintenance.draw(6)


@pytest.fixture(scope="module")
def units():
    """The same with integers in the first stage only."""
    return unit_commitment.draw(4)


@pytest.fixture
def no_head_start(monkeypatch):
    """As on a problem so hard that the exact search is still at its beginning when choosing would be over."""
    monkeypatch.setattr(reduced_search, "LEAST_HEAD_START", 0.0)
    monkeypatch.setattr(reduced_search, "CHOOSING_TO_BEGINNING", 0.0)


def test_an_easy_problem_is_solved_before_scenarios_are_chosen(repairs, monkeypatch):
    """Choosing asks linear programs about every scenario; the exact search needs fewer. The report says so."""
    monkeypatch.setattr(reduced_search, "LEAST_HEAD_START", 600.0)
    monkeypatch.setattr(NeurPRISE, "choose", None)  # calling it would raise
    report = nr.solve(repairs, "neurprise", 3, refine=True)
    assert report.reducer == "exact"
    assert report.status is nr.Status.OPTIMAL
    assert report.worst_case == pytest.approx(nr.solve(repairs).worst_case, rel=1e-4)


def test_a_hard_problem_is_refined_from_the_choice(repairs, no_head_start):
    """After its head start the search goes on from what was chosen, to the same optimum."""
    report = nr.solve(repairs, "neurprise", 3, refine=True)
    chosen = NeurPRISE().reduce(repairs, 3).indices
    assert report.reducer == "neurprise"
    assert set(chosen) <= set(report.scenarios)
    assert report.worst_case == pytest.approx(nr.solve(repairs).worst_case, rel=1e-4)


def test_the_relaxation_is_solved_once(repairs, no_head_start, monkeypatch):
    """The search's beginning and the network read the same one."""
    solved = []
    for module in (start, relaxation):
        original = module.solve_relaxation
        monkeypatch.setattr(module, "solve_relaxation", lambda *a, f=original: solved.append(1) or f(*a))
    nr.solve(repairs, "neurprise", 3, refine=True)
    assert len(solved) == 1


@pytest.mark.parametrize("method", [None, "neurprise"])
def test_linear_recourse_is_searched_without_a_relaxation(units, monkeypatch, method):
    """Nor are scenarios chosen for it: its masters are closer to the truth sooner, and the optimum is the same."""
    monkeypatch.setattr(start, "solve_relaxation", None)  # calling it would raise
    monkeypatch.setattr(NeurPRISE, "choose", None)
    report = nr.solve(units) if method is None else nr.solve(units, method, 3, refine=True)
    assert report.reducer == "exact"
    assert report.status is nr.Status.OPTIMAL
    whole = ExtensiveForm(units).model(range(units.num_scenarios))
    assert report.worst_case == pytest.approx(get_engine("scip").solve(whole, Limits()).objective, rel=2e-4)


def test_linear_recourse_has_a_decision_before_the_first_master(units):
    """Whole decisions may keep an engine busy for all the time there is."""
    session = SearchSession(units)
    assert ccg.informed_start(session) == []
    assert session.num_solves == 0
    assert math.isfinite(session.worst_case)


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
