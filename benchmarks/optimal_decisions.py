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


class OptimalDecisions:
    """
    Reduced problems of one selection or vertex cover, solved by looking at every binary x.

    Parameters
    ----------
    problem
        At most 20 items or nodes: every scenario asked for costs a table of 2^n numbers.
    """

    def __init__(self, problem: TwoStageProblem) -> None:
        self._problem = problem
        self._list = _first_stage_list(problem)
        self._tables: dict[int, Floats] = {}

    def worst_cases(self, scenarios: Sequence[int], at_most: int = 200) -> Floats:
        """Z(x) of the decisions x that are optimal for these scenarios; of more than `at_most`, evenly spread ones."""
        worst = np.max([self._table(s) for s in scenarios], axis=0)
        numbers = np.flatnonzero(worst <= worst.min() + 1e-6)
        if len(numbers) > at_most:
            numbers = numbers[np.linspace(0, len(numbers) - 1, at_most).astype(int)]
        costs = self._problem.first_stage.costs
        decisions = (self._list.decision(int(number)) for number in numbers)
        return np.array([costs @ x + _recourse_costs(self._problem, x).max() for x in decisions])

    def _table(self, scenario: int) -> Floats:
        """c'x + Q(x, scenario) of every binary x, shape (2^n,)."""
        if scenario not in self._tables:
            self._tables[scenario] = self._list.costs(scenario)
        return self._tables[scenario]


def _first_stage_list(problem: TwoStageProblem) -> FirstStageList:
    known = _EveryItemSet(problem) if isinstance(problem, Selection) else problem.first_stage_list()
    if known is None:
        raise TypeError(f"{problem.family} of this size does not list its first stage")
    return known


class _EveryItemSet:
    """Decision number U takes exactly the items of the bit set U now."""

    def __init__(self, problem: Selection) -> None:
        self._problem = problem

    def costs(self, scenario: int) -> Floats:
        problem, later = self._problem, self._problem.scenario_costs[scenario]
        table: Floats = _selection_table(problem.first_stage.costs, later, np.argsort(later), problem.num_select)
        return table

    def decision(self, number: int) -> Floats:
        return np.array([float(number >> i & 1) for i in range(self._problem.num_first_stage)])


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
