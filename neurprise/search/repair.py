"""
Decisions repaired for their worst scenarios, where relaxations cannot predict these.

Integer recourse may cost a whole step more if a decision leaves a little too little, and no cut of a relaxation shows
that. So the worst scenario of a decision gets a copy, one after another, and the integers of earlier copies are fixed:
each model is little larger than that of one scenario. It proves nothing; its decision is evaluated on all scenarios
like any other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import OutOfTimeError
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.search.session import SearchSession
from neurprise.solvers import EngineModel, Limits, made_exact

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
