"""Solves V(R): the problem restricted to the scenarios R, by an engine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError
from neurprise.problem.contract import FirstStageList
from neurprise.recourse.engine import ORDINARY
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.cuts import CutPool, ObjectiveCut, ObjectiveCuts
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.solvers import (
    Engine,
    EngineModel,
    EngineResult,
    EngineSession,
    EngineStatus,
    Limits,
    Purpose,
    made_exact,
    sessions_grow,
    solved_tightly,
)
from neurprise.solvers.tolerances import ENGINE_PRECISION, FEASIBILITY_TOLERANCE, WHOLE_GAP

#: Reduced costs smaller than this, beside a column's own, are an engine's tolerance.
DUAL_TOLERANCE = 1e-6


class OpenLinearProgram:
    """
    Solves one linear model after another.

    Parameters
    ----------
    engine
        One whose sessions grow.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._session: EngineSession | None = None
        self._scenarios: list[int] = []

    def solve(self, model: EngineModel, scenarios: Sequence[int], limits: Limits) -> EngineResult:
        """The optimum of the model of these scenarios; warm where they begin with those of the last call."""
        known, self._scenarios = self._scenarios, list(scenarios)
        if self._session is not None and self._scenarios[: len(known)] == known:
            warm = self._solved_warm(self._session, model, limits)
            if warm is not None:
                return warm
        self._session = self._engine.session(model)
        return self._session.solve(limits)

    def _solved_warm(self, session: EngineSession, model: EngineModel, limits: Limits) -> EngineResult | None:
        """None where the answer is not an optimum that its duals prove."""
        try:
            session.update(model)
            result = session.solve(limits)
        except EngineError:
            return None
        if result.status is EngineStatus.TIME_LIMIT:
            return result
        if result.status is not EngineStatus.OPTIMAL or result.row_duals is None:
            return None
        proved = bound_by_duals(model, result.row_duals)
        allowance = ENGINE_PRECISION * max(1.0, abs(result.objective))
        return replace(result, bound=min(result.bound, proved)) if proved >= result.objective - allowance else None


def bound_by_duals(model: EngineModel, duals: Floats) -> float:
    """
    What any duals, shape (rows,), prove about the least cost of a linear model (weak duality); -inf for nothing.

    c'v = duals'(A v) + (c - A'duals)'v, and both A v and v lie within their limits.
    """
    at_limit = np.where(duals > 0, model.row_lower, model.row_upper)
    reduced = model.costs - model.matrix.T @ duals
    at_bound = np.where(reduced > 0, model.lower, model.upper)
    negligible = np.isinf(at_bound) & (np.abs(reduced) <= DUAL_TOLERANCE * (1.0 + np.abs(model.costs)))
    used, priced = duals != 0, (reduced != 0) & ~negligible
    total = model.offset + float(duals[used] @ at_limit[used]) + float(reduced[priced] @ at_bound[priced])
    return total if math.isfinite(total) else -math.inf


#: So many units are tried; each is the one of the last value, so that two or three suffice.
_MOST_UNITS = 6


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
        self._objective_cuts = ObjectiveCuts(evaluator.problem.num_first_stage)
        self._integral = evaluator.problem.integral_objective
        self._recourse_jumps = bool(evaluator.problem.recourse.integer.any())
        self._discrete = self._recourse_jumps or bool(evaluator.problem.first_stage.integer.any())
        self._has_continuous_x = not bool(evaluator.problem.first_stage.integer.all())
        self._purpose = self._what_engines_are_for()
        self._open = None if self._discrete or not sessions_grow(engine) else OpenLinearProgram(engine)
        self.num_solves = 0

    def _what_engines_are_for(self) -> Purpose:
        """Linear recourse follows any x; whole decisions are also met by flips, by rounding and in earlier masters."""
        if not self._recourse_jumps:
            return Purpose.PROOF
        return Purpose.STEP if self._has_continuous_x else Purpose.BOUND

    def solve(self, scenarios: Sequence[int], limits: Limits, start: Floats | None = None) -> MasterResult:
        """V(R) for R = scenarios; `start` is a first-stage decision to begin from."""
        self.num_solves += 1
        deadline, limits = Deadline(limits.time_limit), replace(limits, purpose=limits.purpose or self._purpose)
        if self._form.scale is not ORDINARY:
            return self._solved_in_fitting_unit(scenarios, limits, start, deadline)
        if self._integral:
            limits = replace(limits, absolute_gap=WHOLE_GAP)
        # Linear programs make no use of a point that is no vertex.
        assignment = self._assignment(scenarios, start, deadline) if start is not None and self._discrete else None
        model = self._model(scenarios, deadline)
        if self._open is None or len(self._objective_cuts):  # cuts stand behind all scenarios
            result = self._engine.solve(model, limits.until(deadline), assignment)
        else:
            result = self._open.solve(model, scenarios, limits.until(deadline))
        if self._recourse_jumps and self._has_continuous_x:
            result = made_exact(self._engine, model, result, deadline)
        return self._read(model, self._doubted(result, scenarios, deadline), scenarios)

    def _doubted(self, result: EngineResult, scenarios: Sequence[int], deadline: Deadline) -> EngineResult:
        """
        The result; instead of "infeasible" a point that keeps all rows, where there is one, and nothing is proved.

        Engines have been lost among large costs; without costs they find their way.
        """
        if result.status is not EngineStatus.INFEASIBLE:
            return result
        model = self._form.model(scenarios)
        row_lower = model.row_lower.copy()
        row_lower[self._form.objective_rows(len(scenarios))] = -math.inf
        rows = replace(model, costs=np.zeros(len(model.costs)), row_lower=row_lower)
        found = self._engine.solve(rows, Limits().until(deadline))
        if found.values is None:
            return result if found.status is EngineStatus.INFEASIBLE else replace(found, bound=-math.inf)
        x = self._form.first_stage_of(found.values)
        attained = self._attained(model, x, found.values, scenarios)
        worst = max(attained.values()) if len(attained) == len(scenarios) else math.inf
        return EngineResult(EngineStatus.OPTIMAL, self._evaluator.first_cost(x) + worst, -math.inf, found.values)

    def _model(self, scenarios: Sequence[int], deadline: Deadline) -> EngineModel:
        return self._objective_cuts.added_to(self._cuts.tightened(scenarios, deadline), self._form.scale.unit)

    def _solved_in_fitting_unit(
        self, scenarios: Sequence[int], limits: Limits, start: Floats | None, deadline: Deadline
    ) -> MasterResult:
        """V(R) in the unit of what it turns out to be; where none fits, the decision, and nothing is proved."""
        form = self._form
        form.scale = form.scale.fitted_to(limits.cutoff)
        for _ in range(_MOST_UNITS):
            found = self._solved_in_units(scenarios, limits, start, deadline)
            fitted = form.scale.fitted_to(found.value - self._evaluator.problem.offset)
            if fitted == form.scale:
                return found
            form.scale = fitted
        return replace(found, bound=-math.inf)

    def _solved_in_units(
        self, scenarios: Sequence[int], limits: Limits, start: Floats | None, deadline: Deadline
    ) -> MasterResult:
        """V(R) as the present unit shows it, the value at the user's costs."""
        scale = self._form.scale
        assignment = self._assignment(scenarios, start, deadline) if start is not None and self._discrete else None
        model = self._model(scenarios, deadline)
        result = solved_tightly(self._engine, model, scale.limits(limits).until(deadline), assignment)
        if result.row_duals is not None:  # a linear program is believed as far as its duals prove it
            result = replace(result, bound=min(result.bound, bound_by_duals(model, result.row_duals)))
        result = made_exact(self._engine, model, result, deadline)
        found = self._read(model, self._doubted(scale.read(result), scenarios, deadline), scenarios)
        if found.x is None:
            return found
        return replace(found, value=self._priced(found, scenarios, deadline), attained={})

    def _priced(self, found: MasterResult, scenarios: Sequence[int], deadline: Deadline) -> float:
        """
        What the decision costs on R at the user's costs.

        Its recourse may pay for what the model made cheaper, in scenarios that do not bind; then a better one is asked
        for.
        """
        assert found.x is not None
        first, complete = self._evaluator.first_cost(found.x), len(found.attained) == len(scenarios)
        priced = first + max(found.attained.values()) if complete else math.inf
        if priced <= found.bound + FEASIBILITY_TOLERANCE * abs(found.bound):
            return priced
        try:
            costs = self._evaluator.bounds_of(found.x, scenarios, deadline).upper
        except OutOfTimeError:
            return priced
        return min(priced, first + float(costs[list(scenarios)].max()))

    def add_cut(self, cut: ObjectiveCut) -> None:
        """Keep the cut in every model from now on."""
        self._objective_cuts.add(cut)

    def _assignment(self, scenarios: Sequence[int], x: Floats, deadline: Deadline) -> Floats | None:
        """A complete solution of the model from a first-stage decision; None where time or recourse is missing."""
        decisions, eta = [], -math.inf
        for s in scenarios:
            try:
                y = self._evaluator.decision(x, s, deadline)
            except OutOfTimeError:
                return None
            if y is None:
                return None
            decisions.append(y)
            block = self._evaluator.problem.scenario(s)
            eta = max(eta, float(block.costs @ y + block.x_costs @ x))
        return self._form.start(x, eta, decisions)

    def _read(self, model: EngineModel, result: EngineResult, scenarios: Sequence[int]) -> MasterResult:
        value, bound = result.objective, result.bound
        if self._integral:
            value = round(value) if math.isfinite(value) else value
            bound = math.ceil(bound - FEASIBILITY_TOLERANCE) if math.isfinite(bound) else bound
            bound = min(bound, value)
        others = tuple(self._form.first_stage_of(values) for values in result.improving)
        if result.values is None:
            return MasterResult(result.status, float(value), float(bound), None, others)
        x = self._form.first_stage_of(result.values)
        attained = self._attained(model, x, result.values, scenarios)
        binding = self._binding(result, scenarios)
        return MasterResult(result.status, float(value), float(bound), x, _distinct(others, x), attained, binding)

    def _binding(self, result: EngineResult, scenarios: Sequence[int]) -> tuple[int, ...]:
        if result.row_duals is None:
            return ()
        weights = result.row_duals[self._form.objective_rows(len(scenarios))]
        heaviest_first = np.argsort(-weights, kind="stable").tolist()
        return tuple(scenarios[place] for place in heaviest_first if weights[place] > FEASIBILITY_TOLERANCE)

    def _attained(self, model: EngineModel, x: Floats, values: Floats, scenarios: Sequence[int]) -> dict[int, float]:
        """What the recourse of each scenario costs beside x, integer entries made exactly integer."""
        if self._evaluator.problem.num_recourse == 0:
            return {}
        whole = np.where(model.integer, np.round(values), values)
        whole[: len(x)] = x
        costs = self._form.attained_costs(model, scenarios, whole).tolist()
        return {s: cost for s, cost in zip(scenarios, costs, strict=True) if cost < math.inf}


def _distinct(candidates: tuple[Floats, ...], known: Floats) -> tuple[Floats, ...]:
    kept: list[Floats] = []
    for x in candidates:
        if not any(np.array_equal(x, other) for other in (*kept, known)):
            kept.append(x)
    return tuple(kept)


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
