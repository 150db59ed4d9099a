"""Solves V(R): the problem restricted to the scenarios R, by an engine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from neurprise.arrays import Floats
from neurprise.evaluate import Evaluator
from neurprise.exact.cuts import CutPool
from neurprise.exact.extensive_form import ExtensiveForm
from neurprise.solvers import Engine, EngineResult, EngineStatus, Limits
from neurprise.tolerances import FEASIBILITY_TOLERANCE


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
        Further first-stage decisions met on the way.
    """

    status: EngineStatus
    value: float
    bound: float
    x: Floats | None
    others: tuple[Floats, ...] = ()


class ReducedSolver(Protocol):
    """Solves V(R) for one R after another, over the scenarios of one problem."""

    num_solves: int

    def solve(self, scenarios: Sequence[int], limits: Limits, start: Floats | None = None) -> MasterResult:
        """V(R) for R = scenarios; `start` is a first-stage decision to begin from."""


class Master:
    """
    The engine's way: one reduced problem after another, over the scenarios of one problem.

    Whole-number objectives (see `TwoStageProblem.integral_objective`) are rounded: the bound up, the value to the
    nearest, so that engine noise never looks like a gain.
    """

    def __init__(self, evaluator: Evaluator, engine: Engine) -> None:
        self._evaluator = evaluator
        self._engine = engine
        self._form = ExtensiveForm(evaluator.problem)
        self._cuts = CutPool(self._form, engine)
        self._integral = evaluator.problem.integral_objective
        self.num_solves = 0

    def solve(self, scenarios: Sequence[int], limits: Limits, start: Floats | None = None) -> MasterResult:
        """V(R) for R = scenarios; `start` is a first-stage decision to begin from."""
        self.num_solves += 1
        if self._integral:
            # Two whole numbers less than one apart are equal.
            limits = replace(limits, absolute_gap=1 - FEASIBILITY_TOLERANCE)
        assignment = None if start is None else self._assignment(scenarios, start)
        result = self._engine.solve(self._cuts.tightened(scenarios, limits.time_limit), limits, assignment)
        return self._read(result)

    def _assignment(self, scenarios: Sequence[int], x: Floats) -> Floats | None:
        decisions, eta = [], -math.inf
        for s in scenarios:
            y = self._evaluator.decision(x, s)
            if y is None:
                return None
            decisions.append(y)
            block = self._evaluator.problem.scenario(s)
            eta = max(eta, float(block.costs @ y + block.x_costs @ x))
        return self._form.start(x, eta, decisions)

    def _read(self, result: EngineResult) -> MasterResult:
        value, bound = result.objective, result.bound
        if self._integral:
            value = round(value) if math.isfinite(value) else value
            bound = math.ceil(bound - FEASIBILITY_TOLERANCE) if math.isfinite(bound) else bound
            bound = min(bound, value)
        x = None if result.values is None else self._form.first_stage_of(result.values)
        others = tuple(self._form.first_stage_of(values) for values in result.improving)
        return MasterResult(result.status, float(value), float(bound), x, _distinct(others, x))


def _distinct(candidates: tuple[Floats, ...], known: Floats | None) -> tuple[Floats, ...]:
    kept: list[Floats] = []
    for x in candidates:
        if not any(np.array_equal(x, other) for other in (*kept, known) if other is not None):
            kept.append(x)
    return tuple(kept)
