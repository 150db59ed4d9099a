"""Evaluation in several processes: the costs of one process, whoever computes which part."""

import math
from contextlib import closing

import numpy as np
import pytest

import neurprise as nr
from neurprise.clock import Deadline
from neurprise.parallel.workers import Workers
from neurprise.recourse import PartialEvaluationError, parallel, recourse_solver
from neurprise.recourse.evaluator import Evaluator
from neurprise.recourse.parallel import ParallelRecourse, split
from tests.parallel.work import BrokenPool


@pytest.fixture(autouse=True)
def _small_problems_pay(monkeypatch):
    monkeypatch.setattr(parallel, "_WORTHWHILE", 0)
    monkeypatch.setattr(parallel, "SMALLEST_PART", 5)


def generic_problem(num_scenarios):
    """Four sites to open; then whole lots from open sites, or dear purchases, meet three demands."""
    rng = np.random.default_rng(3)
    lots = rng.integers(2, 6, (3, 4)).astype(float)
    rows = np.vstack([np.hstack([lots, np.eye(3)]), np.hstack([-np.eye(4), np.zeros((4, 3))])])
    return nr.TwoStageProblem.from_matrices(
        c=rng.integers(5, 20, 4),
        A=np.zeros((0, 4)),
        d=np.zeros(0),
        G=rows,
        h=np.zeros(7),
        E=np.vstack([np.zeros((3, 4)), 3 * np.eye(4)]),
        M=np.vstack([-np.eye(3), np.zeros((4, 3))]),
        xi=rng.integers(5, 30, (num_scenarios, 3)) + rng.random((num_scenarios, 3)),
        b=np.concatenate([rng.integers(2, 6, 4), [9.5, 8.25, 7.75]]),
        x_integer=True,
        y_integer=[True] * 4 + [False] * 3,
        x_upper=1,
    )


@pytest.fixture(scope="module")
def integer_problem():
    return generic_problem(24)


def decision(seed):
    return np.random.default_rng(seed).integers(0, 2, 4).astype(float)


@pytest.fixture(scope="module")
def evaluators(integer_problem):
    """With two and with three workers; they start once for the tests of this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "_WORTHWHILE", 0)
        both = [Evaluator(integer_problem, workers=Workers(jobs)) for jobs in (2, 3)]
        assert all(isinstance(evaluator._recourse, ParallelRecourse) for evaluator in both)
    yield both
    for evaluator in both:
        evaluator.close()


def test_parts_hold_every_scenario_once():
    """And each its share of those that come first."""
    parts = split(range(100))
    assert sorted(s for part in parts for s in part) == list(range(100))
    assert [part[0] for part in parts] == list(range(len(parts)))
    assert split([4, 2]) == [(4, 2)]


def test_costs_are_those_of_one_process(integer_problem, evaluators):
    """To the precision of engines; with two and three workers bit for bit the same."""
    x = decision(1)
    alone = Evaluator(integer_problem).evaluate(x).recourse_costs
    two, three = (evaluator.evaluate(x).recourse_costs for evaluator in evaluators)
    np.testing.assert_allclose(two, alone, rtol=1e-7, atol=1e-7)
    assert two.tobytes() == three.tobytes()


def test_the_worst_case_is_that_of_one_process(integer_problem, evaluators):
    """Where only that is asked for."""
    order = range(integer_problem.num_scenarios)
    for seed in range(4):
        x = decision(seed)
        alone = Evaluator(integer_problem).bounds(x, order, Deadline())
        two, three = (evaluator.bounds(x, order, Deadline()) for evaluator in evaluators)
        assert two.lower == pytest.approx(alone.lower)
        assert (two.upper.tobytes(), two.scenario) == (three.upper.tobytes(), three.scenario)
        assert two.complete


def test_a_scenario_that_is_bad_enough_ends_the_question(integer_problem, evaluators):
    """It costs as much as is said."""
    x, order = decision(0), range(integer_problem.num_scenarios)
    costs = Evaluator(integer_problem).evaluate(x).recourse_costs
    enough = float(np.sort(costs[np.isfinite(costs)])[-3])
    found = evaluators[0].bounds(x, order, Deadline(), enough=enough)
    assert found.lower >= enough - 1e-6
    assert costs[found.scenario] >= found.lower - 1e-6


def test_a_deadline_that_has_passed_is_told(integer_problem, evaluators):
    """With what is known by then: nothing."""
    with pytest.raises(PartialEvaluationError) as caught:
        evaluators[0].evaluate(decision(0), Deadline(0.0))
    assert np.isnan(caught.value.costs).any()


def test_solving_with_two_workers_finds_the_same(integer_problem):
    """Bound, worst case and status."""
    one, two = (nr.solve(integer_problem, jobs=jobs) for jobs in (1, 2))
    assert two.worst_case == pytest.approx(one.worst_case)
    assert two.lower_bound == pytest.approx(one.lower_bound)
    assert two.status == one.status


def test_workers_that_cannot_be_had_are_done_without(integer_problem, monkeypatch, caplog):
    """The answer counts, not who computes it."""
    monkeypatch.setattr(Workers, "pool", lambda self, work: BrokenPool())
    with closing(Evaluator(integer_problem, workers=Workers(2))) as evaluator, caplog.at_level("WARNING", "neurprise"):
        found = evaluator.evaluate(decision(0)).worst_case
    assert found == pytest.approx(Evaluator(integer_problem).evaluate(decision(0)).worst_case)
    assert "evaluating in one process from now on" in caplog.text


@pytest.mark.parametrize("jobs", [0, 1.5, "many"])
def test_jobs_must_be_a_whole_number(integer_problem, jobs):
    """At least one."""
    with pytest.raises(nr.InputError, match="jobs must be"):
        nr.solve(integer_problem, jobs=jobs)


def test_families_and_small_problems_start_no_workers(integer_problem, monkeypatch):
    """Their evaluations take less than a process needs to start."""
    monkeypatch.undo()
    assert not isinstance(recourse_solver(integer_problem, "highs", workers=Workers(2)), ParallelRecourse)
    cover = nr.solve(nr.make_vertex_cover(8, 5, seed=0), jobs=2)
    assert math.isfinite(cover.worst_case)
