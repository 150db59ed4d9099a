"""Cliques that together contain every edge: rows on them are much tighter than rows on edges."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def clique_cover(num_nodes: int, edges: NDArray[Any]) -> list[list[int]]:
    """Maximal cliques that together contain every edge, built greedily around uncovered edges."""
    near: list[set[int]] = [set() for _ in range(num_nodes)]
    for i, j in edges.tolist():
        near[i].add(j)
        near[j].add(i)
    uncovered = {(i, j) for i, j in edges.tolist()}
    cliques = []
    for i, j in edges.tolist():
        if (i, j) not in uncovered:
            continue
        clique, candidates = [i, j], near[i] & near[j]
        while candidates:
            best = max(sorted(candidates), key=lambda v: _news(v, clique, uncovered) + len(near[v] & candidates) / 1e6)
            clique.append(best)
            candidates &= near[best]
        cliques.append(sorted(clique))
        uncovered -= {(a, b) for a in clique for b in clique}
    return cliques


def _news(node: int, clique: list[int], uncovered: set[tuple[int, int]]) -> int:
    return sum((min(node, other), max(node, other)) in uncovered for other in clique)
