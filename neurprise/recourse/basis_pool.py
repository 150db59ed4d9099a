"""
Bases of linear recourse: one that is optimal for a scenario is optimal wherever its basic values keep their bounds.

Where scenarios change neither matrix nor costs, reduced costs are the same for all of them, so a basis that an engine
ended at needs only B^-1 times what the others leave, for all scenarios in one product [bunching: Wets 1988]. With few
rows a handful of bases serves thousands of scenarios; with many each scenario has its own, and the pool gives up.
"""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Bools, Floats, Ints
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.model import ScenarioTable
from neurprise.solvers import Basis

#: More rows than this, and hardly two scenarios share a basis.
MAX_ROWS = 30
#: So few scenarios are solved sooner than looked up.
FEW = 16
#: Bases kept; after so many the pool gives up if they serve fewer scenarios each.
MAX_BASES, TRIED, WORTHWHILE = 50, 8, 4
#: What basic values may miss bounds and rows by, relative to their size from 1 on: far less than an engine's tolerance.
PRECISION = 1e-9
#: Scenarios looked at together.
_AT_ONCE = 4096


class BasisPool:
    """
    The bases that linear programs of one problem ended at.

    Parameters
    ----------
    problem
        `applies` must hold.
    """

    def __init__(self, problem: TwoStageProblem) -> None:
        self._problem = problem
        self._table = ScenarioTable(problem)
        rows = problem.recourse.matrix.shape[0]
        #: W y - r = 0: the activities r of the rows are variables too, bounded by the rows' limits.
        self._matrix = np.hstack([problem.recourse.matrix.toarray(), -np.eye(rows)])
        self._costs = np.concatenate([problem.recourse.costs, np.zeros(rows)])
        self._bases: list[_Basis] = []
        self._seen: set[bytes] = set()
        self._num_tried = self._num_served = 0

    @staticmethod
    def applies(problem: TwoStageProblem) -> bool:
        """Whether a basis may serve several scenarios."""
        few_rows = 0 < problem.recourse.matrix.shape[0] <= MAX_ROWS
        return few_rows and problem.num_scenarios > FEW and not {"costs", "matrix"} & set(problem.changes)

    def __len__(self) -> int:
        return len(self._bases)

    @property
    def is_worthwhile(self) -> bool:
        """Whether bases serve so many scenarios that looking takes less time than solving."""
        return self._num_tried < TRIED or self._num_served >= WORTHWHILE * self._num_tried

    @property
    def has_room(self) -> bool:
        return len(self._bases) < MAX_BASES

    def add(self, basis: Basis) -> None:
        """Keep a basis, if it is new, can be inverted and there is room."""
        known = basis.is_basic.tobytes() + basis.at_upper.tobytes()
        if self.is_worthwhile and self.has_room and known not in self._seen:
            self._seen.add(known)
            inverted = _Basis.inverted(basis, self._matrix, self._costs)
            self._bases += [] if inverted is None else [inverted]

    def costs(self, x: Floats, scenarios: Ints, deadline: Deadline, first: int = 0) -> Floats:
        """
        Q(x, s) of these scenarios, shape (k,); nan where no basis is optimal. May raise OutOfTimeError.

        Parameters
        ----------
        first
            Bases before this one are not tried.
        """
        bases = self._bases[first:]
        found = np.full(len(scenarios), np.nan)
        for start in range(0, len(scenarios) if bases else 0, _AT_ONCE):
            if deadline.passed:
                raise OutOfTimeError
            part = slice(start, start + _AT_ONCE)
            found[part] = self._costs_of_part(x, scenarios[part], bases)
        self._num_tried += len(bases)
        self._num_served += int(np.count_nonzero(~np.isnan(found)))
        return found

    def _costs_of_part(self, x: Floats, scenarios: Ints, bases: list[_Basis]) -> Floats:
        row_lower, row_upper = self._table.row_limits(x, scenarios)
        lower = np.hstack([self._table.of("lower", scenarios), row_lower])
        upper = np.hstack([self._table.of("upper", scenarios), row_upper])
        found = np.full(len(scenarios), np.nan)
        for basis in bases:
            left = np.flatnonzero(np.isnan(found))
            if len(left) == 0:
                break
            found[left] = basis.costs(lower[left], upper[left])
        return found + self._table.offsets(x, scenarios)


class BasisLookup:
    """
    The costs of one decision by bases, each tried once however often new ones come.

    Parameters
    ----------
    pool
        None where bases do not serve several scenarios.
    """

    def __init__(self, pool: BasisPool | None, x: Floats) -> None:
        self.x = x
        self._pool = pool
        self._num_tried = 0

    def pays(self, num_scenarios: int) -> bool:
        """Whether so many scenarios are better looked up first, by bases that were not tried or are still to come."""
        if self._pool is None or num_scenarios <= FEW or not self._pool.is_worthwhile:
            return False
        return self._pool.has_room or self._num_tried < len(self._pool)

    def costs(self, scenarios: Ints, deadline: Deadline) -> Floats:
        """Q(x, s) by the bases that are new since the last call, shape (k,); nan where none of them is optimal."""
        assert self._pool is not None
        first, self._num_tried = self._num_tried, len(self._pool)
        return self._pool.costs(self.x, scenarios, deadline, first)


class _Basis:
    """A basis with its inverse; rows are variables behind the columns."""

    def __init__(self, basis: Basis, matrix: Floats, costs: Floats, from_others: Floats, reduced: Floats) -> None:
        self._basic, self._others = np.flatnonzero(basis.is_basic), np.flatnonzero(~basis.is_basic)
        self._at_upper, self._free = basis.at_upper[self._others], basis.is_free[self._others]
        self._from_others = from_others
        self._matrix, self._costs = matrix, costs
        # A variable whose bounds are equal may have any reduced cost.
        wrong = np.where(self._at_upper, reduced > PRECISION, reduced < -PRECISION)
        self._must_be_fixed = self._others[wrong | (self._free & (np.abs(reduced) > PRECISION))]

    @classmethod
    def inverted(cls, basis: Basis, matrix: Floats, costs: Floats) -> _Basis | None:
        """None where the basis is singular."""
        basic, others = basis.is_basic, ~basis.is_basic
        if np.count_nonzero(basic) != len(matrix):
            return None
        try:
            from_others = np.asarray(-np.linalg.solve(matrix[:, basic], matrix[:, others]), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
        return cls(basis, matrix, costs, from_others, costs[others] + costs[basic] @ from_others)

    def costs(self, lower: Floats, upper: Floats) -> Floats:
        """Cost of the basic solution within these bounds, shape (k,); nan where it is not optimal."""
        values = np.zeros_like(lower)
        at_bounds = np.where(self._at_upper, upper[:, self._others], lower[:, self._others])
        values[:, self._others] = np.where(self._free, 0.0, at_bounds)
        with np.errstate(invalid="ignore"):  # a bound that is infinite in some scenarios ends as nan, not optimal
            values[:, self._basic] = values[:, self._others] @ self._from_others.T
            return np.where(self._is_optimal(values, lower, upper), values @ self._costs, np.nan)

    def _is_optimal(self, values: Floats, lower: Floats, upper: Floats) -> Bools:
        slack = PRECISION * np.maximum(1.0, np.abs(values))
        kept = ((values >= lower - slack) & (values <= upper + slack)).all(axis=1)
        missed = np.abs(values @ self._matrix.T)
        exact = (missed <= PRECISION * np.maximum(1.0, np.abs(values) @ np.abs(self._matrix.T))).all(axis=1)
        fixed = lower[:, self._must_be_fixed] == upper[:, self._must_be_fixed]
        return np.asarray(kept & exact & np.isfinite(values).all(axis=1) & fixed.all(axis=1))
