"""
The search on few scenarios, lifted by the relaxed recourse of all others.

Many decisions are equally good for the kept scenarios R, and most of them are poor elsewhere. Here the adversary may
name any scenario. One in R gets a copy of its recourse. Any other gets the cut that its linear relaxation proves. So

    V(R) <= V'(R) <= V(all),

and the bound rises together with the answer. A scenario outside R never gets a copy: reduced problems stay small.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import OutOfTimeError
from neurprise.errors import InfeasibleProblemError
from neurprise.search.ccg import ColumnAndConstraintGeneration, SearchOutcome, outcome
from neurprise.search.cuts import RelaxedRecourse
from neurprise.search.session import SearchSession, Status

#: Reduced problems that are solved at most, with linear and with integer recourse: those with integers take longer,
#: and repairs improve their answers as well.
MOST_LINEAR, MOST_INTEGER = 12, 6
#: Cuts that are made at the first decision: each is a linear program, and a dense row in every reduced problem.
MOST_CUTS = 20


class LiftedSearch(ColumnAndConstraintGeneration):
    """
    Column-and-constraint generation that copies only the kept scenarios; the others are present by cuts.

    Parameters
    ----------
    kept
        R, the scenarios that may have a copy.
    """

    def __init__(self, session: SearchSession, kept: Sequence[int], *, gap: float) -> None:
        super().__init__(session, gap=gap, waits=False)
        self._kept = frozenset(kept)
        self._recourse = RelaxedRecourse(session.problem, session.engine)
        self._masters_left = MOST_INTEGER if session.problem.recourse.integer.any() else MOST_LINEAR
        self._grew = True

    def improve(self, own: Floats, copied: Sequence[int]) -> SearchOutcome:
        """
        Search for decisions that are better on all scenarios than the best one known.

        Parameters
        ----------
        own
            The reduced problem's own decision, shape (n,); the first cuts are made there, of the scenarios outside R
            that cost it most.
        copied
            Scenarios of R to begin with.
        """
        session = self._session
        try:
            self._cut(own, self._worst_for(own), copied)
            return self.run(copied)
        except OutOfTimeError:
            return outcome(session, copied, Status.TIME_LIMIT)
        except InfeasibleProblemError:  # proved by the cuts; the answer, which has no recourse somewhere, says so too
            return outcome(session, copied, Status.REDUCED)

    def _worst_for(self, x: Floats) -> list[int]:
        """The scenarios outside R that cost x most; may raise OutOfTimeError."""
        pool = self._session.pool
        totals = pool.totals[pool.add(x, self._session.deadline, enough=math.inf)]
        worst_first = np.argsort(-totals, kind="stable").tolist()
        return [s for s in worst_first[: MOST_CUTS + len(self._kept)] if s not in self._kept][:MOST_CUTS]

    def _step(self, scenarios: list[int], max_scenarios: int | None) -> Status | None:
        if self._masters_left == 0:
            return Status.REDUCED
        self._masters_left -= 1
        to_the_end = self._master_gap <= self._gap
        status = super()._step(scenarios, max_scenarios)
        # Relaxations say no more about what an exact reduced problem found.
        return Status.REDUCED if status is None and to_the_end and not self._grew else status

    def _add(self, scenarios: list[int], new: Sequence[int], found: Sequence[int]) -> bool:
        copied = [s for s in new if s in self._kept]
        scenarios += copied
        others = [s for s in new if s not in self._kept]
        cut = bool(others and found) and self._cut(self._session.pool.member(found[0]), others, scenarios)
        self._grew = bool(copied) or cut
        if not self._grew:  # a loose reduced problem would find the same decision again
            self._master_gap = min(self._master_gap, self._gap / 2)
        return self._grew

    def _stalled(self) -> Status:
        return Status.REDUCED

    def _cut(self, x: Floats, scenarios: Sequence[int], copied: Sequence[int]) -> bool:
        """Cuts of these scenarios where x costs more than reduced problems know; whether there are any."""
        session = self._session
        place = session.pool.add(x, session.deadline, enough=session.worst_case)
        known = session.pool.worst_of(place, copied, session.deadline) - session.evaluator.first_cost(x)
        known = max([known, *(cut.value(x) for cut in session.cuts if cut.of_cost)])
        news = [
            cut
            for cut in self._recourse.cuts(x, scenarios, session.deadline)
            if cut.excess(x, known) > session.pool.margin(known)
        ]
        for cut in news:
            session.add_cut(cut)
        return bool(news)
