"""HiGHS, the default engine."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import highspy
import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline
from neurprise.errors import EngineError
from neurprise.solvers.base import (
    EngineResult,
    EngineStatus,
    Limits,
    LinearSession,
    Model,
    Purpose,
    Session,
    normalized,
)
from neurprise.solvers.corner_cases import (
    answer_without_engine,
    classify_status,
    could_be_unbounded,
    falls_for_ever,
    unbounded_from,
    unbounded_integers,
)
from neurprise.solvers.interrupt import run_interruptibly
from neurprise.solvers.settings import EngineSettings, refuse_option, refuse_reserved

_STATUS = {
    highspy.HighsModelStatus.kOptimal: EngineStatus.OPTIMAL,
    highspy.HighsModelStatus.kModelEmpty: EngineStatus.OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: EngineStatus.INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: EngineStatus.UNBOUNDED,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: EngineStatus.UNBOUNDED,
    highspy.HighsModelStatus.kTimeLimit: EngineStatus.TIME_LIMIT,
    highspy.HighsModelStatus.kInterrupt: EngineStatus.TIME_LIMIT,  # by our own timer; Ctrl-C raises instead
    highspy.HighsModelStatus.kObjectiveTarget: EngineStatus.TARGET,
    highspy.HighsModelStatus.kObjectiveBound: EngineStatus.CUTOFF,
}
_VAR_TYPE = {False: highspy.HighsVarType.kContinuous, True: highspy.HighsVarType.kInteger}
#: With unbounded integer columns HiGHS may call a wrong point optimal (seen up to 1.15.1); within this box it does not.
_INTEGER_BOX = 1e6
#: Its presolve may drop entries below its feasibility tolerance (1e-6); rows with such entries are scaled up to this.
_SMALLEST_ENTRY = 1e-5
#: It takes limits within its tolerance of a whole multiple of an entry for that multiple, and may then lose feasible
#: decisions: min -x over x in {1, 2} with 3.000003 <= y + 3 z - 3 x <= 9 and 0 <= y, z <= 3 was -1. Models of so few
#: entries with limits so near to a multiple are solved without it; in larger ones it is worth more than it risks.
_NEAR_MULTIPLE, _FEW_ENTRIES = (1e-9, 3e-6), 2_000
#: HiGHS may overrun its own limit (upstream issue 2226); so many seconds later it is interrupted.
_GRACE = 0.2
#: A first dive that has asked so often, and so often for each integer column, goes on for ever along integers without
#: bounds; giving back its nodes then takes as long again, and no interrupt reaches HiGHS there.
_ENDLESS_DIVE, _QUESTIONS_PER_INTEGER = 10_000, 20
#: Linear programs with fewer entries end too soon to be worth a second thread that can be interrupted.
_LONG_LINEAR_PROGRAM = 20_000
# Set in every solve, or would end a search or scale its bound without a word.
_RESERVED = (
    "threads", "time_limit", "mip_rel_gap", "mip_abs_gap", "objective_target", "objective_bound", "output_flag",
    "log_file", "log_to_console", "primal_feasibility_tolerance", "mip_feasibility_tolerance",
    "mip_improving_solution_save", "mip_improving_solution_file", "solution_file", "write_solution_to_file",
    "mip_max_nodes", "mip_max_stall_nodes", "mip_max_leaves", "mip_max_improving_sols", "simplex_iteration_limit",
    "ipm_iteration_limit", "pdlp_iteration_limit", "user_bound_scale", "user_objective_scale", "user_cost_scale",
)  # fmt: skip
# Restarts and the mixed-integer searches inside a search (RENS, RINS) took half the time of hard reduced problems, and
# with linear recourse the other heuristics half of the rest.
_NO_RESTARTS = {"mip_allow_restart": False}
_NO_SEARCHES_INSIDE = {**_NO_RESTARTS, "mip_heuristic_run_rens": False, "mip_heuristic_run_rins": False}
_PURPOSE_OPTIONS: dict[Purpose, dict[str, bool]] = {
    Purpose.ANSWER: {},
    Purpose.STEP: _NO_RESTARTS,
    Purpose.BOUND: _NO_SEARCHES_INSIDE,
    Purpose.PROOF: {
        **_NO_SEARCHES_INSIDE,
        "mip_heuristic_run_feasibility_jump": False,
        "mip_heuristic_run_root_reduced_cost": False,
    },
}
# HiGHS fixes its thread count with the first solve of a process and fails on another one later.
_threads_in_use: list[int] = []


class Highs:
    """HiGHS through highspy; one `highspy.Highs` object per solve, one kept open per session."""

    name = "highs"

    def __init__(self, settings: EngineSettings | None = None) -> None:
        self._settings = settings or EngineSettings()
        refuse_reserved("HiGHS", self._settings.options, _RESERVED)
        _set_own_options(_silent_handle(), self._settings)

    def solve(self, model: Model, limits: Limits, start: Floats | None = None) -> EngineResult:
        return _solve(_tuned(self._settings, _PURPOSE_OPTIONS[limits.purpose]), model, limits, start)

    def session(self, model: Model) -> Session:
        return _HighsSession(model, replace(self._settings, log_file=None))

    def linear_session(self, model: Model) -> LinearSession:
        return _HighsLinearSession(model, replace(self._settings, log_file=None))


class _HighsSession:
    """Changes go into the open model, so the next solve starts from the last basis."""

    def __init__(self, model: Model, settings: EngineSettings) -> None:
        self._model = model
        self._settings = settings
        self._opened = _scaled(_boxed(model))
        self._handle = _open(self._opened, settings)

    def update(self, model: Model) -> None:
        old, new, handle = self._opened, _scaled(_boxed(model)), self._handle
        columns = np.arange(len(new.costs), dtype=np.int32)
        rows = np.arange(len(new.row_lower), dtype=np.int32)
        if not np.array_equal(old.costs, new.costs):
            handle.changeColsCost(len(columns), columns, new.costs)
        if not (np.array_equal(old.lower, new.lower) and np.array_equal(old.upper, new.upper)):
            handle.changeColsBounds(len(columns), columns, new.lower, new.upper)
        if not (np.array_equal(old.row_lower, new.row_lower) and np.array_equal(old.row_upper, new.row_upper)):
            handle.changeRowsBounds(len(rows), rows, new.row_lower, new.row_upper)
        if old.offset != new.offset:
            handle.changeObjectiveOffset(new.offset)
        self._change_entries(old, new)
        self._model, self._opened = model, new

    def solve(self, limits: Limits) -> EngineResult:
        return _answer(self._handle, self._model, limits, Deadline(limits.time_limit), self._settings)

    def _change_entries(self, old: Model, new: Model) -> None:
        moved = np.flatnonzero(old.matrix.data != new.matrix.data)
        if moved.size == 0:
            return
        row_of = np.repeat(np.arange(new.matrix.shape[0]), np.diff(new.matrix.indptr))
        for k in moved:
            self._handle.changeCoeff(int(row_of[k]), int(new.matrix.indices[k]), float(new.matrix.data[k]))


class _HighsLinearSession:
    """Nothing but changes and runs: a linear program of fifty rows takes less time than building its model."""

    def __init__(self, model: Model, settings: EngineSettings) -> None:
        relaxed = replace(model, integer=np.zeros_like(model.integer), offset=0.0)
        self._factors = _row_factors(relaxed)
        self._handle = _open(_scaled(relaxed), settings)
        self._rows = np.arange(len(model.row_lower), dtype=np.int32)
        self._columns = np.arange(len(model.costs), dtype=np.int32)
        self._costs, self._lower, self._upper = model.costs, model.lower, model.upper
        self._cutoff = math.inf
        _use_threads(settings.threads)
        _set_options(self._handle, False, Limits(threads=settings.threads))

    def set_rows(self, lower: Floats, upper: Floats) -> None:
        self._handle.changeRowsBounds(len(self._rows), self._rows, lower * self._factors, upper * self._factors)

    def set_bounds(self, lower: Floats, upper: Floats) -> None:
        moved = np.flatnonzero((lower != self._lower) | (upper != self._upper)).astype(np.int32)
        self._lower, self._upper = lower, upper
        self._handle.changeColsBounds(len(moved), moved, lower[moved], upper[moved])

    def set_costs(self, costs: Floats) -> None:
        self._costs = costs
        self._handle.changeColsCost(len(self._columns), self._columns, costs)

    def set_entries(self, rows: Ints, columns: Ints, values: Floats) -> None:
        scaled = values * self._factors[rows]
        for row, column, value in zip(rows.tolist(), columns.tolist(), scaled.tolist(), strict=True):
            self._handle.changeCoeff(row, column, value)

    def solve(self, deadline: Deadline, cutoff: float = math.inf) -> float | None:
        # The limit of a linear program counts every run of its handle so far.
        self._handle.setOptionValue("time_limit", deadline.remaining + self._handle.getRunTime())
        if cutoff != self._cutoff:
            self._handle.setOptionValue("objective_bound", cutoff)
            self._cutoff = cutoff
        self._handle.run()
        status = self._handle.getModelStatus()
        if status == highspy.HighsModelStatus.kOptimal:
            return float(self._handle.getObjectiveValue())
        if status == highspy.HighsModelStatus.kObjectiveBound:
            return math.inf
        surely = status == highspy.HighsModelStatus.kInfeasible
        return math.inf if surely and not could_be_unbounded(self._costs, self._lower, self._upper) else None

    def values(self) -> Floats:
        return np.array(self._handle.getSolution().col_value)

    def row_duals(self) -> Floats:
        return np.array(self._handle.getSolution().row_dual) * self._factors


def _solve(settings: EngineSettings, model: Model, limits: Limits, start: Floats | None = None) -> EngineResult:
    deadline = Deadline(limits.time_limit)
    handle = _open(_scaled(_boxed(model)), settings)
    if start is not None:
        _set_start(handle, start)
    return _answer(handle, model, limits, deadline, settings)


class _EndlessSearchError(EngineError):
    """HiGHS would go on for ever along integers without bounds."""


def _answer(handle: Any, model: Model, limits: Limits, deadline: Deadline, settings: EngineSettings) -> EngineResult:
    """What the open model, boxed and scaled, says about the model as it is."""
    limits = replace(limits, threads=settings.threads)
    answer = answer_without_engine(model)
    if answer is not None:
        return answer
    try:
        return _own_answer(handle, model, limits, deadline, settings)
    except _EndlessSearchError:
        return _answer_of_scip(model, limits.until(deadline), settings)


def _answer_of_scip(model: Model, limits: Limits, settings: EngineSettings) -> EngineResult:
    """The answer where HiGHS finds none: SCIP tells most of these models infeasible at once."""
    try:
        from neurprise.solvers.scip import Scip
    except ImportError:
        raise EngineError(
            "HiGHS searches for ever along integers without bounds; give them finite bounds, or install scip."
        ) from None
    return Scip(EngineSettings(threads=settings.threads)).solve(model, limits)


def _own_answer(
    handle: Any, model: Model, limits: Limits, deadline: Deadline, settings: EngineSettings
) -> EngineResult:
    presolve = "off" if _near_multiples(model) else settings.options.get("presolve", "choose")
    handle.setOptionValue("presolve", presolve)
    try:
        result = _run(handle, model, limits, deadline)
    except _EndlessSearchError:
        raise
    except EngineError:  # HiGHS 1.15 stumbles over some starts that are feasible, and presolve over bad scaling
        result = _run(_open(_scaled(_boxed(model)), settings, presolve="off"), model, limits, deadline)
    if _box_decides(result, model):
        if not falls_for_ever(model, partial(_solve, settings)):
            result = _run(_open(_scaled(model), settings), model, limits, deadline)
        # Else HiGHS might call some point on the way down optimal.
        elif result.values is None:
            result = EngineResult(EngineStatus.UNBOUNDED)
        else:
            return unbounded_from(result.values)
    return classify_status(result, model, limits, deadline, partial(_solve, settings))


def _near_multiples(model: Model) -> bool:
    """Whether presolve may take some limit of a small mixed-integer model for a whole multiple of an entry."""
    entries = model.matrix.data
    if not model.integer.any() or not 0 < entries.size <= _FEW_ENTRIES:
        return False
    row_of = np.repeat(np.arange(len(model.row_lower)), np.diff(model.matrix.indptr))
    with np.errstate(divide="ignore", invalid="ignore"):
        multiples = np.concatenate([model.row_lower[row_of] / entries, model.row_upper[row_of] / entries])
    multiples = multiples[np.isfinite(multiples)]
    off = np.abs(multiples - np.round(multiples))
    return bool(((off > _NEAR_MULTIPLE[0]) & (off < _NEAR_MULTIPLE[1])).any())


def _boxed(model: Model) -> Model:
    """The model with a finite box around unbounded integer columns; the same object where there are none."""
    below, above = unbounded_integers(model)
    if not (below.any() or above.any()):
        return model
    # A bound beyond the box moves the box, not the bound.
    lower = np.where(below, np.minimum(-_INTEGER_BOX, model.upper - _INTEGER_BOX), model.lower)
    upper = np.where(above, np.maximum(_INTEGER_BOX, model.lower + _INTEGER_BOX), model.upper)
    return replace(model, lower=np.where(below & above, -_INTEGER_BOX, lower), upper=upper)


def _row_factors(model: Model) -> Floats:
    """What each row is multiplied by, a power of two, shape (rows,); 1 where no entry is too small."""
    sizes = np.abs(model.matrix.data)
    smallest = np.full(len(model.row_lower), np.inf)
    filled = np.diff(model.matrix.indptr) > 0
    if filled.any():
        starts = model.matrix.indptr[:-1][filled]
        smallest[filled] = np.minimum.reduceat(np.where(sizes > 0, sizes, np.inf), starts)
    return np.exp2(np.ceil(np.log2(np.maximum(_SMALLEST_ENTRY / smallest, 1.0))))


def _scaled(model: Model) -> Model:
    """The model with its rows multiplied by their factors; the same object where all are 1."""
    factors = _row_factors(model)
    if (factors == 1.0).all():
        return model
    matrix = model.matrix.copy()
    matrix.data = matrix.data * np.repeat(factors, np.diff(matrix.indptr))
    return replace(model, matrix=matrix, row_lower=model.row_lower * factors, row_upper=model.row_upper * factors)


def _box_decides(result: EngineResult, model: Model) -> bool:
    """Whether the box could have changed the answer: nothing was found inside, or it was pushed towards the edge."""
    below, above = unbounded_integers(model)
    if not (below.any() or above.any()):
        return False
    if result.values is None:
        return result.status in (EngineStatus.INFEASIBLE, EngineStatus.CUTOFF)
    # Rows may keep a falling cost from touching the edge, but not from going most of the way.
    far = (below | above) & (np.abs(result.values) > _INTEGER_BOX / 2)
    return bool(far.any())


def _tuned(settings: EngineSettings, options: Mapping[str, Any]) -> EngineSettings:
    """Settings with options of ours; who chooses one of these chooses all of them."""
    chosen = not options or any(name in settings.options for name in options)
    return settings if chosen else replace(settings, options={**options, **settings.options})


def _silent_handle() -> Any:
    handle = highspy.Highs()
    handle.setOptionValue("output_flag", False)
    return handle


def _set_own_options(handle: Any, settings: EngineSettings) -> None:
    """The caller's options; refuses what HiGHS does not know or take."""
    for name, value in settings.options.items():
        try:
            taken = handle.setOptionValue(name, value) != highspy.HighsStatus.kError
        except TypeError:
            taken = False
        if not taken:
            refuse_option("HiGHS", name, value)


def _write_log(handle: Any, path: Path) -> None:
    """Append what HiGHS says; its own log_file option would empty the file with every model."""
    handle.setOptionValue("log_to_console", False)
    handle.setOptionValue("output_flag", True)

    def append(event: Any) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(event.message)

    handle.cbLogging.subscribe(append)


def _safe_options(model: Model) -> dict[str, Any]:
    """
    What is set unless the caller chooses it.

    The feasibility jump of HiGHS up to 1.15.1 follows columns without bounds to infinity and then crashes the process
    (upstream issue 3262), ignores rows with negative entries (3302), and takes ten times as long as the rest of a small
    model. Without it a restart has been seen to lose the optimum among general integers; among binaries never, and
    there restarts can halve the time.
    """
    binary = bool((model.upper - model.lower)[model.integer].max(initial=0.0) <= 1.0)
    return {"mip_heuristic_run_feasibility_jump": False, "mip_allow_restart": binary}


def _open(model: Model, settings: EngineSettings, presolve: str | None = None) -> Any:
    handle = _silent_handle()
    _set_own_options(handle, replace(settings, options={**_safe_options(model), **settings.options}))
    if presolve is not None:
        handle.setOptionValue("presolve", presolve)
    if settings.log_file is not None:
        _write_log(handle, settings.log_file)
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


def _run(handle: Any, model: Model, limits: Limits, deadline: Deadline) -> EngineResult:
    """Run the open model until the deadline; raises EngineError where its end is not understood."""
    _use_threads(limits.threads)
    discrete = bool(model.integer.any())
    _set_options(handle, discrete, limits.until(deadline))
    if discrete:
        longest_dive = max(_ENDLESS_DIVE, _QUESTIONS_PER_INTEGER * int(np.count_nonzero(model.integer)))
        _run_interruptibly(handle, handle.cbMipInterrupt, deadline, longest_dive)
    elif model.matrix.nnz >= _LONG_LINEAR_PROGRAM:
        _run_interruptibly(handle, handle.cbSimplexInterrupt, deadline)
    else:
        handle.run()
    result = _read(handle, discrete, limits)
    return result if result.row_duals is None else replace(result, row_duals=result.row_duals * _row_factors(model))


def _set_options(handle: Any, discrete: bool, limits: Limits) -> None:
    options = {
        "threads": limits.threads,
        # A linear program's limit counts every run of its handle so far, a mixed-integer one's only this run.
        "time_limit": limits.time_limit + (0.0 if discrete else handle.getRunTime()),
        "mip_rel_gap": limits.gap,
        "mip_abs_gap": limits.absolute_gap,
        "objective_target": limits.target,
        "primal_feasibility_tolerance": limits.tolerance,
        "mip_feasibility_tolerance": limits.tolerance,
        "mip_improving_solution_save": True,
    }
    # With a bound HiGHS still says "optimal" when it pruned everything better; `normalized` reads that right.
    if discrete:
        options["objective_bound"] = limits.cutoff
    for name, value in options.items():
        if handle.setOptionValue(name, value) == highspy.HighsStatus.kError:
            raise EngineError(f"HiGHS refused the option {name} = {value}.")


def _run_interruptibly(handle: Any, callback: Any, deadline: Deadline, longest_dive: float = math.inf) -> None:
    """Run until Ctrl-C, the end, or a little after the deadline, which HiGHS does not always keep."""
    stop, endless, questions = threading.Event(), threading.Event(), itertools.count()

    def interrupt_when_due(event: Any) -> None:
        if next(questions) > longest_dive and _still_in_first_dive(event.data_out):
            endless.set()
        if stop.is_set() or endless.is_set() or deadline.overdue > _GRACE:
            event.interrupt()

    callback.subscribe(interrupt_when_due)
    try:
        run_interruptibly(handle.run, stop.set)
    finally:
        callback.unsubscribe(interrupt_when_due)
    if endless.is_set():
        raise _EndlessSearchError


def _still_in_first_dive(so_far: Any) -> bool:
    """HiGHS counts the nodes of a dive when it ends."""
    return bool(so_far.mip_node_count == 0 and math.isinf(so_far.mip_primal_bound))


def _read(handle: Any, discrete: bool, limits: Limits) -> EngineResult:
    model_status = handle.getModelStatus()
    info = handle.getInfo()
    solved = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    values = np.array(handle.getSolution().col_value) if solved else None
    objective = info.objective_function_value if solved else math.inf
    if model_status not in _STATUS:
        raise EngineError(f"HiGHS stopped with status {handle.modelStatusToString(model_status)!r}.")
    if solved and discrete and info.max_integrality_violation > 10 * limits.tolerance:
        raise EngineError(f"HiGHS returned integers that are off by {info.max_integrality_violation:.2g}.")
    status = _STATUS[model_status]
    linear_bound = objective if status is EngineStatus.OPTIMAL else -math.inf
    bound = info.mip_dual_bound if discrete else linear_bound
    if discrete:
        return normalized(status, objective, bound, values, limits, _improving(handle))
    duals = np.array(handle.getSolution().row_dual) if status is EngineStatus.OPTIMAL else None
    return replace(normalized(status, objective, bound, values, limits), row_duals=duals)


def _improving(handle: Any) -> tuple[Floats, ...]:
    return tuple(np.array(solution.col_value) for solution in handle.getSavedMipSolutions())


def _use_threads(threads: int) -> None:
    if _threads_in_use != [threads]:
        highspy.Highs.resetGlobalScheduler(True)
        _threads_in_use[:] = [threads]
