"""
The problem with continuous recourse but whole first-stage decisions, where the true one has integers in both stages.

Its masters have the integers of the first stage only, and its evaluations are linear programs. Where the recourse is
nearly integral its bound is close to the optimum, and its decisions are good.
"""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import InfeasibleProblemError
from neurprise.infeasible.search import no_decision
from neurprise.problem import TwoStageProblem
from neurprise.search.ccg import ColumnAndConstraintGeneration, SearchOutcome
from neurprise.search.convergence import Status
from neurprise.search.first_decisions import FIRST_DECISION_SHARE, learn_from_relaxation
from neurprise.search.relaxation import RELAXATION_GAP, Relaxation, relaxed
from neurprise.search.session import SearchSession

#: Of the time that is left, at most this share goes into it.
WHOLE_SHARE = 0.2
#: So many of its decisions, the best ones, are evaluated with the true recourse.
NUM_EVALUATED = 5


def differs(problem: TwoStageProblem) -> bool:
    """Whether it is worth solving: x is whole, so that masters are small, and y is not continuous anyway."""
    return bool(problem.first_stage.integer.all() and problem.recourse.integer.any())


def learn_from_whole_decisions(session: SearchSession, known: Relaxation) -> list[int]:
    """Give a session the bound and the decisions that continuous recourse leads to; the scenarios that this needed."""
    session.say("solving with continuous recourse")
    with session.share_of_time(WHOLE_SHARE):
        inner = SearchSession(
            relaxed(session.problem, first_stage=False),
            session.engine,
            session.deadline,
            explains=False,
            known_dominators=session.evaluator.dominators,
        )
        learn_from_relaxation(inner, known)
        found = _solved(session, inner, known)
    session.solves_besides += inner.num_solves - known.num_solves  # the others are counted already
    if found.status is Status.INTERRUPTED:
        session.ended = Status.INTERRUPTED
    session.prove(found.lower_bound, found.bound_scenarios)
    with session.share_of_time(FIRST_DECISION_SHARE):
        for x, value in _best_decisions(inner):
            if value < session.worst_case:
                session.admit_known([x])
    return list(found.scenarios)


def _solved(session: SearchSession, inner: SearchSession, known: Relaxation) -> SearchOutcome:
    try:
        # Half the usual gap: a decision that is optimal here and there then closes the usual one.
        return ColumnAndConstraintGeneration(inner, gap=RELAXATION_GAP / 2, waits=False).run(known.heaviest)
    except InfeasibleProblemError as error:
        raise no_decision(session.problem, error.scenarios, session.engine, session.deadline) from None


def _best_decisions(inner: SearchSession) -> list[tuple[Floats, float]]:
    """The best decisions met, each of shape (n,), and what each costs at least in its worst case."""
    worst = inner.pool.totals.max(axis=1, initial=-np.inf)
    best_first = [int(place) for place in np.argsort(worst, kind="stable") if np.isfinite(worst[place])]
    return [(inner.pool.member(place), float(worst[place])) for place in best_first[:NUM_EVALUATED]]
