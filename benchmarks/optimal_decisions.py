"""Every optimal first-stage decision of a reduced problem, by enumeration: how much of a regret is tie-breaking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from neurprise.evaluate import Evaluator
from neurprise.exact.ccg import ColumnAndConstraintGeneration
from neurprise.exact.session import SearchSession
from neurprise.problem import TwoStageProblem

#: Two decisions whose costs differ by less are tied.
TIE = 1e-6


def tied_worst_cases(problem: TwoStageProblem, scenarios: Sequence[int], at_most: int = 200) -> NDArray[np.float64]:
    """
    Z(x) of the decisions x that are optimal for these scenarios; of more than `at_most`, evenly spread ones.

    Parameters
    ----------
    problem
        A selection or vertex cover small enough to list its first stage (20 items or nodes).
    """
    decisions = problem.first_stage_list
    if decisions is None:
        raise TypeError(f"{problem.family} of this size does not list its first stage")
    limit = _value(problem.restrict(list(scenarios))) + TIE
    numbers, _ = decisions.below(scenarios[0], limit)
    for s in scenarios[1:]:
        numbers = numbers[decisions.costs(s, numbers) < limit]
    if len(numbers) > at_most:
        numbers = numbers[np.linspace(0, len(numbers) - 1, at_most).astype(int)]
    return np.array([_worst_case(problem, decisions.decision(int(number))) for number in numbers])


def _value(problem: TwoStageProblem) -> float:
    """V of all scenarios of a problem."""
    return ColumnAndConstraintGeneration(SearchSession(problem), gap=0.0).run().worst_case


def _worst_case(problem: TwoStageProblem, x: NDArray[np.float64]) -> float:
    return Evaluator(problem).evaluate(x).worst_case
