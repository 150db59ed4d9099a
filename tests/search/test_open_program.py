"""Linear reduced problems that are kept open while R grows: the same answers, and none that duals do not prove."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import neurprise as nr
from experiments.instances.published import linear_problem
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.extensive_form import ExtensiveForm, Master, OpenLinearProgram, bound_by_duals
from neurprise.solvers import EngineModel, EngineResult, EngineSettings, EngineStatus, Limits, get_engine, sessions_grow


@pytest.fixture(scope="module")
def problem():
    """Linear, forty scenarios."""
    return linear_problem(40, num_first_stage=12, num_recourse=8, num_demands=6)


def random_program(seed):
    """A bounded feasible linear program with fixed columns, equations, ranges and rows of one side."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 6), rng.integers(1, 7)
    matrix = np.round(rng.normal(size=(rows, columns)), 2) * (rng.random((rows, columns)) < 0.7)
    lower, width = rng.uniform(-3, 1, columns), rng.uniform(0, 4, columns) * (rng.random(columns) < 0.9)
    inside = matrix @ (lower + 0.5 * width)
    slack = rng.uniform(0, 2, (2, rows)) * (rng.random((2, rows)) < 0.7)
    return EngineModel(
        costs=rng.normal(size=columns),
        matrix=sparse.csr_array(matrix),
        row_lower=np.where(rng.random(rows) < 0.3, -np.inf, inside - slack[0]),
        row_upper=np.where(rng.random(rows) < 0.3, np.inf, inside + slack[1]),
        lower=lower,
        upper=lower + width,
        integer=np.zeros(columns, dtype=bool),
        offset=float(rng.normal()),
    )


@pytest.mark.parametrize("seed", range(30))
def test_duals_prove_no_more_than_the_optimum_and_optimal_ones_prove_it(seed):
    """Weak and strong duality; the optimum is another engine's."""
    model = random_program(seed)
    truth = get_engine("scip").solve(model, Limits()).objective
    rng = np.random.default_rng(seed)
    for size in (0.0, 0.1, 1.0, 10.0):
        assert bound_by_duals(model, size * rng.normal(size=len(model.row_lower))) <= truth + 1e-6
    found = get_engine("highs").solve(model, Limits())
    assert found.row_duals is None or bound_by_duals(model, found.row_duals) == pytest.approx(truth, abs=1e-6)


def test_duals_against_an_infinite_limit_prove_nothing():
    """A column without bounds that they leave a price, a row without that side."""
    model = replace(random_program(0), costs=np.array([1.0]), matrix=sparse.csr_array([[1.0]]), row_lower=np.zeros(1))
    free = replace(model, row_upper=np.full(1, np.inf), lower=np.full(1, -np.inf), upper=np.full(1, np.inf), offset=0.0)
    free = replace(free, integer=np.zeros(1, dtype=bool))
    assert bound_by_duals(free, np.array([1.0])) == 0.0
    assert bound_by_duals(free, np.array([0.5])) == -math.inf
    assert bound_by_duals(free, np.array([-1.0])) == -math.inf


def test_growing_reduced_problems_have_the_values_of_fresh_ones(problem):
    """One scenario after another, then others in another order; the judge solves every model anew."""
    master, judge, form = Master(Evaluator(problem), get_engine("highs")), get_engine("scip"), ExtensiveForm(problem)
    for scenarios in ([3], [3, 7], [3, 7, 1], [3, 7, 1, 20, 11], [5], [5, 3, 7]):
        found = master.solve(scenarios, Limits())
        truth = judge.solve(form.model(scenarios), Limits()).objective
        assert found.value == pytest.approx(truth, rel=1e-7)
        assert truth - 1e-6 * abs(truth) <= found.bound <= truth + 1e-6 * abs(truth)


class LyingSession:
    """Calls everything optimal at a value of its own."""

    def __init__(self, model):
        self.model, self.solves = model, 0

    def update(self, model):
        self.model = model

    def solve(self, limits):
        self.solves += 1
        truth = get_engine("highs").solve(self.model, limits)
        lie = replace(truth, objective=truth.objective + 1.0, bound=truth.bound + 1.0)
        return truth if self.solves == 1 else lie


class LyingEngine:
    """An engine whose sessions lie from their second solve on."""

    name = "liar"
    sessions_grow = True

    def __init__(self):
        self.opened = 0

    def session(self, model):
        self.opened += 1
        return LyingSession(model)


def test_a_warm_answer_that_its_duals_do_not_prove_is_solved_anew(problem):
    """The engine said one more than the truth."""
    engine, form = LyingEngine(), ExtensiveForm(problem)
    program = OpenLinearProgram(engine)
    for scenarios in ([0], [0, 1]):
        found = program.solve(form.model(scenarios), scenarios, Limits())
        truth = get_engine("highs").solve(form.model(scenarios), Limits()).objective
        assert found.bound == pytest.approx(truth)
    assert engine.opened == 2


@pytest.mark.parametrize("status", [EngineStatus.INFEASIBLE, EngineStatus.UNBOUNDED])
def test_a_warm_answer_without_a_solution_is_asked_for_once_more(problem, status, monkeypatch):
    """Nothing proves it."""
    monkeypatch.setattr(LyingSession, "solve", lambda self, limits: EngineResult(status))
    engine, form = LyingEngine(), ExtensiveForm(problem)
    program = OpenLinearProgram(engine)
    for scenarios in ([0], [0, 1]):
        assert program.solve(form.model(scenarios), scenarios, Limits()).status is status
    assert engine.opened == 2


def test_engines_that_write_a_log_solve_every_model_anew(tmp_path):
    """Sessions write none."""
    assert sessions_grow(get_engine("highs"))
    assert not sessions_grow(get_engine("highs", EngineSettings(log_file=tmp_path / "log.txt")))
    assert not sessions_grow(get_engine("scip"))


def test_a_linear_search_ends_at_the_optimum_of_all_scenarios(problem):
    """By the judge's extensive form."""
    truth = get_engine("scip").solve(ExtensiveForm(problem).model(range(40)), Limits()).objective
    report = nr.solve(problem, gap=1e-6)
    assert report.worst_case == pytest.approx(truth, rel=2e-6)
    assert report.lower_bound <= truth * (1 + 1e-6)
