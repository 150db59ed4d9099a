"""
From a problem to its scenario graphs.

"cv" draws the constraint-variable graph of any problem [Gasse et al. 2019]; "ps" the compact graph of a family: sites
and customers, items and their count, or the vertex-cover graph itself. Numbers are scaled per instance and semantic
group: divided by the largest absolute value of the group plus EPSILON. "sv" (ours, not the paper's) adds to "ps" what
each scenario costs by itself and under a few cheap decisions: see `probes`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.errors import InputError, NotApplicableError
from neurprise.learn.formulations import ScenarioProgram, scenario_program
from neurprise.learn.graphs import ScenarioGraph
from neurprise.learn.probes import probe
from neurprise.problem import TwoStageProblem
from neurprise.problems import FacilityLocation, Selection, VertexCover

EPSILON = 1e-8
ENCODINGS = ("cv", "ps", "sv")

# Columns of a node's features in the constraint-variable graph; the degree is last where there is one.
_IS_X, _IS_Y, _IS_ETA, _IS_ROW, _OBJECTIVE, _SCENARIO_COST, _LIMIT, _COSINE = range(8)


def encode(problem: TwoStageProblem, encoding: str) -> ScenarioGraph:
    """The scenario graphs of a problem; "ps" exists for the three families only."""
    if encoding == "cv":
        return _constraint_variable(scenario_program(problem))
    if encoding == "sv":
        return _with_probes(encode(problem, "ps"), problem)
    if encoding != "ps":
        raise InputError(f"encoding must be one of {', '.join(ENCODINGS)}, got {encoding!r}.")
    if isinstance(problem, FacilityLocation):
        return _sites_and_customers(problem)
    if isinstance(problem, Selection):
        return _items_and_count(problem)
    if isinstance(problem, VertexCover):
        return _cover_graph(problem)
    raise NotApplicableError(f"encoding 'ps' is not defined for {problem.family!r} problems; use 'cv'.")


def _constraint_variable(program: ScenarioProgram) -> ScenarioGraph:
    """Nodes in the order x, y, eta, rows, eta's row (eta - q_s'x - b_s'y >= 0)."""
    scaled = _ScaledProgram(program)
    n, m, r = scaled.num_x, scaled.num_y, scaled.num_rows
    nodes = np.zeros((n + m + 1 + r + 1, 8 if program.degrees is None else 9))
    nodes[:n, _IS_X] = nodes[n : n + m, _IS_Y] = nodes[n + m, _IS_ETA] = nodes[n + m + 1 :, _IS_ROW] = 1.0
    nodes[:n, _OBJECTIVE] = scaled.first_costs
    nodes[n + m, _OBJECTIVE] = 1.0
    nodes[n + m + 1 : -1, _LIMIT] = scaled.limits
    if program.degrees is not None:
        nodes[: n + m, 8] = np.tile(_scaled(program.degrees), 2)
    places, values = scaled.varying_nodes()
    rows, columns, weights, varying, varying_values = scaled.entries()
    return _graph(nodes, places, values, columns, rows + n + m + 1, weights, varying, varying_values)


class _ScaledProgram:
    """A scenario program in scaled numbers, and the parts of its graph."""

    def __init__(self, program: ScenarioProgram) -> None:
        self._program = program
        q = program.x_costs
        groups = [program.first_costs, program.y_costs] + ([] if q is None else [q])
        cost = max(float(np.abs(group).max(initial=0.0)) for group in groups) + EPSILON
        entry = _largest(program.matrix.data, program.changed_entries.values)
        self._limit_scale = _largest(program.limits, program.changed_limits.values)
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
        places = np.hstack([_column(nodes, column) for nodes, column, _ in blocks])
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


def _sites_and_customers(problem: FacilityLocation) -> ScenarioGraph:
    """Features: site, customer, opening cost, capacity cost, largest capacity, demand; edges carry transport costs."""
    m, n = problem.transport_costs.shape
    nodes = np.zeros((m + n, 6))
    nodes[:m, 0] = nodes[m:, 1] = 1.0
    for column, values in enumerate((problem.opening_costs, problem.capacity_costs, problem.max_capacities), start=2):
        nodes[:m, column] = _scaled(values)
    sites, customers = np.divmod(np.arange(m * n), n)
    places = _column(np.arange(m, m + n), 5)
    costs = _scaled(problem.transport_costs.ravel())
    return _graph(nodes, places, _scaled(problem.demands), sites, customers + m, costs)


def _items_and_count(problem: Selection) -> ScenarioGraph:
    """Features: item, count node, cost now, cost later, share of items to take; edges join items to the count node."""
    n = problem.num_first_stage
    nodes = np.zeros((n + 1, 5))
    nodes[:n, 0] = nodes[n, 1] = 1.0
    nodes[:n, 2], later = _shared_scale(problem.first_stage.costs, problem.scenario_costs)
    nodes[n, 4] = problem.num_select / n
    items = np.arange(n)
    return _graph(nodes, _column(items, 3), later, items, np.full(n, n), np.ones(n))


def _cover_graph(problem: VertexCover) -> ScenarioGraph:
    """The graph itself. Features: cost now, cost later, degree."""
    n = problem.num_first_stage
    nodes = np.zeros((n, 3))
    nodes[:, 0], later = _shared_scale(problem.first_stage.costs, problem.scenario_costs)
    nodes[:, 2] = _scaled(np.bincount(problem.edges.ravel(), minlength=n).astype(float))
    ends, others = problem.edges.T
    return _graph(nodes, _column(np.arange(n), 1), later, ends, others, np.ones(len(ends)))


def _with_probes(graph: ScenarioGraph, problem: TwoStageProblem) -> ScenarioGraph:
    """More features: V({s}) and what probes cost under s, on every node; what {s} alone takes now, on its items."""
    found = probe(problem)
    told, first = found.columns(), graph.num_features
    last = first + told.shape[1]
    places, values, added = graph.node_places, graph.node_values, last - first
    if found.decisions is not None:
        places = np.concatenate([places, _column(np.arange(found.decisions.shape[1]), last)], axis=1)
        values = np.concatenate([values, found.decisions], axis=1, dtype=np.float32)
        added += 1
    return replace(
        graph,
        nodes=np.concatenate([graph.nodes, np.zeros((graph.num_nodes, added), dtype=np.float32)], axis=1),
        node_places=places,
        node_values=values,
        scenario_columns=slice(first, last),
        scenario_values=told.astype(np.float32),
    )


def _graph(
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


def _column(nodes: Ints, column: int) -> Ints:
    """One feature of these nodes as (node, feature) pairs, shape (2, k)."""
    return np.array([nodes, np.full(len(nodes), column)])


def _largest(*groups: Floats) -> float:
    return max(float(np.abs(group).max(initial=0.0)) for group in groups) + EPSILON


def _scaled(values: Floats) -> Floats:
    return np.asarray(values / _largest(values))


def _shared_scale(now: Floats, later: Floats) -> tuple[Floats, Floats]:
    """Costs of both stages over their common largest value (the paper's Eq. for c and D)."""
    scale = _largest(now, later)
    return now / scale, later / scale
