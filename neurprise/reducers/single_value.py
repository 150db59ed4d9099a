"""SingleValue: the scenarios that would cost most if each were certain."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Bools, Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.exact.pool import Pool
from neurprise.exact.session import SearchSession
from neurprise.reducers.base import Growth, Reduction, SessionReducer, cut_short, largest_first, num_kept
from neurprise.solvers import Engine, EngineStatus, Limits

#: Values closer than this, relative to the largest, are ties: engines are no more precise.
TIE = 1e-9


@dataclass(frozen=True)
class SingleValue(SessionReducer):
    """
    Keep the scenarios of largest V({j}), the cost when scenario j is certain; ties: smallest index.

    Parameters
    ----------
    solver
        Engine, asked where the family has no shortcut.
    time_limit
        Wall-clock seconds; scenarios not valued by then come last. None for no limit.
    """

    solver: str | Engine = "highs"
    time_limit: float | None = None

    name = "singlevalue"
    growth = Growth.RANKING

    def choose(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        clock = Deadline()
        keep = num_kept(session.problem, budget)
        solves = session.num_solves
        values = np.full(session.problem.num_scenarios, -math.inf)
        with cut_short(session) as cut:
            _value_largest(session, keep, values)
        chosen = _largest(values, keep)
        known = np.isfinite(values[chosen]).all()
        return Reduction(
            tuple(chosen),
            scores=tuple(values[chosen].tolist()) if known else None,
            num_solves=session.num_solves - solves,
            runtime=clock.elapsed,
            stopped_by=cut.reason,
            decisions=best_decisions(session.pool, chosen),
        )


def best_decisions(pool: Pool, chosen: list[int]) -> tuple[Floats, ...]:
    """The decisions of the pool that are best on the chosen scenarios and on all, each of shape (n,)."""
    places = {pool.best(chosen)[0], pool.best()[0]} - {-1} if chosen else set()
    return tuple(pool.member(place) for place in sorted(places))


def hardest_scenarios(session: SearchSession, count: int) -> list[int]:
    """The `count` scenarios of largest V({j}), largest first; may raise OutOfTimeError."""
    values = np.full(session.problem.num_scenarios, -math.inf)
    _value_largest(session, count, values)
    return _largest(values, count)


def every_value(session: SearchSession) -> Floats:
    """V({j}) for all j, shape (S,); may raise OutOfTimeError."""
    alone = session.problem.single_scenarios
    if alone is not None:
        return alone.values()
    values = np.full(session.problem.num_scenarios, -math.inf)
    for first in range(0, len(values), session.reduced_at_once):
        part = list(range(first, min(first + session.reduced_at_once, len(values))))
        _write_values(session, part, values, evaluates=False)
    return values


def _largest(values: Floats, count: int) -> list[int]:
    scale = max(1.0, float(np.abs(values[np.isfinite(values)]).max(initial=0.0)))
    return largest_first(np.round(values / (TIE * scale)))[:count].tolist()  # type: ignore[no-any-return]


def _value_largest(session: SearchSession, count: int, values: Floats) -> None:
    """
    Write V({j}) into `values` for the scenarios among which the `count` largest are; may raise OutOfTimeError.

    Decisions evaluated on the way join the pool.
    """
    problem, pool = session.problem, session.pool
    known = session.single_values()
    if known is not None:
        values[:] = np.nan_to_num(known, nan=-math.inf)
        if np.isnan(known).any():
            raise OutOfTimeError
        return
    is_open = np.ones(problem.num_scenarios, dtype=bool)
    # Evaluating a decision bounds every V({j}) at once; with integer recourse it costs as much as solving them all.
    evaluates = not problem.recourse.integer.any()
    while True:
        upper = pool.totals.min(axis=0, initial=math.inf)
        candidates = np.flatnonzero(_may_be_among(count, values, is_open, upper))
        if len(candidates) == 0:
            return
        likeliest = np.argsort(-upper[candidates], kind="stable")[: session.reduced_at_once]
        some = candidates[likeliest].tolist()
        valued = int((~is_open).sum())
        session.say(f"V({{s}}) of {valued:,} scenarios known, at most {len(candidates):,} more to solve")
        _write_values(session, some, values, evaluates)
        is_open[some] = False


def _may_be_among(count: int, values: Floats, is_open: Bools, upper: Floats) -> Bools:
    """Which open scenarios can still belong to the `count` largest; shape (S,)."""
    if int((~is_open).sum()) < count:
        return is_open
    last = largest_first(values)[count - 1]
    tolerance = TIE * max(1.0, abs(float(values[last]))) if math.isfinite(values[last]) else 0.0
    ties = (upper >= values[last] - tolerance) & (np.arange(len(values)) < last)
    beats = upper > values[last] + tolerance
    return np.asarray(is_open & (beats | ties))


def _write_values(session: SearchSession, scenarios: list[int], values: Floats, evaluates: bool) -> None:
    """Write V({j}) for these j, -inf where it falls without limit; may raise OutOfTimeError."""
    if session.deadline.passed:
        raise OutOfTimeError
    results = session.solve_reduced_each([[j] for j in scenarios], [Limits(gap=0.0)] * len(scenarios))
    for j, result in zip(scenarios, results, strict=True):
        if result.status is EngineStatus.TIME_LIMIT:
            raise OutOfTimeError
        if evaluates and result.x is not None:
            session.pool.add(result.x, session.deadline)
        values[j] = result.value
