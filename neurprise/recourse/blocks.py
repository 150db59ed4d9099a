"""
Integer recourse in small blocks: the points of each block are listed once and priced for all scenarios together.

A block is a connected component of the recourse matrix. Its points that keep the rows which neither x nor a scenario
moves are listed when the problem is first evaluated, with their costs and row activities under every scenario. A
decision x then only moves the limits of the other rows: one comparison per block says which points are feasible.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints
from neurprise.clock import Deadline
from neurprise.problem import TwoStageProblem
from neurprise.recourse.engine import CostBounds, PartialEvaluationError, complete_bounds
from neurprise.recourse.model import ScenarioTable, entry_rows
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: A block with more points, complete or partial, is not listed: about sixteen binaries without a row that helps.
MAX_POINTS = 65_536
#: Numbers that are computed for all blocks together before listing is given up: about a tenth of a second. Sixteen
#: binaries without a row take a fifth of it.
MAX_EFFORT = 10_000_000


class Effort:
    """How many numbers may still be computed, over all blocks of a problem."""

    def __init__(self, left: int = MAX_EFFORT) -> None:
        self._left = left

    def suffices_for(self, numbers: int) -> bool:
        """Count them; True if that is within the limit."""
        self._left -= numbers
        return self._left >= 0


def components(matrix: sparse.csr_array) -> list[tuple[Ints, Ints]]:
    """
    Columns and rows of every connected component, ascending; rows without columns make one component together.

    Parameters
    ----------
    matrix
        Every stored entry connects, also a zero: scenarios may replace it.
    """
    from scipy.sparse.csgraph import connected_components  # it loads scipy.linalg, which few problems need

    num_rows, num_columns = matrix.shape
    pattern = sparse.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    graph = sparse.block_array([[None, pattern], [pattern.T, None]]) if matrix.nnz else sparse.csr_array((1, 1))
    labels = connected_components(graph, directed=False)[1] if matrix.nnz else np.arange(num_rows + num_columns)
    of_row, of_column = labels[:num_rows], labels[num_rows:]
    found = [(np.flatnonzero(of_column == k), np.flatnonzero(of_row == k)) for k in np.unique(of_column)]
    empty = np.flatnonzero(~np.isin(of_row, of_column))
    return [*found, (np.zeros(0, dtype=np.int64), empty)] if len(empty) else found


def integer_points(
    lower: Floats, upper: Floats, rows: Floats, row_lower: Floats, row_upper: Floats, effort: Effort | None = None
) -> Floats | None:
    """
    Every integer point of a box that keeps some rows, shape (P, k); None if there are more than MAX_POINTS.

    Points are built column by column; those that no completion makes feasible are dropped.

    Parameters
    ----------
    lower, upper
        Whole numbers, shape (k,).
    rows, row_lower, row_upper
        row_lower <= rows @ y <= row_upper; shapes (f, k), (f,), (f,).
    effort
        Limit of the work; None is returned if it does not suffice, too.
    """
    effort = effort or Effort()
    if not (np.isfinite(lower).all() and np.isfinite(upper).all()) or (upper - lower >= MAX_POINTS).any():
        return None
    extremes = np.stack([rows * lower, rows * upper])
    least, most = _still_to_come(extremes.min(axis=0)), _still_to_come(extremes.max(axis=0))
    points, activities = np.zeros((1, 0)), np.zeros((1, len(rows)))
    for j in range(len(lower)):
        choices = np.arange(lower[j], upper[j] + 1)
        grown = len(points) * len(choices)
        if grown > MAX_POINTS * 4 or not effort.suffices_for(grown * (len(rows) + j + 1)):
            return None
        points = np.column_stack([np.repeat(points, len(choices), axis=0), np.tile(choices, len(points))])
        activities = np.repeat(activities, len(choices), axis=0) + points[:, -1:] * rows[:, j]
        kept = (activities + most[:, j] >= row_lower - FEASIBILITY_TOLERANCE).all(axis=1)
        kept &= (activities + least[:, j] <= row_upper + FEASIBILITY_TOLERANCE).all(axis=1)
        points, activities = points[kept], activities[kept]
        if len(points) > MAX_POINTS:
            return None
    possible = (row_lower <= FEASIBILITY_TOLERANCE) & (row_upper >= -FEASIBILITY_TOLERANCE)
    return points if len(lower) or possible.all() else points[:0]  # without columns nothing was checked above


def _still_to_come(contributions: Floats) -> Floats:
    """What the columns after each one contribute together, shape (f, k)."""
    after = np.cumsum(contributions[:, ::-1], axis=1)[:, ::-1] - contributions
    return np.asarray(after)


#: Numbers stored for all blocks together (points x moving rows x scenarios): 160 MB.
MAX_ENTRIES = 20_000_000
#: Numbers compared before the clock is read again.
_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Block:
    """
    The points of one component; tables have one column for all scenarios, or one each.

    Parameters
    ----------
    columns
        The block's columns of y, shape (k,).
    points
        Shape (P, k).
    costs
        Of every point, shape (P, 1) or (P, S).
    allowed
        Whether a point keeps the scenario's bounds, shape (P, 1) or (P, S).
    rows
        Rows that x or a scenario moves, shape (q,).
    activities
        W y on these rows, shape (q, P, 1) or (q, P, S).
    """

    columns: Ints
    points: Floats
    costs: Floats
    allowed: Bools
    rows: Ints
    activities: Floats

    def priced(self, lower: Floats, upper: Floats, part: Ints) -> Floats:
        """
        Cost of every point under the scenarios `part`, shape (P, len(part)); inf where it is infeasible.

        Parameters
        ----------
        lower, upper
            Limits of all rows with x moved to the right-hand side, shape (len(part), r).
        """
        feasible = _of(self.allowed, part)
        for activities, row in zip(self.activities, self.rows, strict=True):
            activity = _of(activities, part)
            feasible = feasible & (activity >= lower[:, row] - FEASIBILITY_TOLERANCE)
            feasible &= activity <= upper[:, row] + FEASIBILITY_TOLERANCE
        return np.where(feasible, _of(self.costs, part), math.inf)


class ListedRecourse:
    """
    Q(x, s) without an engine, for pure integer recourse in small blocks.

    Parameters
    ----------
    problem
        Its scenarios are the ones evaluated.
    blocks
        All blocks of its recourse matrix, as `listed_blocks` makes them.
    """

    needs_confirmation = False

    def __init__(self, problem: TwoStageProblem, blocks: Sequence[Block]) -> None:
        self._problem = problem
        self._table = ScenarioTable(problem)
        self._blocks = blocks
        largest = max((len(block.points) for block in blocks), default=1)
        self._scenarios_at_once = max(1, _AT_ONCE // max(largest, problem.recourse.matrix.shape[0], 1))

    def costs(self, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Floats:
        asked = np.asarray(scenarios, dtype=np.int64)
        costs = np.full(self._problem.num_scenarios, np.nan)
        for start in range(0, len(asked), self._scenarios_at_once):
            if deadline.passed:
                raise PartialEvaluationError(costs)
            part = asked[start : start + self._scenarios_at_once]
            costs[part] = self._costs(x, part)
        return costs

    def bounds(
        self, x: Floats, order: Sequence[int], deadline: Deadline, known: Mapping[int, float], enough: float
    ) -> CostBounds:
        """Exact costs of all scenarios: that is faster than deciding which ones could be left out."""
        return complete_bounds(self.costs(x, range(self._problem.num_scenarios), deadline), order)

    def decision(self, x: Floats, scenario: int, deadline: Deadline) -> Floats | None:
        y, part = np.zeros(self._problem.num_recourse), np.array([scenario])
        lower, upper = self._table.row_limits(x, part)
        for block in self._blocks:
            costs = block.priced(lower, upper, part)
            if costs.min(initial=math.inf) == math.inf:
                return None
            y[block.columns] = block.points[np.argmin(costs[:, 0])]
        return y

    def forget(self) -> None:
        """Nothing is kept open."""

    def _costs(self, x: Floats, part: Ints) -> Floats:
        lower, upper = self._table.row_limits(x, part)
        costs = self._table.offsets(x, part)
        for block in self._blocks:
            costs = costs + block.priced(lower, upper, part).min(axis=0, initial=math.inf)
        return costs


def listed_blocks(problem: TwoStageProblem) -> list[Block] | None:
    """All blocks of a pure integer recourse with their points; None where one is too large to be listed."""
    if not problem.recourse.integer.all():
        return None
    blocks, room, effort = [], MAX_ENTRIES, Effort()
    for columns, rows in components(problem.recourse.matrix):
        block = _listed(problem, columns, rows, room, effort)
        if block is None:
            return None
        room -= block.activities.size + block.costs.size
        blocks.append(block)
    return blocks


def _listed(problem: TwoStageProblem, columns: Ints, rows: Ints, room: int, effort: Effort) -> Block | None:
    recourse, table = problem.recourse, ScenarioTable(problem)
    moving = np.isin(rows, _moving_rows(problem))
    fixed, moved = rows[~moving], rows[moving]
    if not effort.suffices_for(len(fixed) * len(columns)):
        return None
    points = integer_points(
        table.range_of("lower")[0][columns],
        table.range_of("upper")[1][columns],
        recourse.matrix[fixed][:, columns].toarray(),
        recourse.row_lower[fixed],
        recourse.row_upper[fixed],
        effort,
    )
    if points is None or len(points) * (len(moved) + 1) * problem.num_scenarios > room:
        return None
    everyone = np.arange(problem.num_scenarios)
    costs = points @ table.at("costs", columns, everyone).T
    allowed = np.ones((len(points), 1), dtype=bool)
    for k, column in enumerate(columns):
        lower, upper = (table.at(kind, column[None], everyone)[:, 0] for kind in ("lower", "upper"))
        allowed = allowed & (points[:, k, None] >= lower) & (points[:, k, None] <= upper)
    return Block(columns, points, costs, allowed, moved, _activities(problem, points, columns, moved))


def _moving_rows(problem: TwoStageProblem) -> Ints:
    """Rows whose limits or entries x or a scenario changes, ascending."""
    recourse, changes = problem.recourse, problem.changes
    found = [np.unique(entry_rows(recourse.technology))]
    found += [changes[kind].positions for kind in ("row_lower", "row_upper") if kind in changes]
    if "matrix" in changes:
        found.append(entry_rows(recourse.matrix)[changes["matrix"].positions])
    return np.unique(np.concatenate(found))


def _activities(problem: TwoStageProblem, points: Floats, columns: Ints, rows: Ints) -> Floats:
    """W_s y of every point on these rows, shape (q, P, 1), or (q, P, S) where scenarios change W."""
    matrix, everyone = problem.recourse.matrix, np.arange(problem.num_scenarios)
    place = np.full(matrix.shape[1], -1)
    place[columns] = np.arange(len(columns))
    width = problem.num_scenarios if "matrix" in problem.changes else 1
    activities = np.zeros((len(rows), len(points), width))
    for k, row in enumerate(rows):
        stored = np.arange(matrix.indptr[row], matrix.indptr[row + 1])
        entries = ScenarioTable(problem).at("matrix", stored, everyone)
        activities[k] = points[:, place[matrix.indices[stored]]] @ entries.T
    return activities


def _of(table: NDArray[Any], part: Ints) -> NDArray[Any]:
    """Columns of these scenarios; a single column is shared by all."""
    return table if table.shape[1] == 1 else table[:, part]
