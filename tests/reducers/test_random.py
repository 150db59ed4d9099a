"""Random."""

import pytest

import neurprise as nr


def test_seeds_differ_and_repeat():
    """The same seed gives the same scenarios, another seed others."""
    problem = nr.make_selection(4, 40, seed=0)
    chosen = [nr.reducers.Random().reduce(problem, 5, seed=seed).indices for seed in (0, 0, 1)]
    assert chosen[0] == chosen[1] != chosen[2]


def test_a_smaller_budget_keeps_a_prefix():
    """So that curves over the budget compare like with like."""
    problem = nr.make_selection(4, 40, seed=0)
    longer, shorter = (nr.reducers.Random().reduce(problem, budget, seed=3).indices for budget in (6, 2))
    assert longer[:2] == shorter


def test_a_negative_seed_is_refused():
    """The sentence names the seed."""
    with pytest.raises(nr.InputError, match="seed must be a whole number at least 0, got -1"):
        nr.reducers.Random().reduce(nr.make_selection(4, 4, seed=0), 1, seed=-1)
