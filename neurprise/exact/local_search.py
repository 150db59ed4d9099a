"""Improve a first-stage decision by changing one binary entry at a time, where the family's oracle makes that cheap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.evaluate import Evaluator
from neurprise.problem import TwoStageProblem

#: Entries that a kick flips: from, and below.
KICKED = (2, 6)


class FlipSearch:
    """
    First-improvement descent on the true worst case Z(x) over single flips.

    A flip is first judged on the scenarios that matter so far; only if it survives, on all of them.

    Parameters
    ----------
    evaluator
        Of the whole problem; `applies` says whether its family has what the search needs.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._problem = evaluator.problem
        self.applies = self._is_binary() and evaluator.has_oracle

    def improve(
        self, x: Floats, worst_case: float, scenarios: Sequence[int], deadline: Deadline
    ) -> tuple[Floats, float]:
        """The end of the descent from x and its worst case; no better than given when the time is over at once."""
        few = self._problem.restrict(sorted(set(scenarios)))
        best, value = x, worst_case
        untried = list(range(len(x)))
        while untried and not deadline.passed:
            flipped = _flip(best, untried.pop())
            if self._breaks_a_row(flipped) or _total_cost(few, flipped) >= value:
                continue
            found = self._evaluator.evaluate(flipped).worst_case
            if found < value:
                best, value = flipped, found
                untried = list(range(len(x)))
        return best, value

    def wander(
        self, x: Floats, worst_case: float, scenarios: Sequence[int], deadline: Deadline
    ) -> tuple[Floats, float]:
        """
        The best of many descents until the deadline, each from the best one with some entries flipped at random.

        Iterated local search [Lourenco, Martin and Stuetzle 2003]: a descent ends where no single flip helps, which is
        rarely at the optimum and often near it.
        """
        random, best, value = np.random.default_rng(0), x, worst_case
        while not deadline.passed:
            kicked = np.array(best)
            places = random.choice(len(x), size=min(len(x), int(random.integers(*KICKED))), replace=False)
            kicked[places] = 1 - kicked[places]
            if self._breaks_a_row(kicked):
                continue
            found, cost = self.improve(kicked, self._evaluator.evaluate(kicked).worst_case, scenarios, deadline)
            if cost <= value:
                best, value = found, cost
        return best, value

    def _breaks_a_row(self, x: Floats) -> bool:
        first = self._problem.first_stage
        if len(first.row_lower) == 0:
            return False
        rows = first.matrix @ x
        return bool((rows < first.row_lower).any() or (rows > first.row_upper).any())

    def _is_binary(self) -> bool:
        first = self._problem.first_stage
        return bool(first.integer.all() and (first.lower == 0).all() and (first.upper == 1).all())


def _total_cost(problem: TwoStageProblem, x: Floats) -> float:
    """The worst case of x by the family's oracle; nan, which is below nothing and above nothing, where it gives up."""
    assert problem.oracle is not None
    costs = problem.oracle.recourse_costs(x)
    return problem.offset + float(problem.first_stage.costs @ x) + float(costs.max())


def _flip(x: Floats, place: int) -> Floats:
    flipped = np.array(x)
    flipped[place] = 1 - flipped[place]
    return flipped
