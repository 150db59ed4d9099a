"""Gurobi through gurobipy."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import gurobipy
import numpy as np
from gurobipy import GRB
from numpy.typing import NDArray

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline
from neurprise.errors import EngineError, InputError
from neurprise.solvers.base import (
    EngineModel,
    EngineResult,
    EngineSession,
    EngineSettings,
    EngineStatus,
    Limits,
    normalized,
    refuse_option,
    refuse_reserved,
)
from neurprise.solvers.big_m import solve_with_big_m
from neurprise.solvers.corner_cases import (
    answer_without_engine,
    classify_status,
    cost_falls_without_limit,
    has_big_m,
    in_row_units,
    row_units,
)

#: Beside finite bounds of such a size presolve of Gurobi 13 has called feasible linear programs infeasible; asked again
#: with these parameters, which an open model keeps, it does not.
_HUGE = 1e9
_CAREFUL = {"Presolve": 0, "NumericFocus": 3}
_STATUS = {
    GRB.OPTIMAL: EngineStatus.OPTIMAL,
    GRB.INFEASIBLE: EngineStatus.INFEASIBLE,
    GRB.INF_OR_UNBD: EngineStatus.UNBOUNDED,
    GRB.UNBOUNDED: EngineStatus.UNBOUNDED,
    GRB.CUTOFF: EngineStatus.CUTOFF,
    GRB.TIME_LIMIT: EngineStatus.TIME_LIMIT,
    GRB.USER_OBJ_LIMIT: EngineStatus.TARGET,
}
#: Set in every solve, or would end a search without a word.
_RESERVED = (
    "Threads", "TimeLimit", "MIPGap", "MIPGapAbs", "BestObjStop", "BestBdStop", "Cutoff", "FeasibilityTol",
    "OptimalityTol", "IntFeasTol", "OutputFlag", "LogFile", "LogToConsole", "NodeLimit", "IterationLimit",
    "BarIterLimit", "SolutionLimit", "WorkLimit", "MemLimit", "SoftMemLimit", "SolutionNumber",
)  # fmt: skip
#: Gurobi stops at a target with "<="; this much less makes it "<".
_STRICTLY_LESS = 1e-9


class Gurobi:
    """Gurobi; one silent environment per engine object."""

    name = "gurobi"

    def __init__(self, settings: EngineSettings | None = None) -> None:
        self._settings = settings or EngineSettings()
        refuse_reserved("Gurobi", self._settings.options, _RESERVED)
        try:
            self._environment = gurobipy.Env(params={"OutputFlag": 0})
        except gurobipy.GurobiError as error:
            _refuse(error)
        _set_own_options(gurobipy.Model(env=self._environment), self._settings)

    def solve(self, model: EngineModel, limits: Limits, start: Floats | None = None) -> EngineResult:
        if has_big_m(model):
            return solve_with_big_m(model, limits, start, self._answer)
        return self._answer(model, limits, start)

    def _answer(self, model: EngineModel, limits: Limits, start: Floats | None = None) -> EngineResult:
        answer = answer_without_engine(model)
        if answer is not None:
            return answer
        deadline = Deadline(limits.time_limit)
        return _classified(self._solve(model, limits, start), model, limits, deadline, self._solve)

    def session(self, model: EngineModel) -> EngineSession:
        return _GurobiSession(self, model)

    def open(self, model: EngineModel) -> _OpenModel:
        """The model inside Gurobi; it writes no log."""
        return _OpenModel(self._environment, model, replace(self._settings, log_file=None))

    def _solve(self, model: EngineModel, limits: Limits, start: Floats | None = None) -> EngineResult:
        return _OpenModel(self._environment, model, self._settings).solve(limits, start)


def _set_own_options(handle: Any, settings: EngineSettings) -> None:
    """The caller's options; refuses what Gurobi does not know or take."""
    for name, value in settings.options.items():
        try:
            handle.setParam(name, value)
        except (gurobipy.GurobiError, TypeError):
            refuse_option("Gurobi", name, value)


@contextmanager
def _outside_python_logs() -> Iterator[None]:
    """gurobipy repeats its log file as records of Python's logging; the root logger shall not get them."""
    logger = logging.getLogger("gurobipy")
    before, logger.propagate = logger.propagate, False
    try:
        yield
    finally:
        logger.propagate = before


def _write_log(handle: Any, path: Path) -> None:
    """Append what Gurobi says to the file, and only there."""
    handle.setParam("LogToConsole", 0)
    handle.setParam("LogFile", str(path))
    handle.setParam("OutputFlag", 1)


class _GurobiSession:
    """Costs, limits and bounds change inside Gurobi, which starts from the last basis; new entries build it anew."""

    def __init__(self, engine: Gurobi, model: EngineModel) -> None:
        self._engine = engine
        self._model = model
        self._open: _OpenModel | None = None

    def update(self, model: EngineModel) -> None:
        self._model = model

    def solve(self, limits: Limits) -> EngineResult:
        if has_big_m(self._model):
            return self._engine.solve(self._model, limits)
        answer = answer_without_engine(self._model)
        if answer is not None:
            return answer
        if self._open is None or not self._open.change_to(self._model):
            self._open = self._engine.open(self._model)
        deadline = Deadline(limits.time_limit)
        return _classified(self._open.solve(limits), self._model, limits, deadline, self._engine.solve)


def _classified(
    result: EngineResult,
    model: EngineModel,
    limits: Limits,
    deadline: Deadline,
    solve: Callable[[EngineModel, Limits], EngineResult],
) -> EngineResult:
    """`classify_status`; a cutoff is doubted too: Gurobi 13 has pruned models at it whose cost falls without limit."""
    pruned = result.status is EngineStatus.CUTOFF and result.values is None and bool(model.integer.any())
    doubtful = pruned and cost_falls_without_limit(model, solve)
    return classify_status(EngineResult(EngineStatus.UNBOUNDED) if doubtful else result, model, limits, deadline, solve)


def _has_huge_bounds(model: EngineModel) -> bool:
    bounds = np.concatenate([model.lower, model.upper])
    return bool((np.abs(bounds[np.isfinite(bounds)]) >= _HUGE).any())


class _OpenModel:
    """One model inside Gurobi."""

    def __init__(self, environment: Any, model: EngineModel, settings: EngineSettings) -> None:
        self._factors = 1.0 / row_units(model.matrix)
        self._model = model = in_row_units(model)
        self._threads = settings.threads
        self._handle = gurobipy.Model(env=environment)
        _set_own_options(self._handle, settings)
        if settings.log_file is not None:
            with _outside_python_logs():
                _write_log(self._handle, settings.log_file)
        self._columns: Any = self._handle.addMVar(
            len(model.costs), lb=model.lower, ub=model.upper, obj=model.costs, vtype=_kinds(model)
        )
        self._handle.ObjCon = model.offset
        self._source, self._sense, limits = _one_sided_rows(model)
        self._rows: Any = self._handle.addMConstr(model.matrix[self._source], self._columns, self._sense, limits)

    def change_to(self, model: EngineModel) -> bool:
        """Take over other costs, limits and bounds; False, changing nothing, if the rows differ in more than that."""
        factors, model = 1.0 / row_units(model.matrix), in_row_units(model)
        source, sense, limits = _one_sided_rows(model)
        same_rows = np.array_equal(source, self._source) and np.array_equal(sense, self._sense)
        if not same_rows or not np.array_equal(model.matrix.data, self._model.matrix.data):
            return False
        self._columns.Obj, self._columns.LB, self._columns.UB = model.costs, model.lower, model.upper
        self._handle.ObjCon = model.offset
        self._rows.RHS = limits
        self._model, self._factors = model, factors
        return True

    def solve(self, limits: Limits, start: Floats | None = None) -> EngineResult:
        with _outside_python_logs():
            self._set_limits(limits)
        if start is not None:
            self._columns.Start = np.where(np.isnan(start), GRB.UNDEFINED, start)
        result = self._optimized(limits)
        lost = result.values is None and result.status in (EngineStatus.INFEASIBLE, EngineStatus.UNBOUNDED)
        if lost and not self._model.integer.any() and _has_huge_bounds(self._model):
            for name, value in _CAREFUL.items():
                self._handle.setParam(name, value)
            again = self._optimized(limits)
            result = again if math.isfinite(again.objective) else result  # it may "find" minus infinity
        return result

    def _optimized(self, limits: Limits) -> EngineResult:
        try:
            with _outside_python_logs():
                self._handle.optimize()
        except gurobipy.GurobiError as error:
            _refuse(error)
        return self._read(limits)

    def _set_limits(self, limits: Limits) -> None:
        discrete = bool(self._model.integer.any())
        parameters = {
            "Threads": self._threads,
            "TimeLimit": max(limits.time_limit, 0.0),
            "MIPGap": limits.gap,
            "MIPGapAbs": limits.absolute_gap,
            "BestObjStop": limits.target - _STRICTLY_LESS * max(1.0, abs(limits.target)),
            "Cutoff": limits.cutoff if discrete else math.inf,
            "FeasibilityTol": limits.tolerance,
            "OptimalityTol": limits.tolerance,  # else costs below 1e-6 are nothing even to a tight search
            "IntFeasTol": limits.tolerance,
        }
        for name, value in parameters.items():
            self._handle.setParam(name, value)

    def _read(self, limits: Limits) -> EngineResult:
        code = self._handle.Status
        if code == GRB.INTERRUPTED:  # Gurobi catches Ctrl-C itself, and says so on standard output
            raise KeyboardInterrupt
        if code not in _STATUS:
            raise EngineError(f"Gurobi stopped with status code {code}.")
        values = self._values()
        objective = math.inf if values is None else self._handle.ObjVal
        result = normalized(_STATUS[code], objective, self._bound(code), values, limits, self._improving())
        return result if self._handle.IsMIP or code != GRB.OPTIMAL else replace(result, row_duals=self._row_duals())

    def _values(self) -> Floats | None:
        """The best solution; None where there is none, or Gurobi counts one that it cannot give."""
        try:
            return np.array(self._columns.X) if self._handle.SolCount > 0 else None
        except gurobipy.GurobiError:
            return None

    def _row_duals(self) -> Floats:
        """Duals of the model's rows; a row with two sides is two of Gurobi's."""
        duals = np.zeros(len(self._model.row_lower))
        np.add.at(duals, self._source, np.array(self._rows.Pi))
        return duals * self._factors

    def _bound(self, code: int) -> float:
        if self._handle.IsMIP:
            return float(self._handle.ObjBound)
        return float(self._handle.ObjVal) if code == GRB.OPTIMAL else -math.inf

    def _improving(self) -> tuple[Floats, ...]:
        """Gurobi's solution pool, worst first."""
        found = []
        for k in reversed(range(self._handle.SolCount if self._handle.IsMIP else 0)):
            self._handle.Params.SolutionNumber = k
            found.append(np.array(self._columns.Xn))
        return tuple(found)


def _kinds(model: EngineModel) -> NDArray[np.str_]:
    return np.where(model.integer, GRB.INTEGER, GRB.CONTINUOUS)


def _one_sided_rows(model: EngineModel) -> tuple[Ints, NDArray[np.str_], Floats]:
    """Gurobi's rows have one limit each, so a ranged row is two: which row of the model, its sense, its limit."""
    lower, upper = model.row_lower, model.row_upper
    equal = lower == upper
    parts = [(equal, GRB.EQUAL, lower), (~equal & (lower > -np.inf), GRB.GREATER_EQUAL, lower)]
    parts.append((~equal & (upper < np.inf), GRB.LESS_EQUAL, upper))
    source = np.concatenate([np.flatnonzero(chosen) for chosen, _, _ in parts])
    sense = np.concatenate([np.full(np.count_nonzero(chosen), letter) for chosen, letter, _ in parts])
    limits = np.concatenate([values[chosen] for chosen, _, values in parts])
    return source, sense, limits


def _refuse(error: gurobipy.GurobiError) -> NoReturn:
    """Say in our words what Gurobi refused."""
    if error.errno == GRB.ERROR_SIZE_LIMIT_EXCEEDED:
        raise InputError(
            "this Gurobi licence is limited to 2,000 variables and 2,000 rows, and the model is larger; "
            "use solver='highs' or install a full licence."
        ) from None
    if error.errno == GRB.ERROR_NO_LICENSE:
        raise InputError(f"Gurobi found no valid licence ({error}); use solver='highs' or install one.") from None
    raise EngineError(f"Gurobi failed: {error}.") from None
