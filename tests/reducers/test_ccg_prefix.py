"""CCG as a reducer."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.testing import small_problems


def two_actions():
    """
    Choose a or b now (free); scenario costs of (a, b): s0 (3, 3), s1 (1, 5), s2 (4, 1), s3 (2, 1).

    Against s0 both cost 3; then a meets s2 and b meets s1, whichever is tried first. s3 never matters.
    """
    costs = [[3.0, 3.0], [1.0, 5.0], [4.0, 1.0], [2.0, 1.0]]
    return nr.TwoStageProblem.from_matrices(
        [0, 0], [[1, 1]], [1], np.eye(2), [0, 0], -np.eye(2), None, None, costs, x_integer=True, y_integer=False
    )


def test_the_adversary_starts_with_the_largest_single_value():
    """V({s0}) = 3 against 1, 1 and 1."""
    assert nr.reducers.CCG().reduce(two_actions(), 1).indices == (0,)


def test_it_stops_when_nothing_hurts_more():
    """Three scenarios prove that a is best, at 4; the budget for a fourth is left unused."""
    reduction = nr.reducers.CCG().reduce(two_actions(), 4)
    assert set(reduction.indices) == {0, 1, 2}
    assert reduction.objective == pytest.approx(4)
    assert reduction.gains == pytest.approx((3, 0, 1))


@pytest.mark.parametrize("label", small_problems())
def test_with_enough_budget_it_reaches_the_optimum(label):
    """Column-and-constraint generation ends with V(R) = V(all)."""
    problem = small_problems()[label]
    reduction = nr.reducers.CCG().reduce(problem, problem.num_scenarios)
    optimum = nr.solve(problem, gap=0.0).worst_case
    assert reduction.objective == pytest.approx(optimum, rel=1e-6)


def test_a_smaller_budget_keeps_a_prefix():
    """The adversary does not look ahead."""
    problem = nr.make_vertex_cover(8, 10, seed=3)
    longer, shorter = (nr.reducers.CCG().reduce(problem, budget).indices for budget in (4, 2))
    assert longer[:2] == shorter


def test_the_decision_behind_the_value_is_handed_on():
    """`solve` can start from it: it attains V(R) on the kept scenarios."""
    problem = nr.make_selection(8, 10, seed=2)
    reduction = nr.reducers.CCG().reduce(problem, 3)
    kept = problem.restrict(reduction.indices)
    assert min(nr.evaluate(kept, x).worst_case for x in reduction.decisions) == pytest.approx(reduction.objective)


def test_among_infeasible_scenarios_the_largest_demand_is_added():
    """Capacity bought for the first scenario is too small for all others; the hardest of them settles it."""
    problem = nr.FacilityLocation([1], [1], [100], [[50, 1]], [[10, 0], [0, 20], [0, 60], [0, 40]])
    assert nr.reducers.CCG().reduce(problem, 2).indices == (0, 2)


def test_no_time_keeps_the_first_scenario_without_a_value():
    """A value that was not proved is not stated."""
    reduction = nr.reducers.CCG(time_limit=0.0).reduce(nr.make_facility_location(4, 3, 5, seed=0), 2)
    assert len(reduction.indices) == 1
    assert reduction.objective is None


def test_an_impossible_pair_of_scenarios_is_named():
    """x = 0 for one scenario, x = 1 for the other."""
    problem = nr.TwoStageProblem.from_matrices(
        [1], None, None, [[0.0], [0.0]], [0, 0], [[1], [-1]], -np.eye(2), [[1, -1], [0, 0]], [[1.0], [1.0]],
        x_integer=True, y_integer=False, x_upper=1,
    )  # fmt: skip
    with pytest.raises(nr.InfeasibleProblemError, match="scenarios"):
        nr.reducers.CCG().reduce(problem, 2)
