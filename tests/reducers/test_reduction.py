"""Reduction, and what all reducers share."""

import json

import numpy as np
import pytest

import neurprise as nr
from neurprise.arrays import largest_first
from neurprise.errors import InputError
from neurprise.problem.stages import Changes
from neurprise.reducers.base import Reduction, num_kept


def test_a_reduction_survives_json():
    """Everything but the decisions is written and read back."""
    reduction = Reduction((3, 1), gains=(5.0, 1.0), objective=6.0, num_solves=2, runtime=0.5, guarantee=0.25)
    assert Reduction.from_dict(json.loads(json.dumps(reduction.to_dict()))) == reduction


def test_decisions_are_luggage():
    """They neither print nor take part in comparisons."""
    with_luggage = Reduction((0,), decisions=(np.ones(3),))
    assert with_luggage == Reduction((0,))
    assert "decisions" not in repr(with_luggage)


@pytest.mark.parametrize("budget", [0, -2, 1.0, "two", None, True])
def test_a_budget_is_a_whole_number_from_one(budget):
    """The sentence names the rule, the value and the number of scenarios."""
    problem = nr.make_selection(4, 3, seed=0)
    with pytest.raises(InputError, match=r"budget must be a whole number .* at least 1, got .*; the problem has 3"):
        num_kept(problem, budget)


@pytest.mark.parametrize(("budget", "kept"), [(1, 1), (np.int64(2), 2), (3, 3), (100, 3)])
def test_a_large_budget_keeps_every_scenario(budget, kept):
    """There is nothing wrong in allowing more than there is."""
    assert num_kept(nr.make_selection(4, 3, seed=0), budget) == kept


def test_ties_go_to_the_smallest_index():
    """Equal scores keep the order of the scenarios."""
    assert largest_first(np.array([1.0, 2.0, 1.0, 2.0])).tolist() == [1, 3, 0, 2]


def test_infinite_limits_count_as_the_largest_finite_one():
    """Bounds from files may be infinite in some scenarios; distances and sums need numbers."""
    form = nr.make_selection(2, 3, seed=0).general_form()
    data = np.array([[1.0, np.inf], [np.inf, np.inf], [4.0, np.inf]])
    changed = nr.TwoStageProblem(**{**form, "changes": {"upper": Changes(np.arange(2), data)}})
    assert changed.finite_scenario_data.tolist() == [[1, 0], [4, 0], [4, 0]]
