"""How much of a regret is tie-breaking: the worst cases of all decisions that are optimal for the kept scenarios."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurprise.arrays import Floats
from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator

#: Decisions whose costs differ by less are tied.
TIE = 1e-6


def tied_worst_cases(
    problem: TwoStageProblem, scenarios: Sequence[int], value: float, evaluator: Evaluator, at_most: int = 100
) -> Floats | None:
    """
    Z(x) of the decisions x with V(R) = value, of more than `at_most` evenly spread ones; None where none are listed.

    Parameters
    ----------
    scenarios, value
        R and V(R).
    """
    decisions = problem.first_stage_list
    if decisions is None or not np.isfinite(value):
        return None
    numbers, _ = decisions.below(scenarios[0], value + TIE)
    for s in scenarios[1:]:
        numbers = numbers[decisions.costs(s, numbers) < value + TIE]
    if len(numbers) > at_most:
        numbers = numbers[np.linspace(0, len(numbers) - 1, at_most).astype(int)]
    return np.array([evaluator.evaluate(decisions.decision(int(number))).worst_case for number in numbers])
