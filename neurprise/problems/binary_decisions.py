"""What Neur2RO needs of families whose first stage takes items or leaves them."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.problem import TwoStageProblem

#: Corners of an item's decision: left, taken.
CORNERS = np.array([[0.0], [1.0]])


def shares_at_zero(num_items: int) -> Floats:
    """Nothing is taken: shares (1, 0) of every item, shape (2 n,)."""
    return np.tile([1.0, 0.0], num_items)


def shares(num_items: int) -> sparse.csr_array:
    """Taking item i moves its share from the first corner to the second, shape (2 n, n)."""
    return sparse.csr_array(sparse.kron(sparse.eye_array(num_items), np.array([[-1.0], [1.0]])))


def decisions(problem: TwoStageProblem, later: Floats, good: Floats, rng: np.random.Generator, count: int) -> Floats:
    """
    Flips of good decisions, optima of blended scenarios, and random decisions; shape (count, n).

    Parameters
    ----------
    later
        Second-stage costs of every scenario, shape (S, n).
    """
    draws = (
        lambda: _varied(good, rng),
        lambda: _greedy(problem, later, rng),
        lambda: _varied(good, rng),
        lambda: np.where(rng.random(later.shape[1]) < rng.random(), 1.0, 0.0),
    )
    return np.stack([draws[k % len(draws)]() for k in range(count)])


def _varied(good: Floats, rng: np.random.Generator) -> Floats:
    """One of the good decisions with one to four entries flipped, shape (n,)."""
    x: Floats = good[rng.integers(len(good))].copy()
    flipped = rng.choice(len(x), size=min(len(x), int(rng.integers(1, 5))), replace=False)
    x[flipped] = 1.0 - x[flipped]
    return x


def _greedy(problem: TwoStageProblem, later: Floats, rng: np.random.Generator) -> Floats:
    """Optimal for one scenario: the mean of a few, times a random factor; shape (n,)."""
    few = rng.choice(len(later), size=min(len(later), int(rng.integers(1, 6))), replace=False)
    blend = later[few].mean(axis=0, keepdims=True) * rng.uniform(0.5, 1.5)
    alone = problem.with_scenarios(blend).single_scenarios
    assert alone is not None, "training instances are small enough for the family's own oracle"
    return np.asarray(alone.decisions([0])[0])
