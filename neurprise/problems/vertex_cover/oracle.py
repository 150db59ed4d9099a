"""
Vertex covers without an engine: cheapest covers of the nodes that are left, and the list of all decisions.

The graph is the same under every scenario. If it has few minimal covers, they are listed once and a matrix product
prices them all; otherwise a branch-and-bound per scenario finds the heaviest independent set, the complement of the
cheapest cover. In lists and tables, a set of at most 64 nodes is one machine word.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurprise.arrays import Bools, Floats, Ints
from neurprise.compiled import Compiler
from neurprise.problem.contract import EVERY
from neurprise.problems.vertex_cover.independent_sets import (
    BITS,
    NO_LIMIT,
    Words,
    cheapest_covers,
    cover_costs,
    maximal_independent_sets,
)

compiled = Compiler("the vertex-cover oracle", seconds=4)

#: Branch-and-bound takes ten milliseconds a scenario at 100 nodes, a tenth of a second at 128, and soon far more.
MAX_NODES = 128
#: Those of one machine word; branch-and-bound took at most milliseconds on every graph of that size that was tried.
MAX_LISTED_NODES = 64
#: Branchings, about a tenth of a second, after which larger graphs are left to an engine.
MAX_BRANCHINGS = 100_000
#: With more minimal covers, branch-and-bound is faster; random graphs have about 60 at 20 nodes, 2500 at 40.
MAX_LISTED_COVERS = 4096
#: 2^20 subsets: about ten milliseconds and eight megabytes a scenario.
MAX_TABLE_NODES = 20

_ONE = np.uint64(1)
#: Prices of listed covers in memory at a time, 16 MB.
_PRICES_AT_ONCE = 1 << 21


class CoverOracle:
    """
    Cheapest covers of the graph that is left when some nodes are taken, for many weightings together.

    Parameters
    ----------
    num_nodes
        At most MAX_NODES.
    edges
        Pairs of nodes, shape (E, 2).
    """

    def __init__(self, num_nodes: int, edges: NDArray[Any]) -> None:
        self._num_nodes = num_nodes
        self._edges = edges

    def costs(self, left: Bools, weights: Floats) -> Floats:
        """
        Cost of the cheapest cover of the nodes `left` (n,) under each row of weights (S, n); shape (S,).

        nan if a graph of more than MAX_LISTED_NODES takes too long.
        """
        costs: Floats
        if self._covers is None:
            order, neighbours = self._by_degree
            nodes, limit = words_of(left[None, order])[0], MAX_BRANCHINGS if self.is_large else NO_LIMIT
            costs = cover_costs(nodes, neighbours, np.ascontiguousarray(weights[:, order]), limit)
        else:
            costs, _ = cheapest_listed(self._covers, left, weights, _PRICES_AT_ONCE)
        return costs

    def solved(self, left: Bools, weights: Floats) -> tuple[Floats, Floats]:
        """The same costs, and the nodes outside `left` with a cheapest cover of those inside, shape (S, n)."""
        if self._covers is not None:
            costs, cheapest = cheapest_listed(self._covers, left, weights, _PRICES_AT_ONCE)
            return costs, np.where(left, self._covers[cheapest], 1.0)
        order, neighbours = self._by_degree
        covers = np.empty(weights.shape)
        nodes = words_of(left[None, order])[0]
        covers[:, order] = cheapest_covers(nodes, neighbours, np.ascontiguousarray(weights[:, order]))
        return (covers * left * weights).sum(axis=1), covers

    def costs_of_subsets(self, left: Ints, weights: Floats) -> Floats:
        """Cost of the cheapest cover of each row of nodes `left` (k, n) under weights (n,); shape (k,)."""
        everything = np.ones(self._num_nodes, dtype=bool)
        return self.costs(everything, left * weights)

    @property
    def is_large(self) -> bool:
        """Whether a scenario may take a tenth of a second."""
        return self._num_nodes > MAX_LISTED_NODES

    @property
    def scenarios_at_once(self) -> int | None:
        """Number that takes about a tenth of a second; None with listed covers, which need no limit."""
        if self.is_large:
            return 10
        return 100 if self._covers is None else None

    @cached_property
    def neighbours(self) -> Words:
        """Of every node as one word, shape (n,); for graphs of at most MAX_LISTED_NODES."""
        return neighbour_words(self._num_nodes, self._edges)

    @cached_property
    def _covers(self) -> Floats | None:
        """All minimal covers, shape (number, n); None if there are too many."""
        if self.is_large:
            return None
        sets = maximal_independent_sets(self.neighbours, MAX_LISTED_COVERS)
        return nodes_outside(sets, self._num_nodes) if len(sets) else None

    @cached_property
    def _by_degree(self) -> tuple[Ints, Words]:
        """The nodes by their number of neighbours, shape (n,), and the neighbours of each in that order."""
        adjacent = _adjacency(self._num_nodes, self._edges)
        order = np.argsort(adjacent.sum(axis=1), kind="stable")
        return order, words_of(adjacent[np.ix_(order, order)])


def words_of(sets: Bools) -> Words:
    """Sets of nodes, shape (k, n), as bits: shape (k, words)."""
    packed = np.packbits(sets, axis=-1, bitorder="little")
    filled = np.zeros((len(sets), 8 * -(-sets.shape[1] // BITS)), dtype=np.uint8)
    filled[:, : packed.shape[1]] = packed
    return filled.view("<u8").astype(np.uint64)


def neighbour_words(num_nodes: int, edges: NDArray[Any]) -> Words:
    """Neighbours of every node as a bit set, shape (num_nodes,)."""
    return words_of(_adjacency(num_nodes, edges)).ravel()


def _adjacency(num_nodes: int, edges: NDArray[Any]) -> Bools:
    """Whether an edge joins two nodes, shape (num_nodes, num_nodes)."""
    adjacent = np.zeros((num_nodes, num_nodes), dtype=bool)
    adjacent[edges[:, 0], edges[:, 1]] = adjacent[edges[:, 1], edges[:, 0]] = True
    return adjacent


def cheaper_of_both(now: Floats, later: Floats) -> Floats:
    """Node weights when one scenario is certain, rewards taken: min(max(now, 0), later), shape (S, n)."""
    return np.minimum(np.maximum(now, 0.0), later)


def taken_now(now: Floats, later: Floats, covers: Floats) -> Floats:
    """Of each scenario's cover the nodes that are not cheaper later, and every node with a reward; shape (S, n)."""
    return np.where(now < 0, 1.0, covers * (now <= later))


def costs_left(decisions: Floats, later: Floats) -> Floats:
    """Node costs (S, n) under each decision (k, n), those of nodes taken now zero; row s * k + d, shape (S k, n)."""
    return np.where(decisions < 0.5, later[:, None, :], 0.0).reshape(-1, later.shape[1])


def nodes_outside(sets: Words, num_nodes: int) -> Floats:
    """1 for every node that is not in the bit set, one row for each; shape (len(sets), num_nodes)."""
    inside = (sets[:, None] >> np.arange(num_nodes, dtype=np.uint64)) & _ONE
    return np.where(inside, 0.0, 1.0)


def _cheapest_listed_by_numpy(covers: Floats, left: Bools, weights: Floats, at_once: int) -> tuple[Floats, Ints]:
    costs, cheapest = np.zeros(len(weights)), np.zeros(len(weights), dtype=np.int64)
    step = max(1, at_once // len(covers))
    for first in range(0, len(weights), step):
        prices = np.dot(weights[first : first + step] * left, covers.T)
        costs[first : first + step], cheapest[first : first + step] = prices.min(axis=1), prices.argmin(axis=1)
    return costs, cheapest


@compiled.after(_cheapest_listed_by_numpy)
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
    """The smallest of them; may reorder, so that it runs on whole vectors."""
    least: float = prices[0]
    for price in prices:
        least = min(least, price)
    return least


def _subset_sums_by_numpy(weights: Floats, sums: Floats) -> None:
    sums[0] = 0.0
    for v, weight in enumerate(weights):
        np.add(sums[: 1 << v], weight, out=sums[1 << v : 2 << v])


@compiled.after(_subset_sums_by_numpy)
def subset_sums(weights: Floats, sums: Floats) -> None:
    """Write the total weight of every subset of at most 20 nodes into `sums`, shape (2^n,)."""
    sums[0] = 0.0
    for v in range(len(weights)):
        half = 1 << v
        for subset in range(half):
            sums[half + subset] = sums[subset] + weights[v]


def _cover_table_by_numpy(neighbours: Words, weights: Floats, sums: Floats, table: Floats) -> None:
    _subset_sums_by_numpy(weights, sums)
    subsets = np.arange(len(sums) // 2)
    table[0] = 0.0
    for v, weight in enumerate(weights):
        half = 1 << v
        near = subsets[:half] & int(neighbours[v])
        leave = sums[near] + table[subsets[:half] ^ near]
        np.minimum(weight + table[:half], leave, out=table[half : 2 * half])


@compiled.after(_cover_table_by_numpy)
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


@dataclass(frozen=True, eq=False)
class VertexCoverOracle:
    """
    Cheapest completions of a cover.

    Parameters
    ----------
    later
        Cost of taking each node later, shape (S, n).
    covers
        Finds cheapest covers of the graph.
    """

    later: Floats
    covers: CoverOracle

    @property
    def scenarios_at_once(self) -> int | None:
        """See `CoverOracle`."""
        return self.covers.scenarios_at_once

    def recourse_costs(self, x: Floats, scenarios: slice = EVERY) -> Floats:
        """Q(x, s) = cheapest cover of the edges that x leaves uncovered; nan if that takes too long."""
        return self.covers.costs(x < 0.5, self.later[scenarios])

    def recourse_decision(self, x: Floats, scenario: int) -> Floats | None:
        """The whole cover u = x + y under one scenario, shape (n,); None if that takes too long."""
        if self.covers.is_large and np.isnan(self.recourse_costs(x, slice(scenario, scenario + 1))[0]):
            return None
        _, covers = self.covers.solved(x < 0.5, self.later[scenario : scenario + 1])
        return np.asarray(covers[0])


@dataclass(frozen=True, eq=False)
class SingleVertexCovers:
    """With one scenario every node costs the cheaper of now, shape (n,), and later, shape (S, n)."""

    now: Floats
    later: Floats
    covers: CoverOracle

    @property
    def scenarios_at_once(self) -> int | None:
        """See `CoverOracle`."""
        return self.covers.scenarios_at_once

    def values(self) -> Floats:
        """V({s}): the cheapest cover; first-stage rewards are taken."""
        return self.covers.costs(self._everywhere, self._cheaper(self.later)) + float(np.minimum(self.now, 0).sum())

    def decisions(self, scenarios: Sequence[int]) -> Floats:
        """Of the cheapest cover, take now the nodes that are not cheaper later; and every node with a reward."""
        later = self.later[np.asarray(scenarios, dtype=np.int64)]
        _, covers = self.covers.solved(self._everywhere, self._cheaper(later))
        return taken_now(self.now, later, covers)

    @property
    def _everywhere(self) -> Bools:
        return np.ones(len(self.now), dtype=bool)

    def _cheaper(self, later: Floats) -> Floats:
        return cheaper_of_both(self.now, later)


#: Below this share of all decisions, single covers are faster than the table of all.
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
    covers
        Of the graph; at most MAX_TABLE_NODES nodes have few enough minimal covers to list.
    """

    now: Floats
    later: Floats
    covers: CoverOracle

    def below(self, scenario: int, cutoff: float) -> tuple[Ints, Floats]:
        left, costs = self._tables(scenario)
        subset_sums(self.now, left)
        costs += self.now.sum()
        costs -= left
        numbers = np.flatnonzero(costs < cutoff)
        return numbers, costs[numbers]

    def costs(self, scenario: int, numbers: Ints) -> Floats:
        left = numbers[:, None] >> np.arange(len(self.now)) & 1
        taken: Floats = (1.0 - left) @ self.now
        if len(numbers) < _FEW * 2 ** len(self.now):
            return taken + self.covers.costs_of_subsets(left, self.later[scenario])
        return taken + self._tables(scenario)[1][numbers]

    def decision(self, number: int) -> Floats:
        return np.array([1.0 - (number >> v & 1) for v in range(len(self.now))])

    def _tables(self, scenario: int) -> tuple[Floats, Floats]:
        """Later costs of every node set: all its nodes, and its cheapest cover; shapes (2^n,), until the next call."""
        sums, covers = _tables.of_size(2 ** len(self.now))
        cover_table(self.covers.neighbours, self.later[scenario], sums, covers)
        return sums, covers
