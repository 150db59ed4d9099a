"""The judge of objectives: its formulas on costs whose value is known by hand, and a few problems through it."""

import math
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pyscipopt", reason="SCIP judges")
pytest.importorskip("gurobipy", reason="Gurobi judges")

import neurprise as nr
from experiments.judges import objectives_judge
from experiments.judges.examining.examination import Examination
from experiments.judges.oracles import Judge
from experiments.judges.oracles.truth import truth_of_case
from experiments.judges.oracles.weighing import Weighing, moved, sent, tail_mean, tail_program, weighings
from experiments.judges.random_problems import ORDINARY, draw_case

COSTS, EQUAL = np.array([4.0, 1.0, 2.0, 3.0]), np.full(4, 0.25)


def test_the_formulas_by_hand():
    """Four equally likely costs."""
    assert tail_mean(COSTS, EQUAL, 0.5) == pytest.approx(3.5)
    assert moved(COSTS, EQUAL, 0.25) == pytest.approx(3.25)
    distances = np.abs(COSTS[:, None] - COSTS[None])
    assert sent(COSTS, EQUAL, distances, 0.75) == pytest.approx(3.25)
    assert sent(COSTS, EQUAL, distances**2, 0.25) == pytest.approx(2.75)


def test_impossible_scenarios_do_not_count_and_endless_gains_do():
    """Infinite costs of either sign."""
    expected = Weighing(nr.objectives.Expected(), lambda costs: float(costs.mean()), np.array([True, False]))
    assert expected.value(np.array([2.0, math.inf])) == 1.0
    assert expected.value(np.array([math.inf, 2.0])) == math.inf
    assert expected.value(np.array([-math.inf, 2.0])) == -math.inf


def test_one_program_says_what_the_listed_decisions_say():
    """Two ways to the least CVaR, on every problem whose decisions can be listed."""
    compared = 0
    for seed in range(20):
        judge = Judge(draw_case(seed, ORDINARY).statement)
        p = np.random.default_rng(seed).dirichlet(np.ones(judge.statement.num_scenarios))
        tail = next(one for one in weighings(np.random.default_rng(seed), p) if one.tail and one.tail[1] > 0)
        if judge.totals is not None and math.isfinite(best := tail.best(judge)):
            assert judge.minimum(tail_program(judge.statement, *tail.tail)) == pytest.approx(best, rel=1e-5, abs=1e-5)
            compared += 1
    assert compared > 3


@pytest.mark.parametrize("seed", [2, 23, 43])
def test_problems_through_the_judge(seed):
    """Two of them have no decision that every scenario survives; the searches by cuts once had no end there."""
    verdicts = list(objectives_judge.examine(seed, ORDINARY))
    assert len(verdicts) == objectives_judge.ASKED
    assert [f for verdict in verdicts for f in verdict.findings if f.sort in ("wrong", "exception")] == []


def test_a_false_bound_and_a_false_value_are_found():
    """The judge can fail."""
    case = draw_case(2, ORDINARY)
    p = np.full(case.problem.num_scenarios, 1.0 / case.problem.num_scenarios)
    expected = weighings(np.random.default_rng(0), p)[1]
    report = nr.solve(case.problem, objective="expected")
    for change in ("lower_bound", "value"):
        examination = Examination(case, truth_of_case(case))
        sign = -1.0 if case.statement.maximize else 1.0
        worse = {"lower_bound": sign * 10.0, "value": -sign * 10.0}[change]
        told = objectives_judge.Told(report.value, report.lower_bound, report.x, report.status, 0.0)
        told = replace(told, **{change: getattr(told, change) + worse})
        objectives_judge.checked(expected)(examination, "by hand", told)
        assert [finding.sort for finding in examination.findings].count("wrong") > 0
