"""HiGHS, the default engine."""

from __future__ import annotations

import math
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
    Basis,
    Engine,
    EngineModel,
    EngineResult,
    EngineSession,
    EngineSettings,
    EngineStatus,
    Limits,
    LinearSession,
    Purpose,
    extended,
    normalized,
    refuse_option,
    refuse_reserved,
)
from neurprise.solvers.corner_cases import (
    answer_without_engine,
    classify_status,
    cost_falls_without_limit,
    could_be_unbounded,
    has_big_m,
    has_unbounded_integers,
    row_factors,
    rows_of_entries,
    scaled,
    unbounded_from,
)
from neurprise.solvers.highs.traps import (
    TRUSTED_RATIO,
    LostError,
    box_decides,
    boxed,
    boxed_around,
    distance_to_optimum,
    dual_tolerance,
    goes_far,
    largest_row_unit,
    presolve_is_a_risk,
    run_until,
    safe_options,
    united,
)

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
#: With a point or without, such a search has not looked everywhere.
_STOPPED_EARLY = (EngineStatus.TARGET, EngineStatus.TIME_LIMIT)
_VAR_TYPE = {False: highspy.HighsVarType.kContinuous, True: highspy.HighsVarType.kInteger}
#: A dive that has asked so often, and so often for each integer column, without a solution at hand does not end
#: along integers with far bounds or none; giving back its nodes then takes as long again, and no interrupt reaches
#: HiGHS there.
_ENDLESS_DIVE, _QUESTIONS_PER_INTEGER = 10_000, 20
#: Other searches along integers without bounds do the same. One that has found nothing after this share of its time is
#: ended, so that enough is left for giving back, and for a second engine.
_FRUITLESS_SHARE = 0.4
#: SCIP, which may be lost there as well, gets this many seconds even without a time limit.
_LONGEST_SECOND_SEARCH = 20.0
#: Linear programs with fewer entries end too soon to be worth a second thread that can be interrupted.
_LONG_LINEAR_PROGRAM = 20_000
_BASIC, _AT_UPPER, _FREE = (
    int(status)
    for status in (highspy.HighsBasisStatus.kBasic, highspy.HighsBasisStatus.kUpper, highspy.HighsBasisStatus.kZero)
)
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
        if self._settings.options:
            _set_own_options(_silent_handle(), self._settings)

    def solve(self, model: EngineModel, limits: Limits, start: Floats | None = None) -> EngineResult:
        settings = _tuned(self._settings, _PURPOSE_OPTIONS[limits.purpose or Purpose.ANSWER])
        if has_big_m(model):
            return _solve_with_big_m(settings, model, limits, start)
        return _solve(settings, model, limits, start)

    @property
    def sessions_grow(self) -> bool:
        """See `solvers.base.sessions_grow`; not where a log is asked for, which sessions do not write."""
        return self._settings.log_file is None

    def session(self, model: EngineModel) -> EngineSession:
        return _HighsSession(model, replace(self._settings, log_file=None))

    def linear_session(self, model: EngineModel) -> LinearSession:
        return _HighsLinearSession(model, replace(self._settings, log_file=None))


class _HighsSession:
    """Changes go into the open model, so the next solve starts from the last basis."""

    def __init__(self, model: EngineModel, settings: EngineSettings) -> None:
        self._model = model
        self._settings = settings
        self._opened = scaled(boxed(model))
        self._handle = _open(self._opened, settings)

    def update(self, model: EngineModel) -> None:
        new, handle = scaled(boxed(model)), self._handle
        old = self._grown(new)
        columns = np.arange(len(new.costs), dtype=np.int32)
        rows = np.arange(len(new.row_lower), dtype=np.int32)
        other_costs = not np.array_equal(old.costs, new.costs)
        other_bounds = not (np.array_equal(old.lower, new.lower) and np.array_equal(old.upper, new.upper))
        if other_costs:
            handle.changeColsCost(len(columns), columns, new.costs)
        if other_bounds:
            handle.changeColsBounds(len(columns), columns, new.lower, new.upper)
        if other_costs or other_bounds:
            _set_dual_tolerance(handle, self._settings, new.costs, new.lower, new.upper, largest_row_unit(new.matrix))
        if not (np.array_equal(old.row_lower, new.row_lower) and np.array_equal(old.row_upper, new.row_upper)):
            handle.changeRowsBounds(len(rows), rows, new.row_lower, new.row_upper)
        if old.offset != new.offset:
            handle.changeObjectiveOffset(new.offset)
        self._change_entries(old, new)
        self._model, self._opened = model, new

    def solve(self, limits: Limits) -> EngineResult:
        if has_big_m(self._model):
            return Highs(self._settings).solve(self._model, limits)
        return _answer(self._handle, self._model, limits, Deadline(limits.time_limit), self._settings)

    def _grown(self, new: EngineModel) -> EngineModel:
        """The open model with the further columns and rows of the new one, which the basis takes over."""
        old, handle = self._opened, self._handle
        n, r = len(old.costs), len(old.row_lower)
        if new.matrix.shape == (r, n):
            return old
        if len(new.costs) > n:
            nothing = np.array([], dtype=np.int32)
            handle.addCols(
                len(new.costs) - n, new.costs[n:], new.lower[n:], new.upper[n:], 0, nothing, nothing, nothing * 1.0
            )
        if len(new.row_lower) > r:
            rows = new.matrix[r:]
            limits = new.row_lower[r:], new.row_upper[r:]
            handle.addRows(rows.shape[0], *limits, rows.nnz, rows.indptr[:-1], rows.indices, rows.data)
        return extended(old, new)

    def _change_entries(self, old: EngineModel, new: EngineModel) -> None:
        moved = np.flatnonzero(old.matrix.data != new.matrix.data)
        if moved.size == 0:
            return
        row_of = rows_of_entries(new)
        for k in moved:
            self._handle.changeCoeff(int(row_of[k]), int(new.matrix.indices[k]), float(new.matrix.data[k]))


class _HighsLinearSession:
    """Nothing but changes and runs: a linear program of fifty rows takes less time than building its model."""

    def __init__(self, model: EngineModel, settings: EngineSettings) -> None:
        relaxed = replace(model.relaxed(), offset=0.0)
        self._settings = settings
        self._factors = row_factors(relaxed)
        self._row_unit = largest_row_unit(relaxed.matrix)
        self._handle = _open(scaled(relaxed), settings)
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
        _set_dual_tolerance(self._handle, self._settings, costs, self._lower, self._upper, self._row_unit)

    def set_entries(self, rows: Ints, columns: Ints, values: Floats) -> None:
        in_rows = values * self._factors[rows]
        for row, column, value in zip(rows.tolist(), columns.tolist(), in_rows.tolist(), strict=True):
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

    def basis(self) -> Basis:
        known = self._handle.getBasis()
        statuses = np.array([int(status) for status in (*known.col_status, *known.row_status)])
        is_free = statuses >= _FREE  # at zero, or nonbasic without saying where: then it has no finite bound
        return Basis(statuses == _BASIC, statuses == _AT_UPPER, is_free)


def _solve(settings: EngineSettings, model: EngineModel, limits: Limits, start: Floats | None = None) -> EngineResult:
    deadline = Deadline(limits.time_limit)
    handle = _open(scaled(boxed(model)), settings)
    if start is not None:
        _set_start(handle, start)
    return _answer(handle, model, limits, deadline, settings)


def _solve_with_big_m(
    settings: EngineSettings, model: EngineModel, limits: Limits, start: Floats | None
) -> EngineResult:
    """What HiGHS proves; where that leaves a gap, the answer of SCIP, if it is installed."""
    from neurprise.solvers.big_m import solve_with_big_m  # few models need it

    deadline = Deadline(limits.time_limit)
    found = solve_with_big_m(model, limits, start, partial(_solve, settings), TRUSTED_RATIO)
    scip = _scip(settings) if found.status is EngineStatus.NUMERICAL_LIMIT else None
    return found if scip is None else scip.solve(model, limits.until(deadline), found.values)


def _answer(
    handle: Any, model: EngineModel, limits: Limits, deadline: Deadline, settings: EngineSettings
) -> EngineResult:
    """What the open model, boxed and scaled, says about the model as it is."""
    limits = replace(limits, threads=settings.threads)
    answer = answer_without_engine(model)
    if answer is not None:
        return answer
    relaxed = _relaxed(model, limits, deadline, settings) if has_unbounded_integers(model) else None
    may_fall = relaxed is not None and relaxed.status is EngineStatus.UNBOUNDED
    if relaxed is not None and may_fall and cost_falls_without_limit(model, partial(_solve, settings)):
        # A search could follow the cost for minutes, whatever the time limit.
        return classify_status(relaxed, model, limits, deadline, partial(_solve, settings))
    narrow = None if relaxed is None else _narrowed(model, relaxed)
    if narrow is not None:
        return _answer(_open(scaled(narrow), settings), narrow, limits, deadline, settings)
    try:
        result = _own_answer(handle, model, relaxed, limits, deadline, settings)
    except EngineError:
        second = _answer_of_scip(model, limits, deadline, settings) if model.integer.any() else None
        if second is not None and (second.status is not EngineStatus.TIME_LIMIT or deadline.passed):
            return second
        raise
    fruitless = result.status is EngineStatus.TIME_LIMIT and result.values is None and not deadline.passed
    second = _answer_of_scip(model, limits, deadline, settings) if fruitless else None
    return result if second is None else second


def _relaxed(model: EngineModel, limits: Limits, deadline: Deadline, settings: EngineSettings) -> EngineResult | None:
    """The linear relaxation, where it has an optimum or may be unbounded; None where HiGHS does not say."""
    relaxation = model.relaxed()
    try:
        found = _run(_open(scaled(relaxation), settings), relaxation, Limits(threads=limits.threads), deadline)
    except EngineError:
        return None
    return found if found.status in (EngineStatus.OPTIMAL, EngineStatus.UNBOUNDED) else None


def _narrowed(model: EngineModel, relaxed: EngineResult) -> EngineModel | None:
    """The model with finite bounds of its integers that leave the answer as it is; None where none are known."""
    distance = distance_to_optimum(model)
    if math.isinf(distance) or relaxed.values is None or goes_far(relaxed.values, model):
        return None
    return boxed_around(model, relaxed.values, distance)


def _answer_of_scip(
    model: EngineModel, limits: Limits, deadline: Deadline, settings: EngineSettings
) -> EngineResult | None:
    """SCIP's answer, which calls most models that HiGHS is lost in infeasible immediately; None where it is missing."""
    scip = _scip(settings)
    if scip is None:
        return None
    limits = limits.until(deadline)
    return scip.solve(model, replace(limits, time_limit=min(limits.time_limit, _LONGEST_SECOND_SEARCH)))


def _scip(settings: EngineSettings) -> Engine | None:
    """SCIP; None where it is not installed."""
    try:
        from neurprise.solvers.scip import Scip
    except ImportError:
        return None
    return Scip(EngineSettings(threads=settings.threads))


def _own_answer(
    handle: Any,
    model: EngineModel,
    relaxed: EngineResult | None,
    limits: Limits,
    deadline: Deadline,
    settings: EngineSettings,
) -> EngineResult:
    """What HiGHS says by itself; `relaxed` is the optimum of the relaxation, where one is known."""
    try:
        result = _run_or_run_again(handle, model, limits, deadline, settings)
    except LostError:
        raise
    except EngineError:  # a direction and a point, which needs no costs, may still show that the model is unbounded
        if not cost_falls_without_limit(model, partial(_solve, settings)):
            raise
        return classify_status(EngineResult(EngineStatus.UNBOUNDED), model, limits, deadline, partial(_solve, settings))
    if box_decides(result, None if relaxed is None else relaxed.values, model):
        proved = -math.inf if relaxed is None else relaxed.objective
        return _beyond_the_box(result, proved, model, limits, deadline, settings)
    return classify_status(result, model, limits, deadline, partial(_solve, settings))


def _run_or_run_again(
    handle: Any, model: EngineModel, limits: Limits, deadline: Deadline, settings: EngineSettings
) -> EngineResult:
    """What the open model says; where HiGHS stumbles, what a fresh one without start, target and presolve says."""
    handle.setOptionValue("presolve", _presolve(model, settings))
    try:
        return _run(handle, model, limits, deadline)
    except LostError:
        raise
    except EngineError:  # HiGHS 1.15 stumbles over some starts that are feasible, and presolve over bad scaling
        again = replace(limits, target=-math.inf)
        return _run(_open(scaled(boxed(model)), settings, presolve="off"), model, again, deadline)


def _beyond_the_box(
    inside: EngineResult,
    proved: float,
    model: EngineModel,
    limits: Limits,
    deadline: Deadline,
    settings: EngineSettings,
) -> EngineResult:
    """What is true of the model, where the box may have decided the answer; the relaxation has proved a bound."""
    endless = _is_endless(inside, model, settings)
    if endless and inside.values is not None:  # HiGHS might call any point on the way down optimal
        return unbounded_from(inside.values)
    if inside.status in _STOPPED_EARLY:  # its point keeps every row, but the edge may be all that its bound rests on
        return replace(inside, bound=min(inside.bound, proved))
    if endless:
        result = EngineResult(EngineStatus.UNBOUNDED)
    else:
        handle = _open(scaled(model), settings, presolve=_presolve(model, settings))
        result = united(_run(handle, model, limits, deadline), inside)
    return classify_status(result, model, limits, deadline, partial(_solve, settings))


def _presolve(model: EngineModel, settings: EngineSettings) -> Any:
    return "off" if presolve_is_a_risk(model) else settings.options.get("presolve", "choose")


def _is_endless(result: EngineResult, model: EngineModel, settings: EngineSettings) -> bool:
    """Whether the cost falls without limit; a search that ends in time without a point leaves that open."""
    if result.status is EngineStatus.TIME_LIMIT and result.values is None:
        return False
    return cost_falls_without_limit(model, partial(_solve, settings))


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


def _open(model: EngineModel, settings: EngineSettings, presolve: str | None = None) -> Any:
    handle = _silent_handle()
    _set_own_options(handle, replace(settings, options={**safe_options(model), **settings.options}))
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


def _set_dual_tolerance(
    handle: Any, settings: EngineSettings, costs: Floats, lower: Floats, upper: Floats, row_unit: float
) -> None:
    """The one for these costs, unless the caller chose one."""
    if "dual_feasibility_tolerance" not in settings.options:
        handle.setOptionValue("dual_feasibility_tolerance", dual_tolerance(costs, lower, upper, row_unit))


def _set_start(handle: Any, start: Floats) -> None:
    known = np.flatnonzero(~np.isnan(start)).astype(np.int32)
    handle.setSolution(len(known), known, start[known])


def _run(handle: Any, model: EngineModel, limits: Limits, deadline: Deadline) -> EngineResult:
    """Run the open model until the deadline; raises EngineError where its end is not understood."""
    _use_threads(limits.threads)
    discrete = bool(model.integer.any())
    _set_options(handle, discrete, limits.until(deadline))
    if discrete:
        longest_dive = max(_ENDLESS_DIVE, _QUESTIONS_PER_INTEGER * int(np.count_nonzero(model.integer)))
        fruitless = deadline.part(_FRUITLESS_SHARE if has_unbounded_integers(model) else 1.0)
        run_until(handle, handle.cbMipInterrupt, deadline, fruitless, longest_dive)
    elif model.matrix.nnz >= _LONG_LINEAR_PROGRAM:
        run_until(handle, handle.cbSimplexInterrupt, deadline, deadline)
    else:
        handle.run()
    result = _read(handle, discrete, limits)
    return result if result.row_duals is None else replace(result, row_duals=result.row_duals * row_factors(model))


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
    if status is EngineStatus.TARGET and values is None:
        raise EngineError("HiGHS stopped at a target that no solution of its meets.")
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
