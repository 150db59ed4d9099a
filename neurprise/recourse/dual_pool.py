"""
Dual vertices of linear recourse: each one bounds Q(x, s) from below for every x and every s.

Where scenarios change neither matrix nor costs, a vertex that is optimal for one scenario is feasible for all, and its
value for all of them is one row of a table plus one number. The pool tells which scenario is likely the worst before
any linear program is solved; nothing is proved by it alone, because duals are feasible only to an engine's tolerance.
"""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.problem import TwoStageProblem
from neurprise.recourse.model import ScenarioTable

#: Vertices kept, and entries of the table vertices x scenarios.
MAX_VERTICES = 200
MAX_ENTRIES = 4_000_000
#: Duals below this are noise.
_NOISE = 1e-9


class DualPool:
    """
    The latest dual vertices that linear programs ended at.

    Parameters
    ----------
    problem
        Its linear relaxation is bounded; `applies` must hold.
    """

    def __init__(self, problem: TwoStageProblem) -> None:
        self._problem = problem
        self._table = ScenarioTable(problem)
        self._all = np.arange(problem.num_scenarios)
        size = int(max(1, min(MAX_VERTICES, MAX_ENTRIES // problem.num_scenarios)))
        self._prices = np.zeros((size, problem.recourse.matrix.shape[0]))
        self._constants = np.zeros((size, problem.num_scenarios))
        self._num_seen = 0

    @staticmethod
    def applies(problem: TwoStageProblem) -> bool:
        """Whether every dual vertex serves every scenario."""
        return not {"costs", "matrix", "technology"} & set(problem.changes)

    def __len__(self) -> int:
        return min(self._num_seen, len(self._prices))

    def lower_costs(self, x: Floats) -> Floats:
        """The largest bound on the relaxed Q(x, s) that a vertex gives, shape (S,); -inf before the first vertex."""
        if len(self) == 0:
            return np.full(len(self._all), -np.inf)
        prices, constants = self._prices[: len(self)], self._constants[: len(self)]
        moved = prices @ (self._problem.recourse.technology @ x)
        return np.asarray((constants - moved[:, None]).max(axis=0) + self._table.offsets(x, self._all))

    def add(self, prices: Floats) -> None:
        """Keep the dual prices of the rows, shape (r,), at which a linear program ended; the oldest makes room."""
        place = self._num_seen % len(self._prices)
        self._prices[place] = np.where(np.abs(prices) > _NOISE, prices, 0.0)
        self._constants[place] = self._constant(self._prices[place])
        self._num_seen += 1

    def _constant(self, prices: Floats) -> Floats:
        """The dual objective without x, for all scenarios, shape (S,)."""
        recourse = self._problem.recourse
        reduced = recourse.costs - recourse.matrix.T @ prices
        reduced = np.where(np.abs(reduced) > _NOISE, reduced, 0.0)
        parts = [self._priced("row_lower", prices.clip(min=0)), self._priced("row_upper", prices.clip(max=0))]
        parts += [self._priced("lower", reduced.clip(min=0)), self._priced("upper", reduced.clip(max=0))]
        return np.asarray(np.sum(parts, axis=0))

    def _priced(self, kind: str, prices: Floats) -> Floats:
        """Limits of one kind times these prices, summed, shape (S,); infinite limits that cost nothing do not count."""
        used = np.flatnonzero(prices)
        base, change = self._problem.recourse.base(kind), self._problem.changes.get(kind)
        moving = np.isin(used, change.positions) if change is not None else np.zeros(len(used), dtype=bool)
        fixed = float(base[used[~moving]] @ prices[used[~moving]])
        return fixed + self._changed(kind, used[moving], prices)

    def _changed(self, kind: str, positions: Ints, prices: Floats) -> Floats:
        total = np.zeros(len(self._all))
        if len(positions):
            change = self._problem.changes[kind]
            column = {int(position): k for k, position in enumerate(change.positions)}
            total += change.values[:, [column[int(p)] for p in positions]] @ prices[positions]
        return total
