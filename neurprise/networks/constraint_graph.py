"""
The constraint-variable graph [Gasse et al. 2019], drawn from one scenario's variables x, y and the rows over them.

A family may give other rows for the graph than for the engine; for all other problems the graph shows the problem's
own rows (`own_rows`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.networks.scenario_graph import EPSILON, ScenarioGraph, feature, largest, scaled, undirected
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import Changes

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
