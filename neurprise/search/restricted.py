"""
The reduced problem solved by itself, and its answer made better on all scenarios.

By itself means: as `nr.solve(problem.restrict(kept))` does it. Its decision joins the pool of the search on all
scenarios, so that nothing worse is ever returned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from neurprise.clock import OutOfTimeError
from neurprise.errors import InfeasibleProblemError, UnboundedProblemError
from neurprise.search.ccg import ColumnAndConstraintGeneration, SearchOutcome, informed_start, outcome
from neurprise.search.lifting import LiftedSearch
from neurprise.search.repair import repair_best
from neurprise.search.session import Iteration, Observer, SearchSession, Status, StoppedError

#: Of the time that is left when the reduced problem is solved, this share goes into better decisions.
IMPROVING_SHARE = 0.5


def improved_on_all(session: SearchSession, kept: tuple[int, ...], gap: float) -> SearchOutcome:
    """The reduced problem's own decision, or one that is better on all scenarios, found with cuts for the others."""
    try:
        own = solved_alone(session, kept, gap)
    except UnboundedProblemError:  # other scenarios may bound what these leave open
        return ColumnAndConstraintGeneration(session, gap=gap).run(within=kept)
    if own.status not in (Status.OPTIMAL, Status.NUMERICAL_LIMIT) or own.x is None:
        return outcome(session, kept, own.status)
    with session.deadline.share(IMPROVING_SHARE):
        found = LiftedSearch(session, kept, gap=gap).improve(own.x, own.scenarios)
        if found.status is Status.REDUCED:
            repair_best(session, own.scenarios, gap)
    solved = Status.NUMERICAL_LIMIT if own.status is Status.NUMERICAL_LIMIT else Status.REDUCED
    return outcome(session, kept, solved if found.status in (Status.REDUCED, Status.TIME_LIMIT) else found.status)


def solved_alone(session: SearchSession, kept: Sequence[int], gap: float) -> SearchOutcome:
    """
    V(kept) by a search that knows these scenarios only; the outcome names scenarios as the session does.

    Whatever that search improves is evaluated on all scenarios at once, so that time may be over at any moment.
    """
    with session.time_to_evaluate():
        problem, follower = session.problem.restrict(kept), _Follower(session, kept)
        alone = SearchSession(problem, session.engine, session.deadline.part(1.0), follower)
        try:
            found = ColumnAndConstraintGeneration(alone, gap=gap).run(informed_start(alone))
        except InfeasibleProblemError as error:
            raise InfeasibleProblemError(str(error), tuple(kept[s] for s in error.scenarios)) from None
        finally:
            session.count_solves(alone.num_solves)
    session.prove(found.lower_bound, [kept[s] for s in found.bound_scenarios])
    found = replace(found, scenarios=tuple(kept[s] for s in found.scenarios), status=session.ended or found.status)
    if found.x is None:
        return found
    try:
        session.pool.add(found.x, session.deadline, enough=session.worst_case)
    except OutOfTimeError:
        return replace(found, status=Status.TIME_LIMIT)
    session.record(len(found.scenarios))
    return found


class _Follower(Observer):
    """
    Gives the session of all scenarios what the search on few has found.

    Parameters
    ----------
    session
        Of the search on all scenarios.
    kept
        The few scenarios.
    """

    def __init__(self, session: SearchSession, kept: Sequence[int]) -> None:
        self._session = session
        self._kept = kept
        self._known = (-math.inf, math.inf)

    def asks_to_stop(self, session: SearchSession, step: Iteration) -> bool:
        """Whether the search on few has to stop because that on all has."""
        known = (step.lower_bound, step.worst_case)
        if known == self._known:
            return False
        self._known = known
        everywhere = self._session
        everywhere.prove(session.lower_bound, [self._kept[s] for s in session.bound_scenarios])
        place, _ = session.pool.best()
        try:
            if place >= 0:
                x = session.pool.member(place)
                everywhere.pool.add(x, everywhere.deadline, enough=everywhere.worst_case)
            everywhere.record(step.num_scenarios)
        except (OutOfTimeError, StoppedError):
            return True
        return False
