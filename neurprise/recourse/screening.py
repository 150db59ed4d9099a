"""
Integer recourse in one block: linear relaxations and dives first, mixed-integer models for what they leave open.

`LeanRelaxation` solves the relaxations of many scenarios in one open linear program, and passes only what a scenario
changes. The relaxation bounds Q(x, s) from below: if that is bad enough, the evaluation ends without a mixed-integer
model. If its solution is whole, it is the answer. Otherwise a dive (rounding step by step) searches for any recourse
that is cheaper than the worst scenario so far, which settles this one. Only the rest is solved to optimality.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from neurprise.arrays import Bools, Floats, Ints
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.bounds import DualPool
from neurprise.recourse.engine import (
    CostBounds,
    EngineRecourse,
    OnProgress,
    PartialEvaluationError,
    complete_bounds,
    is_enough,
)
from neurprise.recourse.model import ScenarioRows, ScenarioTable, entry_rows, recourse_model, share_duals
from neurprise.solvers import Engine, LinearEngine, LinearSession

#: Scenarios whose data are laid out together.
_SCENARIOS_AT_ONCE = 256


class LeanRelaxation:
    """
    The linear relaxation of the recourse for one (x, s) after another, in one open linear program.

    Parameters
    ----------
    problem
        Its scenarios are the ones solved; integrality is ignored.
    engine
        Keeps the linear program open.
    on_progress
        Called with the number of scenarios that are done.
    """

    def __init__(self, problem: TwoStageProblem, engine: LinearEngine, on_progress: OnProgress) -> None:
        self._on_progress = on_progress
        self._problem = problem
        self._engine = engine
        self._table = ScenarioTable(problem)
        self._session: LinearSession | None = None
        self._has_room = False
        self._bounds_differ = True
        matrix, change = problem.recourse.matrix, problem.changes.get("matrix")
        self._entries = np.zeros(0, dtype=np.int64) if change is None else np.unique(change.positions)
        self._entry_rows, self._entry_columns = entry_rows(matrix)[self._entries], matrix.indices[self._entries]

    def values(self, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Iterator[tuple[int, float | None]]:
        """
        Scenario and value of its relaxation, one by one; inf if infeasible, None where the engine is in doubt.

        Until the next one, `current` is the linear program of that scenario. May raise OutOfTimeError.
        """
        for start in range(0, len(scenarios), _SCENARIOS_AT_ONCE):
            part = np.asarray(scenarios[start : start + _SCENARIOS_AT_ONCE], dtype=np.int64)
            rows = self._table.rows(x, part)
            self._on_progress(start)
            for k, s in enumerate(part.tolist()):
                if deadline.passed:
                    raise OutOfTimeError
                value = math.inf if rows.contradictory[k] else self._solved(self._opened(x, s), rows, k, deadline)
                yield s, value

    @property
    def current(self) -> LinearSession:
        """The linear program of the scenario at hand, as last solved."""
        assert self._session is not None
        return self._session

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Bounds of y in the scenario at hand, each of shape (m,)."""
        return self._bounds

    def tightened(
        self, lower: Floats, upper: Floats, cutoff: float, deadline: Deadline, room: Floats | None = None
    ) -> float | None:
        """
        The value, without q_s'x, of the scenario at hand under other bounds; inf where it reaches `cutoff`.

        The next scenario has its own bounds again.

        Parameters
        ----------
        room
            What rows with one limit keep away from it, shape (r,).
        """
        self.current.set_bounds(lower, upper)
        self._bounds_differ = True
        if room is not None or self._has_room:
            self._set_rows(room)
        return self.current.solve(deadline, cutoff)

    def forget(self) -> None:
        """Close the linear program; the next value builds it anew."""
        self._session = None

    def _opened(self, x: Floats, scenario: int) -> LinearSession:
        if self._session is None:
            self._session = self._engine.linear_session(
                recourse_model(self._problem, x, self._problem.scenario(scenario))
            )
            self._bounds_differ = True
        return self._session

    def _solved(self, session: LinearSession, rows: ScenarioRows, k: int, deadline: Deadline) -> float | None:
        """The value of the k-th of these scenarios."""
        changes = self._problem.changes
        self._row_limits, self._bounds = (rows.row_lower[k], rows.row_upper[k]), (rows.lower[k], rows.upper[k])
        self._set_rows(None)
        if self._bounds_differ or "lower" in changes or "upper" in changes:
            session.set_bounds(*self._bounds)
            self._bounds_differ = False
        if "costs" in changes:
            session.set_costs(rows.costs[k])
        if len(self._entries):
            session.set_entries(self._entry_rows, self._entry_columns, rows.entries[k, self._entries])
        value = session.solve(deadline)
        return None if value is None else value + float(rows.offsets[k])

    def _set_rows(self, room: Floats | None) -> None:
        lower, upper = self._row_limits
        self._has_room = room is not None
        if room is not None:
            spare = np.where(np.isinf(lower) != np.isinf(upper), room, 0.0)
            lower, upper = lower + spare, upper - spare
        self.current.set_rows(lower, upper)


#: Entries this close to whole numbers are whole: stricter than engines, so that no engine disagrees.
WHOLE = 1e-9
#: Linear programs of one dive.
_MAX_STEPS = 60


def fractions(y: Floats, integer: Bools) -> Floats:
    """Fractional parts of the integer entries, shape (m,); 0 where an entry is whole or need not be."""
    parts = y - np.floor(y + WHOLE)
    return np.where(integer & (parts > WHOLE), parts, 0.0)


class Diver:
    """
    Looks for any recourse below a target.

    Relaxations use rows up to their limits, so that rounding up breaks a row again and again. So a first relaxation
    leaves room for one more integer column in every row that is in use. Its entries that are whole and not
    zero stay; the rest is rounded with the true limits.

    Parameters
    ----------
    problem
        With integer recourse.
    lean
        Has solved the relaxation of the scenario in question.
    """

    def __init__(self, problem: TwoStageProblem, lean: LeanRelaxation) -> None:
        self._lean = lean
        self._integer = problem.recourse.integer
        self._weights = problem.recourse.matrix * self._integer.astype(float)
        self._largest = abs(self._weights).max(axis=1).toarray().ravel()

    def dive(self, y: Floats, target: float, deadline: Deadline) -> tuple[float, Floats] | None:
        """
        A recourse of the scenario just solved that costs less than `target`, with its cost; None if none is found.

        Parameters
        ----------
        y
            The relaxation's solution, shape (m,).
        target
            Without q_s'x, like the cost returned.
        """
        lower, upper = self._lean.bounds
        roomy = self._with_room(y, target, deadline)
        if roomy is not None:
            stays = np.where(self._stays(roomy), np.round(roomy), lower)
            found = self._descend(stays, upper, self._lean.tightened(stays, upper, target, deadline), target, deadline)
            if found is not None or deadline.passed:
                return found
        return self._descend(lower, upper, self._lean.tightened(lower, upper, target, deadline), target, deadline)

    def _with_room(self, y: Floats, target: float, deadline: Deadline) -> Floats | None:
        """A solution of the relaxation that leaves room in rows that y uses; None if it reaches the target."""
        used = np.abs(self._weights @ y) >= 2 * self._largest
        value = self._lean.tightened(*self._lean.bounds, target, deadline, room=np.where(used, self._largest, 0.0))
        return self._lean.current.values() if value is not None and value < target else None

    def _stays(self, y: Floats) -> Bools:
        return np.asarray(self._integer & (fractions(y, self._integer) == 0.0) & (y > 0.5))

    def _descend(
        self, lower: Floats, upper: Floats, value: float | None, target: float, deadline: Deadline
    ) -> tuple[float, Floats] | None:
        """
        Round the largest fraction up and let what is whole and not zero stay, again and again.

        Where that leads to the target or beyond, the last fraction that was rounded up is rounded down instead.
        """
        rounded_down: list[tuple[Floats, Floats]] = []
        for _ in range(_MAX_STEPS):
            if value is not None and value < target:
                y = self._lean.current.values()
                parts = fractions(y, self._integer)
                place = int(np.argmax(parts))
                if parts[place] == 0.0:
                    return value, np.where(self._integer, np.round(y), y)
                rounded_down.append((lower, _with(upper, place, math.floor(y[place]))))
                lower = _with(np.where(self._stays(y), np.round(y), lower), place, math.ceil(y[place]))
            elif rounded_down:
                lower, upper = rounded_down.pop()
            else:
                return None
            if deadline.passed:
                return None
            value = self._lean.tightened(lower, upper, target, deadline)
        return None


def _with(bounds: Floats, place: int, bound: float) -> Floats:
    """A copy with one entry replaced."""
    copy = np.array(bounds)
    copy[place] = bound
    return copy


#: After this many dives, more are made only while at least this share of them succeeds.
_TRIALS = 40
_WORTHWHILE = 0.25
#: Likely worst scenarios whose dual vertices are kept, to find the worst one of the next decision.
_LEARNT = 5


class ScreenedRecourse:
    """
    Q(x, s) by an engine, asked about as few scenarios as possible when only the worst case matters.

    Parameters
    ----------
    problem
        With integer recourse.
    engine
        Keeps the linear relaxation open.
    plain
        Solves the mixed-integer models.
    """

    needs_confirmation = True

    def __init__(self, problem: TwoStageProblem, engine: Engine, plain: EngineRecourse) -> None:
        assert isinstance(engine, LinearEngine)
        self._problem = problem
        self._integer = problem.recourse.integer
        self._plain = plain
        self._lean = LeanRelaxation(problem, engine, plain.on_progress)
        self._table = ScenarioTable(problem)
        self._num_dives = self._num_settled = 0

    def costs(self, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Floats:
        """Every cost exactly: whole relaxations are, the rest is solved."""
        costs = np.full(self._problem.num_scenarios, np.nan)
        try:
            for s, value in self._lean.values(x, scenarios, deadline):
                exact = self._settled(x, s, value, -math.inf, math.inf, deadline)
                costs[s] = self._plain.solve(x, s, deadline)[0] if exact is None else exact
        except OutOfTimeError:
            raise PartialEvaluationError(costs) from None
        return costs

    def bounds(
        self, x: Floats, order: Sequence[int], deadline: Deadline, known: Mapping[int, float], enough: float
    ) -> CostBounds:
        costs = np.full(self._problem.num_scenarios, np.nan)
        asked = np.asarray(order, dtype=np.int64)
        try:
            found = self._screen(costs, x, asked, deadline, known, enough)
        except OutOfTimeError:
            raise PartialEvaluationError(costs) from None
        upper = np.where(np.isnan(costs), math.inf, costs)
        return complete_bounds(upper, order) if found is None else CostBounds(upper, *found, complete=False)

    def decision(self, x: Floats, scenario: int, deadline: Deadline) -> Floats | None:
        return self._plain.decision(x, scenario, deadline)

    def forget(self) -> None:
        self._lean.forget()
        self._plain.forget()

    @cached_property
    def _diver(self) -> Diver:
        return Diver(self._problem, self._lean)

    @cached_property
    def _duals(self) -> DualPool | None:
        return DualPool(self._problem) if share_duals(self._problem) else None

    def _screen(
        self, costs: Floats, x: Floats, order: Ints, deadline: Deadline, known: Mapping[int, float], enough: float
    ) -> tuple[int, float] | None:
        """Write costs or upper bounds, in place; a scenario that is bad enough with its bound, if any."""
        if self._duals is not None and len(self._duals):
            order = order[np.argsort(-self._duals.lower_costs(x)[order], kind="stable")]
        relaxed = np.full(self._problem.num_scenarios, -math.inf)
        bad = self._relax(costs, relaxed, x, order, deadline, enough)
        if bad is not None:
            return bad
        worst, left = float(np.nanmax(costs[order], initial=-math.inf)), []
        # The costliest relaxation first: it is usually the worst, and the others are measured against it.
        fractional = order[np.isnan(costs[order])]
        worst_first = fractional[np.argsort(-relaxed[fractional], kind="stable")]
        for s, value in self._lean.values(x, worst_first.tolist(), deadline):
            cost = self._settled(x, s, value, worst, known.get(s, math.inf), deadline)
            if cost is None and worst == -math.inf:
                cost = min(self._plain.solve(x, s, deadline)[0], known.get(s, math.inf))
            if cost is None:
                left.append(s)
                continue
            costs[s], worst = cost, max(worst, cost)
            if is_enough(cost, enough):
                return s, cost
        return self._solve(costs, x, left, worst, deadline, known, enough)

    def _relax(
        self, costs: Floats, relaxed: Floats, x: Floats, order: Ints, deadline: Deadline, enough: float
    ) -> tuple[int, float] | None:
        """
        Write values of the relaxation, shape (S,), and costs where its solution is whole, both in place.

        The first scenario whose value is bad enough, with it, if any. The duals of the first few are kept.
        """
        for place, (s, value) in enumerate(self._lean.values(x, order.tolist(), deadline)):
            if value is None:
                continue
            relaxed[s] = value
            if place < _LEARNT and math.isfinite(value) and self._duals is not None:
                self._duals.add(self._lean.current.row_duals())
            if is_enough(value, enough):
                return s, value
            if value == math.inf or self._is_whole(x, s):
                costs[s] = value
        return None

    def _solve(
        self,
        costs: Floats,
        x: Floats,
        left: Sequence[int],
        worst: float,
        deadline: Deadline,
        known: Mapping[int, float],
        enough: float,
    ) -> tuple[int, float] | None:
        """The same for scenarios that relaxations and dives left open, by mixed-integer models."""
        for s in left:
            attained = known.get(s, math.inf)
            cost = attained if attained < worst else min(self._plain.solve(x, s, deadline, worst)[0], attained)
            costs[s], worst = cost, max(worst, cost)
            if is_enough(cost, enough):
                return s, cost
        return None

    def _settled(
        self, x: Floats, scenario: int, value: float | None, worst: float, attained: float, deadline: Deadline
    ) -> float | None:
        """Q(x, s) of the relaxation at hand, or an upper bound of it below the worst so far; None if unknown."""
        if attained < worst or value is None or value == math.inf:
            return attained if attained < worst else value
        if self._is_whole(x, scenario):
            return value
        if value >= worst or not self._dives_succeed:
            return None
        return self._dived(x, scenario, self._lean.current.values(), worst, deadline)

    def _is_whole(self, x: Floats, scenario: int) -> bool:
        """Whether the relaxation at hand has a whole solution; it is then remembered as the recourse."""
        y = self._lean.current.values()
        if fractions(y, self._integer).any():
            return False
        self._plain.remember(x, scenario, np.where(self._integer, np.round(y), y))
        return True

    def _dived(self, x: Floats, scenario: int, y: Floats, worst: float, deadline: Deadline) -> float | None:
        """The cost of some recourse that is cheaper than the worst so far; None where no dive finds one."""
        offset = float(self._table.offsets(x, np.array([scenario]))[0])
        found = self._diver.dive(y, worst - offset, deadline)
        self._num_dives += 1
        if found is None:
            return None
        self._num_settled += 1
        self._plain.remember(x, scenario, found[1])
        return found[0] + offset

    @property
    def _dives_succeed(self) -> bool:
        return self._num_dives < _TRIALS or self._num_settled >= _WORTHWHILE * self._num_dives
