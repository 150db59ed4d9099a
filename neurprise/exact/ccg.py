"""
Column-and-constraint generation over a finite scenario set: solve V(R), ask which scenario hurts most, add it.

The search is anytime. Every first-stage decision met is evaluated on all scenarios and kept in a pool: the best of
them is the answer, the largest proved V(R) is the bound. Early masters are solved loosely, later ones tightly
[Tsang, Shehadeh and Curtis 2023].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.errors import EngineError, InfeasibleProblemError, UnboundedProblemError
from neurprise.evaluate import Evaluator, OutOfTimeError
from neurprise.exact import reduced_solver
from neurprise.exact.local_search import FlipSearch
from neurprise.exact.master import MasterResult
from neurprise.exact.pool import Pool
from neurprise.solvers import Engine, EngineStatus, Limits
from neurprise.tolerances import FEASIBILITY_TOLERANCE

#: A master is solved to this share of the gap that is still open.
MASTER_SHARE = 0.5
#: The first master, when no gap is known yet.
FIRST_MASTER_GAP = 0.1
#: Engines keep rows and objectives to about this relative precision.
ENGINE_PRECISION = 1e-5


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
    worst_scenario
        Where worst_case is attained.
    scenarios
        R at the end, in the order in which scenarios were added.
    """

    x: Floats | None
    worst_case: float
    lower_bound: float
    stopped_by: str
    worst_scenario: int | None
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
        self.master = reduced_solver(evaluator, engine)
        self.pool = Pool(evaluator)
        self._flips = FlipSearch(evaluator)
        self._polished = math.inf
        self._integral = evaluator.problem.integral_objective
        self.lower_bound = -math.inf

    def learn(self, decisions: Sequence[Floats]) -> None:
        """Evaluate first-stage decisions known from elsewhere, as time allows; infeasible ones are ignored."""
        with suppress(OutOfTimeError):
            for x in decisions:
                if self._evaluator.problem.first_stage.violation(x) <= FEASIBILITY_TOLERANCE:
                    self.pool.add(x, self._deadline)

    def run(self, start: Sequence[int] = (), max_scenarios: int | None = None) -> Search:
        """Search from the scenarios `start` on; R never grows beyond `max_scenarios`."""
        scenarios = list(start) or [first_scenario(self._evaluator)]
        known = self._evaluator.problem.single_scenario_decisions(scenarios[:1])
        self.learn([] if known is None else list(known))
        if max_scenarios is not None and len(scenarios) >= max_scenarios:
            self._master_gap = min(self._master_gap, self._gap)
        stopped_by = None
        try:
            while stopped_by is None:
                stopped_by = self._step(scenarios, max_scenarios)
        except OutOfTimeError:
            stopped_by = "time limit"
        except KeyboardInterrupt:
            stopped_by = "interrupt"
        return self._outcome(scenarios, stopped_by)

    @property
    def worst_case(self) -> float:
        """Best attained worst case so far."""
        return self.pool.best()[1]

    def _step(self, scenarios: list[int], max_scenarios: int | None) -> str | None:
        """Solve one master, evaluate what it found, add the scenario that hurts most; say why to stop, if at all."""
        known, _ = self.pool.best(scenarios)
        result = self.master.solve(scenarios, self._limits(), None if known < 0 else self.pool.member(known))
        self._check(result, scenarios)
        self.lower_bound = max(self.lower_bound, self._proved(result.bound))
        found = self.pool.admit(result, self._deadline)
        self._polish(scenarios)
        self._record(len(scenarios))
        new = self._next_scenario(found, scenarios, unbounded=result.status is EngineStatus.UNBOUNDED)
        if relative_gap(self.worst_case, self.lower_bound) <= self._gap:
            return "gap"
        if self._deadline.passed:
            return "time limit"
        if new is not None and max_scenarios is not None and len(scenarios) >= max_scenarios:
            return "scenario limit"
        if new is None and self._master_gap == 0.0:
            return self._stalled()
        scenarios += [] if new is None else [new]
        self._tighten(found_nothing_new=new is None)
        return None

    def _polish(self, scenarios: list[int]) -> None:
        """Descend from the best decision whenever there is a new one."""
        place, worst_case = self.pool.best()
        if self._flips.applies and math.isfinite(worst_case) and worst_case < self._polished:
            x, self._polished = self._flips.improve(
                self.pool.member(place),
                worst_case,
                [*scenarios, self.pool.worst_scenario(place)],
                self._deadline,
            )
            self.pool.add(x, self._deadline)

    def _proved(self, bound: float) -> float:
        """A bound on a whole-number objective holds up to the next whole number."""
        whole = self._integral and math.isfinite(bound)
        return math.ceil(bound - FEASIBILITY_TOLERANCE) if whole else bound

    def _limits(self) -> Limits:
        worst_case = self.worst_case
        # A proof that nothing is below this cutoff closes the gap; 0.999 keeps rounding from leaving it ajar.
        close = 0.999 * self._gap / (1 + self._gap)
        cutoff = worst_case - close * abs(worst_case) if math.isfinite(worst_case) else math.inf
        return Limits(gap=self._master_gap, time_limit=self._deadline.remaining, cutoff=cutoff)

    def _next_scenario(self, found: list[int], scenarios: list[int], unbounded: bool) -> int | None:
        """The scenario outside R that is worst for the first decision found that has one."""
        for place in found:
            worst = self.pool.worst_scenario(place)
            if worst not in scenarios:
                return worst
        if unbounded:  # another scenario's rows may bound what these leave open
            return next(s for s in range(self._evaluator.problem.num_scenarios) if s not in scenarios)
        return None

    def _tighten(self, found_nothing_new: bool) -> None:
        open_gap = relative_gap(self.worst_case, self.lower_bound)
        share = min(MASTER_SHARE * open_gap, FIRST_MASTER_GAP)
        if found_nothing_new:
            exact = self._master_gap <= max(self._gap, ENGINE_PRECISION)
            self._master_gap = 0.0 if exact else min(share, self._master_gap / 10)
        else:
            self._master_gap = max(share, self._gap / 2)

    def _stalled(self) -> str:
        """R holds every scenario that matters and its master is exact: what is left is the engines' tolerance."""
        if relative_gap(self.worst_case, self.lower_bound) <= ENGINE_PRECISION:
            return "gap"
        raise EngineError(
            f"the engine's own optimum {self.lower_bound} and the true cost {self.worst_case} of its decision differ "
            "by more than its tolerances; rescale the data (coefficients far from 1) or try another solver."
        )

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

    def _outcome(self, scenarios: list[int], stopped_by: str) -> Search:
        place, worst_case = self.pool.best()
        x = self.pool.member(place) if math.isfinite(worst_case) else None
        return Search(
            x,
            worst_case,
            self.lower_bound,
            stopped_by,
            None if x is None else self.pool.worst_scenario(place),
            tuple(scenarios),
            tuple(self._iterations),
            self.master.num_solves,
        )


def first_scenario(evaluator: Evaluator) -> int:
    """The scenario of largest V({s}) where the family knows it, else of largest summed coefficients."""
    values = evaluator.problem.single_scenario_values()
    return int(np.argmax(evaluator.problem.severity if values is None else values))
