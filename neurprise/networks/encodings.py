"""
From a problem to its scenario graphs.

"cv" draws the constraint-variable graph of any problem [Gasse et al. 2019]; "ps" the compact graph that a family knows,
such as sites and customers. "sv" (ours, not the paper's) adds to "ps" what each scenario costs by itself and under a
few cheap decisions: see `neurprise.networks.probes`. "lp" (ours) tells of any problem what its linear relaxation says
about each scenario: see `neurprise.networks.universal`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline
from neurprise.errors import InputError, NotApplicableError
from neurprise.networks.probes import Probes
from neurprise.networks.scenario_graph import EPSILON, ScenarioGraph, feature, largest, scaled, undirected
from neurprise.networks.scenario_program import ScenarioProgram
from neurprise.networks.universal import universal_graph
from neurprise.networks.view import view_of
from neurprise.problem import TwoStageProblem
from neurprise.search.relaxed_costs import relaxed_costs
from neurprise.solvers import get_engine

ENCODINGS = ("cv", "ps", "sv", "lp")

# Columns of a node's features in the constraint-variable graph; the degree is last where there is one.
_IS_X, _IS_Y, _IS_ETA, _IS_ROW, _OBJECTIVE, _SCENARIO_COST, _LIMIT, _COSINE = range(8)


def encode(problem: TwoStageProblem, encoding: str) -> ScenarioGraph:
    """The scenario graphs of a problem; "ps" and "sv" exist where its family knows them."""
    if encoding not in ENCODINGS:
        raise InputError(f"encoding must be one of {', '.join(ENCODINGS)}, got {encoding!r}.")
    if encoding == "lp":
        return universal_graph(problem, relaxed_costs(problem, get_engine("highs"), Deadline()))
    view = view_of(problem)
    if encoding not in view.encodings:
        raise NotApplicableError(
            f"encoding {encoding!r} is not defined for {problem.family!r} problems; use 'cv' or 'lp'."
        )
    if encoding == "cv":
        return _constraint_variable(view.program())
    compact = view.compact_graph()
    return compact if encoding == "ps" else _with_probes(compact, view.probes())


def _constraint_variable(program: ScenarioProgram) -> ScenarioGraph:
    """Nodes in the order x, y, eta, rows, eta's row (eta - q_s'x - b_s'y >= 0)."""
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


def _with_probes(graph: ScenarioGraph, found: Probes) -> ScenarioGraph:
    """More features: V({s}) and what probes cost under s, on every node; what {s} alone takes now, on its items."""
    told, first = found.columns, graph.num_features
    last = first + told.shape[1]
    places, values, added = graph.node_places, graph.node_values, last - first
    if found.decisions is not None:
        places = np.concatenate([places, feature(np.arange(found.decisions.shape[1]), last)], axis=1)
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
