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
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError, InfeasibleProblemError, UnboundedProblemError, counted
from neurprise.infeasible.search import no_decision
from neurprise.parallel.workers import THIS_PROCESS, Workers
from neurprise.problem import TwoStageProblem
from neurprise.problem.sign import users_sign
from neurprise.recourse.engine import cost_scale
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.cuts import ObjectiveCut
from neurprise.search.extensive_form import Master
from neurprise.search.master import EnumeratedMaster, MasterResult, ReducedSolver
from neurprise.search.pool import DecisionPool, ProvedBounds
from neurprise.search.state import StateFile
from neurprise.solvers import Engine, EngineStatus, Limits, get_engine
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

if TYPE_CHECKING:
    from neurprise.search.at_once import ParallelMasters
    from neurprise.search.relaxation import Relaxation

_log = logging.getLogger("neurprise")

#: However long evaluations take, a master gets this share of the remaining time.
LEAST_MASTER_SHARE = 0.7
#: Before anything was evaluated, nobody knows how long that takes; this share of the time is kept for it.
FIRST_EVALUATION_SHARE = 0.1


#: Closer values are equal, relative to their size; so are values that are this small in a cost's usual unit.
NO_DIFFERENCE = 1e-9


class Status(StrEnum):
    """Why a search stopped; only OPTIMAL claims that the requested gap is proved."""

    OPTIMAL = "optimal"
    REDUCED = "reduced"  # the reduced problem is solved; regret_bound says how good that is
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"  # the caller's on_progress asked for it
    NUMERICAL_LIMIT = "numerical limit"  # the engine's tolerances leave the rest of the gap open


@dataclass(frozen=True)
class Iteration:
    """
    One line of the convergence history.

    Parameters
    ----------
    num_scenarios
        Size of R in this master.
    lower_bound, worst_case
        Best proved bound and best attained worst case so far.
    seconds
        Wall-clock seconds since the search began.
    """

    num_scenarios: int
    lower_bound: float
    worst_case: float
    seconds: float

    def in_users_sign(self, maximize: bool) -> Iteration:
        """The same line in profits, where the source was a maximisation."""
        bound, worst = users_sign(self.lower_bound, maximize), users_sign(self.worst_case, maximize)
        return replace(self, lower_bound=bound, worst_case=worst)


def relative_gap(worst_case: float, lower_bound: float, unit: float = 0.0) -> float:
    """
    (worst_case - lower_bound) / |lower_bound| where that bounds the regret (worst_case - V) / |V|, else inf.

    V lies between the two. If both are positive, or neither is, the quotient is largest at V = lower_bound; if their
    signs differ, V may be as close to zero as one likes and no percentage is proved.

    Parameters
    ----------
    unit
        The unit of the problem's costs (`recourse.cost_scale`): around zero, rounding is measured in it.
    """
    difference = worst_case - lower_bound
    size = max(abs(worst_case), abs(lower_bound), unit)
    if difference <= 0.0 or difference <= NO_DIFFERENCE * size < math.inf:
        return 0.0
    signs_agree = lower_bound > 0 or worst_case <= 0
    if not math.isfinite(difference) or lower_bound == 0 or not signs_agree:
        return math.inf
    return difference / abs(lower_bound)


def regret_percent(worst_case: float, reference: float, unit: float = 0.0) -> float:
    """100 (worst_case - reference) / |reference|, with the care of `relative_gap`; `reference` is a bound or V."""
    return 100 * relative_gap(worst_case, reference, unit)


def describe(step: Iteration, maximize: bool = False) -> str:
    """One iteration, given in costs, in words: '7 scenarios  bound 512  worst case 519  gap 1.37 %'."""
    gap = 100 * relative_gap(step.worst_case, step.lower_bound)
    shown = f"{gap:.3g} %" if math.isfinite(gap) else "open"
    told, worst = step.in_users_sign(maximize), "guaranteed" if maximize else "worst case"
    bound, value = (_known(number) for number in (told.lower_bound, told.worst_case))
    return f"{counted(step.num_scenarios, 'scenario')}  bound {bound}  {worst} {value}  gap {shown}"


def _known(value: float) -> str:
    return f"{value:,.6g}" if math.isfinite(value) else "none yet"


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
        self.pool = DecisionPool(self.evaluator)
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
        self._workers = workers
        self._cuts: list[ObjectiveCut] = []
        self._announced = (-math.inf, math.inf)
        self._evaluation_seconds = 0.0
        self.seconds_per_scenario = 0.0

    @cached_property
    def master(self) -> ReducedSolver:
        """Solves V(R) for any R; made when first needed."""
        return reduced_solver(self.evaluator, self.engine)

    @cached_property
    def parallel_masters(self) -> ParallelMasters:
        """Solves several reduced problems at the same time; made when first needed."""
        from neurprise.search.at_once import ParallelMasters

        return ParallelMasters(self, self._workers)

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
        if "parallel_masters" in self.__dict__:
            self.parallel_masters.close()
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
        start = self.start_for(scenarios)
        return self.accepted(self.master.solve(scenarios, limits.until(self.deadline), start), scenarios)

    def start_for(self, scenarios: Sequence[int]) -> Floats | None:
        """The best decision known for these scenarios, shape (n,)."""
        known, _ = self.pool.best(scenarios)
        return None if known < 0 else self.pool.member(known)

    def accepted(self, result: MasterResult, scenarios: Sequence[int]) -> MasterResult:
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


def reduced_solver(evaluator: Evaluator, engine: Engine) -> ReducedSolver:
    """The fastest exact way to V(R): listing every decision where the family can, else the engine."""
    decisions = evaluator.problem.first_stage_list
    return Master(evaluator, engine) if decisions is None else EnumeratedMaster(decisions)
