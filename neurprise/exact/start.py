"""Where the exact search begins on a problem of no family: at the relaxation's heaviest scenario, with its cuts."""

from __future__ import annotations

import numpy as np

from neurprise.convergence import Status
from neurprise.exact.relaxation import solve_relaxation
from neurprise.exact.session import SearchSession

#: Of a time limit, at most this share goes into the relaxation.
RELAXATION_SHARE = 0.2


def informed_start(session: SearchSession) -> list[int]:
    """The scenarios to begin with; empty where the family knows better or nothing is gained."""
    problem = session.problem
    discrete = problem.first_stage.integer.any() or problem.recourse.integer.any()
    if session.evaluator.has_oracle or not discrete or problem.num_scenarios == 1:
        return []
    session.say("solving the linear relaxation")
    with session.share_of_time(RELAXATION_SHARE):
        relaxed = solve_relaxation(problem, session.engine, session.deadline)
    if relaxed.interrupted:
        session.ended = Status.INTERRUPTED
    session.prove(relaxed.bound, relaxed.scenarios)
    for cut in relaxed.cuts:
        session.add_cut(cut)
    if relaxed.x is not None:
        whole = np.where(problem.first_stage.integer, np.round(relaxed.x), relaxed.x)
        session.admit_known([whole])
    return [int(np.argmax(relaxed.weights))] if relaxed.weights.any() else []
