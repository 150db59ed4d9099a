"""Vertex cover as a two-stage problem: its rows, and its knowledge beyond them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from neurprise import arrays
from neurprise.arrays import Floats, Ints, frozen
from neurprise.errors import InputError
from neurprise.problem import TwoStageProblem
from neurprise.problem.named import Extent, Stem
from neurprise.problem.stages import Changes, FirstStage, Recourse
from neurprise.problems.labels import LabelledData, numbers_of
from neurprise.problems.vertex_cover.oracle import (
    MAX_NODES,
    MAX_TABLE_NODES,
    CoverOracle,
    EveryNodeSet,
    SingleVertexCovers,
    VertexCoverOracle,
)

if TYPE_CHECKING:
    from neurprise.problem.contract import SurrogateKnowledge
    from neurprise.problem.display import Picture
    from neurprise.problems.vertex_cover.learned import VertexCoverView


class VertexCover(TwoStageProblem):
    """
    Two-stage weighted vertex cover (the paper's Eq. VC).

    The engine's recourse variable is the whole cover u = x + y: rows on maximal cliques are much tighter than rows on
    edges, and u >= x with recourse cost d'(u - x) replaces y.

    Parameters
    ----------
    first_stage_costs
        Cost of taking a node now, shape (n,).
    scenario_costs
        Cost of taking it later, shape (S, n); zero or positive.
    edges
        Pairs of nodes to cover, shape (E, 2); may be empty. By number, or by label if the costs have labels.

    Series and DataFrames of pandas are aligned by their labels, which become names: `cover[harbour]`.
    """

    family = "vertex-cover"

    def __init__(self, first_stage_costs: Any, scenario_costs: Any, edges: Any) -> None:
        given = LabelledData(
            {"first_stage_costs": first_stage_costs, "scenario_costs": scenario_costs},
            {"first_stage_costs": ("node",), "scenario_costs": ("scenario", "node")},
        )
        costs = arrays.vector("first_stage_costs", given["first_stage_costs"])
        later = arrays.scenarios("scenario_costs", given["scenario_costs"], len(costs))
        nodes = given.labels("node")
        self.edges = _checked_edges(numbers_of("edges", edges, "node", nodes), len(costs))
        small = len(costs) <= MAX_NODES
        self._covers = CoverOracle(len(costs), self.edges) if small else None
        changes = self.changes_from(later)
        cliques = clique_cover(len(costs), self.edges)
        names = given.names(_stems(nodes, len(cliques)), "node")
        super().__init__(_first_stage(costs), _recourse(later[0], cliques), changes, len(later), **names)

    @property
    def first_stage_costs(self) -> Floats:
        """Cost of taking each node now, shape (n,)."""
        return self.first_stage.costs

    @property
    def scenario_costs(self) -> Floats:
        """Cost of taking each node later, shape (S, n)."""
        return self.changes["costs"].values

    @property
    def covers(self) -> CoverOracle | None:
        """Finds cheapest covers of the graph; None for more than 128 nodes."""
        return self._covers

    @property
    def degrees(self) -> Floats:
        """Number of edges at each node, shape (n,)."""
        return np.bincount(self.edges.ravel(), minlength=self.num_first_stage).astype(float)

    @property
    def scenario_data(self) -> Floats:
        """The uncertain node costs, shape (S, n)."""
        return self.scenario_costs

    @property
    def scenario_columns(self) -> tuple[str, ...]:
        """Names of the nodes' recourse variables, length n."""
        return self.recourse_names[: self.num_first_stage]

    def name_stems(self) -> dict[str, list[Stem]]:
        n, rows = self.recourse.matrix.shape[1], self.recourse.matrix.shape[0]
        return _stems(n, rows - n)

    def changes_from(self, data: Floats) -> dict[str, Changes]:
        """Node costs d, shape (S, n), are paid on u and given back on x."""
        arrays.nonnegative("scenario_costs", data, "a node that pays later would be in every cover")
        everything = frozen(np.arange(data.shape[1]))
        return {"costs": Changes(everything, data), "x_costs": Changes(everything, frozen(-data))}

    @property
    def monotone_costs(self) -> Floats:
        """The uncertain costs of y >= 0; the engine's cost on x only comes from writing y as u - x."""
        return self.scenario_costs

    @cached_property
    def oracle(self) -> VertexCoverOracle | None:
        """Cheapest covers of what x leaves; None for graphs of more than 128 nodes."""
        return None if self._covers is None else VertexCoverOracle(self.scenario_costs, self._covers)

    @property
    def has_tight_rows(self) -> bool:
        return True

    @cached_property
    def single_scenarios(self) -> SingleVertexCovers | None:
        """Cheapest covers at the cheaper of both costs; None for graphs of more than 64 nodes, which take longer."""
        if self._covers is None or self._covers.is_large:
            return None
        return SingleVertexCovers(self.first_stage_costs, self.scenario_costs, self._covers)

    @property
    def first_stage_list(self) -> EveryNodeSet | None:
        """For up to 20 nodes, a table over all node sets is faster than any engine."""
        if self._covers is None or self.num_first_stage > MAX_TABLE_NODES:
            return None
        return EveryNodeSet(self.first_stage_costs, self.scenario_costs, self._covers)

    @property
    def learned(self) -> VertexCoverView:
        """All three encodings."""
        from neurprise.problems.vertex_cover.learned import VertexCoverView

        return VertexCoverView(self)

    @property
    def picture(self) -> Picture | None:
        """The graph; None if it is too large to read."""
        from neurprise.problems.vertex_cover.picture import MAX_DRAWN_NODES, graph_picture

        return graph_picture(self) if self.num_first_stage <= MAX_DRAWN_NODES else None

    @property
    def surrogate(self) -> SurrogateKnowledge:
        """The functions of `learned.py` for Neur2RO."""
        from neurprise.problems.vertex_cover import learned

        return learned


def _stems(nodes: Extent, num_cliques: int) -> dict[str, list[Stem]]:
    return {
        "x": [("cover", (nodes,))],
        "y": [("whole_cover", (nodes,))],
        "x_row": [],
        "y_row": [("stays", (nodes,)), ("clique", (num_cliques,))],
    }


def _checked_edges(edges: Any, num_nodes: int) -> Ints:
    pairs = np.asarray(edges)
    if pairs.size == 0:
        return frozen(np.zeros((0, 2), dtype=np.int64))
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise InputError(f"edges must be whole numbers of shape (E, 2), got shape {pairs.shape} of {pairs.dtype}.")
    if pairs.min() < 0 or pairs.max() >= num_nodes:
        bad = pairs[(pairs < 0) | (pairs >= num_nodes)][0]
        raise InputError(f"edges must join nodes 0 to {num_nodes - 1}, got node {bad}; nodes are numbered from 0.")
    if (pairs[:, 0] == pairs[:, 1]).any():
        loop = pairs[pairs[:, 0] == pairs[:, 1]][0, 0]
        raise InputError(f"an edge must join two different nodes, got the loop ({loop}, {loop}); remove it.")
    return frozen(np.unique(np.sort(pairs.astype(np.int64), axis=1), axis=0))


def _first_stage(costs: Floats) -> FirstStage:
    n = len(costs)
    return FirstStage(
        costs=costs,
        matrix=arrays.matrix("first-stage rows", np.zeros((0, n)), (0, n)),
        row_lower=frozen(np.zeros(0)),
        row_upper=frozen(np.zeros(0)),
        lower=frozen(np.zeros(n)),
        upper=frozen(np.ones(n)),
        integer=frozen(np.ones(n, dtype=bool)),
    )


def _recourse(base_costs: Floats, cliques: list[list[int]]) -> Recourse:
    """u - x >= 0 per node; sum of u over a clique >= its size - 1."""
    n = len(base_costs)
    sizes = np.array([len(clique) for clique in cliques], dtype=np.int64)
    members = np.array([node for clique in cliques for node in clique], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    in_clique = sparse.csr_array((np.ones(len(members)), members, starts), shape=(len(cliques), n))
    rows = n + len(cliques)
    technology = sparse.vstack([-sparse.eye_array(n), sparse.csr_array((len(cliques), n))])
    return Recourse(
        costs=frozen(base_costs.copy()),
        x_costs=frozen(-base_costs),
        technology=arrays.matrix("technology", technology, (rows, n)),
        matrix=arrays.matrix("recourse rows", sparse.vstack([sparse.eye_array(n), in_clique]), (rows, n)),
        row_lower=frozen(np.concatenate([np.zeros(n), sizes - 1.0])),
        row_upper=frozen(np.full(rows, np.inf)),
        lower=frozen(np.zeros(n)),
        upper=frozen(np.ones(n)),
        integer=frozen(np.ones(n, dtype=bool)),
    )


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
            best = max(
                sorted(candidates), key=lambda v: _newly_covered(v, clique, uncovered) + len(near[v] & candidates) / 1e6
            )
            clique.append(best)
            candidates &= near[best]
        cliques.append(sorted(clique))
        uncovered -= {(a, b) for a in clique for b in clique}
    return cliques


def _newly_covered(node: int, clique: list[int], uncovered: set[tuple[int, int]]) -> int:
    return sum((min(node, other), max(node, other)) in uncovered for other in clique)
