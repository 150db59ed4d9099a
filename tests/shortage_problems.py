"""
Small covering problems whose optimum is found by listing: integer x and y, and a shortage of each row at a penalty.

    min c'x + max_s min_y b_s'y + penalty'shortage   with   G y + shortage >= d_s - T x
"""

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

import neurprise as nr

#: x and y are 0, 1 or 2.
MOST = 2


@dataclass(frozen=True)
class ShortageProblem:
    """Data by the letters above; `row_unit` multiplies every recourse row, `allows_shortage` leaves shortage out."""

    costs: np.ndarray
    recourse_costs: np.ndarray
    technology: np.ndarray
    matrix: np.ndarray
    demands: np.ndarray
    penalty: np.ndarray
    row_unit: float = 1.0
    allows_shortage: bool = True

    def in_unit(self, unit):
        """The same problem with every cost multiplied."""
        return replace(
            self,
            costs=self.costs * unit,
            recourse_costs=self.recourse_costs * unit,
            penalty=self.penalty * unit,
        )

    def with_penalty(self, penalty):
        return replace(self, penalty=np.full(len(self.penalty), penalty))

    def with_one_large_cost(self, cost):
        """One variable of each stage gets this cost."""
        first, second = self.costs.copy(), self.recourse_costs.copy()
        first[0], second[:, 0] = cost, cost
        return replace(self, costs=first, recourse_costs=second)

    def problem(self):
        """What the package gets."""
        rows, num_y = self.matrix.shape
        shortages = rows if self.allows_shortage else 0
        scenarios = len(self.demands)
        return nr.TwoStageProblem.from_matrices(
            self.costs, None, None,
            np.hstack([self.matrix, np.eye(rows)[:, :shortages]]) * self.row_unit,
            np.zeros(rows), self.technology * self.row_unit, -np.eye(rows) * self.row_unit, self.demands,
            np.hstack([self.recourse_costs, np.tile(self.penalty[:shortages], (scenarios, 1))]),
            x_integer=True, y_integer=[True] * num_y + [False] * shortages, x_upper=MOST,
            y_upper=[MOST] * num_y + [math.inf] * shortages,
        )  # fmt: skip

    def worst_case(self, x):
        """Z(x), by listing every y."""
        listed = _grid(self.matrix.shape[1])
        covered, worst = listed @ self.matrix.T, -math.inf
        for demand, costs in zip(self.demands - self.technology @ x, self.recourse_costs, strict=True):
            short = np.maximum(demand - covered, 0.0)
            penalty = short @ self.penalty if self.allows_shortage else np.where(short.any(axis=1), math.inf, 0.0)
            worst = max(worst, float((listed @ costs + penalty).min()))
        return float(self.costs @ x) + worst

    def optimum(self):
        """V, by listing every x."""
        return min(self.worst_case(x) for x in _grid(len(self.costs)))


def shortage_problem(seed):
    """Costs from 1 to 100, penalties from 150 to 400."""
    rng = np.random.default_rng(seed)
    num_x, num_y, rows, scenarios = rng.integers([2, 2, 1, 2], [5, 5, 4, 7])
    return ShortageProblem(
        costs=rng.integers(1, 50, num_x).astype(float),
        recourse_costs=rng.integers(1, 100, (scenarios, num_y)).astype(float),
        technology=rng.integers(0, 5, (rows, num_x)).astype(float),
        matrix=rng.integers(0, 5, (rows, num_y)).astype(float),
        demands=rng.integers(3, 15, (scenarios, rows)).astype(float),
        penalty=rng.integers(150, 400, rows).astype(float),
    )


def _grid(size):
    return np.array(list(itertools.product(range(MOST + 1), repeat=size)), dtype=float)
