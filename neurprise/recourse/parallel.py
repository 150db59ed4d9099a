"""
The same recourse costs from several processes, of this machine or of a cluster, each with models of its own.

A question about many scenarios is split into parts, the same ones whatever the number of workers, and each part is
answered by models built anew, so that no answer depends on earlier ones. If only the worst case is
asked for, every part begins with the scenario that is most likely the worst: its cost dismisses others of that part.
Bounds of linear recourse stay in this process: earlier decisions help there more than workers would.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import WorkersError
from neurprise.parallel.workers import LastingWorkers, Workers
from neurprise.problem import TwoStageProblem
from neurprise.recourse.engine import CostBounds, PartialEvaluationError, RecourseSolver, complete_bounds
from neurprise.solvers import Engine

_log = logging.getLogger("neurprise")

#: A question is split into `PARTS` parts, unless they would be smaller than `SMALLEST_PART`.
PARTS = 8
SMALLEST_PART = 25
#: Matrix entries, over all scenarios, from which on processes are worth their start, about two seconds.
_WORTHWHILE = 5_000_000
#: A mixed-integer scenario takes about this many times as long as a linear one.
_INTEGER_WEIGHT = 20


def deserves_processes(problem: TwoStageProblem) -> bool:
    """Whether evaluating one decision takes long enough for processes to be worth their start, judged by size alone."""
    weight = _INTEGER_WEIGHT if problem.recourse.integer.any() else 1
    return bool(problem.num_scenarios * problem.recourse.matrix.nnz * weight >= _WORTHWHILE)


@dataclass(frozen=True)
class Question:
    """
    One part of a question: arguments of `RecourseSolver`.

    Parameters
    ----------
    place
        Number of the part.
    enough
        None: exact costs of all scenarios are asked for.
    seconds
        Until the deadline.
    """

    place: int
    x: Floats
    scenarios: tuple[int, ...]
    known: dict[int, float]
    enough: float | None
    seconds: float


@dataclass(frozen=True)
class Answer:
    """
    What a worker found out about one part.

    Parameters
    ----------
    upper
        Costs or upper bounds of the part's scenarios, in their order; nan where time did not suffice.
    bounds
        Scenario, lower bound and completeness as in `CostBounds`; None where exact costs were asked for.
    in_time
        False: the deadline passed.
    """

    upper: Floats
    bounds: tuple[int, float, bool] | None
    in_time: bool = True


@dataclass(frozen=True)
class RecourseWork:
    """The problem and engine of a worker; they are sent once."""

    problem: TwoStageProblem
    engine: Engine

    def __call__(self, question: Question) -> Answer:
        from neurprise.recourse.evaluator import recourse_solver  # which imports this module

        solver = recourse_solver(self.problem, self.engine)
        try:
            return _answered(solver, question, Deadline(question.seconds))
        except PartialEvaluationError as partial:
            return Answer(partial.costs[list(question.scenarios)], None, in_time=False)
        except OutOfTimeError:
            return _late(question)
        finally:
            solver.forget()


class ParallelRecourse:
    """
    Asks workers about many scenarios, and the given solver about a few.

    Parameters
    ----------
    alone
        The same in this process.
    """

    def __init__(self, problem: TwoStageProblem, engine: Engine, workers: Workers, alone: RecourseSolver) -> None:
        self._problem, self._alone = problem, alone
        self._workers = LastingWorkers(workers, RecourseWork(problem, engine))
        self._has_workers = True
        self.needs_confirmation = alone.needs_confirmation

    def costs(self, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Floats:
        parts = split(scenarios)
        answers = self._asked(x, parts, {}, None, deadline)
        if answers is None:
            return self._alone.costs(x, scenarios, deadline)
        costs = self._merged(parts, answers)
        if not all(answer.in_time for answer in answers):
            raise PartialEvaluationError(costs)
        return costs

    def bounds(
        self, x: Floats, order: Sequence[int], deadline: Deadline, known: Mapping[int, float], enough: float
    ) -> CostBounds:
        parts = split(order)
        parts = [parts[0], *((order[0], *part) for part in parts[1:])]
        integer = self._problem.recourse.integer.any()
        answers = self._asked(x, parts, known, enough, deadline) if integer else None
        if answers is None:
            return self._alone.bounds(x, order, deadline, known, enough)
        costs = self._merged(parts, answers)
        if not all(answer.in_time for answer in answers):
            raise PartialEvaluationError(costs)
        upper = np.where(np.isnan(costs), math.inf, costs)
        ended = [answer.bounds for answer in answers if answer.bounds is not None and not answer.bounds[2]]
        return CostBounds(upper, *ended[0]) if ended else complete_bounds(upper, order)

    def decision(self, x: Floats, scenario: int, deadline: Deadline) -> Floats | None:
        return self._alone.decision(x, scenario, deadline)

    def forget(self) -> None:
        self._alone.forget()

    def close(self) -> None:
        """End the workers, if there are any."""
        self._workers.close()

    def _asked(
        self,
        x: Floats,
        parts: Sequence[Sequence[int]],
        known: Mapping[int, float],
        enough: float | None,
        deadline: Deadline,
    ) -> list[Answer] | None:
        """The answers to all parts, in their order; None if this process is to answer."""
        if len(parts) == 1 or not self._has_workers:
            return None
        questions = [
            Question(place, x, tuple(part), {s: known[s] for s in part if s in known}, enough, deadline.remaining)
            for place, part in enumerate(parts)
        ]
        try:
            answers = self._workers.answers(questions, deadline.remaining)
        except WorkersError as error:
            _log.warning("evaluating in one process from now on: %s", error)
            self._has_workers = False
            return None
        return [answer or _late(question) for question, answer in zip(questions, answers, strict=True)]

    def _merged(self, parts: Sequence[Sequence[int]], answers: Sequence[Answer]) -> Floats:
        """The smallest cost or bound of any part, nan where there is none; shape (S,)."""
        costs = np.full(self._problem.num_scenarios, np.nan)
        for part, answer in zip(parts, answers, strict=True):
            costs[list(part)] = np.fmin(costs[list(part)], answer.upper)
        return costs


def split(order: Sequence[int]) -> list[tuple[int, ...]]:
    """The scenarios in parts of about equal size, each with its share of those that come first."""
    number = min(PARTS, max(1, len(order) // SMALLEST_PART))
    return [tuple(order[first::number]) for first in range(number)]


def _late(question: Question) -> Answer:
    return Answer(np.full(len(question.scenarios), np.nan), None, in_time=False)


def _answered(solver: RecourseSolver, question: Question, deadline: Deadline) -> Answer:
    places: Any = list(question.scenarios)
    if question.enough is None:
        return Answer(solver.costs(question.x, question.scenarios, deadline)[places], None)
    found = solver.bounds(question.x, question.scenarios, deadline, question.known, question.enough)
    return Answer(found.upper[places], (found.scenario, found.lower, found.complete))
