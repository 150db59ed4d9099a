"""The recourse of one scenario as a model, and the recourse data of many scenarios as tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import Scenario
from neurprise.solvers import Model


def recourse_model(problem: TwoStageProblem, x: Floats, scenario: Scenario) -> Model:
    """min_y q_s'x + b_s'y with x fixed."""
    recourse = problem.recourse
    moved = _with_entries(recourse.technology, scenario.technology) @ x
    return Model(
        costs=scenario.costs,
        matrix=_with_entries(recourse.matrix, scenario.matrix),
        row_lower=scenario.row_lower - moved,
        row_upper=scenario.row_upper - moved,
        lower=scenario.lower,
        upper=scenario.upper,
        integer=recourse.integer,
        offset=float(scenario.x_costs @ x),
    )


def _with_entries(pattern: sparse.csr_array, entries: Floats) -> sparse.csr_array:
    """The matrix of this sparsity pattern with other entries; nothing is copied or checked again."""
    if entries is pattern.data:
        return pattern
    return sparse.csr_array((entries, pattern.indices, pattern.indptr), shape=pattern.shape)


def entry_rows(matrix: sparse.csr_array) -> Ints:
    """The row of every stored entry, shape (nnz,)."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


@dataclass(frozen=True)
class ScenarioRows:
    """
    The recourse of k scenarios for one x: fields of `Model`, one row each.

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
    Recourse data of many scenarios at once, one row per scenario.

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
        return _with_entries(technology, entries)

    @cached_property
    def _row_of_entry(self) -> sparse.csr_array:
        """Adds entries of the technology matrix up by row, shape (nnz, r)."""
        technology = self._problem.recourse.technology
        shape = (technology.nnz, technology.shape[0])
        return sparse.csr_array((np.ones(technology.nnz), (np.arange(technology.nnz), entry_rows(technology))), shape)
