"""
Scenario graphs: one bipartite graph per scenario, with the same nodes and edges for all scenarios of an instance.

Numbers that scenarios share are stored once; `features` and `coefficients` write out scenarios when they are needed.
The second half draws the constraint-variable graph [Gasse et al. 2019] from one scenario's variables x, y and the rows
over them. A family may give other rows for it than for the engine; other problems give their own (`own_rows`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import Changes

Floats32 = NDArray[np.float32]

#: A matrix product adds this many times more messages per second than a loop over edges.
DENSE = 10


@dataclass(frozen=True)
class ScenarioGraph:
    """
    The scenario graphs of one instance.

    Parameters
    ----------
    nodes
        Node features that scenarios share, shape (N, F).
    node_places, node_values
        (node, feature) pairs that scenarios replace, shape (2, k), and the new values, shape (S, k).
    edges
        (source, target) of every directed edge, shape (2, E).
    weights
        Edge features that scenarios share, shape (E,).
    edge_places, edge_values
        Edges whose feature scenarios replace, shape (j,), and the new values, shape (S, j).
    scenario_columns, scenario_values
        Features that are equal on all nodes of a scenario: a slice of the F columns, and values of shape (S, width).
    """

    nodes: Floats32
    node_places: Ints
    node_values: Floats32
    edges: Ints
    weights: Floats32
    edge_places: Ints
    edge_values: Floats32
    scenario_columns: slice
    scenario_values: Floats32

    @property
    def num_scenarios(self) -> int:
        return len(self.node_values)

    @property
    def num_nodes(self) -> int:
        return len(self.nodes)

    @property
    def num_features(self) -> int:
        return int(self.nodes.shape[1])

    @property
    def num_edges(self) -> int:
        return len(self.weights)

    @cached_property
    def varying_edges(self) -> Ints:
        """For each edge the column of `edge_values` that replaces its feature, -1 if scenarios share it; (E,)."""
        columns = np.full(self.num_edges, -1)
        columns[self.edge_places] = np.arange(len(self.edge_places))
        return columns

    @cached_property
    def adjacency(self) -> Floats32 | None:
        """Number of edges at (target, source), shape (N, N); None if weights differ or edges are few."""
        few = self.num_nodes**2 > DENSE * self.num_edges
        if few or len(self.edge_places) or (self.weights != self.weights[0]).any():
            return None
        n = self.num_nodes
        return np.bincount(self.edges[1] * n + self.edges[0], minlength=n * n).reshape(n, n).astype(np.float32)

    def features(self, scenarios: slice = slice(None)) -> Floats32:
        """Node features of these scenarios, shape (s, N, F); a view of the features node by node, shape (N, s, F)."""
        values = self.node_values[scenarios]
        written = np.empty((self.num_nodes, len(values), self.num_features), dtype=np.float32)
        written[:] = self.nodes[:, None]
        written[self.node_places[0], :, self.node_places[1]] = values.T
        written[:, :, self.scenario_columns] = self.scenario_values[scenarios]
        return written.transpose(1, 0, 2)

    def coefficients(self) -> Floats32:
        """Edge features of every scenario, shape (S, E)."""
        written = np.repeat(self.weights[None], self.num_scenarios, axis=0)
        written[:, self.edge_places] = self.edge_values
        return written

    def average(self) -> ScenarioGraph:
        """The graph of the mean scenario."""
        return replace(
            self,
            node_values=self.node_values.mean(axis=0, keepdims=True),
            edge_values=self.edge_values.mean(axis=0, keepdims=True),
            scenario_values=self.scenario_values.mean(axis=0, keepdims=True),
        )


EPSILON = 1e-8


def undirected(
    nodes: Floats,
    node_places: Ints,
    node_values: Floats,
    ends: Ints,
    others: Ints,
    weights: Floats,
    varying: Ints | None = None,
    varying_values: Floats | None = None,
) -> ScenarioGraph:
    """A graph with every edge in both directions; `varying` are edges whose weights scenarios replace."""
    if varying is None or varying_values is None:
        varying, varying_values = np.zeros(0, dtype=np.int64), np.zeros((len(node_values), 0))
    return ScenarioGraph(
        nodes.astype(np.float32),
        node_places,
        node_values.astype(np.float32),
        np.array([np.concatenate([ends, others]), np.concatenate([others, ends])], dtype=np.int64),
        np.concatenate([weights, weights], dtype=np.float32),
        np.concatenate([varying, varying + len(weights)]),
        np.concatenate([varying_values, varying_values], axis=1, dtype=np.float32),
        scenario_columns=slice(0, 0),
        scenario_values=np.zeros((len(node_values), 0), dtype=np.float32),
    )


def feature(nodes: Ints, column: int) -> Ints:
    """One feature of these nodes as (node, feature) pairs, shape (2, k)."""
    return np.array([nodes, np.full(len(nodes), column)])


def largest(*groups: Floats) -> float:
    """The largest absolute value of all groups together, never zero."""
    return max(float(np.abs(group).max(initial=0.0)) for group in groups) + EPSILON


def scaled(values: Floats) -> Floats:
    """The values over the largest of them."""
    return np.asarray(values / largest(values))


def shared_scale(now: Floats, later: Floats) -> tuple[Floats, Floats]:
    """Costs of both stages over their common largest value (the paper's Eq. for c and D)."""
    scale = largest(now, later)
    return now / scale, later / scale


# Columns of a node's features; the degree comes last if there is one.
_IS_X, _IS_Y, _IS_ETA, _IS_ROW, _OBJECTIVE, _SCENARIO_COST, _LIMIT, _COSINE = range(8)


@dataclass(frozen=True)
class ScenarioProgram:
    """
    min c'x + b_s'y subject to rows over (x, y); the numbers that scenarios change are listed separately.

    Parameters
    ----------
    first_costs
        c, shape (n,).
    x_costs, y_costs
        Scenario costs on x and on y, shapes (S, n) and (S, m); x_costs is None if there are none.
    matrix
        Rows over (x, y), shape (r, n + m); explicit zeros are kept.
    limits
        Right-hand sides, shape (r,).
    changed_limits, changed_entries
        Right-hand sides and stored matrix entries that scenarios replace.
    degrees
        Degree of each x (and y) in the family's own graph, shape (n,), or None.
    """

    first_costs: Floats
    x_costs: Floats | None
    y_costs: Floats
    matrix: sparse.csr_array
    limits: Floats
    changed_limits: Changes
    changed_entries: Changes
    degrees: Floats | None = None


def costs_only(
    problem: TwoStageProblem,
    later: Floats,
    rows: sparse.csr_array,
    limits: Floats,
    degrees: Floats | None = None,
) -> ScenarioProgram:
    """A program in which scenarios change only the costs of y, `later`: shape (S, m)."""
    nothing = _no_changes(problem.num_scenarios)
    return ScenarioProgram(problem.first_stage.costs, None, later, rows, limits, nothing, nothing, degrees)


def own_rows(problem: TwoStageProblem) -> ScenarioProgram:
    """First-stage rows above recourse rows, each as `row >= limit`; rows with only an upper limit change sign."""
    first, recourse = problem.first_stage, problem.recourse
    m = problem.num_recourse
    above = sparse.hstack([first.matrix, sparse.csr_array((first.matrix.shape[0], m))])
    below = sparse.hstack([recourse.technology, recourse.matrix], format="csr")  # keeps explicit zeros
    rows = sparse.csr_array(sparse.vstack([above, below]))
    upper_only = np.concatenate([~np.isfinite(first.row_lower), ~np.isfinite(recourse.row_lower)])
    sign = np.where(upper_only, -1.0, 1.0)
    lower = np.concatenate([first.row_lower, recourse.row_lower])
    upper = np.concatenate([first.row_upper, recourse.row_upper])
    limits = np.where(upper_only, -np.nan_to_num(upper, posinf=0.0), lower)
    signed = rows.copy()
    signed.data = rows.data * np.repeat(sign, np.diff(rows.indptr))
    first_rows = first.matrix.shape[0]
    return ScenarioProgram(
        first.costs,
        _x_costs(problem),
        _written_out(recourse.costs, problem.changes.get("costs"), problem.num_scenarios),
        signed,
        limits,
        _changed_limits(problem, sign[first_rows:], first_rows),
        _changed_entries(problem, sign[first_rows:], first.matrix.nnz),
    )


def _changed_limits(problem: TwoStageProblem, sign: Floats, first_rows: int) -> Changes:
    """Changed lower limits, or upper limits of rows that have only these."""
    parts = []
    for kind, wanted in (("row_lower", 1.0), ("row_upper", -1.0)):
        change = problem.changes.get(kind)
        if change is not None:
            keep = sign[change.positions] == wanted
            finite = np.nan_to_num(change.values[:, keep], posinf=0.0, neginf=0.0)
            parts.append((change.positions[keep] + first_rows, wanted * finite))
    return _joined(parts, problem.num_scenarios)


def _changed_entries(problem: TwoStageProblem, sign: Floats, offset: int) -> Changes:
    """Positions in the stored entries of the stacked matrix, whose row i holds technology row i, then matrix row i."""
    technology, matrix = problem.recourse.technology, problem.recourse.matrix
    parts = []
    for kind, own, before in (
        ("technology", technology, matrix.indptr[:-1]),
        ("matrix", matrix, technology.indptr[1:]),
    ):
        change = problem.changes.get(kind)
        if change is not None:
            row = np.searchsorted(own.indptr, change.positions, side="right") - 1
            parts.append((offset + change.positions + before[row], sign[row] * change.values))
    return _joined(parts, problem.num_scenarios)


def _joined(parts: list[tuple[Ints, Floats]], num_scenarios: int) -> Changes:
    if not parts:
        return _no_changes(num_scenarios)
    positions, values = zip(*parts, strict=True)
    return Changes(np.concatenate(positions).astype(np.int64), np.hstack(values))


def _no_changes(num_scenarios: int) -> Changes:
    return Changes(np.zeros(0, dtype=np.int64), np.zeros((num_scenarios, 0)))


def _x_costs(problem: TwoStageProblem) -> Floats | None:
    change = problem.changes.get("x_costs")
    if change is None and not problem.recourse.x_costs.any():
        return None
    return _written_out(problem.recourse.x_costs, change, problem.num_scenarios)


def _written_out(base: Floats, change: Changes | None, num_scenarios: int) -> Floats:
    if change is None:
        return np.broadcast_to(base, (num_scenarios, len(base)))
    written = np.repeat(base[None], num_scenarios, axis=0)
    written[:, change.positions] = change.values
    return written


def constraint_variable_graph(program: ScenarioProgram) -> ScenarioGraph:
    """The graph with nodes in the order x, y, eta, rows, eta's row (eta - q_s'x - b_s'y >= 0)."""
    numbers = _ScaledProgram(program)
    n, m, r = numbers.num_x, numbers.num_y, numbers.num_rows
    nodes = np.zeros((n + m + 1 + r + 1, 8 if program.degrees is None else 9))
    nodes[:n, _IS_X] = nodes[n : n + m, _IS_Y] = nodes[n + m, _IS_ETA] = nodes[n + m + 1 :, _IS_ROW] = 1.0
    nodes[:n, _OBJECTIVE] = numbers.first_costs
    nodes[n + m, _OBJECTIVE] = 1.0
    nodes[n + m + 1 : -1, _LIMIT] = numbers.limits
    if program.degrees is not None:
        nodes[: n + m, 8] = np.tile(scaled(program.degrees), 2)
    places, values = numbers.varying_nodes()
    rows, columns, weights, varying, varying_values = numbers.entries()
    return undirected(nodes, places, values, columns, rows + n + m + 1, weights, varying, varying_values)


class _ScaledProgram:
    """A scenario program in scaled numbers, and the parts of its graph."""

    def __init__(self, program: ScenarioProgram) -> None:
        self._program = program
        q = program.x_costs
        groups = [program.first_costs, program.y_costs] + ([] if q is None else [q])
        cost = max(float(np.abs(group).max(initial=0.0)) for group in groups) + EPSILON
        entry = largest(program.matrix.data, program.changed_entries.values)
        self._limit_scale = largest(program.limits, program.changed_limits.values)
        self.first_costs, self.y_costs = program.first_costs / cost, program.y_costs / cost
        self.x_costs = None if q is None else q / cost
        self.limits = program.limits / self._limit_scale
        self._entries, self._changed = program.matrix.data / entry, program.changed_entries.values / entry
        self.num_x, self.num_y, self.num_rows = len(self.first_costs), self.y_costs.shape[1], len(self.limits)

    def varying_nodes(self) -> tuple[Ints, Floats]:
        """(node, feature) pairs of shape (2, k) and their values of shape (S, k)."""
        n, m, r = self.num_x, self.num_y, self.num_rows
        first_row = n + m + 1
        blocks = [(np.arange(n, n + m), _SCENARIO_COST, self.y_costs)]
        if self.x_costs is not None:
            blocks.append((np.arange(n), _SCENARIO_COST, self.x_costs))
        changed = self._program.changed_limits
        blocks.append((changed.positions + first_row, _LIMIT, changed.values / self._limit_scale))
        blocks.append((np.arange(first_row, first_row + r + 1), _COSINE, self._cosines()))
        places = np.hstack([feature(nodes, column) for nodes, column, _ in blocks])
        return places, np.hstack([values for _, _, values in blocks])

    def entries(self) -> tuple[Ints, Ints, Floats, Ints, Floats]:
        """Row, column and weight of every entry, then the entries that scenarios change and their values (S, k)."""
        program, n, m = self._program, self.num_x, self.num_y
        matrix, in_rows = program.matrix, program.matrix.nnz
        rows = np.repeat(np.arange(self.num_rows), np.diff(matrix.indptr))
        cost_columns = np.arange(0 if self.x_costs is not None else n, n + m)
        eta_row = np.full(len(cost_columns) + 1, self.num_rows)
        weights = np.concatenate([self._entries, np.zeros(len(cost_columns)), [1.0]])
        varying = np.concatenate([program.changed_entries.positions, in_rows + np.arange(len(cost_columns))])
        values = np.hstack([self._changed, -self._scenario_costs()])
        columns = np.concatenate([matrix.indices, cost_columns, [n + m]])
        return np.concatenate([rows, eta_row]), columns, weights, varying, values

    def _scenario_costs(self) -> Floats:
        """Costs in eta's row, shape (S, m) or (S, n + m)."""
        return self.y_costs if self.x_costs is None else np.hstack([self.x_costs, self.y_costs])

    def _cosines(self) -> Floats:
        """Cosine of every row, eta's last, with the scenario's objective (c + q_s, b_s), shape (S, r + 1)."""
        now = self.first_costs if self.x_costs is None else self.first_costs + self.x_costs
        objective = np.hstack([np.broadcast_to(now, (len(self.y_costs), self.num_x)), self.y_costs])
        length = np.linalg.norm(objective, axis=1, keepdims=True) + EPSILON
        matrix = sparse.csr_array(
            (self._entries, self._program.matrix.indices, self._program.matrix.indptr),
            shape=(self.num_rows, self.num_x + self.num_y),
        )
        row_length = np.sqrt(np.asarray(matrix.power(2).sum(axis=1))) + EPSILON
        cosines = np.asarray((matrix @ objective.T).T) / (length * row_length)
        costs = self._scenario_costs()
        along = (objective[:, -costs.shape[1] :] * -costs).sum(axis=1, keepdims=True)
        eta_length = np.sqrt((costs**2).sum(axis=1, keepdims=True) + 1.0)
        return np.hstack([cosines, along / (length * eta_length)])
