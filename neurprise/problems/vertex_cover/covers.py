"""
Weighted vertex cover, compiled: the cheapest cover of what is left of a graph, and a table over all subsets.

A set of at most 64 nodes is one machine word. The graph is the same under every scenario, so where it has few minimal
covers they are listed once and a matrix product prices them all; elsewhere one small branch-and-bound per scenario
finds the heaviest independent set, the complement of the cheapest cover.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurprise.arrays import Bools, Floats, Ints
from neurprise.compiled import Compiler

compiled = Compiler("the vertex-cover oracle", seconds=6)

MAX_NODES = 64
#: Beyond so many minimal covers branch-and-bound is quicker; random graphs have about 60 at 20 nodes, 2500 at 40.
MAX_LISTED_COVERS = 4096
#: 2^20 subsets: about ten milliseconds and eight megabytes a scenario.
MAX_TABLE_NODES = 20

Words = NDArray[np.uint64]
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
#: Prices of listed covers that are held at once, 16 MB.
_PRICES_AT_ONCE = 1 << 21


class CoverOracle:
    """
    Cheapest covers of the graph that is left when some nodes are taken, for any number of weightings at once.

    Parameters
    ----------
    num_nodes
        At most MAX_NODES.
    edges
        Pairs of nodes, shape (E, 2).
    """

    def __init__(self, num_nodes: int, edges: NDArray[Any]) -> None:
        self.neighbours = neighbour_words(num_nodes, edges)

    def costs(self, left: Bools, weights: Floats) -> Floats:
        """Cost of the cheapest cover of the nodes `left` (n,) under each row of weights (S, n); shape (S,)."""
        costs: Floats
        if self._covers is None:
            costs = cover_costs(word_of(left), self.neighbours, weights)
        else:
            costs, _ = cheapest_listed(self._covers, left, weights, _PRICES_AT_ONCE)
        return costs

    def solved(self, left: Bools, weights: Floats) -> tuple[Floats, Floats]:
        """The same costs, and the nodes outside `left` with a cheapest cover of those inside, shape (S, n)."""
        if self._covers is not None:
            costs, cheapest = cheapest_listed(self._covers, left, weights, _PRICES_AT_ONCE)
            return costs, np.where(left, self._covers[cheapest], 1.0)
        word = word_of(left)
        free = [heaviest_independent_set(word, self.neighbours, row)[1] for row in weights]
        covers = nodes_outside(np.array(free, dtype=np.uint64), len(left))
        return (covers * left * weights).sum(axis=1), covers

    @cached_property
    def _covers(self) -> Floats | None:
        """All minimal covers, shape (number, n); None where there are too many."""
        sets = maximal_independent_sets(self.neighbours, MAX_LISTED_COVERS)
        return nodes_outside(sets, len(self.neighbours)) if len(sets) else None


def neighbour_words(num_nodes: int, edges: NDArray[Any]) -> Words:
    """Neighbours of every node as a bit set, shape (num_nodes,)."""
    words = np.zeros(num_nodes, dtype=np.uint64)
    for i, j in edges.tolist():
        words[i] |= np.uint64(1 << j)
        words[j] |= np.uint64(1 << i)
    return words


def word_of(nodes: NDArray[np.bool_]) -> np.uint64:
    """A boolean node vector as one word."""
    eight_bytes = np.zeros(8, dtype=np.uint8)
    packed = np.packbits(nodes, bitorder="little")
    eight_bytes[: len(packed)] = packed
    return np.uint64(eight_bytes.view("<u8")[0])


@compiled
def cheaper_of_both(now: Floats, later: Floats) -> Floats:
    """Node weights when one scenario is certain, rewards taken: min(max(now, 0), later), shape (S, n)."""
    out = np.empty_like(later)
    for s in range(later.shape[0]):
        for v in range(later.shape[1]):
            out[s, v] = min(max(now[v], 0.0), later[s, v])
    return out


@compiled
def taken_now(now: Floats, later: Floats, covers: Floats) -> Floats:
    """Of each scenario's cover the nodes that are not cheaper later, and every node that pays; shape (S, n)."""
    out = np.empty_like(covers)
    for s in range(covers.shape[0]):
        for v in range(covers.shape[1]):
            out[s, v] = 1.0 if now[v] < 0 else covers[s, v] * (now[v] <= later[s, v])
    return out


@compiled
def costs_left(decisions: Floats, later: Floats) -> Floats:
    """Node costs (S, n) under each decision (k, n), those of nodes taken now zero; row s * k + d, shape (S k, n)."""
    count = decisions.shape[0]
    out = np.empty((later.shape[0] * count, later.shape[1]))
    for s in range(later.shape[0]):
        for d in range(count):
            for v in range(later.shape[1]):
                out[s * count + d, v] = later[s, v] if decisions[d, v] < 0.5 else 0.0
    return out


@compiled
def nodes_outside(sets: Words, num_nodes: int) -> Floats:
    """1 for every node that is not in the bit set, one row for each; shape (len(sets), num_nodes)."""
    table = np.ones((len(sets), num_nodes))
    for k in range(len(sets)):
        for v in range(num_nodes):
            if (sets[k] >> np.uint64(v)) & _ONE:
                table[k, v] = 0.0
    return table


@compiled
def _lowest_bit(word: np.uint64) -> int:
    """Position of the lowest set bit; word is not zero."""
    position = 0
    if word & np.uint64(0xFFFFFFFF) == _ZERO:
        position += 32
        word >>= np.uint64(32)
    if word & np.uint64(0xFFFF) == _ZERO:
        position += 16
        word >>= np.uint64(16)
    if word & np.uint64(0xFF) == _ZERO:
        position += 8
        word >>= np.uint64(8)
    while word & _ONE == _ZERO:
        position += 1
        word >>= _ONE
    return position


@compiled
def _branching_set(nodes: np.uint64, neighbours: Words, weights: Floats, slack: float, rest: Floats) -> np.uint64:
    """
    Nodes that must be branched on to find an independent set heavier than `slack` within `nodes`.

    Cliques are peeled off greedily; an independent set takes at most one node of each, so once their summed weights
    would exceed `slack` the nodes with weight left are the ones to branch on. `rest` is scratch space.
    """
    covered = 0.0
    open_nodes = nodes
    word = nodes
    while word:
        v = _lowest_bit(word)
        word &= word - _ONE
        rest[v] = weights[v]
        if rest[v] <= 0.0:
            open_nodes &= ~(_ONE << np.uint64(v))
    while open_nodes:
        clique_word = _ZERO
        candidates = open_nodes
        least = np.inf
        while candidates:
            v = _lowest_bit(candidates)
            clique_word |= _ONE << np.uint64(v)
            least = min(least, rest[v])
            candidates &= neighbours[v]
        if covered + least > slack:
            return open_nodes
        covered += least
        while clique_word:
            v = _lowest_bit(clique_word)
            clique_word &= clique_word - _ONE
            rest[v] -= least
            if rest[v] <= 1e-12:
                open_nodes &= ~(_ONE << np.uint64(v))
    return _ZERO


@compiled
def heaviest_independent_set(nodes: np.uint64, neighbours: Words, weights: Floats) -> tuple[float, np.uint64]:
    """Weight and nodes of the heaviest independent set within `nodes`, by branch-and-bound on an explicit stack."""
    size = len(weights) + 1
    open_at = np.zeros(size, dtype=np.uint64)
    branch_at = np.zeros(size, dtype=np.uint64)
    weight_at = np.zeros(size)
    chosen_at = np.zeros(size, dtype=np.uint64)
    rest = np.zeros(size)
    best, best_set = 0.0, _ZERO
    depth = 0
    open_at[0] = nodes
    branch_at[0] = _branching_set(nodes, neighbours, weights, best, rest)
    while depth >= 0:
        if branch_at[depth] == _ZERO:
            depth -= 1
            continue
        v = _lowest_bit(branch_at[depth])
        bit = _ONE << np.uint64(v)
        branch_at[depth] &= ~bit
        open_at[depth] &= ~bit
        weight = weight_at[depth] + weights[v]
        chosen = chosen_at[depth] | bit
        if weight > best:
            best, best_set = weight, chosen
        left = open_at[depth] & ~neighbours[v]
        depth += 1
        open_at[depth] = left
        weight_at[depth] = weight
        chosen_at[depth] = chosen
        branch_at[depth] = _branching_set(left, neighbours, weights, best - weight, rest)
    return best, best_set


@compiled
def _cover_cost(nodes: np.uint64, neighbours: Words, weights: Floats) -> float:
    """Cheapest cover of the subgraph on `nodes`: what is not in the heaviest independent set."""
    total = 0.0
    for v in range(len(weights)):
        if (nodes >> np.uint64(v)) & _ONE:
            total += weights[v]
    best, _ = heaviest_independent_set(nodes, neighbours, weights)
    return total - best


@compiled
def cover_costs(nodes: np.uint64, neighbours: Words, weights: Floats) -> Floats:
    """Cheapest cover of the subgraph on `nodes`, for each row of weights (S, n); shape (S,)."""
    costs = np.zeros(len(weights))
    for s in range(len(weights)):
        costs[s] = _cover_cost(nodes, neighbours, weights[s])
    return costs


@compiled
def cheapest_listed(covers: Floats, left: Bools, weights: Floats, at_once: int) -> tuple[Floats, Ints]:
    """
    Least cost on the nodes `left` (n,) among listed covers (C, n), and the first cover that has it; shapes (S,).

    `at_once` prices are held in memory.
    """
    costs, cheapest = np.zeros(len(weights)), np.zeros(len(weights), dtype=np.int64)
    step = max(1, at_once // len(covers))
    for first in range(0, len(weights), step):
        prices = np.dot(weights[first : first + step] * left, covers.T)
        for s in range(len(prices)):
            costs[first + s] = _least(prices[s])
            while prices[s, cheapest[first + s]] > costs[first + s]:
                cheapest[first + s] += 1
    return costs, cheapest


@compiled.fastmath
def _least(prices: Floats) -> float:
    """The smallest of them; with licence to reorder, which lets it run on whole vectors."""
    least: float = prices[0]
    for price in prices:
        least = min(least, price)
    return least


@compiled
def maximal_independent_sets(neighbours: Words, limit: int) -> Words:
    """
    All maximal independent sets, or none when there are more than `limit` (every graph has at least one).

    The algorithm of Bron and Kerbosch with Tomita's pivot, in the complement graph, on an explicit stack.
    """
    n = len(neighbours)
    everything = ~_ZERO if n == 64 else (_ONE << np.uint64(n)) - _ONE
    found = np.zeros(limit, dtype=np.uint64)
    chosen = np.zeros(n + 1, dtype=np.uint64)
    open_at = np.zeros(n + 1, dtype=np.uint64)  # nodes that may still join
    done_at = np.zeros(n + 1, dtype=np.uint64)  # nodes whose sets are all listed
    branch_at = np.zeros(n + 1, dtype=np.uint64)
    count, depth = 0, 0
    open_at[0] = everything
    branch_at[0] = _unlike_the_pivot(everything, _ZERO, neighbours)
    while depth >= 0:
        if branch_at[depth] == _ZERO:
            if open_at[depth] | done_at[depth] == _ZERO:
                if count == limit:
                    return np.zeros(0, dtype=np.uint64)
                found[count] = chosen[depth]
                count += 1
            depth -= 1
            continue
        v = _lowest_bit(branch_at[depth])
        bit = _ONE << np.uint64(v)
        apart = ~(neighbours[v] | bit)
        chosen[depth + 1] = chosen[depth] | bit
        open_at[depth + 1] = open_at[depth] & apart
        done_at[depth + 1] = done_at[depth] & apart
        branch_at[depth] &= ~bit
        open_at[depth] &= ~bit
        done_at[depth] |= bit
        depth += 1
        branch_at[depth] = _unlike_the_pivot(open_at[depth], done_at[depth], neighbours)
    return found[:count]


@compiled
def _unlike_the_pivot(open_nodes: np.uint64, done_nodes: np.uint64, neighbours: Words) -> np.uint64:
    """Open nodes that cannot be in one set with the pivot: the node, open or done, for which they are fewest."""
    fewest, best = 65, open_nodes
    word = open_nodes | done_nodes
    while word:
        v = _lowest_bit(word)
        word &= word - _ONE
        against = open_nodes & (neighbours[v] | (_ONE << np.uint64(v)))
        size = 0
        rest = against
        while rest:
            rest &= rest - _ONE
            size += 1
        if size < fewest:
            fewest, best = size, against
    return best


@compiled
def subset_sums(weights: Floats, sums: Floats) -> None:
    """Write the total weight of every subset of at most 20 nodes into `sums`, shape (2^n,)."""
    sums[0] = 0.0
    for v in range(len(weights)):
        half = 1 << v
        for subset in range(half):
            sums[half + subset] = sums[subset] + weights[v]


@compiled
def cover_table(neighbours: Words, weights: Floats, sums: Floats, table: Floats) -> None:
    """
    Write the cheapest cover of the subgraph on every subset of nodes into `table`, shape (2^n,), n <= 20.

    With v the highest node of U: either v is in the cover, or all its neighbours in U are. The subsets' total weights
    are left in `sums`, shape (2^n,).
    """
    subset_sums(weights, sums)
    table[0] = 0.0
    for v in range(len(weights)):
        half = 1 << v
        around = np.int64(neighbours[v]) & (half - 1)
        for subset in range(half):
            near = subset & around
            take = weights[v] + table[subset]
            leave = sums[near] + table[subset & ~near]
            table[half + subset] = min(take, leave)


@compiled
def covers_of_subsets(subsets: Ints, neighbours: Words, weights: Floats) -> Floats:
    """Cheapest cover of the subgraph on each of these bit sets, shape (subsets,), one at a time."""
    costs = np.zeros(len(subsets))
    for k in range(len(subsets)):
        costs[k] = _cover_cost(np.uint64(subsets[k]), neighbours, weights)
    return costs
