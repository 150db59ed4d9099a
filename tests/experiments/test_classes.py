"""The generated classes that the universal checkpoint learns from."""

import numpy as np
import pytest

import neurprise as nr
from experiments.classes import CLASSES, generator


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_draws_the_same_problem_from_the_same_seed(name):
    """And another one from another seed."""
    draw = generator(name)
    assert draw(3) == draw(3)
    assert draw(3) != draw(4)


@pytest.mark.parametrize("name", CLASSES)
def test_scenarios_of_a_class_differ_and_matter(name):
    """No two scenarios are equal, and not one of them alone decides every instance."""
    draw = generator(name)
    assert all(len(np.unique(draw(seed).scenario_data, axis=0)) == draw(seed).num_scenarios for seed in range(3))
    kept = [nr.reducers.CCG().reduce(draw(seed).restrict(range(8)), 8).indices for seed in range(4)]
    assert max(map(len, kept)) > 1
