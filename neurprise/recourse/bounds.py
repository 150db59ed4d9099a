"""
What solved linear programs say about other scenarios and other decisions, without another linear program.

**From above** (`InnerApproximation`). Q(x, s) is convex in x, and a direction z makes up for what x lacks beside a
mixture of earlier decisions: if x_1, ..., x_k were evaluated, weights w >= 0 sum to 1 and z keeps every bound of y with
W z = T (sum_i w_i x_i - x) (>= or <= where a row has one limit only), then the mixture of their recourses plus z is a
recourse for x, and

    Q(x, s)  <=  sum_i w_i Q(x_i, s)  +  q_s'(x - sum_i w_i x_i)  +  b_s'z        for every scenario s.

One small linear program chooses w and z. In a search decisions lie close together, and so do their costs.

**From below** (`DualPool`). If scenarios change neither matrix nor costs, a dual vertex of one scenario is feasible for
all, and its value for all of them is one row of a table plus one number. The pool shows which scenario is likely the
worst before any linear program is solved. It proves nothing: duals are feasible only to an engine's tolerance.

**Exactly** (`BasisPool`). In the same case reduced costs are equal in all scenarios, so a basis is optimal wherever its
basic values keep their bounds: one product with B^-1 decides that for all scenarios [bunching: Wets 1988]. With few
rows a handful of bases serves thousands of scenarios; with many rows each scenario has its own, and the pool gives up.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.model import ScenarioTable
from neurprise.solvers import Basis, Engine, EngineModel, EngineStatus, Limits

#: Decisions kept; the oldest makes room.
MAX_DECISIONS = 40
#: Solving this many scenarios is faster than bounding them.
_FEW = 20
#: Weights are chosen again while the last choice left at most this share of the scenarios open.
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
        """Whether recourse is linear, all scenarios share W and T, and there are enough of them to be bounded."""
        shared = not {"matrix", "technology"} & set(problem.changes)
        return shared and problem.num_scenarios > _FEW and not problem.recourse.integer.any()

    def add(self, x: Floats, costs: Floats) -> None:
        """Keep x with its costs or upper bounds of them, shape (S,), if it has a finite one in every scenario."""
        if np.isfinite(costs).all():
            self._x, self._costs = [*self._x, x][-MAX_DECISIONS:], [*self._costs, costs][-MAX_DECISIONS:]

    def upper_costs(self, x: Floats, worst: float, deadline: Deadline) -> Floats:
        """
        Upper bounds of Q(x, s), shape (S,); inf where earlier decisions give no bound.

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

    def _model(self, x: Floats, scenarios: Ints) -> EngineModel:
        """Columns w, z; rows W z - T sum_i w_i (x_i - x) >= 0, <= 0 or = 0, then sum_i w_i = 1."""
        recourse, count = self._problem.recourse, len(self._x)
        lacking = recourse.technology @ (np.array(self._x) - x).T
        matrix = sparse.vstack([
            sparse.hstack([-lacking, recourse.matrix]),
            sparse.hstack([np.ones((1, count)), sparse.csr_array((1, len(self._b)))]),
        ])  # fmt: skip
        return EngineModel(
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
        Its linear relaxation is bounded; `share_duals` must hold.
    """

    def __init__(self, problem: TwoStageProblem) -> None:
        self._problem = problem
        self._table = ScenarioTable(problem)
        self._all = np.arange(problem.num_scenarios)
        size = int(max(1, min(MAX_VERTICES, MAX_ENTRIES // problem.num_scenarios)))
        self._prices = np.zeros((size, problem.recourse.matrix.shape[0]))
        self._constants = np.zeros((size, problem.num_scenarios))
        self._num_seen = 0

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


#: More rows than this, and hardly two scenarios share a basis.
MAX_ROWS = 30
#: Solving this many scenarios is faster than trying bases.
FEW = 16
#: Bases kept; after `TRIED` trials the pool gives up if a basis serves fewer than `WORTHWHILE` scenarios on average.
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
        """Whether bases serve enough scenarios to be faster than solving."""
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
    The costs of one decision by bases; each basis is tried once, also if new ones are added meanwhile.

    Parameters
    ----------
    pool
        None if no basis can serve several scenarios.
    """

    def __init__(self, pool: BasisPool | None, x: Floats) -> None:
        self.x = x
        self._pool = pool
        self._num_tried = 0

    def is_worthwhile_for(self, num_scenarios: int) -> bool:
        """Whether to try bases on this many scenarios first: some were not tried yet, or new ones may be added."""
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
