"""
Linear recourse bounded from above, for all scenarios at once, by decisions evaluated before.

Q(x, s) is convex in x, and what x lacks beside a mixture of earlier decisions can be bought: if x_1, ..., x_k were
evaluated, weights w >= 0 sum to 1 and a direction z keeps every bound of y with W z = T (sum_i w_i x_i - x) (>= or <=
where a row has one limit only), then the mixture of their recourses plus z is a recourse for x, and

    Q(x, s)  <=  sum_i w_i Q(x_i, s)  +  q_s'(x - sum_i w_i x_i)  +  b_s'z        for every scenario s.

One small linear program chooses w and z. In a search decisions lie close together, and so do their costs.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline
from neurprise.problem import TwoStageProblem
from neurprise.recourse.model import ScenarioTable
from neurprise.solvers import Engine, EngineStatus, Limits, Model

#: Decisions kept; the oldest makes room.
MAX_DECISIONS = 40
#: So few scenarios are solved sooner than bounded.
_FEW = 20
#: Another choice of weights is worth its time if the last one left at most this share of scenarios.
_WORTHWHILE = 0.8


class InnerApproximation:
    """
    Evaluated decisions of one problem with linear recourse.

    Parameters
    ----------
    problem
        `applies` must hold.
    engine
        Solves the linear program for w and z.
    """

    def __init__(self, problem: TwoStageProblem, engine: Engine) -> None:
        self._problem = problem
        self._engine = engine
        self._table = ScenarioTable(problem)
        self._all = np.arange(problem.num_scenarios)
        self._x: list[Floats] = []
        self._costs: list[Floats] = []
        self._b = self._mean("costs")
        self._limits = self._row_directions()
        self._directions = self._bounds_of_z()

    @staticmethod
    def applies(problem: TwoStageProblem) -> bool:
        """Whether recourse is linear and all scenarios share W and T."""
        return not problem.recourse.integer.any() and not {"matrix", "technology"} & set(problem.changes)

    def add(self, x: Floats, costs: Floats) -> None:
        """Keep x with its costs or upper bounds of them, shape (S,), if it has a finite one in every scenario."""
        if np.isfinite(costs).all():
            self._x, self._costs = [*self._x, x][-MAX_DECISIONS:], [*self._costs, costs][-MAX_DECISIONS:]

    def upper_costs(self, x: Floats, worst: float, deadline: Deadline) -> Floats:
        """
        Upper bounds of Q(x, s), shape (S,); inf where earlier decisions say nothing.

        Weights are chosen for the scenarios that still reach `worst`, again and again while that dismisses enough.
        """
        upper = np.full(len(self._all), np.inf)
        is_open = self._all
        while self._x and len(is_open) > _FEW:
            again = self._mixed(x, is_open, deadline)
            if again is None:
                break
            upper = np.minimum(upper, again)
            still_open = np.flatnonzero(upper >= worst)
            if len(still_open) > _WORTHWHILE * len(is_open):
                break
            is_open = still_open
        return upper

    def _mixed(self, x: Floats, scenarios: Ints, deadline: Deadline) -> Floats | None:
        """Upper bounds for all scenarios, as low as possible for these on average; None where there are none."""
        result = self._engine.solve(self._model(x, scenarios), Limits(time_limit=deadline.remaining))
        if result.status is not EngineStatus.OPTIMAL or result.values is None:
            return None
        weights = result.values[: len(self._x)].clip(min=0)
        weights, z = weights / weights.sum(), result.values[len(self._x) :]
        mixture = weights @ np.array(self._x)
        bought = self._table.of("costs", self._all) @ z + self._table.offsets(x - mixture, self._all)
        return np.asarray(weights @ np.array(self._costs) + bought)

    def _model(self, x: Floats, scenarios: Ints) -> Model:
        """Columns w, z; rows W z - T sum_i w_i (x_i - x) >= 0, <= 0 or = 0, then sum_i w_i = 1."""
        recourse, count = self._problem.recourse, len(self._x)
        lacking = recourse.technology @ (np.array(self._x) - x).T
        matrix = sparse.vstack([
            sparse.hstack([-lacking, recourse.matrix]),
            sparse.hstack([np.ones((1, count)), sparse.csr_array((1, len(self._b)))]),
        ])  # fmt: skip
        return Model(
            costs=np.concatenate([self._averages(x, scenarios), self._b]),
            matrix=sparse.csr_array(matrix),
            row_lower=np.append(self._limits[0], 1.0),
            row_upper=np.append(self._limits[1], 1.0),
            lower=np.concatenate([np.zeros(count), self._directions[0]]),
            upper=np.concatenate([np.ones(count), self._directions[1]]),
            integer=np.zeros(count + len(self._b), dtype=bool),
        )

    def _averages(self, x: Floats, scenarios: Ints) -> Floats:
        """The mean cost of every earlier decision over these scenarios, if x replaced it; shape (k,)."""
        offsets = [float(self._table.offsets(x - earlier, scenarios).mean()) for earlier in self._x]
        return np.asarray(np.array(self._costs)[:, scenarios].mean(axis=1) + offsets)

    def _mean(self, kind: str) -> Floats:
        base, change = self._problem.recourse.base(kind).copy(), self._problem.changes.get(kind)
        if change is not None:
            base[change.positions] = change.values.mean(axis=0)
        return base

    def _row_directions(self) -> tuple[Floats, Floats]:
        """0 for a limit that some scenario has, infinite for one that none has: what W z may lack, shape (r,) each."""
        return self._limited("row_lower", "row_upper")

    def _bounds_of_z(self) -> tuple[Floats, Floats]:
        """A y with a lower bound may only rise, one with an upper bound only fall; shape (m,) each."""
        return self._limited("lower", "upper")

    def _limited(self, below: str, above: str) -> tuple[Floats, Floats]:
        highest_below, lowest_above = self._table.range_of(below)[1], self._table.range_of(above)[0]
        return np.where(highest_below == -np.inf, -np.inf, 0.0), np.where(lowest_above == np.inf, np.inf, 0.0)
