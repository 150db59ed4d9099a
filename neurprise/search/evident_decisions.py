"""
Decisions that come to mind without a search: bounds, and the relaxation's decision rounded.

Where no decision has survived every scenario when a search ends, those whose recourse is evident are looked at. No
engine is needed to evaluate them, so there is an answer however soon time was over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.problem.stages import FirstStage
from neurprise.search.ccg import CUT_SHORT, SearchOutcome, outcome
from neurprise.search.session import SearchSession
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE


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
    """The same end of a search; one that was cut short without a decision gets an evident one, where there is any."""
    if found.status not in CUT_SHORT or math.isfinite(found.worst_case):
        return found
    _admit_evident_decisions(session)
    return replace(outcome(session, found.scenarios, found.status), gains=found.gains, scores=found.scores)


def _admit_evident_decisions(session: SearchSession) -> None:
    """Let the pool know the simple decisions whose costs are evident; a deadline does not keep them out."""
    first = session.problem.first_stage
    relaxed = None if session.relaxation is None else session.relaxation.x
    for x in simple_decisions(first, relaxed):
        if session.deadline.passed and math.isfinite(session.worst_case):
            return  # one will do where there are many scenarios
        if first.violations(x[None])[0] <= FEASIBILITY_TOLERANCE:
            costs = session.evaluator.evident_costs(x)
            if costs is not None:
                session.pool.add_evaluated(x, costs)
