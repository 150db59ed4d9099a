"""
What an objective is: a polytope P of probability vectors, and a shift of each scenario's cost.

    min_x  max_{p in P}  sum_s p_s (c'x + Q(x, s) - shift_s)

The worst case has every probability vector in P, the expectation only one. The value of given costs is the largest mean
that any p in P gives them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, frozen
from neurprise.problem import TwoStageProblem


class Shift(Enum):
    """What is taken off each scenario's cost before the costs are weighed."""

    NOTHING = "nothing"
    BEST_COST = "best cost"  # V({s}): what is left is the regret of scenario s
    RELATIVE = "relative"  # V({s}), and the rest is divided by it


@dataclass(frozen=True, eq=False)
class Envelope:
    """
    The polytope P of probability vectors of one objective on one problem; S scenarios.

        P = { p : lower <= p <= upper, rows @ (p, u) <= limits (equal to them where `equal`), for some u >= 0 }

    Parameters
    ----------
    lower, upper
        Bounds of p, shape (S,); 0 <= lower. inf in `upper` where the rows bound p.
    rows, limits, equal
        Shapes (k, S + number of auxiliary u), (k,), (k,).
    heaviest
        From finite costs, shape (S,), a p in P that gives them the largest mean, shape (S,).
    possible
        Which scenarios have a positive probability in some p, shape (S,).
    """

    lower: Floats
    upper: Floats
    rows: sparse.csr_array
    limits: Floats
    equal: Bools
    heaviest: Callable[[Floats], Floats]
    possible: Bools

    @property
    def num_scenarios(self) -> int:
        """S."""
        return len(self.lower)

    def worst_probabilities(self, costs: Floats) -> Floats:
        """A p in P that gives these costs, shape (S,), the largest mean; shape (S,). Costs may be infinite."""
        return self.heaviest(_made_finite(np.where(self.possible, costs, costs[self.possible].min())))

    def value(self, costs: Floats) -> float:
        """
        The largest mean of these costs, shape (S,), over P.

        inf where a scenario of infinite cost has a positive probability in some p. A scenario that has none in any p
        does not count, whatever it costs.
        """
        if (costs[self.possible] == math.inf).any():
            return math.inf
        p = self.worst_probabilities(costs)
        return float(p[p > 0] @ costs[p > 0])


class Objective(ABC):
    """
    What is minimised over the scenarios.

    Parameters
    ----------
    name
        The text from which `get_objective` makes it again.
    words
        The same in words, for tables.
    shift
        What is taken off the costs first.
    keeps_few
        Whether few scenarios decide, as for the worst case, so that reducers apply.
    """

    name: str
    words: str
    shift = Shift.NOTHING
    keeps_few = False

    @abstractmethod
    def envelope(self, problem: TwoStageProblem) -> Envelope:
        """P for the scenarios of this problem."""

    def __repr__(self) -> str:
        return f"<objective {self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Objective) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def probabilities_of(problem: TwoStageProblem) -> Floats:
    """The probabilities of the scenarios, shape (S,), summing to one; equal ones where the problem has none."""
    given = problem.probabilities
    if given is None:
        return frozen(np.full(problem.num_scenarios, 1.0 / problem.num_scenarios))
    return frozen(given / given.sum())


def between_bounds(lower: Floats, upper: Floats) -> Envelope:
    """All probability vectors between these bounds, each of shape (S,); the lower ones sum to at most one."""
    if (lower == upper).all():  # one vector, whatever rounding does to its sum
        rows, limits = sparse.csr_array((0, len(lower))), np.zeros(0)
    else:
        rows, limits = sparse.csr_array(np.ones((1, len(lower)))), np.ones(1)
    equal = np.ones(len(limits), dtype=bool)
    return Envelope(lower, upper, rows, limits, equal, lambda costs: _filled(lower, upper, costs), upper > 0)


def _filled(lower: Floats, upper: Floats, costs: Floats) -> Floats:
    """The lower bounds, and the rest of one on the most expensive scenarios; shape (S,)."""
    p, dearest_first = lower.copy(), np.argsort(-costs, kind="stable")
    room = (upper - lower)[dearest_first]
    left = np.maximum(1.0 - lower.sum() - (np.cumsum(room) - room), 0.0)
    p[dearest_first] += np.minimum(room, left)
    return p


def _made_finite(costs: Floats) -> Floats:
    """The same order of costs with numbers in the place of infinite ones, far beyond the others; shape (S,)."""
    finite = costs[np.isfinite(costs)]
    if len(finite) == len(costs):
        return costs
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    far = 1e6 * max(high - low, abs(high), abs(low), 1.0)
    return np.nan_to_num(costs, posinf=high + far, neginf=low - far)
