"""
Decisions to begin with, so that something can be returned however soon a search ends.

What the relaxation rounds to, else a trivial one. Where none of them survives every scenario, the search itself looks
for one that does before all else.
"""

from __future__ import annotations

import math

from neurprise.arrays import Floats
from neurprise.search.convergence import Status
from neurprise.search.evident_decisions import simple_decisions
from neurprise.search.relaxation import Relaxation
from neurprise.search.session import SearchSession

#: Of the time that is left, this share goes into decisions to begin with.
FIRST_DECISION_SHARE = 0.2
#: Of which each candidate gets this share of the rest.
CANDIDATE_SHARE = 0.4
#: After an interrupt decisions to begin with are looked for as if so many seconds were left.
SECONDS_AFTER_AN_INTERRUPT = 5.0


def learn_from_relaxation(session: SearchSession, relaxed: Relaxation) -> None:
    """
    Give a session what the relaxation proved: its bound, its cuts, and its decision where whole numbers keep the rows.

    The cuts stand for scenarios that have no copy in a reduced problem, so that its decision is sensible there too.
    """
    if relaxed.interrupted:
        session.ended = Status.INTERRUPTED
    if session.relaxation is not relaxed:
        session.solves_besides += relaxed.num_solves
    session.relaxation = relaxed
    session.prove(relaxed.bound, relaxed.scenarios)
    for cut in relaxed.cuts:
        if cut.scenario not in session.cut_scenarios:
            session.add_cut(cut)
    with session.share_of_time(1.0, most=SECONDS_AFTER_AN_INTERRUPT if relaxed.interrupted else None):
        admit_first_decision(session, relaxed.x)


def admit_first_decision(session: SearchSession, relaxed: Floats | None) -> None:
    """Evaluate simple decisions until one survives every scenario, within a share of the time."""
    with session.share_of_time(FIRST_DECISION_SHARE):
        for x in simple_decisions(session.problem.first_stage, relaxed):
            if math.isfinite(session.worst_case) or session.deadline.passed:
                return
            # A tight decision may be hard to evaluate, a trivial one is not.
            with session.share_of_time(CANDIDATE_SHARE):
                session.admit_known([x])
