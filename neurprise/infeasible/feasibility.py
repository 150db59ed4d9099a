"""The rows and bounds of some scenarios as one model without costs, of which any part can be asked: can it be kept?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.infeasible.conflict import Rule
from neurprise.problem import TwoStageProblem
from neurprise.solvers import Engine, EngineModel, EngineStatus, Limits

#: A rule by its place: ("row", i), ("lower", j) or ("upper", j).
Place = tuple[str, int]


@dataclass(frozen=True)
class FeasibilityModel:
    """
    Rows and columns of the first stage, then of each scenario; without the first stage where x is given.

    Parameters
    ----------
    matrix, row_lower, row_upper, lower, upper, integer
        As in `EngineModel`.
    row_names, column_names
        One name for each row and column.
    row_owner, column_owner
        Which scenario it belongs to, -1 for the first stage; shapes (rows,), (columns,).
    labels
        Names of the problem's scenarios.
    """

    matrix: sparse.csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    row_owner: tuple[int, ...]
    column_owner: tuple[int, ...]
    labels: tuple[str, ...]

    def places(self) -> list[Place]:
        """Every rule: rows with a limit, then finite bounds."""
        limited = np.isfinite(self.row_lower) | np.isfinite(self.row_upper)
        finite = (("row", limited), ("lower", np.isfinite(self.lower)), ("upper", np.isfinite(self.upper)))
        return [(kind, int(k)) for kind, chosen in finite for k in np.flatnonzero(chosen)]

    def owner(self, place: Place) -> int:
        """The scenario that a rule belongs to, -1 for the first stage."""
        return (self.row_owner if place[0] == "row" else self.column_owner)[place[1]]

    def rule(self, place: Place) -> Rule:
        """The rule in words."""
        kind, k = place
        owner = self.owner(place)
        scenario = None if owner < 0 else self.labels[owner]
        if kind == "row":
            return Rule("row", self.row_names[k], float(self.row_lower[k]), float(self.row_upper[k]), scenario)
        if kind == "lower":
            return Rule("lower bound", self.column_names[k], float(self.lower[k]), np.inf, scenario)
        return Rule("upper bound", self.column_names[k], -np.inf, float(self.upper[k]), scenario)

    def part(self, places: Iterable[Place]) -> EngineModel:
        """The model with only these rules, over the columns that they are about."""
        chosen: dict[str, list[int]] = {"row": [], "lower": [], "upper": []}
        for kind, k in places:
            chosen[kind].append(k)
        lower, upper = np.full(len(self.lower), -np.inf), np.full(len(self.upper), np.inf)
        lower[chosen["lower"]], upper[chosen["upper"]] = self.lower[chosen["lower"]], self.upper[chosen["upper"]]
        matrix = self.matrix[chosen["row"]]
        used = np.unique(np.concatenate([matrix.indices, np.flatnonzero(lower > upper)])).astype(np.int64)
        return EngineModel(
            costs=np.zeros(len(used)),
            matrix=sparse.csr_array(matrix[:, used]),
            row_lower=self.row_lower[chosen["row"]],
            row_upper=self.row_upper[chosen["row"]],
            lower=lower[used],
            upper=upper[used],
            integer=self.integer[used],
        )


def can_be_kept(model: EngineModel, engine: Engine, deadline: Deadline) -> bool:
    """Whether some point keeps all of it; raises OutOfTimeError where that is not decided in time."""
    if deadline.passed:
        raise OutOfTimeError
    result = engine.solve(model, Limits().until(deadline))
    if result.status is EngineStatus.TIME_LIMIT and result.values is None:
        raise OutOfTimeError
    return result.status is not EngineStatus.INFEASIBLE


def feasibility_of_scenarios(problem: TwoStageProblem, scenarios: Sequence[int]) -> FeasibilityModel:
    """First stage and these scenarios: a point is a decision with a recourse in each of them."""
    first, recourse, count = problem.first_stage, problem.recourse, len(scenarios)
    blocks = [problem.scenario(s) for s in scenarios]
    technology = [_with_entries(recourse.technology, block.technology) for block in blocks]
    matrices = [_with_entries(recourse.matrix, block.matrix) for block in blocks]
    grid = [[first.matrix, *[None] * count]]
    for k in range(count):
        grid.append([technology[k], *[None] * k, matrices[k], *[None] * (count - k - 1)])
    rows, columns = len(recourse.row_lower), problem.num_recourse
    return FeasibilityModel(
        matrix=sparse.csr_array(sparse.block_array(grid, format="csr")),
        row_lower=np.concatenate([first.row_lower, *(block.row_lower for block in blocks)]),
        row_upper=np.concatenate([first.row_upper, *(block.row_upper for block in blocks)]),
        lower=np.concatenate([first.lower, *(block.lower for block in blocks)]),
        upper=np.concatenate([first.upper, *(block.upper for block in blocks)]),
        integer=np.concatenate([first.integer, np.tile(recourse.integer, count)]),
        row_names=problem.first_stage_row_names + problem.recourse_row_names * count,
        column_names=problem.first_stage_names + problem.recourse_names * count,
        row_owner=_owners(len(first.row_lower), scenarios, rows),
        column_owner=_owners(problem.num_first_stage, scenarios, columns),
        labels=problem.scenario_labels,
    )


def feasibility_of_recourse(problem: TwoStageProblem, x: Floats, scenario: int) -> FeasibilityModel:
    """One scenario after the decision x, shape (n,): a point is a recourse."""
    recourse, block = problem.recourse, problem.scenario(scenario)
    moved = _with_entries(recourse.technology, block.technology) @ x
    return FeasibilityModel(
        matrix=_with_entries(recourse.matrix, block.matrix),
        row_lower=block.row_lower - moved,
        row_upper=block.row_upper - moved,
        lower=block.lower,
        upper=block.upper,
        integer=recourse.integer,
        row_names=problem.recourse_row_names,
        column_names=problem.recourse_names,
        row_owner=(scenario,) * len(moved),
        column_owner=(scenario,) * problem.num_recourse,
        labels=problem.scenario_labels,
    )


def _owners(num_first: int, scenarios: Sequence[int], num_each: int) -> tuple[int, ...]:
    return (-1,) * num_first + tuple(s for s in scenarios for _ in range(num_each))


def _with_entries(pattern: sparse.csr_array, entries: Floats) -> sparse.csr_array:
    return sparse.csr_array((entries, pattern.indices, pattern.indptr), shape=pattern.shape)
