"""Continuous recourse with whole first-stage decisions: a bound and decisions, never another answer."""

from dataclasses import replace

import numpy as np
import pytest

import neurprise as nr
from experiments.instances.published import disrupted_sites
from neurprise.problem import TwoStageProblem
from neurprise.search import ccg
from neurprise.search.relaxation import solve_relaxation
from neurprise.search.session import SearchSession
from neurprise.search.start import differs, learn_from_whole_decisions
from tests.recourse.random_problems import random_problem


def whole_problem(seed):
    """A random problem with integers in both stages."""
    form = random_problem(seed, integer="some", num_scenarios=5).general_form()
    first = form["first_stage"]
    return TwoStageProblem(**{**form, "first_stage": replace(first, integer=np.ones(len(first.costs), dtype=bool))})


def value(problem):
    """The optimum; inf where no decision is feasible."""
    try:
        return nr.solve(problem).worst_case
    except nr.InfeasibleProblemError:
        return np.inf


@pytest.mark.parametrize("seed", range(30))
def test_the_answer_is_that_of_one_extensive_form(monkeypatch, seed):
    """Small problems are one model; without that shortcut they begin with continuous recourse."""
    problem = whole_problem(seed)
    at_once = value(problem)
    monkeypatch.setattr(ccg, "is_small", lambda *_: False)
    assert value(problem) == pytest.approx(at_once, rel=2e-4, abs=1e-5)


def test_its_bound_and_its_decision_frame_the_optimum():
    """Five sites, two of which fail: bound above the relaxation's and below the optimum, decision close to it."""
    problem = disrupted_sites(5, 6, 2)
    session = SearchSession(problem)
    relaxation = solve_relaxation(problem, session.engine, session.deadline)
    scenarios = learn_from_whole_decisions(session, relaxation)
    optimum = nr.solve(problem).worst_case
    assert relaxation.bound < session.lower_bound <= optimum + 1e-6
    assert optimum - 1e-6 <= session.worst_case < 1.1 * optimum
    assert set(scenarios) <= set(range(problem.num_scenarios))


def test_it_is_solved_only_where_it_is_another_problem():
    """Linear recourse is continuous anyway; a continuous first stage has no whole decisions."""
    problem = whole_problem(0)
    continuous = replace(problem.recourse, integer=np.zeros(problem.num_recourse, dtype=bool))
    assert differs(problem) == bool(problem.recourse.integer.any())
    assert not differs(TwoStageProblem(**{**problem.general_form(), "recourse": continuous}))
    assert not differs(nr.make_facility_location(3, 3, 3, 1))
