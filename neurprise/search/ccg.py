"""
Column-and-constraint generation over a finite scenario set: solve V(R), find the worst scenario, add it.

The search is anytime. Every first-stage decision met is evaluated on all scenarios and kept in a pool: the best of
them is the answer, the largest proved V(R) is the bound. Early masters are solved loosely, later ones tightly
[Tsang, Shehadeh and Curtis 2023].
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import OutOfTimeError
from neurprise.errors import EngineError, counted
from neurprise.problem import TwoStageProblem
from neurprise.search.master import MasterResult
from neurprise.search.session import Iteration, SearchSession, Status, StoppedError, relative_gap
from neurprise.solvers import EngineStatus, Limits, Purpose
from neurprise.solvers.tolerances import ENGINE_PRECISION, FEASIBILITY_TOLERANCE, TIGHT_TOLERANCE

if TYPE_CHECKING:
    from neurprise.search.local_search import Polish
    from neurprise.search.repair import Repair

_log = logging.getLogger("neurprise")

#: A master is solved to this share of the open gap [Tsang, Shehadeh and Curtis 2023].
MASTER_SHARE = 0.5
#: If no more than this gap is open, it is solved to the end: that takes little longer, and it may be the last.
NEARLY_CLOSED = 0.01
#: A decision is evaluated on every scenario only if it may close this share of the open gap. At 0, 25 seconds leave a
#: gap of 13 instead of 12 % on disruptions-10-20-2; the other published problems take as long.
WORTHWHILE_SHARE = 0.5
#: A search that has a decision repairs none before this many seconds: easy problems are over by then. With repairs at
#: once the published dcap, sslp and drdcap problems took 1.4 to 2.2 times as long.
FIRST_REPAIR = 5.0
#: With linear masters the first full evaluation waits for a decision whose gap may be this small, at most for this
#: share of the time limit and this many seconds. linear-100-10000 takes 1.2 times as long without.
PROMISING_GAP, WAITING_SHARE, LONGEST_WAIT = 0.05, 0.15, 2.0
#: The first master, when no gap is known yet.
FIRST_MASTER_GAP = 0.1
#: A problem that is solved once is solved to this share of the gap: engines divide by the other end.
FINAL_SHARE = 0.9
#: A relative gap that good decisions would make smaller.
FAR = 0.1
#: A target that every feasible decision meets, in units of cost; without it semi2 has no decision after 25 seconds.
ANY_COST = 1e15
#: While the relative gap is wider than this, a master may stop at a decision that leaves this share of it.
WIDE_GAP, TARGET_SHARE = 0.5, 0.25
#: Reasons to end a search early.
CUT_SHORT = (Status.TIME_LIMIT, Status.INTERRUPTED, Status.STOPPED)


@dataclass(frozen=True)
class SearchOutcome:
    """
    Where a search ended.

    Parameters
    ----------
    x
        Best decision by true worst case; None if none was found in time.
    worst_case
        Its true worst case; inf where some scenario leaves it without recourse, or is not evaluated yet.
    lower_bound, bound_scenarios
        The largest bound that was proved, and the scenarios whose V it bounds.
    status
        Why the search stopped.
    worst_scenario
        Where worst_case is attained.
    scenarios
        R at the end, in the order in which scenarios were added.
    infeasible_scenarios
        Scenarios in which x has no recourse.
    num_checked
        On how many scenarios x was evaluated.
    gains
        Rise of V(R) with each of the first scenarios in R, where a reducer chose them so.
    scores
        What a reducer ranked the first scenarios in R by, where it did.
    """

    x: Floats | None
    worst_case: float
    lower_bound: float
    status: Status
    worst_scenario: int | None
    scenarios: tuple[int, ...]
    iterations: tuple[Iteration, ...]
    num_solves: int
    infeasible_scenarios: tuple[int, ...] = ()
    num_checked: int = 0
    bound_scenarios: tuple[int, ...] = ()
    gains: tuple[float, ...] | None = None
    scores: tuple[float, ...] | None = None


class ColumnAndConstraintGeneration:
    """
    One search; `run` may be called once.

    Parameters
    ----------
    session
        Engine, evaluator, pool, master and clock.
    gap
        Relative gap at which the search ends.
    waits
        Whether linear problems wait for a promising decision, which depends on the clock.
    """

    def __init__(self, session: SearchSession, *, gap: float = 1e-4, waits: bool = True) -> None:
        self._session = session
        self._gap = gap
        self._master_gap = FIRST_MASTER_GAP
        self._tolerance = FEASIBILITY_TOLERANCE
        self._within: list[int] | None = None
        problem = session.problem
        self._waits = waits and not (problem.first_stage.integer.any() or problem.recourse.integer.any())

    def run(
        self, start: Sequence[int] = (), max_scenarios: int | None = None, within: Sequence[int] | None = None
    ) -> SearchOutcome:
        """
        Search from the scenarios `start` on; R never grows beyond `max_scenarios`.

        Parameters
        ----------
        within
            Solve V(within) instead: the same search inside these scenarios, of which most never bind.
        """
        self._within = None if within is None else list(within)
        scenarios = list(start) if within is None else self._first_of(within)
        status = None
        if self._session.ended is not None:  # while it was being prepared
            return outcome(self._session, within or scenarios, self._session.ended)
        try:
            self._begin(scenarios, max_scenarios)
            status = self._done()  # by what the session knew before
            if status is Status.REDUCED:  # by the reducer, which has not looked around its decisions
                self._improve(scenarios)
                status = self._done()
            if status is not None:
                self._session.record(len(scenarios))
            while status is None:
                status = self._step(scenarios, max_scenarios)
        except OutOfTimeError:
            status = Status.TIME_LIMIT
        except StoppedError:
            status = Status.STOPPED
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        except EngineError:
            if not self._has_something:
                raise
            status = Status.NUMERICAL_LIMIT
        return outcome(self._session, within or scenarios, status)

    def _first_of(self, within: Sequence[int]) -> list[int]:
        """
        The scenario that was chosen first, and the one that costs the best decision known for all of them most.

        Where every decision is listed, all of them: a list is looked through once, however many scenarios there are.
        """
        pool = self._session.pool
        if self._session.problem.first_stage_list is not None:
            return list(within)
        place, _ = pool.best(within)
        worst = [] if place < 0 else [pool.most_expensive(place, np.asarray(within, dtype=np.int64))]
        return list(dict.fromkeys([within[0], *worst]))

    @cached_property
    def _polish(self) -> Polish | None:
        """Improves decisions by flips; None without an oracle, which prices them for next to nothing."""
        if not self._session.evaluator.has_oracle:
            return None
        from neurprise.search.local_search import Polish

        return Polish(self._session)

    def _improve(self, scenarios: Sequence[int]) -> None:
        """Look around the best decision."""
        if self._polish is not None:
            self._polish.descend(scenarios)

    @cached_property
    def _repair(self) -> Repair | None:
        """Makes decisions of masters good on all scenarios; None where that does not apply."""
        from neurprise.search.repair import Repair, is_repairable

        return Repair(self._session) if is_repairable(self._session) else None

    def _repair_far(self, found: Sequence[int]) -> list[int]:
        """While the gap is wide, repair the decision of the last master; the scenarios that it lacked, in order."""
        session = self._session
        if math.isfinite(session.worst_case) and session.deadline.elapsed < FIRST_REPAIR:
            return []
        whole = self._within is None and relative_gap(session.worst_case, session.lower_bound, session.unit) > FAR / 2
        return self._repair.run(found[0]) if whole and found and self._repair is not None else []

    @property
    def _has_something(self) -> bool:
        return len(self._session.pool) > 0 or math.isfinite(self._session.lower_bound)

    def _begin(self, scenarios: list[int], max_scenarios: int | None) -> None:
        """Choose the first scenario and evaluate what the family knows to be best for it."""
        session = self._session
        if not scenarios:
            from neurprise.search.single_values import first_scenario

            scenarios.append(first_scenario(session))
        alone = session.problem.single_scenarios
        session.admit_known([] if alone is None else list(alone.decisions(scenarios[:1])))
        if self._is_complete(scenarios) or (max_scenarios is not None and len(scenarios) >= max_scenarios):
            self._master_gap = min(self._master_gap, FINAL_SHARE * self._gap)

    def _is_complete(self, scenarios: Sequence[int]) -> bool:
        """Whether R holds every scenario that can be the worst of those that count."""
        needed = self._session.evaluator.undominated if self._within is None else self._within
        return len(needed) <= len(scenarios) and set(scenarios).issuperset(needed)

    def _step(self, scenarios: list[int], max_scenarios: int | None) -> Status | None:
        """Solve one master, evaluate its decisions, add the worst scenario; the reason to stop, if there is one."""
        session = self._session
        if max_scenarios is None and self._flips_closed_it(scenarios):
            return self._done()
        session.say(f"solving on {counted(len(scenarios), 'scenario')}")
        may_grow = max_scenarios is None or len(scenarios) < max_scenarios
        may_wait = may_grow and self._within is None
        with session.time_to_evaluate(), self._polish.counting() if self._polish else nullcontext():
            result = session.solve_reduced(scenarios, self._limits(may_grow))
        found = session.admit(result, self._enough(result, may_wait))
        lacking = self._repair_far(found) if max_scenarios is None else []
        self._improve(scenarios)
        session.keep(scenarios)
        session.record(len(scenarios))
        # Inside R only its scenarios are evaluated, which shows V(R) at once.
        new = None if self._within is None else self._next_scenarios(result, found, scenarios)
        done = self._done()
        if done is not None:
            return done
        if session.deadline.passed:
            return Status.TIME_LIMIT
        new = self._next_scenarios(result, found, scenarios) if new is None else new
        if (new and not may_grow) or (not new and self._is_unbounded_within(result)):
            return Status.REDUCED
        grew = self._add(scenarios, new, found)
        scenarios += [s for s in lacking if s not in scenarios][: len(scenarios)]  # R at most doubles
        if result.status in (EngineStatus.TARGET, EngineStatus.TIME_LIMIT):  # it was not solved to its gap
            return None
        if not grew and self._master_gap == 0.0:
            return self._stalled()
        self._tighten(found_nothing_new=not grew)
        return None

    def _add(self, scenarios: list[int], new: Sequence[int], found: Sequence[int]) -> bool:
        """Copy new scenarios, found by the decisions at these places; whether the next reduced problem is another."""
        scenarios += new
        return bool(new)

    def _flips_closed_it(self, scenarios: list[int]) -> bool:
        """Add scenarios that decisions found by flips show to be missing; whether one of them closes the gap."""
        polish = self._polish
        added = None if polish is None else polish.scenarios_to_add(scenarios, self._cutoff(), self._within)
        if added is None:
            return False
        scenarios += added
        # Few decisions are left for a master to find, and every master starts from scratch: solve this one to the end.
        self._master_gap = min(self._master_gap, self._gap / 2)
        return self._done() is not None

    def _is_unbounded_within(self, result: MasterResult) -> bool:
        return self._within is not None and result.status is EngineStatus.UNBOUNDED

    def _value(self) -> float:
        """The best worst case over the scenarios that count."""
        return self._session.worst_case if self._within is None else self._session.pool.best(self._within)[1]

    def _open_gap(self) -> float:
        return relative_gap(self._value(), self._session.lower_bound, self._session.unit)

    def _done(self) -> Status | None:
        """Why to stop, if there is nothing left to do."""
        if self._closed():
            return Status.OPTIMAL
        if self._session.bounds.refuted:
            return Status.NUMERICAL_LIMIT
        if self._within is None or len(self._session.pool) == 0 or self._open_gap() > self._gap:
            return None
        self._session.pool.complete(self._session.pool.best()[0], self._session.deadline)
        return Status.REDUCED

    def _closed(self) -> bool:
        """Whether the gap is closed, and stays closed when the best decision is checked once more."""
        if len(self._session.pool) == 0 or self._whole_gap() > self._gap:
            return False
        self._session.confirm_best()
        return self._whole_gap() <= self._gap and not self._session.bounds.refuted

    def _whole_gap(self) -> float:
        return relative_gap(self._session.worst_case, self._session.lower_bound, self._session.unit)

    def _enough(self, result: MasterResult, may_wait: bool) -> float:
        """Total cost under one scenario at which a decision need not be evaluated on the others."""
        worst_case, bound = self._session.worst_case, self._session.lower_bound
        if worst_case == math.inf and may_wait and self._may_wait() and math.isfinite(result.value):
            return result.value + PROMISING_GAP * max(self._session.unit, abs(result.value))
        if not (math.isfinite(worst_case) and math.isfinite(bound)):
            return worst_case
        return worst_case - WORTHWHILE_SHARE * max(worst_case - bound, 0.0)

    def _may_wait(self) -> bool:
        """
        Whether the first full evaluation may still wait.

        The first linear masters take milliseconds, and their decisions are poor; one full evaluation takes as long as
        all of them together.
        """
        elapsed, remaining = self._session.deadline.elapsed, self._session.deadline.remaining
        return self._waits and elapsed < min(WAITING_SHARE * (elapsed + remaining), LONGEST_WAIT)

    def _limits(self, may_grow: bool) -> Limits:
        target = self._target(may_grow)
        limits = Limits(gap=self._master_gap, cutoff=self._cutoff(), tolerance=self._tolerance, target=target)
        # Without an oracle the engine uses its own heuristics until good decisions are known.
        some_known = math.isfinite(limits.cutoff)
        far = not self._session.evaluator.has_oracle and some_known and self._open_gap() > FAR
        return replace(limits, purpose=Purpose.ANSWER) if far else limits

    def _cutoff(self) -> float:
        """The cost below which there is something to find: a proof that there is nothing closes the gap."""
        worst_case = min(self._session.worst_case, self._value())
        if not math.isfinite(worst_case):
            return math.inf
        close = 0.999 * self._gap / (1 + self._gap)  # 0.999 keeps rounding from leaving the gap ajar
        return worst_case - close * abs(worst_case)

    def _target(self, may_grow: bool) -> float:
        """
        The cost at which a master may stop, -inf for none.

        Until a decision survives every scenario, any feasible one shows a scenario to add, faster than the best;
        while the gap is wide, any that closes most of it does.
        """
        worst_case, bound = min(self._session.worst_case, self._value()), self._session.lower_bound
        if not may_grow or self._session.evaluator.has_oracle or self._master_gap <= self._gap:
            return -math.inf
        if worst_case == math.inf:
            return ANY_COST * self._session.unit
        wide = math.isfinite(bound) and self._open_gap() > WIDE_GAP
        return bound + TARGET_SHARE * (worst_case - bound) if wide else -math.inf

    def _next_scenarios(self, result: MasterResult, found: list[int], scenarios: list[int]) -> list[int]:
        """The scenario that is worst for the first decision found that has one outside R; none if R suffices."""
        for place in found:
            if self._within is not None:
                self._session.pool.worst_of(place, self._within, self._session.deadline)
            worst = self._session.pool.missing(place, scenarios, self._session.deadline, self._within)
            if worst is not None:
                return [worst]
        if result.status is not EngineStatus.UNBOUNDED:
            return []
        # Rows of other scenarios may bound what these leave open; R doubles, because any of them may be needed.
        everyone = range(self._session.problem.num_scenarios) if self._within is None else self._within
        others = (s for s in everyone if s not in set(scenarios))
        return [s for s, _ in zip(others, scenarios, strict=False)]

    def _tighten(self, found_nothing_new: bool) -> None:
        final, open_gap = self._gap / 2, self._open_gap()
        if found_nothing_new:
            # R seems complete, and every solve starts from scratch: solve the next one to the end.
            self._master_gap = final if self._master_gap > max(self._gap, ENGINE_PRECISION) else 0.0
        elif open_gap <= NEARLY_CLOSED:
            self._master_gap = final
        else:
            self._master_gap = max(min(MASTER_SHARE * open_gap, FIRST_MASTER_GAP), final)

    def _stalled(self) -> Status | None:
        """R holds every scenario that matters and its master is exact: what is left is the engine's tolerance."""
        if self._open_gap() <= ENGINE_PRECISION:
            return Status.OPTIMAL if self._whole_gap() <= ENGINE_PRECISION else Status.REDUCED
        if self._tolerance > TIGHT_TOLERANCE:
            self._tolerance = TIGHT_TOLERANCE
            return None
        return Status.NUMERICAL_LIMIT


def outcome(session: SearchSession, scenarios: Sequence[int], status: Status) -> SearchOutcome:
    """
    What the session knows, as the end of a search over R = scenarios.

    A bound that some decision refutes is no proof, and neither is what else the same engine says.
    """
    pool = session.pool
    session.bounds.drop_refuted()
    if session.bounds.refuted and status not in CUT_SHORT:
        status = Status.NUMERICAL_LIMIT
    place, worst_case = pool.best()
    known = place >= 0 and (pool.suspect(place).is_worst or math.isfinite(worst_case))
    half_known = None if known else pool.half_evaluated()
    return SearchOutcome(
        x=pool.member(place) if known else half_known.x if half_known else None,
        worst_case=worst_case,
        lower_bound=min(session.lower_bound, worst_case),
        status=status,
        worst_scenario=pool.worst_scenario(place) if known else None,
        scenarios=tuple(scenarios),
        iterations=tuple(session.iterations),
        num_solves=session.num_solves,
        bound_scenarios=session.bound_scenarios,
        infeasible_scenarios=tuple(pool.infeasible_scenarios(place).tolist()) if known else (),
        num_checked=session.problem.num_scenarios if known else half_known.num_checked if half_known else 0,
    )


def search_exactly(session: SearchSession, gap: float) -> SearchOutcome:
    """Column-and-constraint generation, from what the session knows already, until the gap or the deadline."""
    begun = informed_start(session)
    return ColumnAndConstraintGeneration(session, gap=gap).run(session.scenarios or begun)


#: An extensive form is solved as one model if it has at most this many matrix entries (without and with integer
#: columns) and this many integer columns; chosen on the instances of `python -m experiments table published`.
SMALL_LINEAR, SMALL_MIXED, FEW_INTEGERS = 10_000, 5_000, 250
#: Not if this many scenarios of linear recourse share few bases: then a search evaluates them together.
MANY_SHARING_BASES = 100


def informed_start(session: SearchSession) -> list[int]:
    """The scenarios to begin with; empty where the family knows better or nothing is gained."""
    problem = session.problem
    if session.evaluator.has_oracle:
        return []
    undominated = session.evaluator.undominated
    is_linear = not _num_integers(problem, 1)
    many_at_once = is_linear and len(undominated) >= MANY_SHARING_BASES and session.evaluator.shares_bases
    if not many_at_once and is_small(problem, len(undominated)):
        _log.info("solving the extensive form of %s at once", counted(len(undominated), "scenario"))
        return [int(s) for s in undominated]
    from neurprise.search import start

    if problem.recourse.integer.any():
        return start.relaxed_start(session)
    if not is_linear:  # a first master of whole decisions may take all the time there is
        start.admit_first_decision(session, None)
    return []


def is_small(problem: TwoStageProblem, num_scenarios: int) -> bool:
    """Whether one model of this many scenarios is solved faster than a search finds the few that matter."""
    entries = num_scenarios * (problem.recourse.matrix.nnz + problem.recourse.technology.nnz)
    integers = _num_integers(problem, num_scenarios)
    if num_scenarios == 1:
        return True
    return entries <= (SMALL_LINEAR if integers == 0 else SMALL_MIXED) and integers <= FEW_INTEGERS


def _num_integers(problem: TwoStageProblem, num_scenarios: int) -> int:
    """Integer columns of the extensive form."""
    return int(problem.first_stage.integer.sum() + num_scenarios * problem.recourse.integer.sum())
