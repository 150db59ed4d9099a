"""The contract every engine keeps, judged by looking at every point of small models; each rule is one function."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.solvers import Engine, EngineModel, EngineResult, EngineStatus, Limits, sessions_grow
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE
from neurprise.testing.rules import require

#: How far an engine's values may be from the truth, relative to max(1, |truth|).
TOLERANCE = 1e-5
SEEDS = range(12)


def check_engine(engine: Engine) -> None:
    """Raise AssertionError, naming the rule, unless the engine keeps the contract on small models."""
    require(isinstance(getattr(engine, "name", None), str), f"{engine!r} must have a name, a string")
    for seed in SEEDS:
        _finds_the_optimum(engine, small_model(seed))
        _keeps_to_the_cutoff(engine, small_model(seed))
        _stops_at_the_target(engine, small_model(seed))
    _tells_infeasible_from_unbounded(engine)
    _answers_extreme_models(engine)
    _never_calls_a_stopped_search_optimal(engine)
    _takes_a_start(engine)
    _updates_a_session(engine)
    if sessions_grow(engine):
        _grows_a_session(engine)


def small_model(seed: int) -> EngineModel:
    """Three integers between -2 and 3, two rows with one or two sides, an offset; feasible or not."""
    rng = np.random.default_rng(seed)
    middle, width = rng.integers(-6, 12, 2).astype(float), rng.integers(0, 5, 2)
    return EngineModel(
        costs=rng.integers(-9, 10, 3).astype(float),
        matrix=sparse.csr_array(rng.integers(-4, 6, (2, 3)).astype(float)),
        row_lower=middle,
        row_upper=np.where(rng.random(2) < 0.5, np.inf, middle + width),
        lower=np.full(3, -2.0),
        upper=np.full(3, 3.0),
        integer=np.ones(3, dtype=bool),
        offset=float(rng.integers(-5, 6)),
    )


def best_of_all_points(model: EngineModel) -> float:
    """The optimum of a model of few integers by looking at every point; inf without a feasible one."""
    sides = [range(int(low), int(high) + 1) for low, high in zip(model.lower, model.upper, strict=True)]
    points = np.array(list(itertools.product(*sides)), dtype=float)
    rows = points @ model.matrix.T.toarray()
    feasible = ((rows >= model.row_lower) & (rows <= model.row_upper)).all(axis=1)
    costs = points[feasible] @ model.costs + model.offset
    return float(costs.min(initial=math.inf))


def _finds_the_optimum(engine: Engine, model: EngineModel) -> None:
    truth, result = best_of_all_points(model), engine.solve(model, Limits())
    if truth == math.inf:
        _is_infeasible(engine, result, "a model without a feasible point")
        return
    _is_optimal(engine, result, truth)
    require(_violation(model, result.values) <= 10 * FEASIBILITY_TOLERANCE, f"{engine.name}: values must keep the rows")
    attained = float(model.costs @ result.values) + model.offset if result.values is not None else math.nan
    require(_close(attained, result.objective), f"{engine.name}: values must attain the objective, offset included")


def _is_optimal(engine: Engine, result: EngineResult, truth: float) -> None:
    require(result.status is EngineStatus.OPTIMAL, f"{engine.name}: a solved model is OPTIMAL, got {result.status}")
    require(_close(result.objective, truth), f"{engine.name}: the optimum is {truth:g}, got {result.objective:g}")
    require(_close(result.bound, truth), f"{engine.name}: the bound must reach {truth:g}, got {result.bound:g}")
    require(result.bound <= result.objective, f"{engine.name}: a bound must not exceed the attained objective")


def _is_infeasible(engine: Engine, result: EngineResult, what: str) -> None:
    got = (result.status, result.objective, result.bound, result.values)
    require(
        got == (EngineStatus.INFEASIBLE, math.inf, math.inf, None),
        f"{engine.name}: {what} is INFEASIBLE with objective and bound inf and no values, got {got}",
    )


def _keeps_to_the_cutoff(engine: Engine, model: EngineModel) -> None:
    """Only solutions strictly below the cutoff count; with none, CUTOFF proves the cutoff and no more."""
    truth = best_of_all_points(model)
    if truth == math.inf:
        return
    result = engine.solve(model, Limits(cutoff=truth - 1.0))
    require(result.status is EngineStatus.CUTOFF, f"{engine.name}: nothing below the cutoff is CUTOFF")
    require(_close(result.bound, truth - 1.0), f"{engine.name}: a pruned search has proved the cutoff, not more")
    _is_optimal(engine, engine.solve(model, Limits(cutoff=truth + 1.0)), truth)


def _stops_at_the_target(engine: Engine, model: EngineModel) -> None:
    """A target is strict: a solution that only equals it does not stop the search."""
    truth = best_of_all_points(model)
    if truth == math.inf:
        return
    _is_optimal(engine, engine.solve(model, Limits(target=truth)), truth)
    result = engine.solve(model, Limits(target=truth + 0.5))
    reached = result.status in (EngineStatus.TARGET, EngineStatus.OPTIMAL) and result.objective < truth + 0.5
    require(reached, f"{engine.name}: a target above the optimum must be reached")
    require(result.bound <= truth + TOLERANCE, f"{engine.name}: stopping at a target proves no more than the optimum")


def _tells_infeasible_from_unbounded(engine: Engine) -> None:
    for integer in (True, False):
        falling = _two_columns([-1.0, 0.0], [[-1.0, 1.0]], [0.0], np.inf, integer)
        result = engine.solve(falling, Limits())
        got = (result.status, result.objective, result.bound)
        require(
            got == (EngineStatus.UNBOUNDED, -math.inf, -math.inf),
            f"{engine.name}: a cost that falls without limit is UNBOUNDED with objective and bound -inf, got {got}",
        )
        impossible = _two_columns([-1.0, 0.0], [[-1.0, 1.0], [0.0, 0.0]], [0.0, 1.0], np.inf, integer)
        _is_infeasible(
            engine, engine.solve(impossible, Limits()), "an empty row that asks for 1, beside a falling cost,"
        )


def _answers_extreme_models(engine: Engine) -> None:
    empty = np.zeros(0)
    nothing = EngineModel(
        empty, sparse.csr_array((1, 0)), -np.ones(1), np.ones(1), empty, empty, empty.astype(bool), 3.0
    )
    _is_optimal(engine, engine.solve(nothing, Limits()), 3.0)
    crossed = replace(small_model(0), lower=np.full(3, 4.0))
    _is_infeasible(engine, engine.solve(crossed, Limits()), "a lower bound above the upper one")
    linear = _two_columns([3.0, 2.0], [[1.0, 1.0]], [3.5], 5.0, integer=False)
    _is_optimal(engine, engine.solve(linear, Limits()), 7.0)


def _never_calls_a_stopped_search_optimal(engine: Engine) -> None:
    """Market-split equations take far longer than no time at all."""
    rng = np.random.default_rng(5)
    entries = rng.integers(0, 100, (4, 30)).astype(float)
    slack = np.hstack([entries, np.eye(4), -np.eye(4)])
    half = np.floor(entries.sum(axis=1) / 2)
    hard = EngineModel(
        costs=np.concatenate([np.zeros(30), np.ones(8)]),
        matrix=sparse.csr_array(slack),
        row_lower=half,
        row_upper=half,
        lower=np.zeros(38),
        upper=np.concatenate([np.ones(30), np.full(8, np.inf)]),
        integer=np.arange(38) < 30,
    )
    result = engine.solve(hard, Limits(time_limit=0.0))
    require(
        result.status is EngineStatus.TIME_LIMIT, f"{engine.name}: no time at all is TIME_LIMIT, got {result.status}"
    )
    require(result.bound <= result.objective, f"{engine.name}: a stopped search's bound must not exceed its objective")


def _takes_a_start(engine: Engine) -> None:
    """A start, complete or partial (nan = unknown), changes how long it takes, never the answer."""
    model = _two_columns([3.0, 2.0], [[1.0, 1.0]], [3.5], 5.0, integer=True)
    for start in ([0.0, 4.0], [5.0, math.nan], [5.0, 5.0]):
        _is_optimal(engine, engine.solve(model, Limits(), np.array(start)), 8.0)


def _updates_a_session(engine: Engine) -> None:
    """Costs, limits, bounds, entries and the offset may change; the answer is that of a fresh solve."""
    base = _two_columns([3.0, 2.0], [[1.0, 1.0]], [3.5], 5.0, integer=True)
    other_entries = sparse.csr_array((np.array([2.0, 1.0]), base.matrix.indices, base.matrix.indptr), shape=(1, 2))
    changed = {
        "costs": replace(base, costs=np.array([1.0, 2.0])),
        "limits": replace(base, row_lower=np.array([6.5])),
        "bounds": replace(base, upper=np.array([5.0, 1.0])),
        "offset": replace(base, offset=10.0),
        "entries": replace(base, matrix=other_entries),
        "what makes it infeasible": replace(base, row_lower=np.array([11.0])),
    }
    session = engine.session(base)
    for what, model in itertools.chain(changed.items(), [("nothing", base)]):
        session.update(model)
        truth, result = best_of_all_points(model), session.solve(Limits())
        require(_close(result.objective, truth), f"{engine.name}: a session must take over {what}")


def _grows_a_session(engine: Engine) -> None:
    """Columns and rows may come behind those of before, while these change; the answer is that of a fresh solve."""
    base = _two_columns([3.0, 2.0], [[1.0, 1.0]], [3.5], 5.0, integer=False)
    larger = EngineModel(
        costs=np.array([1.0, 2.0, 0.5]),
        matrix=sparse.csr_array(np.array([[1.0, 1.0, 0.0], [1.0, 0.0, -1.0], [0.0, 1.0, 2.0]])),
        row_lower=np.array([4.5, -1.0, 3.0]),
        row_upper=np.array([np.inf, 1.0, np.inf]),
        lower=np.zeros(3),
        upper=np.array([5.0, 4.0, np.inf]),
        integer=np.zeros(3, dtype=bool),
    )
    session = engine.session(base)
    session.solve(Limits())
    session.update(larger)
    fresh, result = engine.solve(larger, Limits()), session.solve(Limits())
    require(_close(result.objective, fresh.objective), f"{engine.name}: a session must take over further rows")


def _two_columns(
    costs: list[float], rows: list[list[float]], lower: list[float], upper: float, integer: bool
) -> EngineModel:
    """Two columns between 0 and `upper`, rows at least `lower`."""
    return EngineModel(
        costs=np.array(costs),
        matrix=sparse.csr_array(np.array(rows)),
        row_lower=np.array(lower),
        row_upper=np.full(len(rows), np.inf),
        lower=np.zeros(2),
        upper=np.full(2, upper),
        integer=np.full(2, integer),
    )


def _violation(model: EngineModel, values: Floats | None) -> float:
    if values is None:
        return math.inf
    rows = model.matrix @ values
    gaps = [model.row_lower - rows, rows - model.row_upper, model.lower - values, values - model.upper]
    return max(float(gap.max(initial=0.0)) for gap in [*gaps, np.abs(values - np.round(values))[model.integer]])


def _close(one: float, other: float) -> bool:
    return one == other or abs(one - other) <= TOLERANCE * max(1.0, abs(other))
