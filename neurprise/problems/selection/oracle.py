"""Recourse of a selection without an engine: the cheapest items that are left, by partial sorts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats
from neurprise.problem.contract import EVERY


@dataclass(frozen=True, eq=False)
class SelectionOracle:
    """
    Cheapest completions of a selection.

    Parameters
    ----------
    later
        Cost of taking each item later, shape (S, n).
    num_select
        How many items are taken in all.
    """

    later: Floats
    num_select: int

    def recourse_costs(self, x: Floats, scenarios: slice = EVERY) -> Floats:
        """Q(x, s) = sum of the p - |x| cheapest items that x leaves."""
        left = self.later[scenarios, x < 0.5]
        missing = self._missing(x)
        return smallest_sums(left, missing) if missing >= 0 else np.full(len(left), np.inf)

    def recourse_decision(self, x: Floats, scenario: int) -> Floats | None:
        """The cheapest remaining items, as y of shape (n,)."""
        missing = self._missing(x)
        if missing < 0:
            return None
        later = np.where(x < 0.5, self.later[scenario], np.inf)
        y = np.zeros(len(x))
        y[np.argsort(later, kind="stable")[:missing]] = 1
        return y

    def _missing(self, x: Floats) -> int:
        """How many items are still to be taken; negative where x takes too many."""
        return self.num_select - int((x >= 0.5).sum())


@dataclass(frozen=True, eq=False)
class SingleSelections:
    """With one scenario every item costs the cheaper of now, shape (n,), and later, shape (S, n)."""

    now: Floats
    later: Floats
    num_select: int

    def values(self) -> Floats:
        """V({s}): the p cheapest items."""
        return smallest_sums(np.minimum(self.now, self.later), self.num_select)

    def decisions(self, scenarios: Sequence[int]) -> Floats:
        """Of the p cheapest items, take now those that are not cheaper later."""
        later = self.later[list(scenarios)]
        cheaper = np.minimum(self.now, later)
        chosen = np.argsort(cheaper, axis=1, kind="stable")[:, : self.num_select]
        taken = np.zeros_like(cheaper)
        np.put_along_axis(taken, chosen, 1.0, axis=1)
        return taken * (self.now <= later)


def smallest_sums(costs: Floats, count: int) -> Floats:
    """Sum of the `count` smallest numbers of each row of costs (S, k); shape (S,)."""
    if count == 0:
        return np.zeros(len(costs))
    return np.asarray(np.partition(costs, count - 1, axis=1)[:, :count].sum(axis=1))
