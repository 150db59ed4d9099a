"""The mean cost."""

from __future__ import annotations

from neurprise.objectives.base import Envelope, Objective, between_bounds, probabilities_of
from neurprise.problem import TwoStageProblem


class Expected(Objective):
    """The mean cost by the scenarios' probabilities; equal ones where the problem has none."""

    name = "expected"
    words = "expected"

    def envelope(self, problem: TwoStageProblem) -> Envelope:
        """The probabilities of the problem and nothing else."""
        p = probabilities_of(problem)
        return between_bounds(p, p)
