"""Selections without an engine: recourse by partial sorts, and the list of all decisions of small ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.compiled import Compiler
from neurprise.problem.contract import EVERY

compiled = Compiler("the selection oracle", seconds=2)


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


@compiled
def _cheapest_sum(prices: Floats, is_open: Any, count: int) -> float:
    """Sum of the `count` cheapest prices of open items."""
    if count == 0:
        return 0.0  # the code below needs a list that is not empty
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


#: More partial decisions of one length take numpy longer than compiling.
_MOST_PARTIAL = 20_000


def _cheapest_sums_by_numpy(prices: Floats, counts: Ints) -> Floats:
    """Sum of the counts[k] smallest prices of each row (k, n), inf where there are fewer; shape (k,)."""
    sums = np.cumsum(np.sort(prices, axis=1), axis=1)
    padded = np.column_stack([np.zeros(len(sums)), sums])
    return np.asarray(np.take_along_axis(padded, counts[:, None], axis=1)[:, 0])


def _decisions_below_by_numpy(now: Floats, later: Floats, num_select: int, cutoff: float) -> Any:
    """As `decisions_below`, item by item for all partial decisions together; NotImplemented for long lists."""
    n = len(now)
    numbers: Ints = np.zeros(1, dtype=np.int64)
    taken: Ints = np.zeros(1, dtype=np.int64)
    costs: Floats = np.zeros(1)
    spent: Floats = np.zeros(1)
    prices: Floats = np.minimum(now, later)[None]
    for i in range(n):
        prices = np.repeat(prices, 2, axis=0)
        prices[0::2, i], prices[1::2, i] = later[i], np.inf
        numbers, spent, taken = np.repeat(numbers, 2), np.repeat(spent, 2), np.repeat(taken, 2)
        numbers[1::2] |= 1 << i
        spent[1::2] += now[i]
        taken[1::2] += 1
        fits = taken <= num_select
        costs = np.full(len(numbers), np.inf)
        costs[fits] = spent[fits] + _cheapest_sums_by_numpy(prices[fits], num_select - taken[fits])
        kept = costs < cutoff
        if kept.sum() > _MOST_PARTIAL:
            return NotImplemented
        prices, numbers, costs = prices[kept], numbers[kept], costs[kept]
        spent, taken = spent[kept], taken[kept]
    return numbers, costs


@compiled.after(_decisions_below_by_numpy)
def decisions_below(now: Floats, later: Floats, num_select: int, cutoff: float) -> tuple[Ints, Floats]:
    """
    Every x with cost c'x + Q(x) < cutoff under one scenario, as bit sets, and the costs; both of shape (found,).

    Items are decided one by one. An undecided item costs the cheaper of now and later, so the cheapest completion at
    these prices is a lower bound for every leaf below, and the cost at a leaf.
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


def _costs_of_by_numpy(numbers: Ints, now: Floats, later: Floats, num_select: int) -> Any:
    if len(numbers) > _MOST_PARTIAL:
        return NotImplemented
    taken = numbers[:, None] >> np.arange(len(now)) & 1
    spent = np.cumsum(taken * now, axis=1)[:, -1]
    return spent + _cheapest_sums_by_numpy(np.where(taken, np.inf, later), num_select - taken.sum(axis=1))


@compiled.after(_costs_of_by_numpy)
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
        return costs_of(numbers, self.now, self.later[scenario], self.num_select)

    def decision(self, number: int) -> Floats:
        return np.array([float(number >> i & 1) for i in range(len(self.now))])
