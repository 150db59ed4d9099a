"""A lean loop of linear programs: of each scenario only what it changes is passed to the engine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.base import Tell
from neurprise.recourse.model import ScenarioRows, ScenarioTable, entry_rows, recourse_model
from neurprise.solvers import LinearEngine, LinearSession

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
    tell
        Told how many scenarios are done.
    """

    def __init__(self, problem: TwoStageProblem, engine: LinearEngine, tell: Tell) -> None:
        self._tell = tell
        self._problem = problem
        self._engine = engine
        self._table = ScenarioTable(problem)
        self._open: _OpenRelaxation | None = None

    def values(self, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Iterator[tuple[int, float | None]]:
        """
        Scenario and value of its relaxation, one by one; inf if infeasible, None where the engine is in doubt.

        While a scenario is at hand, `current` speaks of it. May raise OutOfTimeError.
        """
        for start in range(0, len(scenarios), _SCENARIOS_AT_ONCE):
            part = np.asarray(scenarios[start : start + _SCENARIOS_AT_ONCE], dtype=np.int64)
            rows = self._table.rows(x, part)
            self._tell(start)
            for k, s in enumerate(part.tolist()):
                if deadline.passed:
                    raise OutOfTimeError
                value = math.inf if rows.contradictory[k] else self._opened(x, s).solve(rows, k, deadline)
                yield s, value

    @property
    def current(self) -> LinearSession:
        """The linear program of the scenario at hand, as last solved."""
        assert self._open is not None
        return self._open.session

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Bounds of y in the scenario at hand, each of shape (m,)."""
        assert self._open is not None
        return self._open.lower, self._open.upper

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
        assert self._open is not None
        return self._open.tightened(lower, upper, cutoff, deadline, room)

    def forget(self) -> None:
        """Close the linear program; the next value builds it anew."""
        self._open = None

    def _opened(self, x: Floats, scenario: int) -> _OpenRelaxation:
        if self._open is None:
            model = recourse_model(self._problem, x, self._problem.scenario(scenario))
            self._open = _OpenRelaxation(self._problem, self._engine.linear_session(model))
        return self._open


class _OpenRelaxation:
    """One linear program, moved from scenario to scenario."""

    def __init__(self, problem: TwoStageProblem, session: LinearSession) -> None:
        self.session = session
        self.lower, self.upper = problem.recourse.lower, problem.recourse.upper
        self._changes = problem.changes
        self._bounds_differ = True
        matrix = problem.recourse.matrix
        change = problem.changes.get("matrix")
        self._entries = np.zeros(0, dtype=np.int64) if change is None else np.unique(change.positions)
        self._entry_rows, self._entry_columns = entry_rows(matrix)[self._entries], matrix.indices[self._entries]

    def solve(self, rows: ScenarioRows, k: int, deadline: Deadline) -> float | None:
        """The value for the k-th of these scenarios."""
        self._row_limits = rows.row_lower[k], rows.row_upper[k]
        self._set_rows(None)
        self.lower, self.upper = rows.lower[k], rows.upper[k]
        if self._bounds_differ or "lower" in self._changes or "upper" in self._changes:
            self.session.set_bounds(self.lower, self.upper)
            self._bounds_differ = False
        if "costs" in self._changes:
            self.session.set_costs(rows.costs[k])
        if len(self._entries):
            self.session.set_entries(self._entry_rows, self._entry_columns, rows.entries[k, self._entries])
        value = self.session.solve(deadline)
        return None if value is None else value + float(rows.offsets[k])

    def tightened(
        self, lower: Floats, upper: Floats, cutoff: float, deadline: Deadline, room: Floats | None
    ) -> float | None:
        self.session.set_bounds(lower, upper)
        self._bounds_differ = True
        if room is not None or self._has_room:
            self._set_rows(room)
        return self.session.solve(deadline, cutoff)

    def _set_rows(self, room: Floats | None) -> None:
        lower, upper = self._row_limits
        self._has_room = room is not None
        if room is not None:
            spare = np.where(np.isinf(lower) != np.isinf(upper), room, 0.0)
            lower, upper = lower + spare, upper - spare
        self.session.set_rows(lower, upper)
