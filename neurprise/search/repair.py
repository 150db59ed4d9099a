"""
Decisions of masters made good everywhere: what they opened stays open, more is opened where scenarios need it.

A master knows its own scenarios only, and its decision may leave others without recourse. With its integers as lower
bounds, a model of the few scenarios that fail or cost most has little left to decide. Scenarios join it until none is
missing. Decisions are evaluated like any other; nothing is proved.
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
from neurprise.solvers import Limits, Purpose

#: Repairs get so many seconds where no decision is known, and this share of the time of the search; one decision at
#: most this share of the seconds that remain.
FIRST_SECONDS, SHARE, REMAINING_SHARE = 0.5, 0.25, 0.4
#: One model is solved to this gap, and for at most this share of the seconds that are left for repairs.
GAP, MODEL_SHARE = 0.01, 0.5
#: Scenarios that join the model of one decision, at most.
MOST_SCENARIOS = 30


def is_repairable(session: SearchSession) -> bool:
    """Whether decisions have integers to keep, and no family that finds decisions itself."""
    return bool(session.problem.first_stage.integer.any()) and not session.evaluator.has_oracle


class Repair:
    """
    Repairs decisions of one search, within a share of its time.

    Parameters
    ----------
    session
        Its pool is improved, its deadline is kept.
    """

    def __init__(self, session: SearchSession) -> None:
        self._session = session
        self._form = ExtensiveForm(session.problem)
        self._seconds = 0.0
        self._scenarios: list[int] = []

    def run(self, place: int) -> list[int]:
        """
        Repair this member of the pool until no scenario is missing, nothing better is found, or time is over.

        The scenarios that were missing, in the order in which they were found.
        """
        deadline, pool = self._session.deadline, self._session.pool
        begun, x = deadline.elapsed, pool.member(place)
        scenarios = self._scenarios[-MOST_SCENARIOS // 2 :]  # what the last decision lacked, this one may lack too
        known = len(scenarios)
        first = 0.0 if math.isfinite(self._session.worst_case) else FIRST_SECONDS
        left = max(0.0, first + SHARE * begun - self._seconds)
        with deadline.share(REMAINING_SHARE, most=left), suppress(OutOfTimeError):
            while len(scenarios) < MOST_SCENARIOS and not deadline.passed:
                missing = pool.missing(place, scenarios, deadline)
                if missing is None:
                    break
                scenarios.append(missing)
                found = self._solved(x, scenarios)
                if found is None:
                    break
                place = pool.add(found, deadline, enough=self._session.worst_case)
        self._scenarios = scenarios
        self._seconds += deadline.elapsed - begun
        return scenarios[known:]

    def _solved(self, x: Floats, scenarios: Sequence[int]) -> Floats | None:
        """The best decision for these scenarios with integers of at least x; None where none is better than known."""
        session, first = self._session, self._session.problem.first_stage
        model = self._form.model(scenarios)
        lower = model.lower.copy()
        lower[: len(x)] = np.where(first.integer, np.clip(x, first.lower, first.upper), first.lower)
        limits = Limits(gap=GAP, cutoff=session.worst_case, purpose=Purpose.ANSWER)
        with session.deadline.share(MODEL_SHARE):
            limits = self._form.scale.limits(limits).until(session.deadline)
        result = session.engine.solve(replace(model, lower=lower), limits)
        return None if result.values is None else self._form.first_stage_of(result.values)
