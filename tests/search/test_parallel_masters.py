"""Reduced problems solved by several processes at once: the choices of one process, and the same certificates."""

import time

import numpy as np
import pytest

import neurprise as nr
from neurprise.parallel.workers import Workers
from neurprise.search import parallel_masters
from neurprise.search.session import SearchSession
from neurprise.search.single_values import every_value
from neurprise.solvers import Limits
from tests.parallel.work import BrokenPool
from tests.recourse.test_parallel import generic_problem


@pytest.fixture(autouse=True)
def _small_problems_pay(monkeypatch):
    monkeypatch.setattr(parallel_masters, "WORTHWHILE_INTEGERS", 1)


@pytest.fixture(scope="module")
def problem():
    return generic_problem(10)


def test_two_workers_choose_what_one_chooses(problem):
    """Candidates are tried two at a time; the trace is that of the naive algorithm all the same."""
    one, two = (nr.solve(problem, "prise", 4, jobs=jobs) for jobs in (1, 2))
    assert two.scenarios == one.scenarios
    assert two.lower_bound == pytest.approx(one.lower_bound)
    assert two.worst_case == pytest.approx(one.worst_case)


def test_values_of_single_scenarios_are_those_of_one_process(problem):
    """V({j}) for all j, solved two at a time."""
    alone = every_value(SearchSession(problem))
    with SearchSession(problem, workers=Workers(2)) as session:
        assert session.parallel_masters.number == 2
        np.testing.assert_allclose(every_value(session), alone)
        assert session.num_solves == problem.num_scenarios


def test_a_time_limit_counts_while_workers_start():
    """Seconds between the question and the first line of its answer are gone."""
    asked = parallel_masters.ReducedProblem(0, (0,), Limits(time_limit=10.0), None, (), asked_at=time.monotonic() - 4.0)
    assert asked.limits_now.time_limit == pytest.approx(6.0, abs=1.0)
    late = parallel_masters.ReducedProblem(0, (0,), Limits(time_limit=1.0), None, (), asked_at=time.monotonic() - 4.0)
    assert late.limits_now.time_limit == 0.0


def test_without_workers_reduced_problems_are_solved_one_by_one(problem, monkeypatch, caplog):
    """The answer counts, not who computes it."""
    monkeypatch.setattr(Workers, "pool", lambda self, work: BrokenPool())
    with SearchSession(problem, workers=Workers(2)) as session, caplog.at_level("WARNING", "neurprise"):
        found = session.parallel_masters.solve([[0], [1]], [Limits(), Limits()])
    alone = SearchSession(problem)
    assert [result.value for result in found] == [alone.solve_reduced([s], Limits()).value for s in (0, 1)]
    assert "one reduced problem at a time" in caplog.text


def test_small_masters_start_no_workers(problem, monkeypatch):
    """Nor do families that list their decisions."""
    monkeypatch.undo()
    assert SearchSession(problem, workers=Workers(2)).parallel_masters.number == 1
    assert SearchSession(nr.make_vertex_cover(8, 5, seed=0), workers=Workers(2)).parallel_masters.number == 1
