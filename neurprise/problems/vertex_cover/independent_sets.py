"""
Heaviest and maximal independent sets, compiled; their complements are the cheapest and the minimal vertex covers.

A set of nodes is a row of machine words. Branch-and-bound; the bound is a partition of the weights into cliques, of
which an independent set takes at most one node each. Callers put nodes of low degree first: random graphs of a hundred
nodes take a third of the time that way, and chains of odd cycles do not explode.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurprise.arrays import Bools, Floats, Ints
from neurprise.compiled import Compiler

compiled = Compiler("independent sets", seconds=6)

Words = NDArray[np.uint64]
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
BITS = 64
#: In effect no limit on branchings.
NO_LIMIT = 1 << 62


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
def _first(nodes: Words) -> int:
    """The first node of a set; -1 if it is empty."""
    for k in range(len(nodes)):
        if nodes[k] != _ZERO:
            return BITS * k + _lowest_bit(nodes[k])
    return -1


@compiled
def _remove(nodes: Words, v: int) -> None:
    nodes[v // BITS] &= ~(_ONE << np.uint64(v % BITS))


@compiled
def _keep_branching_set(
    nodes: Words, neighbours: Words, weights: Floats, slack: float, rest: Floats, candidates: Words, clique: Ints
) -> None:
    """
    Of the `nodes` keep those that must be branched on to find an independent set heavier than `slack` among them.

    Cliques are peeled off greedily; an independent set takes at most one node of each, so once their summed weights
    would exceed `slack` the nodes with weight left are the ones to branch on. The last three arguments are scratch
    space of shapes (n,), (words,) and (n,).
    """
    for k in range(len(nodes)):
        word = nodes[k]
        while word:
            v = BITS * k + _lowest_bit(word)
            word &= word - _ONE
            rest[v] = weights[v]
            if rest[v] <= 0.0:
                _remove(nodes, v)
    covered = 0.0
    v = _first(nodes)
    while v >= 0:
        for k in range(len(nodes)):
            candidates[k] = nodes[k]
        least, size = np.inf, 0
        while v >= 0:
            clique[size] = v
            size += 1
            least = min(least, rest[v])
            for k in range(len(nodes)):
                candidates[k] &= neighbours[v, k]
            v = _first(candidates)
        if covered + least > slack:
            return
        covered += least
        for place in range(size):
            v = clique[place]
            rest[v] -= least
            if rest[v] <= 1e-12 * least:
                _remove(nodes, v)
        v = _first(nodes)


@compiled
def heaviest_independent_set(nodes: Words, neighbours: Words, weights: Floats, limit: int) -> tuple[float, Bools]:
    """
    Weight and members, shape (n,), of the heaviest independent set within `nodes`; nan and the best one found after
    `limit` branchings.

    Parameters
    ----------
    nodes
        Shape (words,).
    neighbours
        Of every node, shape (n, words).
    weights
        Shape (n,); nodes without weight are never taken.
    """
    count, num_words = neighbours.shape
    open_at = np.zeros((count + 1, num_words), dtype=np.uint64)
    branch_at = np.zeros((count + 1, num_words), dtype=np.uint64)
    weight_at = np.zeros(count + 1)
    chosen = np.zeros(count + 1, dtype=np.int64)
    scratch = np.zeros(count), np.zeros(num_words, dtype=np.uint64), np.zeros(count, dtype=np.int64)
    best, members = 0.0, np.zeros(count, dtype=np.bool_)
    open_at[0] = nodes
    branch_at[0] = nodes
    _keep_branching_set(branch_at[0], neighbours, weights, best, scratch[0], scratch[1], scratch[2])
    depth = 0
    while depth >= 0:
        v = _first(branch_at[depth])
        if v < 0:
            depth -= 1
            continue
        if limit == 0:
            return np.nan, members
        limit -= 1
        _remove(branch_at[depth], v)
        _remove(open_at[depth], v)
        weight = weight_at[depth] + weights[v]
        chosen[depth] = v
        depth += 1
        if weight > best:
            best = weight
            members[:] = False
            for place in range(depth):
                members[chosen[place]] = True
        weight_at[depth] = weight
        for k in range(num_words):  # operations on whole rows would allocate memory
            open_at[depth, k] = open_at[depth - 1, k] & ~neighbours[v, k]
            branch_at[depth, k] = open_at[depth, k]
        _keep_branching_set(branch_at[depth], neighbours, weights, best - weight, scratch[0], scratch[1], scratch[2])
    return best, members


@compiled
def cover_cost(nodes: Words, neighbours: Words, weights: Floats, limit: int) -> float:
    """Cost of the cheapest cover of the subgraph on `nodes`: all but the heaviest independent set; nan beyond limit."""
    total = 0.0
    for v in range(len(weights)):
        if (nodes[v // BITS] >> np.uint64(v % BITS)) & _ONE:
            total += weights[v]
    best, _ = heaviest_independent_set(nodes, neighbours, weights, limit)
    return total - best


@compiled
def cover_costs(nodes: Words, neighbours: Words, weights: Floats, limit: int) -> Floats:
    """Cheapest cover of the subgraph on `nodes`, for each row of weights (S, n); shape (S,), nan beyond the limit."""
    costs = np.zeros(len(weights))
    for s in range(len(weights)):
        costs[s] = cover_cost(nodes, neighbours, weights[s], limit)
    return costs


@compiled
def cheapest_covers(nodes: Words, neighbours: Words, weights: Floats) -> Bools:
    """All nodes but those of the heaviest independent set within `nodes`, for each row of weights (S, n)."""
    covers = np.zeros(weights.shape, dtype=np.bool_)
    for s in range(len(weights)):
        covers[s] = ~heaviest_independent_set(nodes, neighbours, weights[s], NO_LIMIT)[1]
    return covers


#: Graphs and lists beyond these take plain Python longer than compiling.
_MOST_NODES_IN_PYTHON, _MOST_SETS_IN_PYTHON = 24, 1500


def _maximal_independent_sets_in_python(neighbours: Words, limit: int) -> Any:
    """As `maximal_independent_sets`, in the same order; NotImplemented for large graphs."""
    n = len(neighbours)
    if n > _MOST_NODES_IN_PYTHON:
        return NotImplemented
    near = [int(word) | 1 << v for v, word in enumerate(neighbours.tolist())]
    found: list[int] = []
    stack = [(0, (1 << n) - 1, 0)]
    while stack:
        chosen, open_nodes, done_nodes = stack.pop()
        if not open_nodes | done_nodes:
            if len(found) == limit:
                return np.zeros(0, dtype=np.uint64)
            if len(found) == _MOST_SETS_IN_PYTHON:
                return NotImplemented
            found.append(chosen)
            continue
        members = [v for v in range(n) if (open_nodes | done_nodes) >> v & 1]
        branches, later = min((open_nodes & near[v] for v in members), key=int.bit_count), []
        while branches:
            bit = branches & -branches
            apart = ~near[bit.bit_length() - 1]
            later.append((chosen | bit, open_nodes & apart, done_nodes & apart))
            branches, open_nodes, done_nodes = branches ^ bit, open_nodes ^ bit, done_nodes | bit
        stack += reversed(later)
    return np.array(found, dtype=np.uint64)


@compiled.after(_maximal_independent_sets_in_python)
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
