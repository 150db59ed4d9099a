"""
Where the exact search begins on a problem of no family.

With integer recourse, at the scenarios that relaxations need, with their cuts. With linear recourse, uninformed: there
a master of one scenario is soon closer to the truth than the relaxation of all of them, as on network design.
"""

from __future__ import annotations

import logging

from neurprise.errors import counted
from neurprise.problem import TwoStageProblem
from neurprise.search.first_decisions import admit_first_decision, learn_from_relaxation
from neurprise.search.relaxation import solve_relaxation
from neurprise.search.session import SearchSession
from neurprise.search.whole_decisions import differs, learn_from_whole_decisions

_log = logging.getLogger("neurprise")

#: Extensive forms with at most so many matrix entries, without and with integer columns, and so many of these, are
#: solved at once; chosen on the instances of `python -m experiments table published`.
SMALL_LINEAR, SMALL_MIXED, FEW_INTEGERS = 10_000, 5_000, 250
#: But not where so many scenarios of linear recourse share few bases: then a search evaluates them at once.
MANY_SHARING_BASES = 100
#: Of a time limit, at most this share goes into the relaxation.
RELAXATION_SHARE = 0.2


def informed_start(session: SearchSession) -> list[int]:
    """The scenarios to begin with; empty where the family knows better or nothing is gained."""
    problem = session.problem
    if session.evaluator.has_oracle:
        return []
    undominated = session.evaluator.undominated
    is_linear = not _num_integers(problem, 1)
    many_at_once = is_linear and len(undominated) >= MANY_SHARING_BASES and session.evaluator.shares_bases
    if not many_at_once and _is_small(problem, len(undominated)):
        _log.info("solving the extensive form of %s at once", counted(len(undominated), "scenario"))
        return [int(s) for s in undominated]
    if not problem.recourse.integer.any():
        if not is_linear:  # a first master of whole decisions may take all the time there is
            admit_first_decision(session, None)
        return []
    session.say("solving the linear relaxation")
    with session.share_of_time(RELAXATION_SHARE):
        relaxed = solve_relaxation(problem, session.engine, session.deadline, session.evaluator.dominators)
    learn_from_relaxation(session, relaxed)
    if differs(problem) and session.ended is None:
        return learn_from_whole_decisions(session, relaxed)
    return relaxed.heaviest


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
