"""Every decision of a small selection with its costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.problems.selection import listing_kernels as kernels


@dataclass(frozen=True, eq=False)
class EveryItemSet:
    """The list of all decisions: number U takes exactly the items of the bit set U now."""

    now: Floats
    later: Floats
    num_select: int

    def below(self, scenario: int, cutoff: float) -> tuple[Ints, Floats]:
        numbers, costs = kernels.decisions_below(self.now, self.later[scenario], self.num_select, cutoff)
        return numbers, costs

    def costs(self, scenario: int, numbers: Ints) -> Floats:
        costs: Floats = kernels.costs_of(numbers, self.now, self.later[scenario], self.num_select)
        return costs

    def decision(self, number: int) -> Floats:
        return np.array([float(number >> i & 1) for i in range(len(self.now))])
