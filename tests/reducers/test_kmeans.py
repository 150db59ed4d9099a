"""KMeans."""

import sys

import numpy as np
import pytest

import neurprise as nr
from neurprise.errors import MissingDependencyError


def selection(rows):
    """A selection problem with these scenario costs."""
    return nr.Selection(np.ones(len(rows[0])), rows, 1)


def test_each_cluster_sends_its_most_central_scenario():
    """Two clear clusters: the middle of three, then the one nearest the mean of the other two."""
    problem = selection([[0, 0], [100, 100], [2, 2], [1, 1], [102, 102]])
    assert nr.reducers.KMeans().reduce(problem, 2).indices in {(3, 1), (3, 4)}


def test_one_cluster_keeps_the_scenario_nearest_the_mean():
    """The mean itself is no scenario."""
    problem = selection([[0, 0], [10, 10], [4, 5], [0, 10]])
    assert nr.reducers.KMeans().reduce(problem, 1).indices == (2,)


def test_coinciding_scenarios_are_kept_once_and_then_filled_up():
    """Two distinct points, four wanted: the rest are repetitions, in order."""
    problem = selection([[1, 1], [1, 1], [5, 5], [1, 1], [5, 5]])
    indices = nr.reducers.KMeans().reduce(problem, 4).indices
    assert sorted(indices) == [0, 1, 2, 3]


def test_the_order_of_scenarios_does_not_matter():
    """Clusters are found on sorted points, so a seed means the same in any order."""
    problem = nr.make_selection(5, 30, seed=1)
    order = np.random.default_rng(0).permutation(30)
    straight = nr.reducers.KMeans().reduce(problem, 4).indices
    shuffled = nr.reducers.KMeans().reduce(problem.restrict(order.tolist()), 4).indices
    assert set(order[list(shuffled)].tolist()) == set(straight)


def test_a_problem_without_uncertain_data_is_answered():
    """Scenarios that change nothing all coincide."""
    problem = nr.TwoStageProblem.from_matrices(
        [1], None, None, [[1]], [1], [[1]], [[0]], [[1], [2], [3]], [2], x_integer=True, y_integer=False
    )
    assert nr.reducers.KMeans().reduce(problem, 2).indices == (0, 1)


def test_no_start_is_refused():
    """The clustering needs at least one start."""
    with pytest.raises(nr.InputError, match="num_starts must be a whole number at least 1, got 0"):
        nr.reducers.KMeans(num_starts=0).reduce(nr.make_selection(4, 4, seed=0), 1)


def test_without_scikit_learn_the_sentence_names_the_extra(monkeypatch):
    """Only this reducer needs it, so the core installs without it."""
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'neurprise\[kmeans\]'"):
        nr.reducers.KMeans().reduce(nr.make_selection(6, 8, seed=0), 2)
