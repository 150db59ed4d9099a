"""Decisions exactly where integer recourse jumps: one rule for tolerances in masters, evaluation and reports."""

import math
from pathlib import Path

import numpy as np
import pytest

import neurprise as nr
from neurprise.recourse.evaluator import Evaluator
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

SMPS = Path(__file__).parents[3] / "shared" / "data" / "smps"


def step_problem(edge, scale):
    """Earn 1 a unit of x up to 5; what exceeds `edge`, or twice of it, takes whole units of y at 10 each."""
    return nr.TwoStageProblem.from_matrices(
        c=[-1], A=None, d=None, G=[[scale]], h=[0], E=[[-scale]], M=[[scale]], xi=[[edge], [2 * edge]], b=[10],
        x_integer=False, y_integer=True, x_upper=5, y_upper=9,
    )  # fmt: skip


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize("edge", [0.1, 1 / 3, 0.7, 1.0])
def test_the_optimum_stands_on_the_edge(engine, edge, scale):
    """x = edge needs no y; a little more would cost 10. Bound, worst case and a later evaluation agree."""
    problem = step_problem(edge, scale)
    report = nr.solve(problem, solver=engine, gap=1e-6)
    assert report.status == "optimal"
    assert report.worst_case == pytest.approx(-edge, abs=1e-3 if scale < 1 else 1e-4)
    assert nr.evaluate(problem, report.x, solver=engine).worst_case == pytest.approx(report.worst_case, abs=1e-5)


def test_a_row_missed_by_the_tolerance_is_kept(engine):
    """Half the tolerance beyond the edge needs no y, ten times the tolerance does."""
    problem = step_problem(1.0, 1.0)
    within, beyond = ([1.0 + share * FEASIBILITY_TOLERANCE] for share in (0.5, 10.0))
    assert nr.evaluate(problem, within, solver=engine).recourse_costs[0] == pytest.approx(0.0)
    assert nr.evaluate(problem, beyond, solver=engine).recourse_costs[0] == pytest.approx(10.0)


def test_a_recourse_is_judged_by_the_same_tolerance_as_the_engines():
    """y = 0 is feasible for x half a tolerance beyond the edge, not for x ten tolerances beyond."""
    evaluator = Evaluator(step_problem(1.0, 1.0))
    y = np.zeros(1)
    assert evaluator.attained_cost(np.array([1.0 + 0.5 * FEASIBILITY_TOLERANCE]), y, 0) == 0.0
    assert evaluator.attained_cost(np.array([1.0 + 10 * FEASIBILITY_TOLERANCE]), y, 0) == math.inf


@pytest.mark.skipif(not SMPS.is_dir(), reason="the shared instances are not here")
def test_continuous_capacity_with_binary_recourse_keeps_its_answer():
    """dcap243_200: one extensive form ends between 4210.147 and 4214.947; any stop returns a decision and a bound."""
    problem = nr.read(SMPS / "dcap243_200" / "dcap243_200.cor").restrict(range(40))
    report = nr.solve(problem, time_limit=20)
    assert report.x is not None
    assert report.lower_bound <= report.worst_case
    assert nr.evaluate(problem, report.x).worst_case == pytest.approx(report.worst_case, rel=1e-6)
