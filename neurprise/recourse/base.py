"""What every way to compute the recourse costs of a decision takes and gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError

#: Told how many scenarios of an evaluation are done.
Tell = Callable[[int], None]


@dataclass(frozen=True)
class CostBounds:
    """
    What is known about the recourse costs of one decision.

    Parameters
    ----------
    upper
        Q(x, s) <= upper[s], shape (S,); inf also where a scenario was not looked at.
    scenario
        The scenario that costs most as far as is known.
    lower
        Proved: Q(x, scenario) >= lower.
    complete
        True: upper[scenario] is exact and no other entry is larger, so it is the maximum of Q(x, s) over all s. False:
        the evaluation ended at a scenario that was bad enough.
    certain
        True: a recourse that keeps every rule is known for every scenario and costs no more, so that the maximum does
        not rest on warm linear programs.
    """

    upper: Floats
    scenario: int
    lower: float
    complete: bool
    certain: bool = False


class PartialEvaluationError(OutOfTimeError):
    """
    Time was over before the last scenario.

    Parameters
    ----------
    costs
        Q(x, s) or an upper bound of it where known, nan elsewhere; shape (S,).
    """

    def __init__(self, costs: Floats) -> None:
        super().__init__()
        self.costs = costs


class RecourseSolver(Protocol):
    """One way to compute Q(x, s) for the scenarios of one problem; integer entries of x are exactly integer."""

    needs_confirmation: bool  # warm linear programs were trusted: ask a fresh model about what decides

    def costs(self, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Floats:
        """
        Q(x, s) for these s, nan for others, shape (S,).

        Raises PartialEvaluationError when the deadline passes before the end.
        """

    def bounds(
        self, x: Floats, order: Sequence[int], deadline: Deadline, known: Mapping[int, float], enough: float
    ) -> CostBounds:
        """
        As much about Q(x, s) as it takes to know the maximum over `order`, or that it is at least `enough`.

        Parameters
        ----------
        order
            The scenarios that are asked about, likely worst first; others keep the entry inf.
        known
            Cost of a recourse that is feasible for x, by scenario: an upper bound of Q(x, s).
        enough
            A scenario that costs at least this ends the evaluation; inf evaluates to the end.
        """

    def decision(self, x: Floats, scenario: int, deadline: Deadline) -> Floats | None:
        """A recourse y, shape (m,): the one last found for (x, scenario), else an optimal one; None if infeasible."""

    def forget(self) -> None:
        """Close warm engine models; the next evaluation builds them anew."""


def tell_nobody(done: int) -> None:
    """Nobody listens."""


def is_enough(cost: float, enough: float) -> bool:
    """Whether a cost ends the evaluation; a decision without recourse is evaluated to the end if nothing is asked."""
    return cost >= enough and enough < math.inf


def complete_bounds(upper: Floats, order: Sequence[int]) -> CostBounds:
    """Bounds whose largest entry among `order` is exact."""
    asked = np.sort(np.asarray(order, dtype=np.int64))
    scenario = int(asked[np.argmax(upper[asked])])
    return CostBounds(upper, scenario, float(upper[scenario]), complete=True)
