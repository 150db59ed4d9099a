"""
The reduced problem solved by itself, and its decision improved on all scenarios.

`solved_alone` solves V(R) as `nr.solve(problem.restrict(R))` does; its decision joins the pool of the search on all
scenarios. Many decisions are equally good for R, and most of them are poor elsewhere. Two ways find better ones:

**Lifting.** The adversary may name any scenario. One in R gets a copy of its recourse. Any other gets the cut that its
linear relaxation proves. So V(R) <= V'(R) <= V(all), and the bound rises together with the answer. A scenario outside R
never gets a copy: reduced problems stay small.

**Repairs.** Integer recourse may cost a whole step more if a decision leaves a little too little, and no cut of a
relaxation shows that. So the worst scenario of a decision gets a copy, one after another, and the integers of earlier
copies are fixed: each model is little larger than that of one scenario. A repair proves nothing; its decision is
evaluated on all scenarios like any other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import OutOfTimeError
from neurprise.errors import InfeasibleProblemError, UnboundedProblemError
from neurprise.search.ccg import ColumnAndConstraintGeneration, SearchOutcome, informed_start, outcome
from neurprise.search.cuts import RelaxedRecourse
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.search.session import Iteration, Observer, SearchSession, Status, StoppedError
from neurprise.solvers import EngineModel, Limits, made_exact

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


#: Scenarios that a decision is repaired for at most; few decisions change after that.
MOST_REPAIRS = 12


def repair_best(session: SearchSession, copied: Sequence[int], gap: float) -> None:
    """
    Repair the best decision of a session's pool until that helps no more.

    Parameters
    ----------
    copied
        The scenarios that it was made for.
    """
    if not session.problem.recourse.integer.any() or len(session.pool) == 0:
        return
    with suppress(OutOfTimeError):
        _Repair(session, copied, gap).run(session.pool.best()[0])


class _Repair:
    """A decision, and scenarios whose integer recourse is fixed."""

    def __init__(self, session: SearchSession, copied: Sequence[int], gap: float) -> None:
        self._session = session
        self._form = ExtensiveForm(session.problem)
        self._copied = list(copied)
        self._gap = gap

    def run(self, place: int) -> None:
        session, x = self._session, self._session.pool.member(place)
        answers = [session.evaluator.decision(x, s, session.deadline) for s in self._copied]
        self._copied = [s for s, y in zip(self._copied, answers, strict=True) if y is not None]
        fixed = [y for y in answers if y is not None]
        for _ in range(MOST_REPAIRS):
            worst = session.pool.missing(place, self._copied, session.deadline)
            if worst is None:
                return
            self._copied.append(worst)
            found = self._solved(fixed)
            if found is None:
                return
            x, fixed = found
            place = session.pool.add(x, session.deadline, enough=session.worst_case)
            session.record(len(self._copied))

    def _solved(self, fixed: Sequence[Floats]) -> tuple[Floats, list[Floats]] | None:
        """The best decision beside these recourse integers and any of the last copy; None where there is none."""
        session = self._session
        model = self._with_fixed(self._form.model(self._copied), fixed)
        worst_case = session.worst_case
        limits = Limits(gap=self._gap, cutoff=worst_case if math.isfinite(worst_case) else math.inf)
        result = session.engine.solve(model, self._form.scale.limits(limits).until(session.deadline))
        result = self._form.scale.read(made_exact(session.engine, model, result, session.deadline))
        if result.values is None or result.objective >= worst_case:
            return None
        return self._form.first_stage_of(result.values), self._form.split(result.values)[1]

    def _with_fixed(self, model: EngineModel, fixed: Sequence[Floats]) -> EngineModel:
        """The model in which the integers of the first blocks are these."""
        n = self._session.problem.num_first_stage
        lower, upper = model.lower.copy(), model.upper.copy()
        whole = np.round(np.concatenate(fixed)) if fixed else np.zeros(0)
        places = n + 1 + np.flatnonzero(np.tile(self._session.problem.recourse.integer, len(fixed)))
        lower[places] = upper[places] = whole[places - n - 1]
        return replace(model, lower=lower, upper=upper)
