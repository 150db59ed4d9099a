"""What an engine says is doubted: a contradiction is never printed as a proof."""

import math
from dataclasses import replace

import numpy as np
import pytest

import neurprise as nr
from neurprise.clock import Deadline
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.pool import DecisionPool, ProvedBounds
from neurprise.solvers import EngineResult, EngineStatus, get_engine
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE
from tests.shortage_problems import shortage_problem


class Liar:
    """HiGHS with a tongue: `lie` changes what it says about models with integers."""

    name = "liar"

    def __init__(self, lie):
        self._engine, self._lie = get_engine("highs"), lie

    def solve(self, model, limits, start=None):
        truth = self._engine.solve(model, limits, start)
        return self._lie(model, truth) if model.integer.any() else truth

    def session(self, model):
        return self._engine.session(model)


def raise_bound(model, truth):
    """Claim a bound that no decision meets."""
    return replace(truth, bound=2.0 * truth.bound) if model.costs.any() else truth


def deny(model, truth):
    """Find nothing as long as there are costs."""
    return EngineResult(EngineStatus.INFEASIBLE, math.inf, math.inf) if model.costs.any() else truth


def test_a_bound_that_a_decision_refutes_is_no_proof():
    """The engine claims twice the optimum as a bound, and knows the optimal decision."""
    listed = shortage_problem(1)
    report = nr.solve(listed.problem(), solver=Liar(raise_bound))
    assert report.status == "numerical limit"
    assert report.lower_bound <= listed.optimum() <= report.worst_case


def test_infeasible_is_not_believed_where_rows_alone_have_a_point():
    """The decision without costs is returned, with its true worst case and without a proof."""
    listed = shortage_problem(1)
    report = nr.solve(listed.problem(), solver=Liar(deny))
    assert report.status == "numerical limit"
    assert report.lower_bound == -math.inf
    assert report.worst_case == pytest.approx(listed.worst_case(report.x))


def test_a_smaller_bound_survives_a_refuted_one():
    """The weaker of two statements is kept, unless a decision refutes it as well."""
    problem = nr.make_selection(6, 4, 1)
    pool = DecisionPool(Evaluator(problem))
    bounds = ProvedBounds(pool)
    bounds.add(1.0, [0])
    bounds.add(1e6, [0, 1])
    place = pool.add(np.array([1.0] * problem.num_select + [0.0] * (6 - problem.num_select)))
    bounds.drop_refuted()
    assert pool.totals[place].max() < 1e6
    assert (bounds.best, bounds.refuted) == ((1.0, (0,)), True)


def no_decision_at_all():
    """x is binary and must reach 2."""
    return nr.TwoStageProblem.from_matrices(
        c=[1.0], A=None, d=None, G=[[0.0]], h=[2.0], E=[[1.0]], M=None, xi=None, b=[[1.0], [2.0]],
        x_integer=True, y_integer=False, x_upper=1,
    )  # fmt: skip


def test_a_second_engine_verifies_that_there_is_no_decision():
    """verify= also runs where the search ends in "infeasible"."""
    with pytest.raises(nr.InfeasibleProblemError, match="Verified by liar"):
        nr.solve(no_decision_at_all(), verify=Liar(lambda model, truth: truth))


def test_a_second_engine_may_find_the_decision_that_the_first_denies():
    """Then neither is believed."""
    found = EngineResult(EngineStatus.OPTIMAL, 0.0, 0.0, np.zeros(2))
    with pytest.raises(nr.EngineError, match="liar finds a decision that keeps every row"):
        nr.solve(no_decision_at_all(), verify=Liar(lambda model, truth: found))


def test_the_tight_tolerance_alone_makes_nothing_infeasible():
    """A recourse that keeps its rows to the usual tolerance is one, also where the last look is a tighter one."""

    class Strict(Liar):
        def solve(self, model, limits, start=None):
            denied = EngineResult(EngineStatus.INFEASIBLE, math.inf, math.inf)
            return denied if limits.tolerance < FEASIBILITY_TOLERANCE else super().solve(model, limits, start)

    listed = shortage_problem(2)
    x = np.zeros(len(listed.costs))
    found = Evaluator(listed.problem(), Strict(lambda model, truth: truth)).confirmed_cost(x, 0, Deadline())
    assert found == pytest.approx(nr.evaluate(listed.problem(), x).recourse_costs[0])
