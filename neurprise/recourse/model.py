"""
The recourse of one scenario as a model, the recourse data of many scenarios as tables, and what follows from them.

**Dominance.** Scenario e dominates d if every recourse that is feasible under e is feasible under d and costs no more
there: limits and bounds of e are at least as tight, its costs on nonnegative variables at least as high, and so on,
entry by entry. Then Q(x, d) <= Q(x, e) for every x. Each entry that scenarios change has a direction in which it hurts,
or none, and must then be equal; so dominance is a comparison of vectors.

**Evident costs.** If every variable is at the bound that its cost prefers, no point of the box is cheaper. If that
point keeps every row, it is optimal, and no engine is needed. Example: the first stage takes every node of a vertex
cover.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import Scenario, whole_lower, whole_upper
from neurprise.solvers import EngineModel
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE


def recourse_model(problem: TwoStageProblem, x: Floats, scenario: Scenario) -> EngineModel:
    """min_y q_s'x + b_s'y with x fixed."""
    recourse = problem.recourse
    moved = with_entries(recourse.technology, scenario.technology) @ x
    return EngineModel(
        costs=scenario.costs,
        matrix=with_entries(recourse.matrix, scenario.matrix),
        row_lower=scenario.row_lower - moved,
        row_upper=scenario.row_upper - moved,
        lower=scenario.lower,
        upper=scenario.upper,
        integer=recourse.integer,
        offset=float(scenario.x_costs @ x),
    )


def with_entries(pattern: sparse.csr_array, entries: Floats) -> sparse.csr_array:
    """The matrix of this sparsity pattern with other entries; nothing is copied or checked again."""
    if entries is pattern.data:
        return pattern
    return sparse.csr_array((entries, pattern.indices, pattern.indptr), shape=pattern.shape)


def share_duals(problem: TwoStageProblem) -> bool:
    """Whether a dual vertex of one scenario's linear program is feasible in all: they share costs, W and T."""
    return not {"costs", "matrix", "technology"} & set(problem.changes)


def entry_rows(matrix: sparse.csr_array) -> Ints:
    """The row of every stored entry, shape (nnz,)."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def row_sums(matrix: sparse.csr_array) -> sparse.csr_array:
    """What adds entries of the matrix up by row, shape (nnz, rows)."""
    entries = np.arange(matrix.nnz)
    return sparse.csr_array((np.ones(matrix.nnz), (entries, entry_rows(matrix))), shape=(matrix.nnz, matrix.shape[0]))


@dataclass(frozen=True)
class ScenarioRows:
    """
    The recourse of k scenarios for one x: fields of `EngineModel`, one row each.

    Parameters
    ----------
    entries
        Stored entries of the recourse matrix, shape (k, nnz).
    offsets
        q_s'x, shape (k,).
    """

    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    costs: Floats
    entries: Floats
    offsets: Floats

    @cached_property
    def contradictory(self) -> Bools:
        """Where a lower limit or bound exceeds the upper one, shape (k,)."""
        return np.asarray((self.row_lower > self.row_upper).any(axis=1) | (self.lower > self.upper).any(axis=1))


class ScenarioTable:
    """
    Recourse data of many scenarios, one row per scenario.

    Parameters
    ----------
    problem
        Whose scenarios; `scenarios` below are some of them, shape (k,).
    """

    def __init__(self, problem: TwoStageProblem) -> None:
        self._problem = problem

    def of(self, kind: str, scenarios: Ints) -> Floats:
        """Data of one kind (see KINDS), shape (k, size); a read-only view where no scenario changes them."""
        base, change = self._problem.recourse.base(kind), self._problem.changes.get(kind)
        if change is None:
            return np.broadcast_to(base, (len(scenarios), len(base)))
        table = np.tile(base, (len(scenarios), 1))
        table[:, change.positions] = change.values[scenarios]
        return table

    def at(self, kind: str, positions: Ints, scenarios: Ints) -> Floats:
        """The same data at some positions only, shape (k, len(positions)); one row for all where none changes."""
        base, change = self._problem.recourse.base(kind)[positions], self._problem.changes.get(kind)
        changed = np.zeros(0, dtype=bool) if change is None else np.isin(change.positions, positions)
        if change is None or not changed.any():
            return np.asarray(base)[None, :]
        place = np.full(len(self._problem.recourse.base(kind)), -1)
        place[positions] = np.arange(len(positions))
        table = np.tile(base, (len(scenarios), 1))
        table[:, place[change.positions[changed]]] = change.values[np.ix_(scenarios, np.flatnonzero(changed))]
        return table

    def range_of(self, kind: str) -> tuple[Floats, Floats]:
        """Smallest and largest value of every entry over all scenarios; two arrays of shape (size,)."""
        base, change = self._problem.recourse.base(kind), self._problem.changes.get(kind)
        if change is None:
            return base, base
        lowest, highest = base.copy(), base.copy()
        lowest[change.positions] = change.values.min(axis=0)
        highest[change.positions] = change.values.max(axis=0)
        return lowest, highest

    def rows(self, x: Floats, scenarios: Ints) -> ScenarioRows:
        """Everything about these scenarios with x fixed."""
        row_lower, row_upper = self.row_limits(x, scenarios)
        kinds = {kind: self.of(kind, scenarios) for kind in ("lower", "upper", "costs")}
        entries, offsets = self.of("matrix", scenarios), self.offsets(x, scenarios)
        return ScenarioRows(row_lower, row_upper, **kinds, entries=entries, offsets=offsets)

    def row_limits(self, x: Floats, scenarios: Ints) -> tuple[Floats, Floats]:
        """Limits of the recourse rows with x moved to the right-hand side; two arrays of shape (k, r)."""
        moved = self.moved(x, scenarios)
        return self.of("row_lower", scenarios) - moved, self.of("row_upper", scenarios) - moved

    def moved(self, x: Floats, scenarios: Ints) -> Floats:
        """T_s x, shape (k, r); one row for all where no scenario changes T."""
        technology, change = self._problem.recourse.technology, self._problem.changes.get("technology")
        if change is None:
            return np.asarray(technology @ x)[None, :]
        # Of an entry given several times the last one counts, as in `TwoStageProblem.scenario`.
        positions, last = np.unique(change.positions[::-1], return_index=True)
        values = change.values[scenarios][:, ::-1][:, last]
        moves = values * x[technology.indices[positions]]
        return np.asarray(self._unchanged_technology @ x + moves @ self._row_of_entry[positions])

    def offsets(self, x: Floats, scenarios: Ints) -> Floats:
        """q_s'x, shape (k,)."""
        return np.asarray(self.of("x_costs", scenarios) @ x)

    @cached_property
    def _unchanged_technology(self) -> sparse.csr_array:
        """T with zeros where scenarios change it: adding differences to large numbers there would cost digits."""
        technology = self._problem.recourse.technology
        entries = technology.data.copy()
        entries[self._problem.changes["technology"].positions] = 0.0
        return with_entries(technology, entries)

    @cached_property
    def _row_of_entry(self) -> sparse.csr_array:
        return row_sums(self._problem.recourse.technology)


#: With more changed entries, all scenarios together, sorting alone takes too long.
MAX_ENTRIES = 5_000_000
#: Numbers compared at most, and the fixed cost of one comparison in such numbers: a tenth of a second in all.
MAX_WORK = 10_000_000
_OVERHEAD = 1_000


def dominators(problem: TwoStageProblem) -> Ints:
    """
    For every scenario one that dominates it, shape (S,): itself where none is known.

    Scenarios that dominate others are their own dominators; of equal scenarios the first one is. The severest
    scenarios are compared with all others until the work limit is reached, so some dominated ones may be missed.
    """
    if sum(change.values.size for change in problem.changes.values()) > MAX_ENTRIES:
        return np.arange(problem.num_scenarios)
    kinds = [_severity(problem, kind) for kind in problem.changes]
    severity = np.hstack([np.zeros((problem.num_scenarios, 0)), *kinds])
    columns = severity[:, (severity != severity[0]).any(axis=0)].T
    order = np.argsort(-_rank_sums(columns, problem.num_scenarios), kind="stable")
    columns = np.ascontiguousarray(columns[:, order])
    dominator, work = np.arange(len(order)), 0
    for place in range(len(order)):
        if work >= MAX_WORK:
            break
        if dominator[place] == place:
            later = np.arange(place + 1, len(order))
            work += len(later)
            below = later[dominator[later] == later]
            for column in columns:
                work += len(below) + _OVERHEAD
                below = below[column[below] <= column[place]]
                if len(below) == 0:
                    break
            dominator[below] = place
    result = np.empty_like(order)
    result[order] = order[dominator]
    return result


def _rank_sums(columns: Floats, num_scenarios: int) -> Floats:
    """Larger for a scenario that dominates a different one, shape (S,); entries may be infinite."""
    ranks = np.zeros(num_scenarios)
    for column in columns:
        ranks += np.unique(column, return_inverse=True)[1]
    return ranks


def _severity(problem: TwoStageProblem, kind: str) -> Floats:
    """What scenarios change of one kind, turned so that larger is never cheaper; shape (S, columns)."""
    change, direction = problem.changes[kind], _directions(problem, kind)
    last = len(change.positions) - 1 - np.unique(change.positions[::-1], return_index=True)[1]
    values, direction = change.values[:, last], direction[change.positions[last]]
    # An entry without a direction must be equal: it hurts both ways.
    return np.hstack([values[:, direction >= 0], -values[:, direction <= 0]])


def _directions(problem: TwoStageProblem, kind: str) -> Floats:
    """+1 where a larger entry hurts, -1 where a smaller one does, 0 where neither is certain."""
    size = len(problem.recourse.base(kind))
    if kind in ("row_lower", "lower"):
        return np.ones(size)
    if kind in ("row_upper", "upper"):
        return -np.ones(size)
    if kind == "x_costs":
        return _sign(problem.first_stage.lower, problem.first_stage.upper)
    y_sign = _sign(ScenarioTable(problem).range_of("lower")[0], ScenarioTable(problem).range_of("upper")[1])
    if kind == "costs":
        return y_sign
    matrix = problem.recourse.matrix if kind == "matrix" else problem.recourse.technology
    signs = y_sign if kind == "matrix" else _sign(problem.first_stage.lower, problem.first_stage.upper)
    return np.asarray(_row_directions(problem)[entry_rows(matrix)] * signs[matrix.indices])


def _row_directions(problem: TwoStageProblem) -> Floats:
    """+1 for a row with upper limits only, where activity hurts; -1 for lower ones only; 0 for both; shape (r,)."""
    table = ScenarioTable(problem)
    has_lower = table.range_of("row_lower")[1] > -np.inf
    has_upper = table.range_of("row_upper")[0] < np.inf
    return np.asarray(has_upper.astype(float) - has_lower.astype(float))


def _sign(lower: Floats, upper: Floats) -> Floats:
    """+1 for variables that are never negative, -1 for never positive, 0 for others."""
    return np.where(lower >= 0, 1.0, np.where(upper <= 0, -1.0, 0.0))


#: Numbers in memory at a time: 32 MB.
_AT_ONCE = 4_000_000


def evident_costs(problem: TwoStageProblem, x: Floats) -> Floats | None:
    """Q(x, s) for all s, shape (S,); None where that is not evident under every scenario."""
    table, costs = ScenarioTable(problem), np.empty(problem.num_scenarios)
    step = max(1, _AT_ONCE // max(1, problem.recourse.matrix.nnz + sum(problem.recourse.matrix.shape)))
    for start in range(0, len(costs), step):
        part = np.arange(start, min(start + step, len(costs)))
        rows = table.rows(x, part)
        y = _preferred(problem, rows)
        if not _is_feasible(problem, rows, y).all():
            return None
        costs[part] = rows.offsets + (rows.costs * y).sum(axis=1)
    return costs


def _preferred(problem: TwoStageProblem, rows: ScenarioRows) -> Floats:
    """The cheapest point of the box that is left by rows of one variable, shape (k, m); nan where it has none."""
    lower, upper = _tightened(problem, rows)
    anywhere = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper, 0.0))
    y = np.where(rows.costs > 0, lower, np.where(rows.costs < 0, upper, anywhere))
    return np.where(np.isfinite(y) & (lower <= upper), y, np.nan)


def _tightened(problem: TwoStageProblem, rows: ScenarioRows) -> tuple[Floats, Floats]:
    """Bounds of y that rows of one variable tighten; two arrays of shape (k, m)."""
    matrix, integer = problem.recourse.matrix, problem.recourse.integer
    single = np.flatnonzero(np.diff(matrix.indptr) == 1)
    entries = matrix.indptr[single]
    factor, column = rows.entries[:, entries], matrix.indices[entries]
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([rows.row_lower[:, single] / factor, rows.row_upper[:, single] / factor])
    ends = np.where(factor == 0, np.array([-np.inf, np.inf])[:, None, None], ends)  # such a row says nothing of y
    lower, upper = rows.lower.T.copy(), rows.upper.T.copy()
    np.maximum.at(lower, column, ends.min(axis=0).T)
    np.minimum.at(upper, column, ends.max(axis=0).T)
    whole = integer[None, :]
    return np.where(whole, whole_lower(lower.T), lower.T), np.where(whole, whole_upper(upper.T), upper.T)


def _is_feasible(problem: TwoStageProblem, rows: ScenarioRows, y: Floats) -> Bools:
    """Whether y, shape (k, m), keeps every row under its scenario, shape (k,)."""
    matrix = problem.recourse.matrix
    activity = (rows.entries * y[:, matrix.indices]) @ row_sums(matrix)
    kept = (activity >= rows.row_lower - FEASIBILITY_TOLERANCE) & (activity <= rows.row_upper + FEASIBILITY_TOLERANCE)
    return np.asarray(kept.all(axis=1) & ~np.isnan(y).any(axis=1))
