"""
Column-and-constraint generation over a finite scenario set: solve V(R), ask which scenario hurts most, add it.

The search is anytime. Every first-stage decision met is evaluated on all scenarios and kept in a pool: the best of
them is the answer, the largest proved V(R) is the bound. Early masters are solved loosely, later ones tightly
[Tsang, Shehadeh and Curtis 2023].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.errors import InfeasibleProblemError, UnboundedProblemError
from neurprise.evaluate import Evaluator, OutOfTimeError
from neurprise.exact.master import Master, MasterResult
from neurprise.exact.pool import Pool
from neurprise.solvers import Engine, EngineStatus, Limits

#: A master is solved to this share of the gap that is still open.
MASTER_SHARE = 0.2
#: The first master, when no gap is known yet.
FIRST_MASTER_GAP = 0.01


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


@dataclass(frozen=True)
class Search:
    """
    Where a search ended.

    Parameters
    ----------
    x
        Best decision by true worst case; None if none was found in time.
    stopped_by
        "gap", "time limit", "interrupt" or "scenario limit".
    scenarios
        R at the end, in the order in which scenarios were added.
    """

    x: Floats | None
    worst_case: float
    lower_bound: float
    stopped_by: str
    scenarios: tuple[int, ...]
    iterations: tuple[Iteration, ...]
    num_solves: int


def relative_gap(worst_case: float, lower_bound: float) -> float:
    """(worst_case - lower_bound) / |lower_bound|; 0 when they are equal, inf while one is unknown."""
    difference = worst_case - lower_bound
    if difference <= 1e-9:
        return 0.0
    if not math.isfinite(difference) or lower_bound == 0:
        return math.inf
    return difference / abs(lower_bound)


class ColumnAndConstraintGeneration:
    """
    One search; `run` may be called once.

    Parameters
    ----------
    evaluator
        Knows the problem and the true recourse costs.
    engine
        Solves the masters.
    gap
        Relative gap at which the search ends.
    deadline
        When it ends in any case.
    progress
        Called after every master.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        engine: Engine,
        *,
        gap: float = 1e-4,
        deadline: Deadline | None = None,
        progress: Callable[[Iteration], None] | None = None,
    ) -> None:
        self._evaluator = evaluator
        self._gap = gap
        self._deadline = deadline or Deadline()
        self._progress = progress
        self._iterations: list[Iteration] = []
        self._master_gap = FIRST_MASTER_GAP
        self.master = Master(evaluator, engine)
        self.pool = Pool(evaluator)
        self.lower_bound = -math.inf

    def run(self, start: Sequence[int] = (), max_scenarios: int | None = None) -> Search:
        """Search from these scenarios on; stop early once `max_scenarios` are in R."""
        scenarios = list(start) or [first_scenario(self._evaluator)]
        stopped_by = None
        try:
            while stopped_by is None:
                self._step(scenarios)
                stopped_by = self._reason_to_stop(scenarios, max_scenarios)
        except OutOfTimeError:
            stopped_by = "time limit"
        except KeyboardInterrupt:
            stopped_by = "interrupt"
        return self._outcome(scenarios, stopped_by)

    @property
    def worst_case(self) -> float:
        """Best attained worst case so far."""
        return self.pool.best()[1]

    def _step(self, scenarios: list[int]) -> None:
        """Solve one master, evaluate what it found, add the scenarios that hurt most."""
        known, _ = self.pool.best(scenarios)
        start = None if known < 0 else self.pool.member(known)
        result = self.master.solve(scenarios, self._limits(), start)
        self._check(result, scenarios)
        self.lower_bound = max(self.lower_bound, result.bound)
        found = [self.pool.add(x, self._deadline) for x in (result.x, *result.others[-3:]) if x is not None]
        self._record(len(scenarios))
        new = _worst_outside(self.pool, found, scenarios)
        if not new and result.status is EngineStatus.UNBOUNDED:
            new = [s for s in range(self._evaluator.problem.num_scenarios) if s not in scenarios][:1]
        scenarios += new
        self._tighten(found_nothing_new=not new)

    def _limits(self) -> Limits:
        worst_case = self.worst_case
        cutoff = worst_case - self._gap * abs(worst_case) if math.isfinite(worst_case) else math.inf
        return Limits(gap=self._master_gap, time_limit=self._deadline.remaining, cutoff=cutoff)

    def _tighten(self, found_nothing_new: bool) -> None:
        open_gap = relative_gap(self.worst_case, self.lower_bound)
        share = MASTER_SHARE * open_gap if math.isfinite(open_gap) else FIRST_MASTER_GAP
        if found_nothing_new:
            share = min(share, self._master_gap / 10)
        self._master_gap = max(min(share, FIRST_MASTER_GAP), self._gap / 2 if not found_nothing_new else 0.0)

    def _check(self, result: MasterResult, scenarios: list[int]) -> None:
        everything = len(scenarios) == self._evaluator.problem.num_scenarios
        if result.status is EngineStatus.INFEASIBLE:
            raise InfeasibleProblemError(
                f"no first-stage decision is feasible for scenarios {scenarios[:5]}; relax a constraint or drop them."
            )
        if result.status is EngineStatus.UNBOUNDED and everything:
            raise UnboundedProblemError("the total cost falls without limit; bound the variables or check cost signs.")

    def _record(self, num_scenarios: int) -> None:
        step = Iteration(num_scenarios, self.lower_bound, self.worst_case, self._deadline.elapsed)
        self._iterations.append(step)
        if self._progress is not None:
            self._progress(step)

    def _reason_to_stop(self, scenarios: list[int], max_scenarios: int | None) -> str | None:
        if relative_gap(self.worst_case, self.lower_bound) <= self._gap:
            return "gap"
        if self._deadline.passed:
            return "time limit"
        if max_scenarios is not None and len(scenarios) > max_scenarios:
            return "scenario limit"
        return None

    def _outcome(self, scenarios: list[int], stopped_by: str) -> Search:
        place, worst_case = self.pool.best()
        x = self.pool.member(place) if math.isfinite(worst_case) else None
        return Search(
            x,
            worst_case,
            self.lower_bound,
            stopped_by,
            tuple(scenarios),
            tuple(self._iterations),
            self.master.num_solves,
        )


def first_scenario(evaluator: Evaluator) -> int:
    """The scenario of largest V({s}) where the family knows it, else of largest summed coefficients."""
    values = evaluator.problem.single_scenario_values()
    if values is None:
        values = evaluator.problem.scenario_data.sum(axis=1)
    return int(np.argmax(values))


def _worst_outside(pool: Pool, found: list[int], scenarios: list[int]) -> list[int]:
    """The worst scenario of each decision found, unless it is in R already; no repeats."""
    known = set(scenarios)
    new: list[int] = []
    for place in found[:1]:
        worst = pool.worst_scenario(place)
        if worst not in known:
            known.add(worst)
            new.append(worst)
    return new
