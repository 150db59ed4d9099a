"""
Solves V(R) by looking at every first-stage decision, for families that can list them all quickly.

Only decisions that can still matter are kept: V(R) never exceeds the cutoff, and costs only rise as scenarios join R,
so a decision at or above the cutoff on a part of R is dropped for good.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.problem.contract import FirstStageList
from neurprise.search.master import MasterResult
from neurprise.search.objective_cuts import ObjectiveCut
from neurprise.solvers import EngineStatus, Limits


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
