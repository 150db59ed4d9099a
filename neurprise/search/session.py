"""
What one search knows: engine, evaluator, decision pool, proved bounds, master and deadline; and how far it has come.

`solve` makes one session. The reducer works in it first, then the exact search. So each decision is evaluated once, a
bound proved by the reducer counts, and there is one deadline. An engine's status becomes an exception here and nowhere
else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, NoReturn, Protocol, Self

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError, InfeasibleProblemError, UnboundedProblemError, counted
from neurprise.infeasible.search import no_decision
from neurprise.parallel.workers import THIS_PROCESS, Workers
from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.cuts import ObjectiveCut
from neurprise.search.extensive_form import Master
from neurprise.search.master import EnumeratedMaster, MasterResult, ReducedSolver
from neurprise.search.pool import DecisionPool, ProvedBounds
from neurprise.solvers import Engine, EngineStatus, Limits, get_engine
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE
from neurprise.strengthening import further_rows

if TYPE_CHECKING:
    from neurprise.search.parallel_masters import ParallelMasters
    from neurprise.search.relaxation import Relaxation

#: However long evaluations take, a master gets this share of the remaining time.
LEAST_MASTER_SHARE = 0.7
#: Before the first evaluation its length is unknown; this share of the time is kept for it.
FIRST_EVALUATION_SHARE = 0.1


#: Values closer than this are equal, relative to their size or to the unit of costs.
NO_DIFFERENCE = 1e-9


class Status(StrEnum):
    """Why a search stopped; only OPTIMAL claims that the requested gap is proved."""

    OPTIMAL = "optimal"
    REDUCED = "reduced"  # the reduced problem is solved; gap_percent says how good that is
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

    def in_users_sign(self, problem: TwoStageProblem) -> Iteration:
        """The same line in profits, where the source was a maximisation."""
        bound, worst = problem.in_users_sign(self.lower_bound), problem.in_users_sign(self.worst_case)
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


def describe(step: Iteration, problem: TwoStageProblem) -> str:
    """One iteration, given in costs, in words: '7 scenarios  bound 512  worst case 519  gap 1.37 %'."""
    gap = 100 * relative_gap(step.worst_case, step.lower_bound)
    shown = f"{gap:.3g} %" if math.isfinite(gap) else "open"
    step, worst = step.in_users_sign(problem), "guaranteed" if problem.maximize else "worst case"
    bound, value = (_known(number) for number in (step.lower_bound, step.worst_case))
    return f"{counted(step.num_scenarios, 'scenario')}  bound {bound}  {worst} {value}  gap {shown}"


def _known(value: float) -> str:
    return f"{value:,.6g}" if math.isfinite(value) else "none yet"


class StoppedError(Exception):
    """An observer asked to stop; who catches it keeps what the session knows."""


class Observer:
    """Sees how a search goes on; a member overrides what it needs."""

    def say(self, activity: str) -> None:
        """What is being done now, in a few words; called often."""

    def record(self, session: SearchSession, step: Iteration) -> None:
        """A new line of the convergence history."""

    def asks_to_stop(self, session: SearchSession, step: Iteration) -> bool:
        """Whether to stop here: asked after every record and before every reduced problem."""
        return False

    def close(self, session: SearchSession) -> None:
        """The search is over."""


class Line(Protocol):
    """One line of text that shows how long work goes on, e.g. a `ProgressLine`."""

    def update(self, known: str, seconds: float) -> None:
        """What is known now, and the seconds since the search began."""

    def say(self, activity: str) -> None:
        """What is being done now."""


class LiveLine(Observer):
    """Shows a search in a line of text, in the user's sign."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self.say = line.say  # type: ignore[method-assign]

    def record(self, session: SearchSession, step: Iteration) -> None:
        self._line.update(describe(step, session.problem), step.seconds)


class SearchSession:
    """
    What one search on one problem knows: it proves bounds, admits decisions, records steps, and stops.

    Used as a context it ends its workers and tells its observers, and an InfeasibleProblemError that leaves it says
    which rows and bounds conflict.

    Parameters
    ----------
    problem
        What is solved; kept as `given_problem`, while `problem` has its rows in units that suit an engine.
    engine
        Solves the reduced problems, and the recourse where the family has no oracle.
    deadline
        When the search ends in any case.
    observers
        See every line of the convergence history and what is being done.
    workers
        Share long evaluations and solve reduced problems at the same time.
    known_dominators
        As for an `Evaluator`.
    """

    #: Name of what is minimised; "worst case" means its value in a session of another objective.
    objective = "worst"

    def __init__(
        self,
        problem: TwoStageProblem,
        engine: str | Engine = "highs",
        deadline: Deadline | None = None,
        *observers: Observer,
        workers: Workers = THIS_PROCESS,
        known_dominators: Ints | None = None,
    ) -> None:
        self.given_problem = problem
        self.engine = get_engine(engine)
        self.deadline = deadline or Deadline()
        self.evaluator = Evaluator(
            problem, self.engine, workers=workers, known_dominators=known_dominators, say=self.say
        )
        self.problem = self.evaluator.problem
        self.pool = DecisionPool(self.evaluator)
        self.bounds = ProvedBounds(self.pool)
        self.iterations: list[Iteration] = []
        self.scenarios: tuple[int, ...] = ()
        self.cuts: tuple[ObjectiveCut, ...] = ()
        self.relaxation: Relaxation | None = None
        self.ended: Status | None = None
        self._observers = [*observers]
        self._workers = workers
        self._other_solves = 0
        self._target = -math.inf

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        try:
            if isinstance(error, InfeasibleProblemError) and error.conflict is None:
                self.say("looking for the rows and bounds that conflict")
                raise no_decision(self.given_problem, error.scenarios, self.engine, self.deadline) from None
        finally:
            self._close()

    @cached_property
    def _integral(self) -> bool:
        """Whether every value of the objective is a whole number, so that bounds are rounded up."""
        return self.problem.integral_objective

    @cached_property
    def master(self) -> ReducedSolver:
        """Solves V(R) for any R; made when first needed."""
        return reduced_solver(self.evaluator, self.engine)

    @cached_property
    def parallel_masters(self) -> ParallelMasters:
        """Solves several reduced problems at the same time; made when first needed."""
        from neurprise.search.parallel_masters import ParallelMasters

        return ParallelMasters(self, self._workers)

    @property
    def unit(self) -> float:
        """Of the problem's costs: around zero, precision is measured in it."""
        return self.pool.unit

    @property
    def num_solves(self) -> int:
        """Models over x given to the engine so far: reduced and relaxed problems, and what reducers solve besides."""
        return self._other_solves + (self.master.num_solves if "master" in self.__dict__ else 0)

    def count_solves(self, number: int) -> None:
        """So many models over x were given to an engine by others than `master`."""
        self._other_solves += number

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
        """Whether the regret proved so far is at most the target, relative to the optimum; without one, never."""
        return relative_gap(self.worst_case, self.lower_bound, self.unit) <= self._target

    def aim_at(self, regret: float) -> None:
        """Set the target of `reached_target`."""
        self._target = regret

    def _close(self) -> None:
        self.evaluator.close()
        if "parallel_masters" in self.__dict__:
            self.parallel_masters.close()
        for observer in self._observers:
            observer.close(self)

    def observe(self, observer: Observer) -> None:
        """Add an observer."""
        self._observers.append(observer)

    def say(self, activity: str) -> None:
        """Tell the observers what is being done now, in a few words."""
        for observer in self._observers:
            observer.say(activity)

    def shown(self, cost: float) -> str:
        """A cost as users read it: the profit of a maximisation."""
        return f"{self.problem.in_users_sign(cost):,.6g}"

    def time_to_evaluate(self) -> AbstractContextManager[None]:
        """Inside, the deadline leaves as many seconds for evaluating what is found as that has taken before."""
        remaining, kept = self.deadline.remaining, self.pool.longest_admission
        if kept == 0.0 and len(self.pool) == 0 and math.isfinite(remaining):
            kept = FIRST_EVALUATION_SHARE * remaining
        return self.deadline.share(1.0, most=max(remaining - kept, LEAST_MASTER_SHARE * remaining))

    def solve_reduced(self, scenarios: Sequence[int], limits: Limits) -> MasterResult:
        """
        V(R) for R = scenarios, from the best decision known for R; what it proves counts for the whole search.

        Raises InfeasibleProblemError where R leaves no decision; an unbounded R has the value -inf.
        """
        self._stop_if_asked(self._step(len(scenarios)))
        start = self.start_for(scenarios)
        return self.accepted(self.master.solve(scenarios, limits.until(self.deadline), start), scenarios)

    def start_for(self, scenarios: Sequence[int]) -> Floats | None:
        """The best decision known for these scenarios, shape (n,)."""
        known, _ = self.pool.best(scenarios)
        return None if known < 0 else self.pool.member(known)

    def accepted(self, result: MasterResult, scenarios: Sequence[int]) -> MasterResult:
        """What a reduced problem proved counts; raises where it shows that there is nothing to decide."""
        if result.status is EngineStatus.INFEASIBLE:
            self.refuse_infeasible(scenarios)
        if result.status is EngineStatus.UNBOUNDED and len(scenarios) == self.problem.num_scenarios:
            self.refuse_unbounded()
        self.prove(result.bound, [*scenarios, *(cut.scenario for cut in self.cuts)])
        return result

    def add_cut(self, cut: ObjectiveCut) -> None:
        """Keep a bound on some scenario's recourse cost in every reduced problem from now on."""
        self.master.add_cut(cut)
        self.cuts = (*self.cuts, cut)

    def add_relaxation(self, relaxation: Relaxation) -> None:
        """
        Keep what the relaxed problem proved: its bound and its cuts.

        The cuts represent scenarios that have no copy in a reduced problem, so that its decision is good there too.
        """
        if self.relaxation is not relaxation:
            self.count_solves(relaxation.num_solves)
        self.relaxation = relaxation
        self.prove(relaxation.bound, relaxation.scenarios)
        with_cut = {cut.scenario for cut in self.cuts}
        for cut in relaxation.cuts:
            if cut.scenario not in with_cut:
                self.add_cut(cut)
        if relaxation.interrupted:
            self.stop(Status.INTERRUPTED)

    def prove(self, bound: float, scenarios: Sequence[int]) -> None:
        """Keep a proved bound V(scenarios) >= bound; V(all) is at least as large."""
        if self._integral and math.isfinite(bound):
            bound = math.ceil(bound - FEASIBILITY_TOLERANCE)  # it holds up to the next whole number
        self.bounds.add(bound, scenarios)

    def admit(self, result: MasterResult, enough: float | None = None) -> list[int]:
        """
        Evaluate what a reduced problem found; places in the pool. May raise OutOfTimeError.

        Parameters
        ----------
        enough
            A scenario with at least this total cost ends the evaluation of a decision; None evaluates to the end.
        """
        places = self.pool.admit(result, self.deadline, enough)
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

    def keep(self, scenarios: Sequence[int]) -> None:
        """R of the exact search from now on, in the order in which scenarios were added."""
        self.scenarios = tuple(scenarios)

    def record(self, num_scenarios: int) -> None:
        """Add a line to the convergence history; may raise StoppedError."""
        step = self._step(num_scenarios)
        self.iterations.append(step)
        for observer in self._observers:
            observer.record(self, step)
        self._stop_if_asked(step)

    def stop(self, status: Status) -> None:
        """No further search is to begin in this session."""
        self.ended = status

    def confirm_best(self) -> None:
        """Check the best decision's worst case by a fresh model, where a warm one computed it."""
        self.pool.complete(self.pool.best()[0], self.deadline)
        if self.evaluator.needs_confirmation and not self.pool.suspect(self.pool.best()[0]).is_certain:
            self.pool.confirm(self.pool.best()[0], self.deadline)
        self.bounds.drop_refuted()

    def _step(self, num_scenarios: int) -> Iteration:
        return Iteration(num_scenarios, self.lower_bound, self.worst_case, self.deadline.elapsed)

    def _stop_if_asked(self, step: Iteration) -> None:
        if any(observer.asks_to_stop(self, step) for observer in self._observers):
            self.stop(Status.STOPPED)
            raise StoppedError

    def refuse_infeasible(self, scenarios: Sequence[int]) -> NoReturn:
        """Raise the error that says that these scenarios leave no decision."""
        if math.isfinite(self.worst_case):
            raise EngineError("the engine calls infeasible what a known decision keeps; try another solver.")
        raise InfeasibleProblemError("no decision is feasible.", tuple(scenarios))

    def refuse_unbounded(self) -> NoReturn:
        """Raise the error that says so."""
        change = "profit rises" if self.problem.maximize else "cost falls"
        raise UnboundedProblemError(f"the total {change} without limit; bound the variables or check cost signs.")


def reduced_solver(evaluator: Evaluator, engine: Engine) -> ReducedSolver:
    """The fastest exact way to V(R): listing every decision where the family can, else the engine."""
    decisions, problem = evaluator.problem.first_stage_list, evaluator.problem
    if decisions is not None:
        return EnumeratedMaster(decisions)
    return Master(evaluator, engine, problem.separator or further_rows(problem))
