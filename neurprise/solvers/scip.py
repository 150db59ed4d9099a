"""SCIP through PySCIPOpt."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pyscipopt

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.errors import EngineError
from neurprise.solvers.base import (
    EngineModel,
    EngineResult,
    EngineSession,
    EngineSettings,
    EngineStatus,
    FreshSession,
    Limits,
    normalized,
    refuse_option,
    refuse_reserved,
    run_interruptibly,
)
from neurprise.solvers.big_m import solve_with_big_m
from neurprise.solvers.corner_cases import (
    answer_without_engine,
    classify_status,
    cost_falls_without_limit,
    has_big_m,
    has_unbounded_integers,
    in_row_units,
    rows_of_entries,
    whole_factors,
)

_STATUS = {
    "optimal": EngineStatus.OPTIMAL,
    "gaplimit": EngineStatus.OPTIMAL,
    "primallimit": EngineStatus.TARGET,
    "timelimit": EngineStatus.TIME_LIMIT,
    "infeasible": EngineStatus.INFEASIBLE,
    "unbounded": EngineStatus.UNBOUNDED,
    "inforunbd": EngineStatus.UNBOUNDED,
}
#: SCIP's linear programs are a thousand times as tight, and SoPlex keeps no less than 1e-10: it prints a warning then.
_TIGHTEST = 1e-7
#: SCIP stops at a target with "<=" and a tolerance of 1e-9; this much less makes it "<".
_STRICTLY_LESS = 1e-8
_KEPT_SOLUTIONS = 10
#: Rows of integers are this much wider, relative to their limits, where SCIP could not know their entries exactly.
_SLACK = 1e-9
#: Set in every solve; everything under "limits/" as well.
_RESERVED = ("numerics/feastol", "misc/catchctrlc")


class Scip:
    """SCIP; it searches with one thread whatever `threads` says, because its wheels carry no parallel search."""

    name = "scip"

    def __init__(self, settings: EngineSettings | None = None) -> None:
        self._settings = settings or EngineSettings()
        limits = [name for name in self._settings.options if str(name).startswith("limits/")]
        refuse_reserved("SCIP", self._settings.options, [*_RESERVED, *limits])
        _set_own_options(pyscipopt.Model(), self._settings)

    def solve(self, model: EngineModel, limits: Limits, start: Floats | None = None) -> EngineResult:
        if has_big_m(model):
            return solve_with_big_m(model, limits, start, self._answer)
        return self._answer(model, limits, start)

    def _answer(self, model: EngineModel, limits: Limits, start: Floats | None = None) -> EngineResult:
        answer = answer_without_engine(model)
        if answer is not None:
            return answer
        deadline = Deadline(limits.time_limit)
        try:
            result = EngineResult(EngineStatus.UNBOUNDED) if self._endless(model) else self._solve(model, limits, start)
            return classify_status(result, model, limits, deadline, self._solve)
        except EngineError:
            if model.integer.any():
                raise
            return self._linear_answer(model, limits.until(deadline))

    def _linear_answer(self, model: EngineModel, limits: Limits) -> EngineResult:
        """A linear program by HiGHS: SCIP ends with "error in LP solver" on some whose optimum is at 1e10."""
        from neurprise.solvers.highs.engine import Highs

        return Highs(EngineSettings(threads=self._settings.threads)).solve(model, limits)

    def _endless(self, model: EngineModel) -> bool:
        """Whether SCIP would follow integers without bounds downwards until its time is over."""
        return has_unbounded_integers(model) and cost_falls_without_limit(model, self._solve)

    def session(self, model: EngineModel) -> EngineSession:
        return FreshSession(Scip(replace(self._settings, log_file=None)), model)

    def _solve(self, model: EngineModel, limits: Limits, start: Floats | None = None) -> EngineResult:
        handle, columns = _open(model, self._settings)
        _set_limits(handle, model, limits)
        if start is not None:
            _set_start(handle, columns, start)
        try:
            with _silent_errors():
                run_interruptibly(handle.optimizeNogil, handle.interruptSolve)
        except Exception as error:  # PySCIPOpt raises nothing more special
            raise EngineError(f"SCIP failed: {error}; try another solver.") from None
        return _read(handle, columns, limits)


@contextmanager
def _silent_errors() -> Iterator[None]:
    """Inside, SCIP prints no errors: `hideOutput` leaves those on standard error, and PySCIPOpt raises them as well."""
    library = ctypes.CDLL(pyscipopt.scip.__file__)
    if not hasattr(library, "SCIPmessageSetErrorPrinting"):  # Windows looks for it in this file alone
        yield
        return
    library.SCIPmessageSetErrorPrinting(None, None)
    try:
        yield
    finally:
        library.SCIPmessageSetErrorPrintingDefault()


def _set_own_options(handle: Any, settings: EngineSettings) -> None:
    """The caller's options; refuses what SCIP does not know or take."""
    for name, value in settings.options.items():
        try:
            handle.setParam(name, value)
        except (KeyError, ValueError, TypeError, AttributeError):
            refuse_option("SCIP", name, value)


def _open(model: EngineModel, settings: EngineSettings) -> tuple[Any, list[Any]]:
    """SCIP's model and its variables, one per column."""
    handle = pyscipopt.Model()
    handle.hideOutput()
    _set_own_options(handle, settings)
    if settings.log_file is not None:
        handle.setLogfile(str(settings.log_file))  # appends
    kinds = np.where(model.integer, "I", "C").tolist()
    bounds = zip(_or_none(model.lower), _or_none(model.upper), strict=True)
    columns = [
        handle.addVar(lb=lower, ub=upper, vtype=kind, obj=cost)
        for (lower, upper), kind, cost in zip(bounds, kinds, model.costs.tolist(), strict=True)
    ]
    handle.addObjoffset(model.offset)
    _add_rows(handle, columns, _with_slack(in_row_units(model)))
    return handle, columns


def _with_slack(model: EngineModel) -> EngineModel:
    """
    The model with more room in rows of integers whose entries no power of ten makes whole.

    SCIP's presolve multiplies such rows until their entries look whole, and called one equation in seven infeasible
    although a whole point keeps it (random equations of decimals, all multiplied by one number such as 10^8 / 2^27).
    """
    whole = np.isfinite(whole_factors(model))
    whole[rows_of_entries(model)[~model.integer[model.matrix.indices]]] = True
    if whole.all():
        return model
    rooms = [
        np.where(np.isfinite(limits) & ~whole, _SLACK * np.maximum(1.0, np.abs(limits)), 0.0)
        for limits in (model.row_lower, model.row_upper)
    ]
    return replace(model, row_lower=model.row_lower - rooms[0], row_upper=model.row_upper + rooms[1])


def _add_rows(handle: Any, columns: list[Any], model: EngineModel) -> None:
    # SCIP has no rows without variables; a variable fixed to zero stands in for theirs.
    zero = handle.addVar(lb=0.0, ub=0.0)
    starts, indices, entries = model.matrix.indptr.tolist(), model.matrix.indices.tolist(), model.matrix.data.tolist()
    limits = zip(_or_none(model.row_lower), _or_none(model.row_upper), strict=True)
    for row, (lower, upper) in enumerate(limits):
        if lower is None and upper is None:
            continue
        here = range(starts[row], starts[row + 1])
        activity = pyscipopt.quicksum(entries[k] * columns[indices[k]] for k in here) + 1.0 * zero
        handle.addCons(pyscipopt.ExprCons(activity, lhs=lower, rhs=upper))


def _or_none(limits: Floats) -> list[float | None]:
    """Limits as PySCIPOpt takes them: None for infinite."""
    return [value if math.isfinite(value) else None for value in limits.tolist()]


def _set_limits(handle: Any, model: EngineModel, limits: Limits) -> None:
    parameters = {
        "limits/gap": limits.gap,
        "limits/absgap": limits.absolute_gap,
        "limits/time": min(max(limits.time_limit, 0.0), handle.infinity()),
        "limits/maxsol": _KEPT_SOLUTIONS,
        "numerics/feastol": max(limits.tolerance, _TIGHTEST),
        "misc/catchctrlc": False,  # SCIP's own handler prints to standard output; see run_interruptibly
    }
    if limits.target > -math.inf:
        target = min(limits.target, 0.1 * handle.infinity())  # at infinity even a search without a point would stop
        parameters["limits/primal"] = target - _STRICTLY_LESS * max(1.0, abs(target))
    for name, value in parameters.items():
        handle.setParam(name, value)
    if limits.cutoff < math.inf and model.integer.any():
        handle.setObjlimit(limits.cutoff)


def _set_start(handle: Any, columns: list[Any], start: Floats) -> None:
    known = np.flatnonzero(~np.isnan(start)).tolist()
    solution = handle.createOrigSol() if len(known) == len(columns) else handle.createPartialSol()
    for k in known:
        handle.setSolVal(solution, columns[k], float(start[k]))
    handle.addSol(solution)


def _read(handle: Any, columns: list[Any], limits: Limits) -> EngineResult:
    status = handle.getStatus()
    if status not in _STATUS:
        raise EngineError(f"SCIP stopped with status {status!r}.")
    best_first = handle.getSols()
    improving = tuple(_values(handle, columns, solution) for solution in reversed(best_first))
    objective = handle.getSolObjVal(best_first[0]) if best_first else math.inf
    bound = handle.getDualbound()
    if abs(bound) >= handle.infinity():
        bound = math.copysign(math.inf, bound)
    return normalized(_STATUS[status], objective, bound, improving[-1] if improving else None, limits, improving)


def _values(handle: Any, columns: list[Any], solution: Any) -> Floats:
    return np.array([handle.getSolVal(solution, column) for column in columns])
