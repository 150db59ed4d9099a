"""
Weighted vertex cover, compiled: one small branch-and-bound per (x, scenario), and a table over all subsets.

A set of at most 64 nodes is one machine word. The minimum cover of U costs w(U) minus the heaviest independent set.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from neurprise.arrays import Floats

MAX_NODES = 64
#: 2^20 subsets: about ten milliseconds and eight megabytes a scenario.
MAX_TABLE_NODES = 20

Words = NDArray[np.uint64]
_ONE = np.uint64(1)
_ZERO = np.uint64(0)


def neighbour_words(num_nodes: int, edges: NDArray[Any]) -> Words:
    """Neighbours of every node as a bit set, shape (num_nodes,)."""
    words = np.zeros(num_nodes, dtype=np.uint64)
    for i, j in edges.tolist():
        words[i] |= np.uint64(1 << j)
        words[j] |= np.uint64(1 << i)
    return words


def word_of(nodes: NDArray[np.bool_]) -> np.uint64:
    """A boolean node vector as one word."""
    return np.uint64(sum(1 << int(i) for i in np.flatnonzero(nodes)))


@numba.njit(cache=True)
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


@numba.njit(cache=True)
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


@numba.njit(cache=True)
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


@numba.njit(cache=True)
def cover_costs(nodes: np.uint64, neighbours: Words, weights: Floats) -> Floats:
    """Cheapest cover of the subgraph on `nodes`, for each row of weights (S, n); shape (S,)."""
    costs = np.zeros(len(weights))
    for s in range(len(weights)):
        total = 0.0
        for v in range(weights.shape[1]):
            if (nodes >> np.uint64(v)) & _ONE:
                total += weights[s, v]
        best, _ = heaviest_independent_set(nodes, neighbours, weights[s])
        costs[s] = total - best
    return costs


@numba.njit(cache=True)
def subset_sums(weights: Floats) -> Floats:
    """Total weight of every subset of at most 20 nodes, shape (2^n,)."""
    sums = np.zeros(1 << len(weights))
    for v in range(len(weights)):
        half = 1 << v
        for subset in range(half):
            sums[half + subset] = sums[subset] + weights[v]
    return sums


@numba.njit(cache=True)
def cover_table(neighbours: Words, weights: Floats) -> Floats:
    """
    Cheapest cover of the subgraph on every subset of nodes, shape (2^n,), n <= 20.

    With v the highest node of U: either v is in the cover, or all its neighbours in U are.
    """
    sums = subset_sums(weights)
    table = np.zeros(len(sums))
    for v in range(len(weights)):
        half = 1 << v
        around = np.int64(neighbours[v]) & (half - 1)
        for subset in range(half):
            near = subset & around
            take = weights[v] + table[subset]
            leave = sums[near] + table[subset & ~near]
            table[half + subset] = min(take, leave)
    return table
