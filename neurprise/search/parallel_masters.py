"""
Several reduced problems at once, in processes of this machine or of a cluster that receive the problem once.

Each is solved by a model built anew, so that the answers depend neither on who solves what nor on how many there are.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from neurprise.arrays import Floats
from neurprise.errors import WorkersError
from neurprise.parallel.workers import LastingWorkers, Workers
from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.cuts import ObjectiveCut
from neurprise.search.master import MasterResult
from neurprise.search.session import SearchSession, reduced_solver
from neurprise.solvers import Engine, EngineStatus, Limits, is_ours

_log = logging.getLogger("neurprise")

#: Integer variables of a reduced problem with one scenario from which on processes are worth their start.
WORTHWHILE_INTEGERS = 60
#: In the place of an answer that did not come in time.
_LATE = MasterResult(EngineStatus.TIME_LIMIT, math.inf, -math.inf, None)


@dataclass(frozen=True)
class ReducedProblem:
    """
    V(R) to be solved: arguments of `ReducedSolver.solve`, and the cuts that all of them keep.

    Parameters
    ----------
    place
        Number of the question.
    asked_at
        When, by the clock that all processes of a machine share: the time limit counts while workers start, too. None
        for workers elsewhere, where it counts from the start of the solve; who asks does not wait longer either way.
    """

    place: int
    scenarios: tuple[int, ...]
    limits: Limits
    start: Floats | None
    cuts: tuple[ObjectiveCut, ...]
    asked_at: float | None = field(default_factory=time.monotonic)

    @property
    def limits_now(self) -> Limits:
        """The limits with the seconds that are left of them."""
        if self.asked_at is None:
            return self.limits
        left = self.limits.time_limit - (time.monotonic() - self.asked_at)
        return replace(self.limits, time_limit=max(left, 0.0))


@dataclass(frozen=True)
class ReducedWork:
    """What a worker holds."""

    problem: TwoStageProblem
    engine: Engine

    def __call__(self, asked: ReducedProblem) -> MasterResult:
        solver = reduced_solver(Evaluator(self.problem, self.engine), self.engine)
        for cut in asked.cuts:
            solver.add_cut(cut)
        return solver.solve(asked.scenarios, asked.limits_now, asked.start)


class ParallelMasters:
    """
    Solves several reduced problems of one session at the same time; its workers start at the first question.

    `number` says how many at once are worth it: 1 where the family lists its decisions or masters are small.
    """

    def __init__(self, session: SearchSession, workers: Workers) -> None:
        self._session = session
        self._share_our_clock = workers.cluster is None
        self._workers = LastingWorkers(workers, ReducedWork(session.problem, session.engine))
        worthwhile = workers.at_once > 1 and is_ours(session.engine) and deserves_processes(session.problem)
        self.number = workers.at_once if worthwhile else 1

    def solve(self, sets: Sequence[Sequence[int]], limits: Sequence[Limits]) -> list[MasterResult]:
        """`solve_reduced` of the session for each R with its limits, in their order."""
        session = self._session
        found = self._found(sets, limits) if len(sets) > 1 and self.number > 1 else None
        if found is None:
            return [session.solve_reduced(*each) for each in zip(sets, limits, strict=True)]
        session.count_solves(len(found))
        return [session.accepted(result, scenarios) for result, scenarios in zip(found, sets, strict=True)]

    def close(self) -> None:
        """End the workers, if there are any."""
        self._workers.close()

    def _found(self, sets: Sequence[Sequence[int]], limits: Sequence[Limits]) -> list[MasterResult] | None:
        """The workers' answers; None where there are no workers to be had."""
        asked = [self._question(place, *each) for place, each in enumerate(zip(sets, limits, strict=True))]
        try:
            seconds = max(question.limits.time_limit for question in asked)
            answers: list[MasterResult | None] = self._workers.answers(asked, seconds)
        except WorkersError as error:
            _log.warning("solving one reduced problem at a time from now on: %s", error)
            self.number = 1
            return None
        return [answer or _LATE for answer in answers]

    def _question(self, place: int, scenarios: Sequence[int], limits: Limits) -> ReducedProblem:
        session = self._session
        start, cuts = session.start_for(scenarios), session.cuts
        question = ReducedProblem(place, tuple(scenarios), limits.until(session.deadline), start, cuts)
        return question if self._share_our_clock else replace(question, asked_at=None)


def deserves_processes(problem: TwoStageProblem) -> bool:
    """Whether reduced problems take so long that processes are worth their start; a rule of sizes only."""
    integers = int(problem.first_stage.integer.sum()) + int(problem.recourse.integer.sum())
    return problem.first_stage_list is None and integers >= WORTHWHILE_INTEGERS
