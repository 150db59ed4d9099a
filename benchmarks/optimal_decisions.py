"""Every optimal first-stage decision of a reduced problem, by listing: how much of a regret is tie-breaking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import neurprise as nr
from neurprise.evaluate import Evaluator

Floats = NDArray[np.float64]
_TIE = 1e-6


class OptimalDecisions:
    """
    Reduced problems of one selection or vertex cover, solved by looking at every decision that can be best.

    Parameters
    ----------
    problem
        Must list its first stage: at most 20 items or nodes.
    """

    def __init__(self, problem: nr.TwoStageProblem) -> None:
        listed = problem.first_stage_list()
        if listed is None:
            raise TypeError(f"{problem.family} of this size does not list its first stage")
        self._list = listed
        self._evaluator = Evaluator(problem)
        # V(R) <= V(all), so no decision above the optimum is optimal for R.
        self._ceiling = nr.solve(problem, gap=0).worst_case + 2 * _TIE

    def worst_cases(self, scenarios: Sequence[int], at_most: int = 200) -> Floats:
        """Z(x) of the decisions x that are optimal for these scenarios; of more than `at_most`, evenly spread ones."""
        numbers, worst = self._list.below(scenarios[0], self._ceiling)
        for s in scenarios[1:]:
            worst = np.maximum(worst, self._list.costs(s, numbers))
        tied = numbers[worst <= worst.min() + _TIE]
        if len(tied) > at_most:
            tied = tied[np.linspace(0, len(tied) - 1, at_most).astype(int)]
        decisions = (self._list.decision(int(number)) for number in tied)
        return np.array([self._evaluator.evaluate(x).worst_case for x in decisions])
