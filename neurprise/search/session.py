"""
One search: the engine, the evaluator, the pool, the master and the clock that everything in it shares.

`solve` makes a session and hands it to the reducer and then to the exact search, so that a decision is evaluated once,
a bound that anybody proved counts for all, and there is one deadline. An engine's status becomes an exception here and
nowhere else.
"""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError, InfeasibleProblemError, UnboundedProblemError, part_of
from neurprise.infeasible.search import no_decision
from neurprise.parallel.workers import THIS_PROCESS, Workers
from neurprise.problem import TwoStageProblem
from neurprise.problem.sign import users_sign
from neurprise.recourse.engine import cost_scale
from neurprise.recourse.evaluator import Evaluator, scenarios_at_once
from neurprise.search import reduced_solver
from neurprise.search.at_once import ReducedProblem, SolversAtOnce
from neurprise.search.convergence import Iteration, Status, describe, relative_gap
from neurprise.search.cuts import ObjectiveCut
from neurprise.search.master import MasterResult, ReducedSolver
from neurprise.search.pool import Pool, ProvedBounds
from neurprise.search.state import StateFile
from neurprise.solvers import Engine, EngineStatus, Limits, get_engine
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

if TYPE_CHECKING:
    from neurprise.search.relaxation import Relaxation

_log = logging.getLogger("neurprise")

#: However long evaluations take, a master gets this share of the remaining time.
LEAST_MASTER_SHARE = 0.7
#: Before anything was evaluated, nobody knows how long that takes; this share of the time is kept for it.
FIRST_EVALUATION_SHARE = 0.1

#: What a caller may pass to see every improvement; True ends the search.
OnProgress = Callable[[Iteration], bool | None]


class StoppedError(Exception):
    """The caller's on_progress asked to stop; who catches it keeps what the session knows."""


class Listener(Protocol):
    """Shows a user how a search goes on."""

    def update(self, known: str, seconds: float) -> None:
        """What is known now, in words, so many seconds after the search began."""

    def say(self, activity: str) -> None:
        """What is being done now, in a few words; called often."""


class SearchSession:
    """
    What one search on one problem knows so far.

    Parameters
    ----------
    problem
        What is solved; kept as `given_problem`, while `problem` has its rows in units that suit an engine.
    engine
        Solves the reduced problems, and the recourse where the family has no oracle.
    deadline
        When the search ends in any case.
    listener
        Told every line of the convergence history and what is being done.
    on_progress
        Called whenever the bound or the best worst case is better than before; True ends the search.
    explains
        Whether an InfeasibleProblemError says why; False where somebody else will say it better.
    workers
        Those that share long evaluations and solve reduced problems at the same time; `close` ends them.
    known_dominators
        As for an `Evaluator`.
    """

    def __init__(
        self,
        problem: TwoStageProblem,
        engine: str | Engine = "highs",
        deadline: Deadline | None = None,
        listener: Listener | None = None,
        on_progress: OnProgress | None = None,
        *,
        explains: bool = True,
        workers: Workers = THIS_PROCESS,
        known_dominators: Ints | None = None,
    ) -> None:
        self.given_problem = problem
        self.engine = get_engine(engine)
        self.unit = cost_scale(problem).unit
        self.deadline = deadline or Deadline()
        self.evaluator = Evaluator(problem, self.engine, workers=workers, known_dominators=known_dominators)
        self.evaluator.say = self.say
        self.problem = self.evaluator.problem
        self.pool = Pool(self.evaluator)
        self.bounds = ProvedBounds(self.pool, self.unit)
        self.cut_scenarios: set[int] = set()
        self.iterations: list[Iteration] = []
        self.ended: Status | None = None
        self.scenarios: tuple[int, ...] = ()
        self.relaxation: Relaxation | None = None
        self.state_file: StateFile | None = None
        self.target = -math.inf
        self.solves_besides = 0
        self._listener = listener
        self._on_progress = on_progress
        self._explains = explains
        self._solvers = SolversAtOnce(self.problem, self.engine, workers)
        self._cuts: list[ObjectiveCut] = []
        self._announced = (-math.inf, math.inf)
        self._evaluation_seconds = 0.0
        self.seconds_per_scenario = 0.0

    @cached_property
    def master(self) -> ReducedSolver:
        """Solves V(R) for any R; made when first needed."""
        return reduced_solver(self.evaluator, self.engine)

    @property
    def num_solves(self) -> int:
        """Models over x given to the engine so far: reduced and relaxed problems, and what reducers solve besides."""
        return self.solves_besides + (self.master.num_solves if "master" in self.__dict__ else 0)

    @property
    def lower_bound(self) -> float:
        """The largest bound that was proved."""
        return self.bounds.best[0]

    @property
    def bound_scenarios(self) -> tuple[int, ...]:
        """The scenarios whose V it bounds."""
        return self.bounds.best[1]

    @property
    def worst_case(self) -> float:
        """Best attained worst case so far."""
        return self.pool.best()[1]

    @property
    def reached_target(self) -> bool:
        """Whether the regret proved so far is at most `target`, relative to the optimum; without one, never."""
        return relative_gap(self.worst_case, self.lower_bound, self.unit) <= self.target

    def go_on_from(self, path: Path) -> None:
        """Know what the file holds of an earlier search on this problem, and keep it up to date from now on."""
        file = StateFile(path, self.problem)
        try:
            file.before.give_to(self)
        except BaseException:  # the file stays as it is
            file.close()
            raise
        self.state_file = file

    def close(self) -> None:
        """End what was started for this search only, and store where it stands."""
        self.evaluator.close()
        self._solvers.close()
        if self.state_file is not None:
            self.state_file.save(self, at_once=True)
            self.state_file.close()
            self.state_file = None

    def say(self, activity: str) -> None:
        """Tell the listener what is being done now, in a few words."""
        if self._listener is not None:
            self._listener.say(activity)

    def shown(self, cost: float) -> str:
        """A cost as users read it: the profit of a maximisation."""
        return f"{users_sign(cost, self.problem.maximize):,.6g}"

    def follow(self, on_progress: OnProgress) -> None:
        """Call this from now on whenever the bound or the best worst case is better than before."""
        self._on_progress = on_progress

    @contextmanager
    def share_of_time(self, share: float, most: float | None = None) -> Iterator[None]:
        """Inside, the deadline is that share of the remaining time away, and at most `most` seconds."""
        whole = self.deadline
        self.deadline = whole.part(share, most)
        try:
            yield
        finally:
            self.deadline = whole

    @contextmanager
    def time_to_evaluate(self) -> Iterator[None]:
        """Inside, the deadline leaves as many seconds for evaluating what is found as that has taken before."""
        remaining, kept = self.deadline.remaining, self._evaluation_seconds
        if kept == 0.0 and len(self.pool) == 0 and math.isfinite(remaining):
            kept = FIRST_EVALUATION_SHARE * remaining
        with self.share_of_time(1.0, most=max(remaining - kept, LEAST_MASTER_SHARE * remaining)):
            yield

    def solve_reduced(self, scenarios: Sequence[int], limits: Limits) -> MasterResult:
        """
        V(R) for R = scenarios, from the best decision known for R; what it proves counts for the whole search.

        Raises InfeasibleProblemError where R leaves no decision; an unbounded R has the value -inf.
        """
        self._announce(len(scenarios))
        known, _ = self.pool.best(scenarios)
        start = None if known < 0 else self.pool.member(known)
        return self._accepted(self.master.solve(scenarios, limits.until(self.deadline), start), scenarios)

    @property
    def reduced_at_once(self) -> int:
        """How many reduced problems are worth being solved at the same time."""
        return self._solvers.number

    def solve_reduced_each(self, sets: Sequence[Sequence[int]], limits: Sequence[Limits]) -> list[MasterResult]:
        """`solve_reduced` for several R, at the same time where there are workers for it; answers in their order."""
        found = None
        if len(sets) > 1 and self.reduced_at_once > 1:
            found = self._solvers.solve(
                [self._asked(place, *each) for place, each in enumerate(zip(sets, limits, strict=True))]
            )
        if found is None:
            return [self.solve_reduced(*each) for each in zip(sets, limits, strict=True)]
        self.solves_besides += len(found)
        return [self._accepted(result, scenarios) for result, scenarios in zip(found, sets, strict=True)]

    def _asked(self, place: int, scenarios: Sequence[int], limits: Limits) -> ReducedProblem:
        known, _ = self.pool.best(scenarios)
        start = None if known < 0 else self.pool.member(known)
        return ReducedProblem(place, tuple(scenarios), limits.until(self.deadline), start, tuple(self._cuts))

    def _accepted(self, result: MasterResult, scenarios: Sequence[int]) -> MasterResult:
        """What a reduced problem proved counts; raises where it shows that there is nothing to decide."""
        if result.status is EngineStatus.INFEASIBLE:
            self._refuse_infeasible(scenarios)
        if result.status is EngineStatus.UNBOUNDED and len(scenarios) == self.problem.num_scenarios:
            self.refuse_unbounded()
        self.prove(result.bound, [*scenarios, *self.cut_scenarios])
        return result

    @property
    def cuts(self) -> tuple[ObjectiveCut, ...]:
        """The cuts of every reduced problem."""
        return tuple(self._cuts)

    @contextmanager
    def unexplained(self) -> Iterator[None]:
        """Inside, an InfeasibleProblemError does not say why."""
        before, self._explains = self._explains, False
        try:
            yield
        finally:
            self._explains = before

    def add_cut(self, cut: ObjectiveCut) -> None:
        """Keep a bound on some scenario's recourse cost in every reduced problem from now on."""
        self.master.add_cut(cut)
        self._cuts.append(cut)
        self.cut_scenarios.add(cut.scenario)

    def prove(self, bound: float, scenarios: Sequence[int]) -> None:
        """Somebody proved that V(scenarios) >= bound, so that V(all) is; that there is no decision, engines say."""
        self.bounds.add(self._whole(bound), scenarios)

    def admit(self, result: MasterResult, enough: float | None = None) -> list[int]:
        """
        Evaluate what a reduced problem found; places in the pool. May raise OutOfTimeError.

        Parameters
        ----------
        enough
            A scenario with at least this total cost ends the evaluation of a decision; None evaluates to the end.
        """
        before = self.deadline.elapsed
        places = self.pool.admit(result, self.deadline, enough)
        self._evaluation_seconds = max(self._evaluation_seconds, self.deadline.elapsed - before)
        if places:
            known = max(1, int(np.count_nonzero(self.pool.totals[places[0]] < np.inf)))
            self.seconds_per_scenario = (self.deadline.elapsed - before) / known
        if self.worst_case == -math.inf:
            self.refuse_unbounded()
        return places

    def admit_known(self, decisions: Sequence[Floats]) -> None:
        """Evaluate first-stage decisions known from elsewhere, as time allows; infeasible ones are ignored."""
        distinct = list({x.tobytes(): x for x in decisions}.values())  # scenarios often share one
        if not distinct:
            return
        feasible = self.problem.first_stage.violations(np.array(distinct)) <= FEASIBILITY_TOLERANCE
        with suppress(OutOfTimeError):
            for x in compress(distinct, feasible):
                self.pool.add(x, self.deadline)

    def single_values(self) -> Floats | None:
        """
        V({s}) for all s, shape (S,), where the family knows them; nan for those that time did not suffice for.

        The family is asked in parts, so that limits and interrupts are heard; the first part is answered even when
        time is over.
        """
        alone, total = self.problem.single_scenarios, self.problem.num_scenarios
        if alone is None:
            return None
        at_once = scenarios_at_once(alone)
        if total <= at_once:
            return alone.values()
        values = np.full(total, np.nan)
        for start in range(0, total, at_once):
            if start and self.deadline.passed:
                break
            self.say(f"V({{s}}) known in {part_of(start, total, 'scenario')}")
            part = self.problem.restrict(range(start, min(start + at_once, total))).single_scenarios
            if part is not None:
                values[start : start + at_once] = part.values()
        return values

    def adversary(self, place: int, scenarios: Sequence[int], among: Sequence[int] | None = None) -> int | None:
        """
        The scenario outside R that costs this decision more than all of R does; None if there is none.

        Of several that leave it without recourse, the most severe one. Of a decision that was not evaluated to the end
        the scenario that was bad enough.

        Parameters
        ----------
        among
            The scenarios that count; None for all.
        """
        counting = np.arange(self.problem.num_scenarios) if among is None else np.asarray(among, dtype=np.int64)
        others = np.setdiff1d(counting, scenarios)
        if len(others) == 0:
            return None
        suspect = self.pool.suspect(place)
        if suspect.is_worst and among is None and suspect.scenario in others:
            # What R costs at most often tells already that this costs more.
            known = self.pool.most_over(place, scenarios)
            if suspect.total > known + self.margin(known):
                return self.pool.most_expensive(place, others)
        known = self.pool.worst_of(place, scenarios, self.deadline)
        if not suspect.is_worst and suspect.scenario in others and suspect.total > known + self.margin(known):
            return suspect.scenario  # there may be a worse one, but this decision is not worth the search
        if among is None:
            self.pool.complete(place, self.deadline)
        worst_of_others = self.pool.worst_of(place, others.tolist(), self.deadline)
        return self.pool.most_expensive(place, others) if worst_of_others > known + self.margin(known) else None

    def margin(self, cost: float) -> float:
        """By how much another cost must exceed this one to count as larger."""
        return FEASIBILITY_TOLERANCE * max(self.unit, abs(cost)) if math.isfinite(cost) else 0.0

    def record(self, num_scenarios: int) -> None:
        """One more line of the convergence history."""
        step = self._iteration(num_scenarios)
        self.iterations.append(step)
        if self.state_file is not None:
            self.state_file.save(self)
        if self._listener is not None:
            self._listener.update(describe(step, self.problem.maximize), step.seconds)
        self._announce(num_scenarios)

    def confirm_best(self) -> None:
        """Check the best decision's worst case by a fresh model, where a warm one computed it."""
        self.pool.complete(self.pool.best()[0], self.deadline)
        if self.evaluator.needs_confirmation and not self.pool.suspect(self.pool.best()[0]).is_certain:
            self.pool.confirm(self.pool.best()[0], self.deadline)
        self.bounds.drop_refuted()

    def _iteration(self, num_scenarios: int) -> Iteration:
        return Iteration(num_scenarios, self.lower_bound, self.worst_case, self.deadline.elapsed)

    def _announce(self, num_scenarios: int) -> None:
        """Let the caller see what is better than before; raises StoppedError where they ask to stop."""
        bounds = (self.lower_bound, self.worst_case)
        if self._on_progress is None or bounds == self._announced:
            return
        self._announced = bounds
        if self._asked_to_stop(self._on_progress, self._iteration(num_scenarios).in_users_sign(self.problem.maximize)):
            self.ended = Status.STOPPED
            raise StoppedError

    def _asked_to_stop(self, on_progress: OnProgress, step: Iteration) -> bool:
        try:
            return bool(on_progress(step))
        except Exception as error:  # the caller's code: whatever it raises must not cost the answer
            _log.exception("on_progress raised an exception")
            warnings.warn(
                f"on_progress raised {error!r}; the search stopped there, and its answer so far is returned.",
                RuntimeWarning,
                stacklevel=2,
            )
            return True

    @cached_property
    def _integral(self) -> bool:
        return self.problem.integral_objective

    def _whole(self, bound: float) -> float:
        """A bound on a whole-number objective holds up to the next whole number."""
        return math.ceil(bound - FEASIBILITY_TOLERANCE) if self._integral and math.isfinite(bound) else bound

    def _refuse_infeasible(self, scenarios: Sequence[int]) -> None:
        if math.isfinite(self.worst_case):
            raise EngineError("the engine calls infeasible what a known decision keeps; try another solver.")
        if not self._explains:
            raise InfeasibleProblemError("no decision is feasible.", tuple(scenarios))
        self.say("looking for the rows and bounds that conflict")
        raise no_decision(self.given_problem, scenarios, self.engine, self.deadline)

    def refuse_unbounded(self) -> NoReturn:
        """Raise the error that says so."""
        told = "profit rises" if self.problem.maximize else "cost falls"
        raise UnboundedProblemError(f"the total {told} without limit; bound the variables or check cost signs.")
