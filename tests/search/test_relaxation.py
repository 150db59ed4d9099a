"""The relaxed problem: its bound, its weights and its cuts hold for the true problem."""

import numpy as np
import pytest
from hypothesis import given, settings

import neurprise as nr
from neurprise.clock import Deadline
from neurprise.search.cuts import cut_from_duals
from neurprise.search.relaxation import relaxed, solve_relaxation
from neurprise.solvers import get_engine
from tests.instances import KINDS, instance, seeds


def relaxation_of(problem, engine="highs"):
    return solve_relaxation(problem, get_engine(engine), Deadline())


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds)
@settings(max_examples=10)
def test_the_relaxation_bounds_the_optimum(kind, seed):
    """And its weights are shares of one."""
    problem, paper = instance(kind, seed)
    if paper.value() == np.inf:
        return
    found = relaxation_of(problem)
    assert found.bound <= paper.value() + 1e-6 * max(1.0, abs(paper.value()))
    assert found.weights.sum() == pytest.approx(1.0)
    assert (found.weights >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds)
@settings(max_examples=10)
def test_cuts_never_exceed_the_recourse_cost(kind, seed):
    """Whatever the duals: those of the relaxation, and any others."""
    problem, paper = instance(kind, seed)
    if paper.value() == np.inf:
        return
    rng = np.random.default_rng(seed)
    x = nr.solve(problem).x
    costs = nr.evaluate(problem, x).recourse_costs
    made_up = (cut_from_duals(problem, s, rng.normal(size=len(problem.recourse.row_lower))) for s in range(len(costs)))
    for cut in [*relaxation_of(problem).cuts, *(cut for cut in made_up if cut is not None)]:
        assert cut.value(x) <= costs[cut.scenario] + 1e-6 * max(1.0, abs(costs[cut.scenario]))


@pytest.mark.parametrize("engine", ["highs", "gurobi"])
def test_cuts_together_prove_the_relaxed_bound(engine):
    """min over x of the largest cut is the relaxation's value: nothing of it is lost."""
    problem = nr.make_vertex_cover(8, 10, 3)
    found = relaxation_of(problem, engine)
    assert len(found.cuts) >= 1
    loose = relaxed(problem)
    values = [cut.value(found.x) for cut in found.cuts]
    total = loose.first_stage.costs @ found.x + max(values)
    assert total == pytest.approx(found.bound, rel=1e-3)


def test_without_duals_scenarios_are_ranked_by_their_relaxed_cost():
    """SCIP gives none; the choice is still one of the scenarios that hurt the relaxed decision most."""
    problem = nr.make_selection(8, 10, 3)
    reduction = nr.reducers.Relaxation(solver="scip").reduce(problem, 2)
    totals = relaxation_of(problem, "scip").totals
    assert totals[reduction.indices[0]] == pytest.approx(totals.max())


def test_the_relaxation_proves_a_bound_for_the_report():
    """Beside V(R) the relaxation's own bound counts."""
    problem = nr.make_vertex_cover(12, 20, 1)
    report = nr.solve(problem, "relaxation", 1)
    assert report.lower_bound >= relaxation_of(problem).bound - 1e-6
    assert report.lower_bound <= nr.solve(problem).worst_case


def test_an_infeasible_relaxation_is_an_infeasible_problem():
    """Demand beyond all capacity."""
    problem = nr.FacilityLocation([1, 1], [1, 1], [5, 5], np.ones((2, 2)), [[1, 1], [50, 1]])
    with pytest.raises(nr.InfeasibleProblemError, match="no first-stage decision"):
        nr.reducers.Relaxation().reduce(problem, 1)
