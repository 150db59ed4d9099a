"""
What every engine takes and gives: a mixed-integer linear model in, a status, both bounds and a solution out.

Also what a caller may set (threads, a log file, the engine's own options), and Ctrl-C during an engine call.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, NoReturn, Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from neurprise import arrays
from neurprise.arrays import Bools, Floats, Ints
from neurprise.clock import Deadline
from neurprise.errors import EngineError, InputError
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE


@dataclass(frozen=True)
class EngineModel:
    """
    min offset + costs'v  with  row_lower <= matrix @ v <= row_upper,  lower <= v <= upper,  v[integer] integer.

    Parameters
    ----------
    matrix
        Row-wise sparse, shape (rows, columns).
    """

    costs: Floats
    matrix: sparse.csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools
    offset: float = 0.0

    def relaxed(self) -> EngineModel:
        """The linear relaxation."""
        return replace(self, integer=np.zeros_like(self.integer))

    def with_integers(self, whole: Floats) -> EngineModel:
        """The linear program that is left where the integers are fixed to these numbers, shape (columns,)."""
        lower, upper = (np.where(self.integer, whole, bounds) for bounds in (self.lower, self.upper))
        return replace(self.relaxed(), lower=lower, upper=upper)


class Purpose(Enum):
    """What a mixed-integer solve is for. How an engine searches may depend on it, what it answers does not."""

    ANSWER = "answer"  # it stands alone: the engine's own balance
    STEP = "step"  # one of many similar models: nothing is begun again from the root
    BOUND = "bound"  # and others look for solutions too: no searches inside the search
    PROOF = "proof"  # and solutions are easy to find: nothing but the proof


@dataclass(frozen=True)
class Limits:
    """
    When a solve may stop, and what it is for.

    Parameters
    ----------
    gap
        Relative gap between objective and bound at which the answer counts as optimal.
    absolute_gap
        The same in units of the objective.
    time_limit
        Wall-clock seconds for the whole call, whatever the engine has to repeat in it; inf for none.
    target
        Stop as soon as an incumbent is strictly below this value.
    cutoff
        Only solutions strictly below this value are of interest; the search may prune the rest.
    threads
        Threads; an engine puts those of its settings here.
    tolerance
        Rows, bounds and integrality may be broken by this much.
    purpose
        A hint, which engines may ignore; None leaves it to who builds the model, and means ANSWER to an engine.
    """

    gap: float = 0.0
    absolute_gap: float = 1e-9
    time_limit: float = math.inf
    target: float = -math.inf
    cutoff: float = math.inf
    threads: int = 1
    tolerance: float = FEASIBILITY_TOLERANCE
    purpose: Purpose | None = None

    def until(self, deadline: Deadline) -> Limits:
        """The same limits with the time that is left."""
        return replace(self, time_limit=deadline.remaining)


class EngineStatus(Enum):
    """Why an engine stopped."""

    OPTIMAL = "optimal"  # the gap is closed
    TARGET = "target"  # an incumbent below the target was found
    CUTOFF = "cutoff"  # proved: nothing is better than the cutoff
    TIME_LIMIT = "time limit"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"  # or infeasible; the engine could not tell
    NUMERICAL_LIMIT = "numerical limit"  # objective and bound hold; its tolerances hide what is between them


@dataclass(frozen=True)
class EngineResult:
    """
    Parameters
    ----------
    objective
        Attained by `values`; inf without a solution.
    bound
        What the engine proved: no solution is cheaper. -inf when it proved nothing.
    values
        Shape (columns,); None without a solution.
    improving
        Solutions met on the way, worst first, where the engine keeps them; each of shape (columns,). Of an unbounded
        model, a feasible point.
    row_duals
        Of a solved linear program, where the engine gives them: the rise of the objective by a unit of each row's
        limit, shape (rows,).
    """

    status: EngineStatus
    objective: float = math.inf
    bound: float = -math.inf
    values: Floats | None = None
    improving: tuple[Floats, ...] = ()
    row_duals: Floats | None = None


class EngineSession(Protocol):
    """One model kept open, so that a solve can start from the last one's basis."""

    def update(self, model: EngineModel) -> None:
        """
        Replace costs, limits, bounds and entries; the shape and the sparsity pattern stay.

        Where `sessions_grow`, further continuous columns and further rows may come behind those of before; entries of
        further columns are in further rows only.
        """

    def solve(self, limits: Limits) -> EngineResult: ...


class Engine(Protocol):
    """One mixed-integer linear solver."""

    name: str

    def solve(self, model: EngineModel, limits: Limits, start: Floats | None = None) -> EngineResult:
        """Solve once; `start` is a complete or partial assignment (nan = unknown), shape (columns,)."""

    def session(self, model: EngineModel) -> EngineSession:
        """Keep the model open for many similar solves."""


def sessions_grow(engine: Engine) -> bool:
    """Whether the model of a session may become larger and keeps its basis; an engine that says nothing does not."""
    return bool(getattr(engine, "sessions_grow", False))


def extended(old: EngineModel, new: EngineModel) -> EngineModel:
    """The old model with the columns and rows that the new one has behind its own."""
    n, r = len(old.costs), len(old.row_lower)
    data = np.concatenate([old.matrix.data, new.matrix.data[old.matrix.nnz :]])
    matrix = sparse.csr_array((data, new.matrix.indices, new.matrix.indptr), shape=new.matrix.shape)
    return EngineModel(
        costs=np.concatenate([old.costs, new.costs[n:]]),
        matrix=matrix,
        row_lower=np.concatenate([old.row_lower, new.row_lower[r:]]),
        row_upper=np.concatenate([old.row_upper, new.row_upper[r:]]),
        lower=np.concatenate([old.lower, new.lower[n:]]),
        upper=np.concatenate([old.upper, new.upper[n:]]),
        integer=np.concatenate([old.integer, new.integer[n:]]),
        offset=old.offset,
    )


class LinearSession(Protocol):
    """
    One linear program kept open for thousands of solves: only what changed is passed, only what is asked for is read.

    Limits and bounds must not contradict each other; the shape and the sparsity pattern stay.
    """

    def set_rows(self, lower: Floats, upper: Floats) -> None:
        """New limits of all rows, each of shape (rows,)."""

    def set_bounds(self, lower: Floats, upper: Floats) -> None:
        """New bounds of all columns, each of shape (columns,)."""

    def set_costs(self, costs: Floats) -> None:
        """New costs of all columns, shape (columns,)."""

    def set_entries(self, rows: Ints, columns: Ints, values: Floats) -> None:
        """New matrix entries within the pattern, each array of shape (k,)."""

    def solve(self, deadline: Deadline, cutoff: float = math.inf) -> float | None:
        """
        The optimal value without the model's offset; inf if infeasible; None where the engine is in any doubt.

        Where the value is at least `cutoff`, it may be inf as well.
        """

    def values(self) -> Floats:
        """The optimal point of the last solve, shape (columns,)."""

    def row_duals(self) -> Floats:
        """What one unit more on the right-hand side of each row would cost, shape (rows,)."""

    def basis(self) -> Basis:
        """Where the last solve ended."""


@dataclass(frozen=True)
class Basis:
    """
    Where a simplex method ended: columns first, then rows, each array of shape (columns + rows,).

    Parameters
    ----------
    is_basic
        Variables that the equations determine.
    at_upper
        Others at their upper bound; the rest is at its lower one.
    is_free
        Others without bounds, at zero.
    """

    is_basic: Bools
    at_upper: Bools
    is_free: Bools


@runtime_checkable
class LinearEngine(Protocol):
    """An engine whose linear programs can be changed and solved again with little overhead."""

    def linear_session(self, model: EngineModel) -> LinearSession:
        """Keep the model open; integrality is ignored."""


class FreshSession:
    """A session for engines without a warm start across changes: it solves the updated model anew."""

    def __init__(self, engine: Engine, model: EngineModel) -> None:
        self._engine = engine
        self._model = model

    def update(self, model: EngineModel) -> None:
        self._model = model

    def solve(self, limits: Limits) -> EngineResult:
        return self._engine.solve(self._model, limits)


def normalized(
    status: EngineStatus,
    objective: float,
    bound: float,
    values: Floats | None,
    limits: Limits,
    improving: tuple[Floats, ...] = (),
) -> EngineResult:
    """
    The result as this package states it, whatever the engine's own convention under a cutoff.

    A search pruned at the cutoff has proved `cutoff` at most, and an answer at or above it means that nothing better
    exists. An optimum without a point that attains it is no answer.
    """
    if limits.cutoff < math.inf:
        bound = min(bound, limits.cutoff)
        complete = status in (EngineStatus.OPTIMAL, EngineStatus.INFEASIBLE, EngineStatus.CUTOFF)
        # A start at or above the cutoff may be accepted within the gap; then the engine's own bound is all it proved.
        stopped_at_gap = status is EngineStatus.OPTIMAL and -math.inf < bound < limits.cutoff
        if complete and not stopped_at_gap and not objective < limits.cutoff:
            return EngineResult(EngineStatus.CUTOFF, objective, limits.cutoff, values, improving)
        if values is not None and (status is EngineStatus.INFEASIBLE or (complete and bound == -math.inf)):
            # Everything was pruned at a cutoff that the start meets by rounding only: the start is the optimum.
            return EngineResult(EngineStatus.OPTIMAL, objective, objective, values, improving)
    if status is EngineStatus.INFEASIBLE:
        return EngineResult(status, math.inf, math.inf)
    if status is EngineStatus.UNBOUNDED:
        return EngineResult(status, -math.inf, -math.inf)
    if status is EngineStatus.OPTIMAL and values is None:
        raise EngineError(
            "the engine calls the model solved but has no point that keeps its rows; rescale the data (coefficients "
            "far from 1) or try another solver."
        )
    return EngineResult(status, objective, min(bound, objective), values, improving)


@dataclass(frozen=True)
class EngineSettings:
    """
    How an engine works; the question is in `Limits`.

    Parameters
    ----------
    threads
        Threads of one solve.
    log_file
        Where the engine's own log of every model goes that it solves once; sessions, which solve thousands of small
        ones, write none. None for no log.
    options
        The engine's own options by their names there, e.g. {"mip_heuristic_effort": 0.2} for HiGHS.
    """

    threads: int = 1
    log_file: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def checked_settings(threads: Any, log_file: Any, engine_options: Any) -> EngineSettings:
    """The caller's settings once they make sense for any engine; an old log is emptied, a bad path refused."""
    if engine_options is not None and not isinstance(engine_options, Mapping):
        raise InputError(
            f"engine_options must be a dict of the engine's own option names and values, got {engine_options!r}."
        )
    path = None if log_file is None else _emptied(log_file)
    return EngineSettings(arrays.whole_number("threads", threads, 1), path, dict(engine_options or {}))


def refuse_reserved(engine: str, options: Mapping[str, Any], reserved: Collection[str]) -> None:
    """Refuse options that this package sets in every solve, or that would end a search without a word."""
    taken = {name.lower() for name in reserved}
    for name in options:
        if not isinstance(name, str):
            raise InputError(f"names of engine options must be texts, got {name!r}.")
        if name.lower() in taken:
            raise InputError(
                f"the option {name!r} of {engine} is set by solve() itself; use gap, time_limit, threads or log_file "
                "instead and leave it out of engine_options."
            )


def refuse_option(engine: str, name: str, value: Any) -> NoReturn:
    """Say that the engine does not take this option."""
    raise InputError(
        f"{engine} has no option {name!r} that takes {value!r}; see its list of options for names and values."
    )


def _emptied(log_file: Any) -> Path:
    if not isinstance(log_file, str | Path):
        raise InputError(f"log_file must be the path of a text file, got {log_file!r}.")
    path = Path(log_file).absolute()
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"log_file must be a file in a directory that exists, got {str(log_file)!r}; create it first.")
    path.write_text("", encoding="utf-8")
    return path


_SECONDS_BETWEEN_REQUESTS = 0.1


def run_interruptibly(search: Callable[[], object], stop: Callable[[], object]) -> None:
    """
    Run the search in a second thread, so that Ctrl-C reaches Python immediately; then `stop` it and raise.

    The search must release the interpreter lock. Only the main thread receives Ctrl-C; others search directly.
    It waits on a future: an interrupted Thread.join() of Python 3.11 takes the running thread for finished.
    """
    if threading.current_thread() is not threading.main_thread():
        search()
        return
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(search)
        try:
            future.result()
        except BaseException:  # also what a signal handler of the caller raises, such as its own time limit
            while not future.done():  # a request that comes before the search has begun is lost
                stop()
                wait([future], timeout=_SECONDS_BETWEEN_REQUESTS)
            raise
