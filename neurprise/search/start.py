"""How an exact search begins: first decisions, and what relaxations prove."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import OutOfTimeError
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import FirstStage
from neurprise.search.ccg import CUT_SHORT, ColumnAndConstraintGeneration, SearchOutcome, outcome
from neurprise.search.relaxation import RELAXATION_GAP, Relaxation, relaxed, solve_relaxation
from neurprise.search.session import SearchSession, Status
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: Share of the remaining time for first decisions.
FIRST_DECISION_SHARE = 0.2
#: Each candidate gets this share of what is left of it.
CANDIDATE_SHARE = 0.4
#: After an interrupt, first decisions get this many seconds.
SECONDS_AFTER_AN_INTERRUPT = 5.0


def learn_from_relaxation(session: SearchSession, relaxed: Relaxation) -> None:
    """Give a session what the relaxation proved, and its decision where whole numbers keep the rows."""
    session.add_relaxation(relaxed)
    with session.deadline.share(1.0, most=SECONDS_AFTER_AN_INTERRUPT if relaxed.interrupted else None):
        admit_first_decision(session, relaxed.x)


def admit_first_decision(session: SearchSession, relaxed: Floats | None) -> None:
    """Evaluate simple decisions until one survives every scenario, within a share of the time."""
    with session.deadline.share(FIRST_DECISION_SHARE):
        for x in simple_decisions(session.problem.first_stage, relaxed):
            if math.isfinite(session.worst_case) or session.deadline.passed:
                return
            # A tight decision may be hard to evaluate, a trivial one is not.
            with session.deadline.share(CANDIDATE_SHARE):
                session.admit_known([x])


#: This many decisions are rounded: the best one and those met last.
NUM_ROUNDED = 4
#: Share of the remaining time for evaluating the rounded decisions, at most.
ROUNDING_SHARE = 0.2


def admit_roundings(session: SearchSession, relaxed: Relaxation) -> None:
    """Evaluate each until a scenario shows that it is no better than the best so far."""
    first = session.problem.first_stage
    with session.deadline.share(ROUNDING_SHARE), suppress(OutOfTimeError):
        for x in roundings(first, relaxed):
            if first.violation(x) <= FEASIBILITY_TOLERANCE:
                session.pool.add(x, session.deadline, enough=session.worst_case)


def roundings(first: FirstStage, relaxed: Relaxation) -> Iterator[Floats]:
    """The relaxed decisions rounded up and to the nearest, the best first; each of shape (n,). None if x is linear."""
    if relaxed.x is None or not first.integer.any():
        return
    for decision in [relaxed.x, *reversed(relaxed.met)][:NUM_ROUNDED]:
        yield from roundings_of(first, decision)


def roundings_of(first: FirstStage, decision: Floats) -> Iterator[Floats]:
    """A relaxed decision rounded up and to the nearest, each of shape (n,)."""
    near = np.round(decision, 6)  # engines miss whole numbers by their tolerance
    for whole in (np.ceil(near), np.round(near)):
        yield np.clip(np.where(first.integer, whole, decision), first.lower, first.upper)


def simple_decisions(first: FirstStage, relaxed: Floats | None) -> Iterator[Floats]:
    """The relaxation's decision rounded, the bounds, and it rounded up and down; each of shape (n,)."""
    if relaxed is not None:
        yield np.where(first.integer, np.round(relaxed), relaxed)
    for bounds in (first.lower, first.upper):
        yield np.where(np.isfinite(bounds), bounds, 0.0)
    if relaxed is not None:
        for rounding in (np.ceil, np.floor):
            # Engines miss whole numbers by their tolerance.
            yield np.where(first.integer, rounding(np.round(relaxed, 6)), relaxed)


def with_evident_decision(session: SearchSession, found: SearchOutcome) -> SearchOutcome:
    """The same outcome; a search cut short without a decision gets one whose cost is evident, if there is one."""
    if found.status not in CUT_SHORT or math.isfinite(found.worst_case):
        return found
    _admit_evident_decisions(session)
    return replace(outcome(session, found.scenarios, found.status), gains=found.gains, scores=found.scores)


def _admit_evident_decisions(session: SearchSession) -> None:
    """Give the pool the simple decisions whose costs are evident, even after the deadline."""
    first = session.problem.first_stage
    relaxed = None if session.relaxation is None else session.relaxation.x
    for x in simple_decisions(first, relaxed):
        if session.deadline.passed and math.isfinite(session.worst_case):
            return  # one will do where there are many scenarios
        if first.violations(x[None])[0] <= FEASIBILITY_TOLERANCE:
            costs = session.evaluator.evident_costs(x)
            if costs is not None:
                session.pool.add_evaluated(x, costs)


#: Share of the remaining time for the problem with continuous recourse, at most.
WHOLE_SHARE = 0.2
#: This many of its decisions, the best ones, are evaluated with the true recourse.
NUM_EVALUATED = 5


def differs(problem: TwoStageProblem) -> bool:
    """Whether it is worth solving: x is whole, so that masters are small, and y is not continuous anyway."""
    return bool(problem.first_stage.integer.all() and problem.recourse.integer.any())


def learn_from_whole_decisions(session: SearchSession, known: Relaxation) -> list[int]:
    """Give a session the bound and the decisions that continuous recourse leads to; the scenarios that this needed."""
    session.say("solving with continuous recourse")
    with session.deadline.share(WHOLE_SHARE):
        loose, dominators = relaxed(session.problem, first_stage=False), session.evaluator.dominators
        inner = SearchSession(loose, session.engine, session.deadline, known_dominators=dominators)
        learn_from_relaxation(inner, known)
        # Half the usual gap: a decision that is optimal here and there then closes the usual one.
        search = ColumnAndConstraintGeneration(inner, gap=RELAXATION_GAP / 2, waits=False)
        found = search.run(known.heaviest)
    session.count_solves(inner.num_solves - known.num_solves)  # the others are counted already
    if found.status is Status.INTERRUPTED:
        session.stop(Status.INTERRUPTED)
    session.prove(found.lower_bound, found.bound_scenarios)
    with session.deadline.share(FIRST_DECISION_SHARE):
        for x, value in _best_decisions(inner):
            if value < session.worst_case:
                session.admit_known([x])
    return list(found.scenarios)


def _best_decisions(inner: SearchSession) -> list[tuple[Floats, float]]:
    """The best decisions met, each of shape (n,), and what each costs at least in its worst case."""
    worst = inner.pool.totals.max(axis=1, initial=-np.inf)
    best_first = [int(place) for place in np.argsort(worst, kind="stable") if np.isfinite(worst[place])]
    return [(inner.pool.member(place), float(worst[place])) for place in best_first[:NUM_EVALUATED]]


#: Share of the remaining time for the relaxation, at most.
RELAXATION_SHARE = 0.2


def relaxed_start(session: SearchSession) -> list[int]:
    """The scenarios on which the bounds of relaxed problems rest; the session learns what those prove and find."""
    session.say("solving the linear relaxation")
    with session.deadline.share(RELAXATION_SHARE):
        relaxed = solve_relaxation(session.problem, session.engine, session.deadline, session.evaluator.dominators)
    learn_from_relaxation(session, relaxed)
    if differs(session.problem) and session.ended is None:
        return learn_from_whole_decisions(session, relaxed)
    return relaxed.heaviest
