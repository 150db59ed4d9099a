"""HiGHS, the default engine."""

from __future__ import annotations

import math
import threading
from typing import Any

import highspy
import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import EngineError
from neurprise.solvers.base import (
    FEASIBILITY_TOLERANCE,
    EngineResult,
    EngineStatus,
    Limits,
    Model,
    Session,
    settle,
)
from neurprise.solvers.corner_cases import answer_without_engine, told_apart
from neurprise.solvers.interrupt import run_interruptibly

_STATUS = {
    highspy.HighsModelStatus.kOptimal: EngineStatus.OPTIMAL,
    highspy.HighsModelStatus.kModelEmpty: EngineStatus.OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: EngineStatus.INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: EngineStatus.UNBOUNDED,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: EngineStatus.UNBOUNDED,
    highspy.HighsModelStatus.kTimeLimit: EngineStatus.TIME_LIMIT,
    highspy.HighsModelStatus.kObjectiveTarget: EngineStatus.TARGET,
    highspy.HighsModelStatus.kObjectiveBound: EngineStatus.CUTOFF,
}
_VAR_TYPE = {False: highspy.HighsVarType.kContinuous, True: highspy.HighsVarType.kInteger}
# HiGHS fixes its thread count with the first solve of a process and fails on another one later.
_threads_in_use: list[int] = []


class Highs:
    """HiGHS through highspy; one `highspy.Highs` object per solve, one kept open per session."""

    name = "highs"

    def solve(self, model: Model, limits: Limits, start: Floats | None = None) -> EngineResult:
        handle = _open(model)
        if start is not None:
            _set_start(handle, start)
        try:
            return _run(handle, model, limits)
        except EngineError:
            if start is None:
                raise
            return self.solve(model, limits)  # HiGHS 1.15 stumbles over some starts that are feasible

    def session(self, model: Model) -> Session:
        return _HighsSession(model)


class _HighsSession:
    """Changes go into the open model, so the next solve starts from the last basis."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._handle = _open(model)

    def update(self, model: Model) -> None:
        old, handle = self._model, self._handle
        columns = np.arange(len(model.costs), dtype=np.int32)
        rows = np.arange(len(model.row_lower), dtype=np.int32)
        if not np.array_equal(old.costs, model.costs):
            handle.changeColsCost(len(columns), columns, model.costs)
        if not (np.array_equal(old.lower, model.lower) and np.array_equal(old.upper, model.upper)):
            handle.changeColsBounds(len(columns), columns, model.lower, model.upper)
        if not (np.array_equal(old.row_lower, model.row_lower) and np.array_equal(old.row_upper, model.row_upper)):
            handle.changeRowsBounds(len(rows), rows, model.row_lower, model.row_upper)
        if old.offset != model.offset:
            handle.changeObjectiveOffset(model.offset)
        self._change_entries(old, model)
        self._model = model

    def solve(self, limits: Limits) -> EngineResult:
        return _run(self._handle, self._model, limits)

    def _change_entries(self, old: Model, new: Model) -> None:
        moved = np.flatnonzero(old.matrix.data != new.matrix.data)
        if moved.size == 0:
            return
        row_of = np.repeat(np.arange(new.matrix.shape[0]), np.diff(new.matrix.indptr))
        for k in moved:
            self._handle.changeCoeff(int(row_of[k]), int(new.matrix.indices[k]), float(new.matrix.data[k]))


def _open(model: Model) -> Any:
    handle = highspy.Highs()
    handle.setOptionValue("output_flag", False)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(model.costs), len(model.row_lower)
    lp.col_cost_, lp.offset_ = model.costs, model.offset
    lp.col_lower_, lp.col_upper_ = model.lower, model.upper
    lp.row_lower_, lp.row_upper_ = model.row_lower, model.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = lp.num_col_, lp.num_row_
    lp.a_matrix_.start_ = model.matrix.indptr
    lp.a_matrix_.index_ = model.matrix.indices
    lp.a_matrix_.value_ = model.matrix.data
    if model.integer.any():
        lp.integrality_ = [_VAR_TYPE[flag] for flag in model.integer.tolist()]
    if handle.passModel(lp) == highspy.HighsStatus.kError:
        raise EngineError("HiGHS refused the model; please report it with the problem file.")
    return handle


def _set_start(handle: Any, start: Floats) -> None:
    known = np.flatnonzero(~np.isnan(start)).astype(np.int32)
    handle.setSolution(len(known), known, start[known])


def _run(handle: Any, model: Model, limits: Limits) -> EngineResult:
    answer = answer_without_engine(model)
    if answer is not None:
        return answer
    _use_threads(limits.threads)
    discrete = bool(model.integer.any())
    options = {
        "threads": limits.threads,
        # A linear program's limit counts every run of its handle so far, a mixed-integer one's only this run.
        "time_limit": max(limits.time_limit, 0.0) + (0.0 if discrete else handle.getRunTime()),
        "mip_rel_gap": limits.gap,
        "mip_abs_gap": limits.absolute_gap,
        "objective_target": limits.target,
        "primal_feasibility_tolerance": FEASIBILITY_TOLERANCE,
        "mip_feasibility_tolerance": FEASIBILITY_TOLERANCE,
        "mip_improving_solution_save": True,
    }
    # With a bound HiGHS still says "optimal" when it pruned everything better; `settle` reads that right.
    if discrete:
        options["objective_bound"] = limits.cutoff
    for name, value in options.items():
        if handle.setOptionValue(name, value) == highspy.HighsStatus.kError:
            raise EngineError(f"HiGHS refused the option {name} = {value}.")
    if discrete:
        _run_interruptibly(handle)
    else:
        handle.run()
    return told_apart(_read(handle, discrete, limits), model, limits, Highs().solve)


def _run_interruptibly(handle: Any) -> None:
    stop = threading.Event()

    def interrupt_when_asked(event: Any) -> None:
        if stop.is_set():
            event.interrupt()

    handle.cbMipInterrupt.subscribe(interrupt_when_asked)
    try:
        run_interruptibly(handle.run, stop.set)
    finally:
        handle.cbMipInterrupt.unsubscribe(interrupt_when_asked)


def _read(handle: Any, discrete: bool, limits: Limits) -> EngineResult:
    model_status = handle.getModelStatus()
    info = handle.getInfo()
    solved = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    values = np.array(handle.getSolution().col_value) if solved else None
    objective = info.objective_function_value if solved else math.inf
    if model_status not in _STATUS:
        raise EngineError(f"HiGHS stopped with status {handle.modelStatusToString(model_status)!r}.")
    status = _STATUS[model_status]
    linear_bound = objective if status is EngineStatus.OPTIMAL else -math.inf
    bound = info.mip_dual_bound if discrete else linear_bound
    return settle(status, objective, bound, values, limits, _improving(handle) if discrete else ())


def _improving(handle: Any) -> tuple[Floats, ...]:
    return tuple(np.array(solution.col_value) for solution in handle.getSavedMipSolutions())


def _use_threads(threads: int) -> None:
    if _threads_in_use != [threads]:
        highspy.Highs.resetGlobalScheduler(True)
        _threads_in_use[:] = [threads]
