"""Every decision of a small vertex cover with its costs."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.problems.vertex_cover.covers import cover_table, subset_sums
from neurprise.problems.vertex_cover.independent_sets import Words, covers_of_subsets

#: Below this share of all decisions, one cover at a time is quicker than the table of all.
_FEW = 1 / 1000


class _Tables(threading.local):
    """Two tables over all node sets that every list of a thread writes to: fresh memory costs more than filling it."""

    def __init__(self) -> None:
        self._held = np.zeros((2, 0))

    def of_size(self, size: int) -> tuple[Floats, Floats]:
        if self._held.shape[1] < size:
            self._held = np.empty((2, size))
        return self._held[0, :size], self._held[1, :size]


_tables = _Tables()


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
        left, costs = self._tables(scenario)
        subset_sums(self.now, left)
        costs += self.now.sum()
        costs -= left
        numbers = np.flatnonzero(costs < cutoff)
        return numbers, costs[numbers]

    def costs(self, scenario: int, numbers: Ints) -> Floats:
        taken: Floats = (1.0 - (numbers[:, None] >> np.arange(len(self.now)) & 1)) @ self.now
        if len(numbers) < _FEW * 2 ** len(self.now):
            return taken + covers_of_subsets(numbers, self.neighbours, self.later[scenario])
        return taken + self._tables(scenario)[1][numbers]

    def decision(self, number: int) -> Floats:
        return np.array([1.0 - (number >> v & 1) for v in range(len(self.now))])

    def _tables(self, scenario: int) -> tuple[Floats, Floats]:
        """Later costs of every node set: all its nodes, and its cheapest cover; shapes (2^n,), until the next call."""
        sums, covers = _tables.of_size(2 ** len(self.now))
        cover_table(self.neighbours, self.later[scenario], sums, covers)
        return sums, covers
