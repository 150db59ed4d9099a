"""SingleValue."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.extensive_form import Master
from neurprise.solvers import Limits, get_engine
from neurprise.testing import small_problems


def single_values(problem):
    """V({j}) of every scenario, one engine solve each."""
    engine = get_engine("highs")
    master = Master(Evaluator(problem, engine), engine)
    return np.array([master.solve([j], Limits()).value for j in range(problem.num_scenarios)])


@pytest.mark.parametrize("label", small_problems())
def test_scenarios_are_ranked_by_their_own_value(label):
    """By family shortcut, by bounds or by one solve each: the same values in the same order."""
    problem = small_problems()[label]
    values = single_values(problem)
    kept = list(nr.reducers.SingleValue().reduce(problem, 3).indices)
    np.testing.assert_allclose(values[kept], np.sort(values)[::-1][:3], rtol=1e-6)


def test_bounds_spare_solves_where_recourse_is_continuous():
    """A decision evaluated on all scenarios settles most of them without a solve of their own."""
    problem = nr.make_facility_location(6, 6, 20, seed=0)
    reduction = nr.reducers.SingleValue().reduce(problem, 2)
    assert reduction.num_solves < problem.num_scenarios
    np.testing.assert_allclose(
        single_values(problem)[list(reduction.indices)], np.sort(single_values(problem))[::-1][:2], rtol=1e-6
    )


def test_equal_scenarios_come_in_order():
    """Engine noise is no reason to prefer one."""
    problem = nr.make_facility_location(4, 3, 1, seed=0)
    equal = problem.with_scenarios(np.repeat(problem.demands, 4, axis=0))
    assert nr.reducers.SingleValue().reduce(equal, 3).indices == (0, 1, 2)


def test_an_impossible_scenario_is_named():
    """A scenario that no decision survives makes the problem infeasible."""
    problem = nr.FacilityLocation([1], [1], [10], [[1]], [[5], [11], [7]])
    with pytest.raises(nr.InfeasibleProblemError, match="scenario 1"):
        nr.reducers.SingleValue().reduce(problem, 3)


def test_no_time_still_gives_scenarios():
    """What was not valued comes last, in order."""
    problem = nr.make_facility_location(4, 3, 5, seed=0)
    assert nr.reducers.SingleValue(time_limit=0.0).reduce(problem, 2).indices == (0, 1)
