"""A decision at once: simple ones before the first master, any feasible one before the best."""

import math

import numpy as np
import pytest

import neurprise as nr
from experiments.instances.published import linear_problem
from neurprise.clock import Deadline
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.ccg import ColumnAndConstraintGeneration, informed_start
from neurprise.search.extensive_form import Master
from neurprise.search.session import SearchSession
from neurprise.search.start import admit_first_decision
from neurprise.solvers import Limits, get_engine
from tests.instances import from_letters

# Recourse exists only if x1 + x2 + x3 >= the scenario's demand.
DEMANDS = {
    "c": [1.0, 2.0, 3.0], "A": None, "d": None, "G": [[0.0]], "h": [0.0], "E": [[1.0, 1.0, 1.0]], "M": [[-1.0]],
    "xi": [[1.2], [0.4]], "b": [1.0], "x_integer": True, "y_integer": True, "x_upper": 1.0, "y_upper": 1.0,
}  # fmt: skip
# Exactly one x must be 1, and scenario s costs x_s: the relaxation takes a third of each.
ONE_OF_THREE = {
    "c": np.zeros(3), "A": None, "d": None, "G": np.vstack([np.eye(3), np.zeros((2, 3))]), "h": [0, 0, 0, 1, -1],
    "E": np.vstack([-np.eye(3), np.ones((1, 3)), -np.ones((1, 3))]), "M": None, "xi": None, "b": np.eye(3),
    "x_integer": True, "y_integer": False, "x_upper": 1.0,
}  # fmt: skip


class Recorder:
    """An engine that remembers the limits of the mixed-integer models it solves."""

    name = "recorder"

    def __init__(self):
        self._engine = get_engine("highs")
        self.targets = []

    def solve(self, model, limits, start=None):
        if model.integer.any():
            self.targets.append(limits.target)
        return self._engine.solve(model, limits, start)

    def session(self, model):
        return self._engine.session(model)


def test_the_relaxation_is_rounded_up_where_rounding_fails():
    """(1, 0.2, 0) rounds to what a scenario refuses, the first stage forbids all three; (1, 1, 0) survives."""
    session = SearchSession(from_letters(DEMANDS | {"A": [[-1.0, -1.0, -1.0]], "d": [-2.0]}))
    admit_first_decision(session, np.array([1.0, 0.2, 0.0]))
    assert session.worst_case == 3.0


def test_the_upper_bounds_are_a_decision_where_no_rounding_is():
    """3 y >= 1 asks for y = 1, and x1 + x2 + x3 >= 3 y for all of them; the relaxation takes (1, 0, 0)."""
    rows = {"G": [[3.0], [-3.0]], "h": [1.0, 0.0], "E": [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], "M": None, "xi": None}
    session = SearchSession(from_letters(DEMANDS | rows | {"b": [[1.0], [2.0]]}))
    admit_first_decision(session, np.array([1.0, 0.0, 0.0]))
    assert session.worst_case == 8.0


def test_any_decision_comes_before_the_best():
    """Nothing simple survives, so the first master stops at its first decision; then the search goes on to the end."""
    engine = Recorder()
    session = SearchSession(from_letters(ONE_OF_THREE), engine)
    admit_first_decision(session, np.full(3, 1 / 3))
    assert session.worst_case == math.inf
    found = ColumnAndConstraintGeneration(session).run([0])
    assert engine.targets[0] > 1e9
    assert (found.status, found.worst_case) == ("optimal", 1.0)
    assert engine.targets[-1] < 1.0


def test_a_reduced_problem_is_solved_to_its_end():
    """With a budget the bound is at least V(R)."""
    problem = from_letters(ONE_OF_THREE)
    report = nr.solve(problem, "maxsum", 2)
    assert report.lower_bound >= nr.solve(problem.restrict(report.scenarios)).worst_case


def test_a_master_leaves_time_to_evaluate_what_it_finds():
    """As long as evaluations have taken, but never most of what is left."""
    session = SearchSession(from_letters(DEMANDS), deadline=Deadline(100.0))
    for seconds, most in ((20.0, 80.0), (90.0, 70.0)):
        session.pool.longest_admission = seconds
        with session.time_to_evaluate():
            assert math.isclose(session.deadline.remaining, most, abs_tol=1.0)


def test_a_small_problem_is_solved_as_one_model():
    """All scenarios that are not dominated are there from the beginning, and one solve to the gap is enough."""
    session = SearchSession(from_letters(ONE_OF_THREE | {"x_integer": False}))
    start = informed_start(session)
    found = ColumnAndConstraintGeneration(session).run(start)
    assert (found.scenarios, found.status, found.num_solves) == ((0, 1, 2), "optimal", 1)


def test_one_scenario_that_dominates_all_makes_the_problem_deterministic():
    """However large the others are."""
    session = SearchSession(from_letters(DEMANDS))
    assert informed_start(session) == [0]


def test_a_linear_search_waits_for_a_promising_decision():
    """The first decisions are not evaluated on every scenario; the answer is the extensive form's all the same."""
    problem = linear_problem(300, num_first_stage=20, num_recourse=20)
    session = SearchSession(problem)
    found = ColumnAndConstraintGeneration(session).run(informed_start(session))
    assert session.iterations[0].worst_case == math.inf
    whole = Master(Evaluator(problem, use_oracle=False), get_engine("highs")).solve(range(300), Limits())
    assert found.status == "optimal"
    assert found.worst_case == pytest.approx(whole.value, rel=2e-4)


def test_a_decision_that_still_waits_is_returned_as_half_evaluated():
    """Scenarios that nobody looked at are not called infeasible."""
    problem = linear_problem(300, num_first_stage=20, num_recourse=20)
    report = nr.solve(problem, on_progress=lambda step: True)
    assert (report.status, report.worst_case) == ("stopped", math.inf)
    assert report.x is not None
    assert 0 < report.num_checked < 300
    assert report.infeasible_scenarios == ()
