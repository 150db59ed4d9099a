"""Every optimal first-stage decision of a reduced problem, by enumeration: how much of a regret is tie-breaking."""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
from numpy.typing import NDArray

from neurprise.problem import TwoStageProblem
from neurprise.problems import Selection
from neurprise.stages import FirstStageList

Floats = NDArray[np.float64]


def tied_worst_cases(problem: TwoStageProblem, scenarios: Sequence[int], at_most: int = 5_000) -> Floats:
    """Z(x) of the decisions x that are optimal for these scenarios; of more than `at_most`, evenly spread ones."""
    worst = table(problem, scenarios[0])
    for s in scenarios[1:]:
        np.maximum(worst, table(problem, s), out=worst)
    numbers = np.flatnonzero(worst <= worst.min() + 1e-6)
    if len(numbers) > at_most:
        numbers = numbers[np.linspace(0, len(numbers) - 1, at_most).astype(int)]
    costs = problem.first_stage.costs
    decisions = (_decision(problem, int(number)) for number in numbers)
    return np.array([costs @ x + _recourse_costs(problem, x).max() for x in decisions])


def table(problem: TwoStageProblem, scenario: int) -> Floats:
    """c'x + Q(x, scenario) of every binary x, shape (2^n,)."""
    if not isinstance(problem, Selection):
        return _listed(problem).costs(scenario)
    later = problem.scenario_costs[scenario]
    return _selection_table(problem.first_stage.costs, later, np.argsort(later), problem.num_select)


def _decision(problem: TwoStageProblem, number: int) -> Floats:
    if not isinstance(problem, Selection):
        return _listed(problem).decision(number)
    return np.array([float(number >> i & 1) for i in range(problem.num_first_stage)])


def _listed(problem: TwoStageProblem) -> FirstStageList:
    decisions = problem.first_stage_list()
    if decisions is None:
        raise TypeError(f"{problem.family} of this size does not list its first-stage decisions")
    return decisions


def _recourse_costs(problem: TwoStageProblem, x: Floats) -> Floats:
    costs = problem.recourse_costs(x)
    if costs is None:
        raise TypeError(f"{problem.family} has no recourse oracle")
    return costs


@numba.njit(cache=True)
def _selection_table(now: Floats, later: Floats, cheapest_first: NDArray[np.int64], num_select: int) -> Floats:
    """Bit i of the number: item i is taken now."""
    n = len(now)
    costs = np.empty(1 << n)
    for number in range(1 << n):
        total, missing = 0.0, num_select
        for i in range(n):
            if number >> i & 1:
                total += now[i]
                missing -= 1
        if missing < 0:
            costs[number] = np.inf
            continue
        for place in range(n):
            if missing == 0:
                break
            i = cheapest_first[place]
            if not number >> i & 1:
                total += later[i]
                missing -= 1
        costs[number] = total
    return costs
