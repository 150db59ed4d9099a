"""The cost that is never exceeded."""

from __future__ import annotations

import numpy as np

from neurprise.objectives.base import Envelope, Objective, between_bounds
from neurprise.problem import TwoStageProblem


class WorstCase(Objective):
    """The largest cost of all scenarios, whatever their probabilities."""

    name = "worst"
    words = "worst case"
    keeps_few = True

    def envelope(self, problem: TwoStageProblem) -> Envelope:
        """Every probability vector."""
        return between_bounds(np.zeros(problem.num_scenarios), np.ones(problem.num_scenarios))
