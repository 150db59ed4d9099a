"""
Where the exact search begins on a problem of no family: at the relaxation's heaviest scenario, with its cuts.

And with a decision, so that something can be returned however soon the search ends: what the relaxation rounds to, else
a trivial one. Where none of them survives every scenario, the search itself looks for one that does before all else.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator

import numpy as np

from neurprise.arrays import Floats
from neurprise.convergence import Status
from neurprise.exact.relaxation import Relaxation, solve_relaxation
from neurprise.exact.session import SearchSession
from neurprise.problem import TwoStageProblem
from neurprise.stages import FirstStage

_log = logging.getLogger("neurprise")

#: Extensive forms with at most so many matrix entries, without and with integer columns, and so many of these, are
#: solved at once; chosen on the instances of `benchmarks.published`.
SMALL_LINEAR, SMALL_MIXED, FEW_INTEGERS = 10_000, 5_000, 250
#: Of a time limit, at most this share goes into the relaxation.
RELAXATION_SHARE = 0.2
#: And this share of what is left into decisions to begin with.
FIRST_DECISION_SHARE = 0.2
#: Of which each candidate gets this share of the rest.
CANDIDATE_SHARE = 0.4


def learn_from_relaxation(session: SearchSession, relaxed: Relaxation) -> None:
    """
    Give a session what the relaxation proved: its bound, its cuts, and its decision where whole numbers keep the rows.

    The cuts stand for scenarios that have no copy in a reduced problem, so that its decision is sensible there too.
    """
    if relaxed.interrupted:
        session.ended = Status.INTERRUPTED
    session.relaxation = relaxed
    session.prove(relaxed.bound, relaxed.scenarios)
    for cut in relaxed.cuts:
        if cut.scenario not in session.cut_scenarios:
            session.add_cut(cut)
    admit_first_decision(session, relaxed.x)


def informed_start(session: SearchSession) -> list[int]:
    """The scenarios to begin with; empty where the family knows better or nothing is gained."""
    problem = session.problem
    if session.evaluator.has_oracle:
        return []
    undominated = [int(s) for s in np.unique(session.evaluator.dominators)]
    if _is_small(problem, len(undominated)):
        _log.info("solving the extensive form of %d scenarios at once", len(undominated))
        return undominated
    if not _num_integers(problem, 1):
        return []
    session.say("solving the linear relaxation")
    with session.share_of_time(RELAXATION_SHARE):
        relaxed = solve_relaxation(problem, session.engine, session.deadline)
    learn_from_relaxation(session, relaxed)
    return [int(np.argmax(relaxed.weights))] if relaxed.weights.any() else []


def _is_small(problem: TwoStageProblem, num_scenarios: int) -> bool:
    """Whether one model of so many scenarios is solved sooner than a few of them are found."""
    entries = num_scenarios * (problem.recourse.matrix.nnz + problem.recourse.technology.nnz)
    integers = _num_integers(problem, num_scenarios)
    if num_scenarios == 1:
        return True
    return entries <= (SMALL_LINEAR if integers == 0 else SMALL_MIXED) and integers <= FEW_INTEGERS


def _num_integers(problem: TwoStageProblem, num_scenarios: int) -> int:
    """Integer columns of the extensive form."""
    return int(problem.first_stage.integer.sum() + num_scenarios * problem.recourse.integer.sum())


def admit_first_decision(session: SearchSession, relaxed: Floats | None) -> None:
    """Evaluate simple decisions until one survives every scenario, within a share of the time."""
    with session.share_of_time(FIRST_DECISION_SHARE):
        for x in _simple_decisions(session.problem.first_stage, relaxed):
            if math.isfinite(session.worst_case) or session.deadline.passed:
                return
            with session.share_of_time(
                CANDIDATE_SHARE
            ):  # a tight decision may be hard to evaluate, a trivial one is not
                session.admit_known([x])


def _simple_decisions(first: FirstStage, relaxed: Floats | None) -> Iterator[Floats]:
    """The relaxation's decision rounded, the bounds, and it rounded up and down; each of shape (n,)."""
    if relaxed is not None:
        yield np.where(first.integer, np.round(relaxed), relaxed)
    for bounds in (first.lower, first.upper):
        yield np.where(np.isfinite(bounds), bounds, 0.0)
    if relaxed is not None:
        for rounding in (np.ceil, np.floor):
            # Engines miss whole numbers by their tolerance.
            yield np.where(first.integer, rounding(np.round(relaxed, 6)), relaxed)
