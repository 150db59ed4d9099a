"""
What relaxed decisions round to, for the pool of a search on few scenarios.

Many decisions are equally good for the few; the best of them by its true worst case is returned. Relaxed decisions were
met with all scenarios in sight, and what they round up to is dear but safe.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import OutOfTimeError
from neurprise.problem.stages import FirstStage
from neurprise.search.relaxation import Relaxation
from neurprise.search.session import SearchSession
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

#: The best decision and those met last, so many in all, are rounded.
NUM_ROUNDED = 4
#: Of the remaining time, at most this share goes into evaluating what they round to.
ROUNDING_SHARE = 0.2


def admit_roundings(session: SearchSession, relaxed: Relaxation) -> None:
    """Evaluate each until a scenario shows that it is no better than the best so far."""
    first = session.problem.first_stage
    with session.share_of_time(ROUNDING_SHARE), suppress(OutOfTimeError):
        for x in roundings(first, relaxed):
            if first.violation(x) <= FEASIBILITY_TOLERANCE:
                session.pool.add(x, session.deadline, enough=session.worst_case)


def roundings(first: FirstStage, relaxed: Relaxation) -> Iterator[Floats]:
    """The relaxed decisions rounded up and to the nearest, the best first; each of shape (n,). None if x is linear."""
    if relaxed.x is None or not first.integer.any():
        return
    for decision in [relaxed.x, *reversed(relaxed.met)][:NUM_ROUNDED]:
        near = np.round(decision, 6)  # engines miss whole numbers by their tolerance
        for whole in (np.ceil(near), np.round(near)):
            yield np.clip(np.where(first.integer, whole, decision), first.lower, first.upper)
