"""
Bounds of x and y under every scenario: from rows, and from what is useful.

The point is not to tighten the bounds of the problem, which engines do themselves, but to know how large a variable
can be. Everything is computed with rows and bounds that are looser by the tolerance of the engines: a decision that
counts as feasible keeps what is inferred here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import KINDS, Scenario
from neurprise.solvers import EngineModel
from neurprise.solvers.big_m import Bounds, Rows
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE


class DistinctScenarios:
    """
    The scenarios of a problem that differ in more than the size of costs.

    `first` holds one scenario of each sort, shape (number,); `place` the sort of every scenario, shape (S,).
    """

    def __init__(self, problem: TwoStageProblem) -> None:
        self.first: Ints
        self.place: Ints
        columns = [_that_matter(kind, problem.changes[kind].values) for kind in KINDS if kind in problem.changes]
        table = np.hstack([np.zeros((problem.num_scenarios, 1)), *columns])
        _, first, place = np.unique(table, axis=0, return_index=True, return_inverse=True)
        self.first, self.place = first, place.ravel()

    @property
    def number(self) -> int:
        return len(self.first)


def _that_matter(kind: str, values: Floats) -> Floats:
    """What bounds depend on, of the values of one kind, shape (S, k): only the signs of costs."""
    if kind == "x_costs":
        return np.zeros((len(values), 0))
    return np.sign(values) if kind == "costs" else values


@dataclass(frozen=True)
class ColumnBounds:
    """Bounds of x and y under distinct scenarios: two arrays of shape (number, n + m)."""

    lower: Floats
    upper: Floats


def column_bounds(problem: TwoStageProblem, scenarios: DistinctScenarios) -> ColumnBounds:
    """
    Bounds that some optimal recourse keeps under each distinct scenario, for every feasible x that has a recourse.

    Those of x follow from rows alone. A recourse that goes beyond what any row needs, and earns nothing there, can come
    back for the same x (`Rows.useful`).
    """
    model = _stacked(problem, [problem.scenario(s) for s in scenarios.first.tolist()])
    slack = np.where(model.integer, 0.0, FEASIBILITY_TOLERANCE)
    rows = Rows(
        replace(
            model,
            row_lower=model.row_lower - FEASIBILITY_TOLERANCE,
            row_upper=model.row_upper + FEASIBILITY_TOLERANCE,
        )
    )
    implied = rows.implied(Bounds(model.lower - slack, model.upper + slack))
    # What comes back for good keeps its true bounds, and leaves each row at its true limit.
    useful, is_y = Rows(model).useful(implied), _is_recourse(problem, scenarios.number)
    lower = np.where(is_y, np.minimum(useful.lower, np.maximum(implied.lower, model.upper)), implied.lower)
    upper = np.where(is_y, np.maximum(useful.upper, np.minimum(implied.upper, model.lower)), implied.upper)
    found = rows.implied(Bounds(lower, upper))
    shape = (scenarios.number, problem.num_first_stage + problem.num_recourse)
    return ColumnBounds(found.lower.reshape(shape), found.upper.reshape(shape))


def _is_recourse(problem: TwoStageProblem, number: int) -> Bools:
    return np.tile(np.arange(problem.num_first_stage + problem.num_recourse) >= problem.num_first_stage, number)


def _stacked(problem: TwoStageProblem, blocks: list[Scenario]) -> EngineModel:
    """One model without links: x, y and the rows of both stages for each scenario."""
    first, recourse = problem.first_stage, problem.recourse
    integer = np.tile(np.concatenate([first.integer, recourse.integer]), len(blocks))
    return EngineModel(
        costs=np.concatenate([np.concatenate([np.zeros(problem.num_first_stage), b.costs]) for b in blocks]),
        matrix=_joint_rows(problem, blocks),
        row_lower=np.concatenate([np.concatenate([first.row_lower, b.row_lower]) for b in blocks]),
        row_upper=np.concatenate([np.concatenate([first.row_upper, b.row_upper]) for b in blocks]),
        lower=np.concatenate([np.concatenate([first.lower, b.lower]) for b in blocks]),
        upper=np.concatenate([np.concatenate([first.upper, b.upper]) for b in blocks]),
        integer=integer,
    )


def _joint_rows(problem: TwoStageProblem, blocks: list[Scenario]) -> sparse.csr_array:
    """For each scenario the rows of the first stage over those of the recourse; all have the same pattern."""
    first, recourse, count = problem.first_stage.matrix, problem.recourse, len(blocks)
    places = np.cumsum([0, first.nnz, recourse.technology.nnz, recourse.matrix.nnz])
    top, left, right = (
        sparse.csr_array((np.arange(start, end), part.indices, part.indptr), part.shape)
        for start, end, part in zip(places[:-1], places[1:], (first, recourse.technology, recourse.matrix), strict=True)
    )
    empty = sparse.csr_array((first.shape[0], problem.num_recourse), dtype=np.int64)
    one = sparse.csr_array(sparse.vstack([sparse.hstack([top, empty]), sparse.hstack([left, right])], format="csr"))
    entries = [np.concatenate([first.data, block.technology, block.matrix])[one.data] for block in blocks]
    rows, columns = one.shape
    stacked = sparse.csr_array(
        (
            np.concatenate(entries),
            (one.indices + columns * np.arange(count)[:, None]).ravel(),
            np.append((one.indptr[:-1] + one.nnz * np.arange(count)[:, None]).ravel(), one.nnz * count),
        ),
        shape=(rows * count, columns * count),
    )
    stacked.sum_duplicates()
    return stacked
