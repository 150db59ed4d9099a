"""
PRISE: keep the scenario that raises V(R) most, again and again (Algorithm 1), without solving for every candidate.

Every first-stage decision whose cost is known under all scenarios bounds V(R + {j}) from above for every candidate j
at once, and by Proposition 1 what a candidate was worth last step bounds it from below now. So candidates are tried in
the order of their upper bounds, a solve ends as soon as its incumbent shows that the candidate cannot win, and what it
found tightens the bounds of all others. The trace is that of Algorithm 1 with exact solves, ties to the smallest index.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from neurprise.arrays import Bools, Floats, Ints, largest_first
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError, counted
from neurprise.reducers.base import Growth, Reduction, SessionReducer, at_least_one, cut_short, num_kept
from neurprise.reducers.single_value import best_decisions
from neurprise.search.master import MasterResult
from neurprise.search.session import SearchSession
from neurprise.search.single_values import family_values
from neurprise.solvers import Engine, EngineStatus, Limits

#: A reduced problem counts as unsolved if its bound and value, at a gap of zero, are further apart.
_DOUBTFUL = 1e-3
#: If the family knows decisions that attain V({s}), those of this many of the hardest scenarios begin the pool.
MOST_KNOWN_DECISIONS = 50


@dataclass(frozen=True)
class PRISE(SessionReducer):
    """
    Problem-driven sequential lookahead, accelerated by bounds.

    Parameters
    ----------
    tolerance
        Relative to |V(R)|: smaller gains count as none (PRISE stops), closer values as tied.
    solver
        Engine for the reduced problems.
    time_limit
        Wall-clock seconds; when they are over the steps taken so far are returned.
    """

    tolerance: float = 1e-6
    solver: str | Engine = "highs"
    time_limit: float | None = None

    name = "prise"
    growth = Growth.STEPS

    def choose(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        """Keep up to `budget` scenarios; fewer when no further one raises V(R)."""
        clock = Deadline()
        keep = num_kept(session.problem, budget)
        solves = session.num_solves
        kept: list[int] = []
        values: list[float] = []
        with cut_short(session) as cut:
            lookahead = Lookahead(session, self.tolerance)
            while len(kept) < keep and not session.reached_target:
                step = lookahead.best_extension(kept, values[-1] if values else 0.0)
                if step is None:
                    break
                kept.append(step[0])
                values.append(step[1])
                session.record(len(kept))
        return Reduction(
            indices=at_least_one(kept, session.problem),
            gains=tuple(np.diff(values, prepend=0.0).tolist()) if kept and np.isfinite(values).all() else None,
            objective=values[-1] if kept else None,
            num_solves=session.num_solves - solves,
            runtime=clock.elapsed,
            stopped_by=cut.reason,
            decisions=best_decisions(session.pool, kept),
        )


class Lookahead:
    """
    Answers one question again and again: which candidate j has the largest V(R + {j})?

    Parameters
    ----------
    session
        Solves and remembers; at its deadline OutOfTimeError ends the question.
    tolerance
        Relative to the value: closer values are tied.
    """

    def __init__(self, session: SearchSession, tolerance: float) -> None:
        problem = session.problem
        self._session = session
        self._integral = problem.integral_objective
        self._tolerance = 0.0 if self._integral else tolerance  # whole-number objectives are exact
        self._unit = session.unit
        self._single_values = family_values(session)
        if self._single_values is not None and np.isnan(self._single_values).any():
            raise OutOfTimeError
        unknown = np.full(problem.num_scenarios, -math.inf)
        self._lower = unknown if self._single_values is None else np.array(self._single_values)
        self._admit_known_decisions()

    def best_extension(self, kept: list[int], value: float) -> tuple[int, float] | None:
        """The best candidate and V(kept + {it}); None when no candidate rises above `value` = V(kept)."""
        race = _Race(float(self._lower.max()), self._tolerance, self._integral, self._unit)
        if not kept and self._single_values is not None:
            race.record_all(self._single_values)
            self._session.prove(float(self._single_values.max()), [int(self._single_values.argmax())])
            return self._winner(race, kept, value)
        waiting = np.setdiff1d(np.arange(self._session.problem.num_scenarios), kept)
        while len(waiting):
            upper = self._upper_bounds(kept)
            if race.leader is None and kept and upper[waiting].max() <= value + self._margin(value):
                return None
            waiting = waiting[race.may_win(waiting, upper[waiting])]
            if len(waiting) == 0:
                break
            # The highest upper bound first: it is the most likely winner, and its decision lowers the others.
            most_likely = np.argsort(-upper[waiting], kind="stable")[: self._session.parallel_masters.number]
            candidates = waiting[most_likely].tolist()
            waiting = np.delete(waiting, most_likely)
            self._say(candidates[0], len(waiting), len(kept) + 1, value)
            self._try(candidates, kept, race)
        return self._winner(race, kept, value)

    def _say(self, candidate: int, num_waiting: int, step: int, value: float) -> None:
        name = self._session.problem.scenario_name(candidate)
        known = f", V(R) {self._session.shown(value)}" if step > 1 else ""
        self._session.say(f"prise step {step}: trying scenario {name}, {counted(num_waiting, 'candidate')} left{known}")

    def _try(self, candidates: list[int], kept: list[int], race: _Race) -> None:
        """Solve V(kept + {candidate}) for each, at least until it is clear that the candidate cannot win."""
        if self._session.deadline.passed:
            raise OutOfTimeError
        sets = [[*kept, candidate] for candidate in candidates]
        limits = [Limits(target=race.losing_value(candidate), cutoff=self._ceiling()) for candidate in candidates]
        results = self._session.parallel_masters.solve(sets, limits)
        for extended, limit, result in zip(sets, limits, results, strict=True):
            self._learn(extended, limit, result, race)

    def _learn(self, extended: list[int], limits: Limits, result: MasterResult, race: _Race) -> None:
        """What the solve of kept + {candidate} says about the candidate."""
        session, candidate = self._session, extended[-1]
        if result.status is EngineStatus.CUTOFF:  # an engine that cannot find what the pool proves to exist
            result = session.solve_reduced(extended, replace(limits, cutoff=math.inf))
        self._lower[candidate] = max(self._lower[candidate], result.bound)
        session.admit(result)
        if result.status is EngineStatus.TIME_LIMIT:
            raise OutOfTimeError
        if result.status is not EngineStatus.TARGET:
            if self._is_doubtful(result):
                raise EngineError("the engine proves too little about V(R); rescale the data or try another solver.")
            race.record(candidate, result.value)

    def _is_doubtful(self, result: MasterResult) -> bool:
        """Whether the engine attains a value that its bound is far from."""
        away = result.value - result.bound
        return math.isfinite(result.value) and away > margin(result.value, _DOUBTFUL, self._unit)

    def _winner(self, race: _Race, kept: list[int], value: float) -> tuple[int, float] | None:
        leader = race.leader
        if leader is None or (kept and race.best <= value + self._margin(value)):
            return None
        return leader, race.best

    def _upper_bounds(self, kept: list[int]) -> Floats:
        """min over known decisions of max over kept + {j}, for every j; shape (S,)."""
        totals = self._session.pool.totals
        if len(totals) == 0:
            return np.full(self._session.problem.num_scenarios, math.inf)
        so_far = totals[:, kept].max(axis=1, keepdims=True) if kept else -math.inf
        return np.asarray(np.maximum(totals, so_far).min(axis=0))

    def _ceiling(self) -> float:
        """Above every V(R): the best known worst case, and room for the engine's own tolerance."""
        worst_case = self._session.worst_case
        room = max(0.5 * self._unit, 1e-4 * abs(worst_case))
        return worst_case + room if math.isfinite(worst_case) else math.inf

    def _margin(self, value: float) -> float:
        return margin(value, self._tolerance, self._unit)

    def _admit_known_decisions(self) -> None:
        alone = self._session.problem.single_scenarios
        if alone is None or self._single_values is None:
            return
        hardest = largest_first(self._single_values)[:MOST_KNOWN_DECISIONS].tolist()
        self._session.admit_known(list(alone.decisions(hardest)))


def margin(value: float, tolerance: float, unit: float) -> float:
    """Differences up to this are engine noise: `tolerance` relative to the value, or to the unit of costs."""
    return tolerance * max(unit, abs(value)) if math.isfinite(value) else 0.0


class _Race:
    """
    Who leads one step, and who can still overtake.

    The winner is the smallest index among the candidates tied with the top.

    Parameters
    ----------
    floor
        Some candidate's value is at least this.
    tolerance
        Relative to the top: closer values are tied.
    integral
        Values are whole numbers.
    unit
        Of the problem's costs.
    """

    def __init__(self, floor: float, tolerance: float, integral: bool, unit: float) -> None:
        self._floor = floor
        self._tolerance = tolerance
        self._integral = integral
        self._unit = unit
        self._values: dict[int, float] = {}

    @property
    def leader(self) -> int | None:
        """The winner if no other candidate joined; None before the first value."""
        tied_from = self._top - self._margin
        return min((j for j, value in self._values.items() if value >= tied_from), default=None)

    @property
    def best(self) -> float:
        """The leader's value; -inf before the first."""
        return -math.inf if self.leader is None else self._values[self.leader]

    def may_win(self, candidates: Ints, upper: Floats) -> Bools:
        """Which candidates, shape (k,), can still become the leader with these upper bounds, shape (k,)."""
        return np.asarray(upper >= self._needed(candidates))

    def losing_value(self, candidate: int) -> float:
        """An incumbent strictly below this shows that the candidate cannot win."""
        return float(self._needed(np.array([candidate]))[0]) - (0.5 if self._integral else 0.0)

    def record(self, candidate: int, value: float) -> None:
        """The candidate's value is known exactly."""
        self._values[candidate] = value

    def record_all(self, values: Floats) -> None:
        """Every candidate's value is known exactly, shape (S,); those behind the top never lead."""
        ahead = np.flatnonzero(values >= values.max() - margin(float(values.max()), self._tolerance, self._unit))
        self._values = {int(j): float(values[j]) for j in ahead}

    def _needed(self, candidates: Ints) -> Floats:
        """The smallest value with which each candidate would lead, shape (k,)."""
        leader = self.leader
        if leader is None:
            return np.full(len(candidates), self._floor - self._margin)
        behind = self._top + (1.0 if self._integral else self._margin)
        return np.where(candidates < leader, self._top - self._margin, behind)

    @property
    def _top(self) -> float:
        return max(self._values.values(), default=self._floor)

    @property
    def _margin(self) -> float:
        return margin(self._top, self._tolerance, self._unit)
