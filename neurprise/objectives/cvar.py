"""Conditional value at risk: the mean of the worst part of the scenarios."""

from __future__ import annotations

from neurprise import arrays
from neurprise.errors import InputError
from neurprise.objectives.base import Envelope, Objective, between_bounds, probabilities_of
from neurprise.problem import TwoStageProblem


class CVaR(Objective):
    """
    The mean cost of the worst scenarios, which together have the probability 1 - level.

    Parameters
    ----------
    level
        From 0 (the expectation) to below 1; 0.9 is the mean of the worst tenth.
    weight
        From 0 to 1: the objective is weight times this, plus 1 - weight times the expectation.
    """

    def __init__(self, level: float = 0.9, weight: float = 1.0) -> None:
        self.level = arrays.nonnegative_number("level", level)
        if self.level >= 1.0:
            raise InputError(f"level must be below 1, got {level!r}; the objective 'worst' is its limit.")
        self.weight = arrays.nonnegative_number("weight", weight)
        if self.weight > 1.0:
            raise InputError(f"weight must be between 0 and 1, got {weight!r}; the rest goes to the expectation.")
        self.name = f"cvar:{self.level:.15g}" + ("" if self.weight == 1.0 else f":{self.weight:.15g}")
        tail = f"CVaR {self.level:g}"
        self.words = tail if self.weight == 1.0 else f"{self.weight:g} {tail} + {1.0 - self.weight:g} expected"

    def envelope(self, problem: TwoStageProblem) -> Envelope:
        """p between (1 - weight) p0 and (1 - weight + weight / (1 - level)) p0 [Rockafellar and Uryasev 2000]."""
        p = probabilities_of(problem)
        if self.level == 0.0 or self.weight == 0.0:
            return between_bounds(p, p)
        lower = (1.0 - self.weight) * p
        return between_bounds(lower, lower + self.weight / (1.0 - self.level) * p)
