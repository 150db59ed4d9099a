"""V({j}), the optimal cost when scenario j is certain, for all scenarios or for the largest of them."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np

from neurprise.arrays import Bools, Floats, largest_first
from neurprise.clock import OutOfTimeError
from neurprise.errors import counted, part_of
from neurprise.recourse.evaluator import scenarios_at_once
from neurprise.search.session import SearchSession
from neurprise.solvers import EngineStatus, Limits

#: Values closer than this, relative to the largest, are ties: engines are not more precise.
TIE = 1e-9


def hardest_scenarios(session: SearchSession, count: int) -> list[int]:
    """The `count` scenarios of largest V({j}), largest first; may raise OutOfTimeError."""
    values = np.full(session.problem.num_scenarios, -math.inf)
    value_largest(session, count, values)
    return largest_of(values, count)


def every_value(session: SearchSession) -> Floats:
    """V({j}) for all j, shape (S,); nan where there was no time."""
    known = family_values(session)
    if known is not None:
        return known
    values = np.full(session.problem.num_scenarios, np.nan)
    with suppress(OutOfTimeError):
        for first in range(0, len(values), session.parallel_masters.number):
            session.say(f"V({{s}}) known in {part_of(first, len(values), 'scenario')}")
            part = list(range(first, min(first + session.parallel_masters.number, len(values))))
            _write_values(session, part, values, evaluates=False)
    return values


def family_values(session: SearchSession) -> Floats | None:
    """
    V({s}) for all s, shape (S,), where the family knows them; nan for those that time did not suffice for.

    The family is asked in parts, so that limits and interrupts take effect; the first part is answered even after the
    deadline.
    """
    alone, total = session.problem.single_scenarios, session.problem.num_scenarios
    if alone is None:
        return None
    at_once = scenarios_at_once(alone)
    if total <= at_once:
        return alone.values()
    values = np.full(total, np.nan)
    for start in range(0, total, at_once):
        if start and session.deadline.passed:
            break
        session.say(f"V({{s}}) known in {part_of(start, total, 'scenario')}")
        part = session.problem.restrict(range(start, min(start + at_once, total))).single_scenarios
        if part is not None:
            values[start : start + at_once] = part.values()
    return values


def first_scenario(session: SearchSession) -> int:
    """The scenario of largest V({s}) where the family knows it, else of largest summed coefficients, undominated."""
    values = family_values(session)
    first = np.argmax(session.problem.severity) if values is None else np.nanargmax(values)
    return int(session.evaluator.dominators[first])


def largest_of(values: Floats, count: int) -> list[int]:
    scale = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    ranked = np.round(values / (TIE * scale)) if scale > 0.0 else values
    return largest_first(ranked)[:count].tolist()  # type: ignore[no-any-return]


def value_largest(session: SearchSession, count: int, values: Floats) -> None:
    """
    Write V({j}) into `values` for the scenarios among which the `count` largest are; may raise OutOfTimeError.

    Decisions evaluated on the way join the pool.
    """
    problem, pool = session.problem, session.pool
    known = family_values(session)
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
        most_likely = np.argsort(-upper[candidates], kind="stable")[: session.parallel_masters.number]
        some = candidates[most_likely].tolist()
        valued = int((~is_open).sum())
        session.say(f"V({{s}}) of {counted(valued, 'scenario')} known, at most {len(candidates):,} more to solve")
        _write_values(session, some, values, evaluates)
        is_open[some] = False


def _may_be_among(count: int, values: Floats, is_open: Bools, upper: Floats) -> Bools:
    """Which open scenarios can still belong to the `count` largest; shape (S,)."""
    if int((~is_open).sum()) < count:
        return is_open
    last = largest_first(values)[count - 1]
    tolerance = TIE * abs(float(values[last])) if math.isfinite(values[last]) else 0.0
    ties = (upper >= values[last] - tolerance) & (np.arange(len(values)) < last)
    beats = upper > values[last] + tolerance
    return np.asarray(is_open & (beats | ties))


def _write_values(session: SearchSession, scenarios: list[int], values: Floats, evaluates: bool) -> None:
    """Write V({j}) for these j, -inf where it falls without limit; may raise OutOfTimeError."""
    if session.deadline.passed:
        raise OutOfTimeError
    results = session.parallel_masters.solve([[j] for j in scenarios], [Limits(gap=0.0)] * len(scenarios))
    for j, result in zip(scenarios, results, strict=True):
        if result.status is EngineStatus.TIME_LIMIT:
            raise OutOfTimeError
        if evaluates and result.x is not None:
            session.pool.add(result.x, session.deadline)
        values[j] = result.value
