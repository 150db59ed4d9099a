"""Probabilities that may be wrong by a given share."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from neurprise import arrays
from neurprise.arrays import Floats
from neurprise.errors import InputError
from neurprise.objectives.base import Envelope, Objective, probabilities_of
from neurprise.problem import TwoStageProblem


class TotalVariation(Objective):
    """
    The largest mean cost over all probabilities in which at most a share of the mass has moved.

    Parameters
    ----------
    radius
        That share: sum_s |p_s - p0_s| / 2 <= radius. 0 is the expectation, 1 the worst case.
    """

    def __init__(self, radius: float) -> None:
        self.radius = arrays.nonnegative_number("radius", radius)
        if self.radius > 1.0:
            raise InputError(f"radius must be between 0 and 1 (a share of the probability), got {radius!r}.")
        self.name = f"total-variation:{self.radius:.15g}"
        self.words = f"total variation {self.radius:g}"

    def envelope(self, problem: TwoStageProblem) -> Envelope:
        """p_s >= p0_s - u_s with sum_s u_s <= radius, where u_s is what scenario s has lost."""
        p, radius = probabilities_of(problem), self.radius
        size = len(p)
        each, together, nothing = sparse.eye_array(size), np.ones((1, size)), sparse.csr_array((1, size))
        rows = sparse.block_array([[-each, -each], [together, nothing], [nothing, together]], format="csr")
        return Envelope(
            lower=np.zeros(size),
            upper=np.full(size, np.inf),
            rows=sparse.csr_array(rows),
            limits=np.concatenate([-p, [1.0, radius]]),
            equal=np.concatenate([np.zeros(size, dtype=bool), [True, False]]),
            heaviest=lambda costs: _moved(p, radius, costs),
            possible=(p > 0) | (radius > 0),
        )


def _moved(p: Floats, radius: float, costs: Floats) -> Floats:
    """Probability moved from the cheapest scenarios to the most expensive one; shape (S,)."""
    cheapest_first, dearest = np.argsort(costs, kind="stable"), int(np.argmax(costs))
    mass = p[cheapest_first]
    lost = np.minimum(mass, np.maximum(radius - (np.cumsum(mass) - mass), 0.0))
    moved = p.copy()
    moved[cheapest_first] -= lost
    moved[dearest] += lost.sum()
    return moved
