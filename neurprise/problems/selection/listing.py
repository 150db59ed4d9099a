"""Every decision of a small selection with its costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.compiled import Compiler

compiled = Compiler("the selection oracle", seconds=2)


@compiled
def _cheapest_sum(prices: Floats, is_open: Any, count: int) -> float:
    """Sum of the `count` cheapest prices of open items."""
    if count == 0:
        return 0.0  # below, an empty list would be read and written before its start
    kept = np.empty(count)
    filled = 0
    for i in range(len(prices)):
        if not is_open[i]:
            continue
        price = prices[i]
        if filled < count:
            place = filled
            filled += 1
        elif price < kept[count - 1]:
            place = count - 1
        else:
            continue
        while place > 0 and kept[place - 1] > price:
            kept[place] = kept[place - 1]
            place -= 1
        kept[place] = price
    return kept[:filled].sum() if filled == count else np.inf


@compiled
def decisions_below(now: Floats, later: Floats, num_select: int, cutoff: float) -> tuple[Ints, Floats]:
    """
    Every x with cost c'x + Q(x) < cutoff under one scenario, as bit sets, and the costs; both of shape (found,).

    Items are decided one by one. An undecided item can be had for the cheaper of now and later, so the cheapest
    completion at these prices bounds every leaf below from below, and equals the cost at a leaf.
    """
    n = len(now)
    prices = np.minimum(now, later)
    is_open = np.ones(n, dtype=np.bool_)
    choice = np.full(n + 1, -1, dtype=np.int64)  # of each item: -1 not tried, 0 left for later, 1 taken now
    numbers = np.empty(1024, dtype=np.int64)
    costs = np.empty(1024)
    found, depth, taken, spent, number = 0, 0, 0, 0.0, 0
    while depth >= 0:
        if depth < n and choice[depth] < 1:
            choice[depth] += 1
            if choice[depth] == 0:
                prices[depth] = later[depth]
            else:
                is_open[depth] = False
                taken += 1
                spent += now[depth]
                number |= 1 << depth
            bound = np.inf if taken > num_select else spent + _cheapest_sum(prices, is_open, num_select - taken)
            if bound < cutoff:
                depth += 1
                if depth == n:
                    if found == len(numbers):
                        numbers = np.concatenate((numbers, np.empty_like(numbers)))
                        costs = np.concatenate((costs, np.empty_like(costs)))
                    numbers[found], costs[found] = number, bound
                    found += 1
            continue
        if depth < n:  # both choices of this item are done: undo the second
            choice[depth] = -1
            is_open[depth] = True
            prices[depth] = min(now[depth], later[depth])
            taken -= 1
            spent -= now[depth]
            number &= ~(1 << depth)
        depth -= 1
    return numbers[:found].copy(), costs[:found].copy()


@compiled
def costs_of(numbers: Ints, now: Floats, later: Floats, num_select: int) -> Floats:
    """c'x + Q(x) under one scenario of decisions given as bit sets, shape (len(numbers),)."""
    n = len(now)
    costs = np.empty(len(numbers))
    is_open = np.empty(n, dtype=np.bool_)
    for k in range(len(numbers)):
        spent, taken = 0.0, 0
        for i in range(n):
            is_open[i] = not (numbers[k] >> i) & 1
            if not is_open[i]:
                spent += now[i]
                taken += 1
        costs[k] = spent + _cheapest_sum(later, is_open, num_select - taken)
    return costs


@dataclass(frozen=True, eq=False)
class EveryItemSet:
    """The list of all decisions: number U takes exactly the items of the bit set U now."""

    now: Floats
    later: Floats
    num_select: int

    def below(self, scenario: int, cutoff: float) -> tuple[Ints, Floats]:
        numbers, costs = decisions_below(self.now, self.later[scenario], self.num_select, cutoff)
        return numbers, costs

    def costs(self, scenario: int, numbers: Ints) -> Floats:
        costs: Floats = costs_of(numbers, self.now, self.later[scenario], self.num_select)
        return costs

    def decision(self, number: int) -> Floats:
        return np.array([float(number >> i & 1) for i in range(len(self.now))])
