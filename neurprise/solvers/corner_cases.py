"""
Models that engines answer differently, or wrongly, and what is done about them for every engine.

- No columns, or contradictory limits: answered here, without an engine.
- Infeasible or unbounded: an engine may stop at "infeasible or unbounded", and HiGHS 1.15 calls some unbounded linear
  programs infeasible. One more solve decides.
- A big M: recognised here, solved in `big_m.py`.
- Rows in unusual units: multiplied by a power of two. Engines keep rows to an absolute tolerance; if all entries of a
  row are a millionth, every point is within it.
- Points that miss bounds and whole numbers by the engine's tolerance: made exact before they are priced. Otherwise a
  shortage of -1e-7 at 1e7 a unit is a profit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints
from neurprise.clock import Deadline
from neurprise.errors import EngineError
from neurprise.solvers.base import Engine, EngineModel, EngineResult, EngineStatus, Limits
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE, TIGHT_TOLERANCE

#: An entry that is this many times the smallest one beside it is big: within the integrality tolerance of engines
#: its column moves the other one by a hundredth. Costs of that ratio are ordinary and capacities mostly below it.
BIG = 1e4
#: Beside entries of 1e10 SCIP has proved bounds above the optimum (in rows with a slack column of their own).
TRUSTED = 1e9


def has_big_m(model: EngineModel, ratio: float = BIG) -> bool:
    """Whether an integer column that is not fixed has an entry at least `ratio` times another one of its row."""
    if not model.integer.any():
        return False
    sizes = np.abs(model.matrix.data)
    if sizes.max(initial=0.0) < ratio * sizes.min(initial=np.inf, where=sizes > 0):  # most models end here
        return False
    return bool((ratios(model) >= ratio).any())


def leaks(model: EngineModel, values: Floats) -> Bools:
    """Integer columns that are whole to an engine but not to one of their rows, shape (columns,)."""
    off = np.abs(values - np.round(values))
    column_ratios = np.ones(len(values))
    np.maximum.at(column_ratios, model.matrix.indices, ratios(model))
    return np.asarray(model.integer & (off * column_ratios > FEASIBILITY_TOLERANCE))


def ratios(model: EngineModel) -> Floats:
    """
    How often the smallest other entry of its row goes into each entry of an integer column, shape (nnz,); 1 for others.

    Rows with a column that is free in both directions do not count: they define that column, as a row of the objective
    does, and forbid nothing.
    """
    sizes, columns, row_of = np.abs(model.matrix.data), model.matrix.indices, rows_of_entries(model)
    fixed = model.lower == model.upper
    moves = (sizes > 0) & ~fixed[columns]
    is_free = np.isneginf(model.lower) & np.isposinf(model.upper)
    counts = np.ones(len(model.row_lower), dtype=bool)
    counts[row_of[moves & is_free[columns]]] = False
    smallest = _smallest_others(np.where(moves, sizes, np.inf), row_of, len(counts))
    counted = moves & counts[row_of] & model.integer[columns] & np.isfinite(smallest)
    return np.where(counted, sizes / np.where(counted, smallest, 1.0), 1.0)


def rows_of_entries(model: EngineModel) -> Ints:
    """The row of every stored entry, shape (nnz,)."""
    return np.repeat(np.arange(len(model.row_lower)), np.diff(model.matrix.indptr))


#: What rows are multiplied by to make their entries whole.
_WHOLE_FACTORS = (1.0, 2.0, 4.0, 8.0, *(10.0**digits for digits in range(1, 7)))


def whole_factors(model: EngineModel) -> Floats:
    """A number that makes all entries of a row whole, shape (rows,); inf where none of those tried does."""
    row_of = rows_of_entries(model)
    factors = np.full(len(model.row_lower), np.inf)
    for factor in _WHOLE_FACTORS:
        entries = np.abs(model.matrix.data) * factor
        whole = np.ones(len(factors), dtype=bool)
        whole[row_of[np.abs(entries - np.round(entries)) > 1e-9 * np.maximum(1.0, entries)]] = False
        factors = np.where(np.isinf(factors) & whole, factor, factors)
    return factors


def _smallest_others(sizes: Floats, row_of: Ints, num_rows: int) -> Floats:
    """The smallest other number in each entry's row, shape (nnz,); inf where there is none."""
    first = np.full(num_rows, np.inf)
    np.minimum.at(first, row_of, sizes)
    is_first = sizes == first[row_of]
    several = np.bincount(row_of, is_first, minlength=num_rows) > 1
    second = np.full(num_rows, np.inf)
    np.minimum.at(second, row_of, np.where(is_first, np.inf, sizes))
    return np.where(is_first & ~several[row_of], second[row_of], first[row_of])


_INFEASIBLE = EngineResult(EngineStatus.INFEASIBLE, math.inf, math.inf)


def answer_without_engine(model: EngineModel) -> EngineResult | None:
    """The answer where no search is needed: limits that contradict each other, or no columns; else None."""
    if (model.row_lower > model.row_upper).any() or (model.lower > model.upper).any():
        return _INFEASIBLE
    if len(model.costs):
        return None
    if (model.row_lower > FEASIBILITY_TOLERANCE).any() or (model.row_upper < -FEASIBILITY_TOLERANCE).any():
        return _INFEASIBLE
    return EngineResult(EngineStatus.OPTIMAL, model.offset, model.offset, np.zeros(0))


def classify_status(
    result: EngineResult,
    model: EngineModel,
    limits: Limits,
    deadline: Deadline,
    solve: Callable[[EngineModel, Limits], EngineResult],
) -> EngineResult:
    """
    The result, with infeasible and unbounded distinguished by solving once more without costs where there is doubt.

    A mixed-integer search under a cutoff is not doubted: its cutoff came from a solution, and most such searches end
    without another. Linear programs must be solved without the cutoff, else an optimum above it would be taken for
    unbounded here.
    """
    if result.values is not None or not _in_doubt(result.status, model, limits):
        return result
    no_solution = result if result.status is EngineStatus.CUTOFF else _INFEASIBLE
    if _pruned_by_cutoff(model, limits):  # Gurobi may call that "infeasible or unbounded"
        no_solution = EngineResult(EngineStatus.CUTOFF, math.inf, limits.cutoff)
    if not cost_falls_without_limit(model, solve):
        return no_solution
    without_costs = replace(model, costs=np.zeros(len(model.costs)), offset=0.0)
    feasibility = solve(without_costs, Limits(time_limit=deadline.remaining, threads=limits.threads))
    if feasibility.status is EngineStatus.TIME_LIMIT:
        return EngineResult(EngineStatus.TIME_LIMIT)
    return no_solution if feasibility.values is None else unbounded_from(feasibility.values)


def unbounded_from(feasible: Floats) -> EngineResult:
    """The answer for a model whose cost falls without limit, and that has this feasible point."""
    return EngineResult(EngineStatus.UNBOUNDED, -math.inf, -math.inf, improving=(feasible,))


def _in_doubt(status: EngineStatus, model: EngineModel, limits: Limits) -> bool:
    return status is EngineStatus.UNBOUNDED or (
        status in (EngineStatus.INFEASIBLE, EngineStatus.CUTOFF) and not _pruned_by_cutoff(model, limits)
    )


def _pruned_by_cutoff(model: EngineModel, limits: Limits) -> bool:
    """Whether a search without a solution may have cut all of them off."""
    return limits.cutoff < math.inf and bool(model.integer.any())


def cost_falls_without_limit(model: EngineModel, solve: Callable[[EngineModel, Limits], EngineResult]) -> bool:
    """
    Whether some direction keeps every row and bound and lowers the cost: then the model is unbounded or infeasible.

    For rational data that holds for integer columns as for continuous ones [Meyer 1974]. One linear program over the
    directions of entries up to one decides.
    """
    if not could_be_unbounded(model.costs, model.lower, model.upper):
        return False
    directions = replace(
        model,
        row_lower=np.where(np.isfinite(model.row_lower), 0.0, -np.inf),
        row_upper=np.where(np.isfinite(model.row_upper), 0.0, np.inf),
        lower=np.where(np.isfinite(model.lower), 0.0, -1.0),
        upper=np.where(np.isfinite(model.upper), 0.0, 1.0),
        integer=np.zeros_like(model.integer),
        offset=0.0,
    )
    steepest = solve(directions, Limits())
    # The steepest direction is as long as the box allows; a short one is the engine's tolerance.
    if steepest.values is None or np.abs(steepest.values).max(initial=0.0) < 0.5:
        return False
    # Against the terms that add up to it, so that the units of no column matter.
    return steepest.objective < -FEASIBILITY_TOLERANCE * float(np.abs(model.costs * steepest.values).sum())


def unbounded_integers(model: EngineModel) -> tuple[Bools, Bools]:
    """Integer columns without a lower bound, and without an upper one; each of shape (columns,)."""
    return model.integer & (model.lower == -np.inf), model.integer & (model.upper == np.inf)


def has_unbounded_integers(model: EngineModel) -> bool:
    """Whether some integer column lacks a bound."""
    return any(bool(side.any()) for side in unbounded_integers(model))


def could_be_unbounded(costs: Floats, lower: Floats, upper: Floats) -> bool:
    """Whether some column gets cheaper towards an infinite bound; without one the cost cannot fall without limit."""
    falling = ((costs < 0) & (upper == np.inf)) | ((costs > 0) & (lower == -np.inf))
    return bool(falling.any())


#: Presolve of HiGHS may drop entries below its feasibility tolerance (1e-6); rows with such entries are scaled up to
#: this.
_SMALLEST_ENTRY = 1e-5
#: But not beyond this: a row whose entries are further apart would only become a row of huge ones.
_LARGEST_ENTRY = 1e5
#: Rows whose entries are all smaller than this are scaled until the largest is about one.
_SMALL_ROW = 1e-3


def row_factors(model: EngineModel) -> Floats:
    """What HiGHS multiplies each row by, a power of two, shape (rows,); 1 where no entry is too small."""
    smallest, largest = smallest_entries(model.matrix), _largest_entries(model.matrix)
    with np.errstate(divide="ignore"):
        most = np.maximum(np.floor(np.log2(_LARGEST_ENTRY / largest)), 0.0)
    for_presolve = np.ceil(np.log2(np.maximum(_SMALLEST_ENTRY / smallest, 1.0)))
    return np.maximum(np.exp2(np.minimum(for_presolve, most)), 1.0 / row_units(model.matrix))


def smallest_entries(matrix: sparse.csr_array) -> Floats:
    """The smallest |entry| but zero of every row, shape (rows,); inf where there is none."""
    sizes, filled = np.abs(matrix.data), np.diff(matrix.indptr) > 0
    smallest = np.full(matrix.shape[0], np.inf)
    if filled.any():
        smallest[filled] = np.minimum.reduceat(np.where(sizes > 0, sizes, np.inf), matrix.indptr[:-1][filled])
    return smallest


def _largest_entries(matrix: sparse.csr_array) -> Floats:
    filled, largest = np.diff(matrix.indptr) > 0, np.zeros(matrix.shape[0])
    if filled.any():
        largest[filled] = np.maximum.reduceat(np.abs(matrix.data), matrix.indptr[:-1][filled])
    return largest


def row_units(*matrices: sparse.csr_array) -> Floats:
    """The size of the largest entry, a power of two, of every row whose entries are all small; 1 for others."""
    largest = np.max([_largest_entries(matrix) for matrix in matrices], axis=0)
    small = (largest > 0.0) & (largest < _SMALL_ROW)
    return np.asarray(np.exp2(np.ceil(np.log2(largest, out=np.zeros(len(largest)), where=small))))


def scaled(model: EngineModel) -> EngineModel:
    """The model with its rows as HiGHS gets them; the same object where all factors are 1."""
    return _multiplied(model, row_factors(model))


def in_row_units(model: EngineModel) -> EngineModel:
    """The model with its rows in their own units; the same object where all are 1."""
    return _multiplied(model, 1.0 / row_units(model.matrix))


def _multiplied(model: EngineModel, factors: Floats) -> EngineModel:
    if (factors == 1.0).all():
        return model
    matrix = model.matrix.copy()
    matrix.data = matrix.data * np.repeat(factors, np.diff(matrix.indptr))
    return replace(model, matrix=matrix, row_lower=model.row_lower * factors, row_upper=model.row_upper * factors)


def solved_tightly(engine: Engine, model: EngineModel, limits: Limits, start: Floats | None = None) -> EngineResult:
    """
    The model solved to the tight tolerance, or to the usual one where the engine stumbles over that.

    What the usual tolerance keeps is feasible, so the tight one alone does not make a model infeasible.
    """
    deadline = Deadline(limits.time_limit)
    try:
        result = engine.solve(model, replace(limits, tolerance=TIGHT_TOLERANCE), start)
    except EngineError:
        result = None
    if result is None or result.status is EngineStatus.INFEASIBLE:
        return engine.solve(model, limits.until(deadline), start)
    return result


def made_exact(engine: Engine, model: EngineModel, result: EngineResult, deadline: Deadline) -> EngineResult:
    """The result with whole integers and the continuous columns solved again, tightly; as it is where that fails."""
    if result.values is None or model.integer.all():
        return result if result.values is None else replace(result, values=clipped(model, result.values))
    fixed = model.with_integers(clipped(model, result.values))
    exact = engine.solve(fixed, Limits(time_limit=deadline.remaining, tolerance=TIGHT_TOLERANCE))
    if exact.status is not EngineStatus.OPTIMAL or exact.values is None:
        return result
    return replace(result, values=clipped(model, exact.values), objective=exact.objective)


def clipped(model: EngineModel, values: Floats) -> Floats:
    """The point, shape (columns,), with its integers rounded and every entry within its bounds."""
    whole = np.where(model.integer, np.round(values), values)
    return np.clip(whole, model.lower, model.upper)
