"""The reduced problem V(R) as one mixed-integer model (Eq. 7), with a copy of the recourse for every scenario in R."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError
from neurprise.problem import TwoStageProblem
from neurprise.problem.contract import CutSeparator
from neurprise.problem.stages import RecourseRows, Scenario
from neurprise.recourse.engine import ORDINARY, cost_scale
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.cuts import ObjectiveCut, SeparatedCuts, with_objective_cuts
from neurprise.search.master import MasterResult
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


class ExtensiveForm:
    """
    Builds models over any subset of a problem's scenarios; the common pattern of a scenario's rows is laid out once.

    Columns: x (n), eta, then y of each scenario (m each). Rows: first stage, then per scenario
    eta - q_s'x - b_s'y >= 0 followed by the recourse rows.

    `scale`, which may be replaced, says in which unit a model has its costs, eta and values.
    """

    def __init__(self, problem: TwoStageProblem) -> None:
        self.problem = problem
        self.scale = cost_scale(problem)
        n, recourse = problem.num_first_stage, problem.recourse
        self._charged_x = _nonzero_somewhere(problem, "x_costs")
        self._charged_y = _nonzero_somewhere(problem, "costs")
        technology, matrix = recourse.technology.tocoo(), recourse.matrix.tocoo()
        rows = [np.zeros(len(self._charged_x) + 1 + len(self._charged_y)), technology.coords[0] + 1]
        rows.append(matrix.coords[0] + 1)
        columns = [self._charged_x, [n], n + 1 + self._charged_y, technology.coords[1], n + 1 + matrix.coords[1]]
        row, column = np.concatenate(rows).astype(np.int64), np.concatenate(columns).astype(np.int64)
        self._order = np.lexsort((column, row))
        self._columns = column[self._order]
        self._row_sizes = np.bincount(row, minlength=len(recourse.row_lower) + 1)

    def model(self, scenarios: Sequence[int]) -> EngineModel:
        """The model of V(R) for R = scenarios."""
        problem, first = self.problem, self.problem.first_stage
        blocks = [problem.scenario(s) for s in scenarios]
        n, m = problem.num_first_stage, problem.num_recourse
        is_y = self._columns > n
        indices = [first.matrix.indices, *(self._columns + np.where(is_y, k * m, 0) for k in range(len(blocks)))]
        data = [first.matrix.data, *(self._entries(block) for block in blocks)]
        sizes = np.concatenate([np.diff(first.matrix.indptr), np.tile(self._row_sizes, len(blocks))])
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        shape = (len(sizes), n + 1 + m * len(blocks))
        parts = (np.concatenate(data), np.concatenate(indices).astype(np.int32), indptr.astype(np.int32))
        return EngineModel(
            costs=np.concatenate([self._first_costs(), [1.0], np.zeros(m * len(blocks))]),
            matrix=sparse.csr_array(parts, shape=shape),
            row_lower=_stacked(first.row_lower, [0.0], [block.row_lower for block in blocks]),
            row_upper=_stacked(first.row_upper, [np.inf], [block.row_upper for block in blocks]),
            lower=np.concatenate([first.lower, [-np.inf], *(block.lower for block in blocks)]),
            upper=np.concatenate([first.upper, [np.inf], *(block.upper for block in blocks)]),
            integer=np.concatenate([first.integer, [False], np.tile(problem.recourse.integer, len(blocks))]),
            offset=problem.offset / self.scale.unit,
        )

    def objective_rows(self, num_blocks: int) -> Ints:
        """Places of the rows eta - q_s'x - b_s'y >= 0 in a model of this many scenarios."""
        block = 1 + len(self.problem.recourse.row_lower)
        return len(self.problem.first_stage.row_lower) + block * np.arange(num_blocks)

    def start(self, x: Floats, eta: float, decisions: Sequence[Floats]) -> Floats:
        """A complete assignment of the model's columns, from x, eta and a recourse decision per scenario."""
        return np.concatenate([x, [eta / self.scale.unit], *decisions])

    def split(self, values: Floats) -> tuple[Floats, list[Floats]]:
        """x and the recourse decision of each scenario, from an assignment of the model's columns."""
        n, m = self.problem.num_first_stage, self.problem.num_recourse
        return values[:n], list(values[n + 1 :].reshape(-1, m)) if m else []

    def attained_costs(self, model: EngineModel, scenarios: Sequence[int], values: Floats) -> Floats:
        """
        q_s'x + b_s'y of each scenario by an assignment of the model's columns, shape (number of scenarios,).

        y is clipped to its bounds first; inf where it misses a row of its scenario by more than the tolerance.
        """
        n, m = self.problem.num_first_stage, self.problem.num_recourse
        size, first = 1 + len(self.problem.recourse.row_lower), len(self.problem.first_stage.row_lower)
        blocks = (model.matrix.shape[1] - n - 1) // m
        values = np.clip(values, model.lower, model.upper)
        values[n] = 0.0  # without eta its rows are what the recourse costs
        rows = slice(first, first + size * blocks)
        activities = (model.matrix @ values)[rows].reshape(blocks, size)
        lower, upper = (side[rows].reshape(blocks, size)[:, 1:] for side in (model.row_lower, model.row_upper))
        costs = -activities[:, 0] if self.scale is ORDINARY else self._true_costs(scenarios, values)
        return np.where(_is_within(activities[:, 1:], lower, upper), costs, np.inf)

    def _true_costs(self, scenarios: Sequence[int], values: Floats) -> Floats:
        """The same costs where the model has others."""
        x, decisions = self.split(values)
        blocks = map(self.problem.scenario, scenarios)
        costs = [block.x_costs @ x + block.costs @ y for block, y in zip(blocks, decisions, strict=True)]
        return np.array(costs, dtype=float)

    def spread(self, rows: RecourseRows, block: int, num_columns: int) -> sparse.csr_array:
        """Rows in x and the y of one block, over all the model's columns; shape (k, num_columns)."""
        n, m = self.problem.num_first_stage, self.problem.num_recourse
        before = sparse.csr_array((len(rows.lower), 1 + block * m))
        after = sparse.csr_array((len(rows.lower), num_columns - n - 1 - (block + 1) * m))
        return sparse.csr_array(sparse.hstack([rows.technology, before, rows.matrix, after]))

    def first_stage_of(self, values: Floats) -> Floats:
        """x from an assignment of the model's columns, integer entries made exactly integer."""
        x = values[: self.problem.num_first_stage]
        x = np.clip(x, self.problem.first_stage.lower, self.problem.first_stage.upper)
        return np.where(self.problem.first_stage.integer, np.round(x), x)

    def _first_costs(self) -> Floats:
        first = self.problem.first_stage
        return self.scale.relaxed(first.costs, first.lower, first.upper) / self.scale.unit

    def _entries(self, block: Scenario) -> Floats:
        first, scale = self.problem.first_stage, self.scale
        x_costs = scale.relaxed(block.x_costs, first.lower, first.upper) / scale.unit
        costs = scale.relaxed(block.costs, block.lower, block.upper) / scale.unit
        parts = (
            -x_costs[self._charged_x],
            [1.0],
            -costs[self._charged_y],
            block.technology,
            block.matrix,
        )
        return np.concatenate(parts)[self._order]


def _nonzero_somewhere(problem: TwoStageProblem, kind: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Positions of a cost vector that are not zero in every scenario."""
    touched = problem.recourse.base(kind) != 0
    change = problem.changes.get(kind)
    if change is not None:
        touched[change.positions] |= (change.values != 0).any(axis=0)
    return np.flatnonzero(touched).astype(np.int64)


def _is_within(values: Floats, lower: Floats, upper: Floats) -> Bools:
    """Whether each row of values keeps its limits to the tolerance; all of shape (k, any), the answer (k,)."""
    missed = np.maximum(lower - values, values - upper)
    return np.asarray((missed <= FEASIBILITY_TOLERANCE).all(axis=1))


def _stacked(first: Floats, objective_row: list[float], blocks: list[Floats]) -> Floats:
    parts = [first]
    for block in blocks:
        parts += [np.asarray(objective_row), block]
    return np.concatenate(parts)


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


#: At most this many units are tried; each fits the last value, so two or three are enough.
_MOST_UNITS = 6


class Master:
    """
    The engine's way: one reduced problem after another, over the scenarios of one problem.

    Whole-number objectives (see `TwoStageProblem.integral_objective`) are rounded: the bound up, the value to the
    nearest, so that engine noise never looks like a gain.

    `separator` finds cuts in the linear relaxations of reduced problems; None for no cuts.
    """

    def __init__(self, evaluator: Evaluator, engine: Engine, separator: CutSeparator | None = None) -> None:
        self._evaluator = evaluator
        self._engine = engine
        self._form = ExtensiveForm(evaluator.problem)
        self._cuts = SeparatedCuts(self._form, engine, separator)
        self._objective_cuts: list[ObjectiveCut] = []
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
        if self._open is None or self._objective_cuts:  # cuts stand behind all scenarios
            result = self._engine.solve(model, limits.until(deadline), assignment)
        else:
            result = self._open.solve(model, scenarios, limits.until(deadline))
        if self._recourse_jumps and self._has_continuous_x:
            result = made_exact(self._engine, model, result, deadline)
        return self._read(model, self._doubted(result, scenarios, deadline), scenarios)

    def _doubted(self, result: EngineResult, scenarios: Sequence[int], deadline: Deadline) -> EngineResult:
        """
        The result; instead of "infeasible" a point that keeps all rows, where there is one, and nothing is proved.

        Engines have called models with large costs infeasible that they solve without costs.
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
        worst = max(attained.values(), default=math.inf) if len(attained) == len(scenarios) else math.inf
        return EngineResult(EngineStatus.OPTIMAL, self._evaluator.first_cost(x) + worst, -math.inf, found.values)

    def _model(self, scenarios: Sequence[int], deadline: Deadline) -> EngineModel:
        model = self._cuts.tightened(scenarios, deadline)
        cuts = self._objective_cuts
        return with_objective_cuts(model, cuts, self._form.scale.unit) if cuts else model

    def _solved_in_fitting_unit(
        self, scenarios: Sequence[int], limits: Limits, start: Floats | None, deadline: Deadline
    ) -> MasterResult:
        """V(R) in the unit of what it turns out to be; where none fits, the decision, and nothing is proved."""
        form = self._form
        form.scale = form.scale.fitted_to(limits.cutoff)
        for _ in range(_MOST_UNITS):
            found = self._solved_in_units(scenarios, limits, start, deadline)
            if found.status is EngineStatus.UNBOUNDED and form.scale != form.scale.with_whole_costs:
                form.scale = form.scale.with_whole_costs
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
        priced = first + max(found.attained.values(), default=math.inf) if complete else math.inf
        if priced <= found.bound + FEASIBILITY_TOLERANCE * abs(found.bound):
            return priced
        try:
            costs = self._evaluator.bounds_of(found.x, scenarios, deadline).upper
        except OutOfTimeError:
            return priced
        return min(priced, first + float(costs[list(scenarios)].max()))

    def add_cut(self, cut: ObjectiveCut) -> None:
        """Keep the cut in every model from now on."""
        self._objective_cuts.append(cut)

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
