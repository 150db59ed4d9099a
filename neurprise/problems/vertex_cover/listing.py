"""Every decision of a small vertex cover with its costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.problems.vertex_cover.covers import Words, cover_table, subset_sums


@dataclass(frozen=True, eq=False)
class EveryNodeSet:
    """
    The list of all decisions: number U leaves exactly the nodes of the bit set U to the second stage.

    Parameters
    ----------
    now, later
        Node costs, shapes (n,) and (S, n).
    neighbours
        Of every node as a bit set, shape (n,).
    """

    now: Floats
    later: Floats
    neighbours: Words

    def below(self, scenario: int, cutoff: float) -> tuple[Ints, Floats]:
        costs = self._table(scenario)
        numbers = np.flatnonzero(costs < cutoff)
        return numbers, costs[numbers]

    def costs(self, scenario: int, numbers: Ints) -> Floats:
        return self._table(scenario)[numbers]

    def decision(self, number: int) -> Floats:
        return np.array([1.0 - (number >> v & 1) for v in range(len(self.now))])

    def _table(self, scenario: int) -> Floats:
        """Total cost of every decision, shape (2^n,)."""
        later: Floats = cover_table(self.neighbours, self.later[scenario])
        left: Floats = subset_sums(self.now)
        return np.asarray(later + self.now.sum() - left)
