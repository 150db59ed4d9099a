"""
Several reduced problems at once, in processes of this machine that receive the problem once.

Each is solved by a model built anew, so that the answers depend neither on who solves what nor on how many there are.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from neurprise.arrays import Floats
from neurprise.errors import WorkersError
from neurprise.evaluate import Evaluator
from neurprise.exact import reduced_solver
from neurprise.exact.master import MasterResult
from neurprise.exact.objective_cuts import ObjectiveCut
from neurprise.parallel.pools import Pool, Workers
from neurprise.parallel.units import completed_in
from neurprise.problem import TwoStageProblem
from neurprise.solvers import Engine, Limits, is_ours

_log = logging.getLogger("neurprise")

#: Integer variables of a reduced problem with one scenario from which on processes are worth their start.
WORTHWHILE_INTEGERS = 60


@dataclass(frozen=True)
class ReducedProblem:
    """
    V(R) to be solved: arguments of `ReducedSolver.solve`, and the cuts that all of them keep.

    Parameters
    ----------
    place
        Number of the question.
    asked_at
        When, by the clock that all processes of a machine share: the time limit counts while workers start, too.
    """

    place: int
    scenarios: tuple[int, ...]
    limits: Limits
    start: Floats | None
    cuts: tuple[ObjectiveCut, ...]
    asked_at: float = field(default_factory=time.monotonic)

    @property
    def limits_now(self) -> Limits:
        """The limits with the seconds that are left of them."""
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


class SolversAtOnce:
    """
    Workers for reduced problems, started when several are first asked for at once.

    `number` says how many at once are worth it: 1 where the family lists its decisions or masters are small.
    """

    def __init__(self, problem: TwoStageProblem, engine: Engine, jobs: int) -> None:
        self._problem, self._engine = problem, engine
        self.number = jobs if jobs > 1 and is_ours(engine) and pays(problem) else 1

    @cached_property
    def _pool(self) -> Pool:
        return Workers(self.number).pool(ReducedWork(self._problem, self._engine))

    def solve(self, asked: Sequence[ReducedProblem]) -> list[MasterResult] | None:
        """The answers in the order of the questions; None where the workers cannot be had."""
        try:
            answers = {question.place: answer for question, answer in completed_in(self._pool, asked)}
        except WorkersError as error:
            _log.warning("solving one reduced problem at a time from now on: %s", error)
            self.close()
            self.number = 1
            return None
        return [answers[question.place] for question in asked]

    def close(self) -> None:
        """End the workers, if there are any."""
        if "_pool" in self.__dict__:
            self.__dict__.pop("_pool").close(at_once=True)


def pays(problem: TwoStageProblem) -> bool:
    """Whether reduced problems take so long that processes are worth their start; a rule of sizes only."""
    integers = int(problem.first_stage.integer.sum()) + int(problem.recourse.integer.sum())
    return problem.first_stage_list is None and integers >= WORTHWHILE_INTEGERS
