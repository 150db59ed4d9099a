"""What every way to solve V(R) takes and gives; and the way of families that can list their decisions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.problem.contract import FirstStageList
from neurprise.search.cuts import ObjectiveCut
from neurprise.solvers import EngineStatus, Limits


@dataclass(frozen=True)
class MasterResult:
    """
    Parameters
    ----------
    value
        Attained by x on R; inf without a solution.
    bound
        Proved: V(R) >= bound.
    x
        Best decision found, shape (n,); None without one.
    others
        Further first-stage decisions met on the way; of an unbounded problem, a feasible one.
    attained
        Cost of the recourse that comes with x, by scenario, where the solver computes one that keeps every rule: an
        upper bound of Q(x, s).
    binding
        The scenarios on which a linear V(R) rests, by their dual weights, heaviest first.
    """

    status: EngineStatus
    value: float
    bound: float
    x: Floats | None
    others: tuple[Floats, ...] = ()
    attained: Mapping[int, float] = field(default_factory=dict)
    binding: tuple[int, ...] = ()


class ReducedSolver(Protocol):
    """Solves V(R) for one R after another, over the scenarios of one problem."""

    @property
    def num_solves(self) -> int:
        """Models given to the engine so far."""

    def solve(self, scenarios: Sequence[int], limits: Limits, start: Floats | None = None) -> MasterResult:
        """V(R) for R = scenarios; `start` is a first-stage decision to begin from."""

    def add_cut(self, cut: ObjectiveCut) -> None:
        """A bound on some scenario's recourse cost that may help; V(all), not V(R), is then what is solved for."""


class EnumeratedMaster:
    """
    The same questions as `Master`, answered exactly without an engine.

    Parameters
    ----------
    decisions
        Every first-stage decision of the problem.
    """

    num_solves = 0

    def __init__(self, decisions: FirstStageList) -> None:
        self._decisions = decisions
        self._forget()

    def solve(self, scenarios: Sequence[int], limits: Limits, start: Floats | None = None) -> MasterResult:
        """V(R) for R = scenarios, exactly; of the limits only the cutoff is used."""
        if not set(self._joined) <= set(scenarios) or limits.cutoff > self._cutoff:
            self._forget()
        if not self._joined:
            self._begin(scenarios[0], limits.cutoff)
        waiting = [s for s in scenarios if s not in self._joined]
        for s in waiting[:-1]:
            self._join(s, limits.cutoff)
        costs = np.maximum(self._running, self._column(waiting[-1])) if waiting else self._running
        return self._best(costs, limits.cutoff)

    def add_cut(self, cut: ObjectiveCut) -> None:
        """Exact costs need no bounds."""

    def _forget(self) -> None:
        self._joined: list[int] = []
        self._alive: Ints = np.zeros(0, dtype=np.int64)
        self._running: Floats = np.zeros(0)
        self._columns: dict[int, Floats] = {}
        self._cutoff = math.inf

    def _begin(self, scenario: int, cutoff: float) -> None:
        self._alive, self._running = self._decisions.below(scenario, cutoff)
        self._joined = [scenario]
        self._cutoff = cutoff

    def _join(self, scenario: int, cutoff: float) -> None:
        """Make the scenario part of the running worst case and drop decisions that reach the cutoff."""
        costs = np.maximum(self._running, self._column(scenario))
        keep = np.flatnonzero(costs < cutoff)
        self._alive, self._running = self._alive[keep], costs[keep]
        self._columns = {s: column[keep] for s, column in self._columns.items() if s != scenario}
        self._joined.append(scenario)
        self._cutoff = cutoff

    def _column(self, scenario: int) -> Floats:
        """Total cost of every decision alive under the scenario."""
        if scenario not in self._columns:
            self._columns[scenario] = self._decisions.costs(scenario, self._alive)
        return self._columns[scenario]

    def _best(self, costs: Floats, cutoff: float) -> MasterResult:
        place = int(np.argmin(costs)) if len(costs) else -1
        if place < 0 or not costs[place] < cutoff:
            return MasterResult(EngineStatus.CUTOFF, math.inf, cutoff, None)
        value = float(costs[place])
        return MasterResult(EngineStatus.OPTIMAL, value, value, self._decisions.decision(int(self._alive[place])))
