"""MaxSum."""

import numpy as np

import neurprise as nr


def test_the_largest_sums_come_first():
    """Sums 3, 9, 9, 6: scenarios 1 and 2 tie, the smaller index leads."""
    problem = nr.Selection([1, 1, 1], [[1, 1, 1], [3, 3, 3], [9, 0, 0], [2, 2, 2]], 1)
    assert nr.reducers.MaxSum().reduce(problem, 3).indices == (1, 2, 3)


def test_facility_location_sums_demands():
    """The uncertain coefficients of a family are what counts, whatever the formulation."""
    problem = nr.make_facility_location(4, 3, 6, seed=0)
    first = nr.reducers.MaxSum().reduce(problem, 1).indices[0]
    assert first == int(np.argmax(problem.demands.sum(axis=1)))


def test_vertex_cover_counts_each_cost_once():
    """The cover formulation charges u and refunds x; summed naively that would be zero."""
    problem = nr.make_vertex_cover(6, 5, seed=0)
    first = nr.reducers.MaxSum().reduce(problem, 1).indices[0]
    assert first == int(np.argmax(problem.scenario_costs.sum(axis=1)))
