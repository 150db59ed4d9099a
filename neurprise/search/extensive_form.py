"""The reduced problem V(R) as one mixed-integer model: a copy of the recourse for every scenario in R (Eq. 7)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import RecourseRows, Scenario
from neurprise.recourse.engine import ORDINARY, cost_scale
from neurprise.solvers import EngineModel
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE


class ExtensiveForm:
    """
    Builds models over any subset of a problem's scenarios; the common pattern of a scenario's rows is laid out once.

    Columns: x (n), eta, then y of each scenario (m each). Rows: first stage, then per scenario
    eta - q_s'x - b_s'y >= 0 followed by the recourse rows.

    `scale`, which may be replaced, says in which unit a model has its costs, eta and values.
    """

    def __init__(self, problem: TwoStageProblem) -> None:
        self.problem = problem
        self.scale = cost_scale(problem)
        n, recourse = problem.num_first_stage, problem.recourse
        self._charged_x = _nonzero_somewhere(problem, "x_costs")
        self._charged_y = _nonzero_somewhere(problem, "costs")
        technology, matrix = recourse.technology.tocoo(), recourse.matrix.tocoo()
        rows = [np.zeros(len(self._charged_x) + 1 + len(self._charged_y)), technology.coords[0] + 1]
        rows.append(matrix.coords[0] + 1)
        columns = [self._charged_x, [n], n + 1 + self._charged_y, technology.coords[1], n + 1 + matrix.coords[1]]
        row, column = np.concatenate(rows).astype(np.int64), np.concatenate(columns).astype(np.int64)
        self._order = np.lexsort((column, row))
        self._columns = column[self._order]
        self._row_sizes = np.bincount(row, minlength=len(recourse.row_lower) + 1)

    def model(self, scenarios: Sequence[int]) -> EngineModel:
        """The model of V(R) for R = scenarios."""
        problem, first = self.problem, self.problem.first_stage
        blocks = [problem.scenario(s) for s in scenarios]
        n, m = problem.num_first_stage, problem.num_recourse
        is_y = self._columns > n
        indices = [first.matrix.indices, *(self._columns + np.where(is_y, k * m, 0) for k in range(len(blocks)))]
        data = [first.matrix.data, *(self._entries(block) for block in blocks)]
        sizes = np.concatenate([np.diff(first.matrix.indptr), np.tile(self._row_sizes, len(blocks))])
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        shape = (len(sizes), n + 1 + m * len(blocks))
        parts = (np.concatenate(data), np.concatenate(indices).astype(np.int32), indptr.astype(np.int32))
        return EngineModel(
            costs=np.concatenate([self._first_costs(), [1.0], np.zeros(m * len(blocks))]),
            matrix=sparse.csr_array(parts, shape=shape),
            row_lower=_stacked(first.row_lower, [0.0], [block.row_lower for block in blocks]),
            row_upper=_stacked(first.row_upper, [np.inf], [block.row_upper for block in blocks]),
            lower=np.concatenate([first.lower, [-np.inf], *(block.lower for block in blocks)]),
            upper=np.concatenate([first.upper, [np.inf], *(block.upper for block in blocks)]),
            integer=np.concatenate([first.integer, [False], np.tile(problem.recourse.integer, len(blocks))]),
            offset=problem.offset / self.scale.unit,
        )

    def objective_rows(self, num_blocks: int) -> Ints:
        """Places of the rows eta - q_s'x - b_s'y >= 0 in a model of so many scenarios."""
        block = 1 + len(self.problem.recourse.row_lower)
        return len(self.problem.first_stage.row_lower) + block * np.arange(num_blocks)

    def start(self, x: Floats, eta: float, decisions: Sequence[Floats]) -> Floats:
        """A complete assignment of the model's columns, from x, eta and a recourse decision per scenario."""
        return np.concatenate([x, [eta / self.scale.unit], *decisions])

    def split(self, values: Floats) -> tuple[Floats, list[Floats]]:
        """x and the recourse decision of each scenario, from an assignment of the model's columns."""
        n, m = self.problem.num_first_stage, self.problem.num_recourse
        return values[:n], list(values[n + 1 :].reshape(-1, m)) if m else []

    def attained_costs(self, model: EngineModel, scenarios: Sequence[int], values: Floats) -> Floats:
        """
        q_s'x + b_s'y of each scenario by an assignment of the model's columns, shape (number of scenarios,).

        y is clipped to its bounds first; inf where it misses a row of its scenario by more than the tolerance.
        """
        n, m = self.problem.num_first_stage, self.problem.num_recourse
        size, first = 1 + len(self.problem.recourse.row_lower), len(self.problem.first_stage.row_lower)
        blocks = (model.matrix.shape[1] - n - 1) // m
        values = np.clip(values, model.lower, model.upper)
        values[n] = 0.0  # without eta its rows are what the recourse costs
        rows = slice(first, first + size * blocks)
        activities = (model.matrix @ values)[rows].reshape(blocks, size)
        lower, upper = (side[rows].reshape(blocks, size)[:, 1:] for side in (model.row_lower, model.row_upper))
        costs = -activities[:, 0] if self.scale is ORDINARY else self._true_costs(scenarios, values)
        return np.where(_is_within(activities[:, 1:], lower, upper), costs, np.inf)

    def _true_costs(self, scenarios: Sequence[int], values: Floats) -> Floats:
        """The same costs where the model has others."""
        x, decisions = self.split(values)
        blocks = map(self.problem.scenario, scenarios)
        costs = [block.x_costs @ x + block.costs @ y for block, y in zip(blocks, decisions, strict=True)]
        return np.array(costs, dtype=float)

    def spread(self, rows: RecourseRows, block: int, num_columns: int) -> sparse.csr_array:
        """Rows in x and the y of one block, over all the model's columns; shape (k, num_columns)."""
        n, m = self.problem.num_first_stage, self.problem.num_recourse
        before = sparse.csr_array((len(rows.lower), 1 + block * m))
        after = sparse.csr_array((len(rows.lower), num_columns - n - 1 - (block + 1) * m))
        return sparse.csr_array(sparse.hstack([rows.technology, before, rows.matrix, after]))

    def first_stage_of(self, values: Floats) -> Floats:
        """x from an assignment of the model's columns, integer entries made exactly integer."""
        x = values[: self.problem.num_first_stage]
        x = np.clip(x, self.problem.first_stage.lower, self.problem.first_stage.upper)
        return np.where(self.problem.first_stage.integer, np.round(x), x)

    def _first_costs(self) -> Floats:
        first = self.problem.first_stage
        return self.scale.relaxed(first.costs, first.lower, first.upper) / self.scale.unit

    def _entries(self, block: Scenario) -> Floats:
        first, scale = self.problem.first_stage, self.scale
        x_costs = scale.relaxed(block.x_costs, first.lower, first.upper) / scale.unit
        costs = scale.relaxed(block.costs, block.lower, block.upper) / scale.unit
        parts = (
            -x_costs[self._charged_x],
            [1.0],
            -costs[self._charged_y],
            block.technology,
            block.matrix,
        )
        return np.concatenate(parts)[self._order]


def _nonzero_somewhere(problem: TwoStageProblem, kind: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Positions of a cost vector that are not zero in every scenario."""
    touched = problem.recourse.base(kind) != 0
    change = problem.changes.get(kind)
    if change is not None:
        touched[change.positions] |= (change.values != 0).any(axis=0)
    return np.flatnonzero(touched).astype(np.int64)


def _is_within(values: Floats, lower: Floats, upper: Floats) -> Bools:
    """Whether each row of values keeps its limits to the tolerance; all of shape (k, any), the answer (k,)."""
    missed = np.maximum(lower - values, values - upper)
    return np.asarray((missed <= FEASIBILITY_TOLERANCE).all(axis=1))


def _stacked(first: Floats, objective_row: list[float], blocks: list[Floats]) -> Floats:
    parts = [first]
    for block in blocks:
        parts += [np.asarray(objective_row), block]
    return np.concatenate(parts)
