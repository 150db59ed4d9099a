"""Random problems of no family: integers, free variables, equalities, signs, scales, and what scenarios may change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from experiments.judges.random_problems.scaling import badly_scaled
from experiments.judges.random_problems.statement import Statement
from neurprise.arrays import Bools, Floats
from neurprise.problem import TwoStageProblem

#: Rounds numbers to a grid.
Grid = Callable[[Any], Any]
#: What scenarios may change; limits of rows and bounds of y change together.
VARYING = ("b", "q", "rows", "bounds", "T", "W")


@dataclass(frozen=True)
class Traits:
    """
    What a kind of problem looks like.

    Parameters
    ----------
    x_integer, y_integer
        Share of integer variables.
    open_bounds
        Share of variable bounds that are infinite.
    negative_costs
        Share of costs below zero.
    anchored
        Share of problems that have a feasible point by construction.
    big
        Share of recourse entries that are as large as a big-M.
    """

    x_integer: float = 1.0
    y_integer: float = 1.0
    open_bounds: float = 0.0
    negative_costs: float = 0.25
    anchored: float = 0.9
    big: float = 0.0


TRAITS = {
    "integer": Traits(),
    "integer, LP recourse": Traits(y_integer=0.0, open_bounds=0.1),
    "integer, mixed recourse": Traits(y_integer=0.5, open_bounds=0.1),
    "mixed": Traits(0.5, 0.5, open_bounds=0.1),
    "linear": Traits(0.0, 0.0, open_bounds=0.2),
    "continuous, integer recourse": Traits(0.0, 1.0, big=0.15),
    "open": Traits(0.6, 0.6, open_bounds=0.5, negative_costs=0.3),
    "open integers": Traits(1.0, 1.0, open_bounds=0.4, negative_costs=0.15),
    "infeasible": Traits(0.7, 0.5, open_bounds=0.1, anchored=0.0),
}


def draw_statement(rng: np.random.Generator, traits: Traits) -> Statement:
    """A problem of these traits: mostly up to three variables and rows in each stage, and up to five scenarios."""
    grid, most = _grid(rng), 3 if rng.random() < 0.9 else 5
    n, m, r, p = (int(rng.integers(low, most + 1)) for low in (1, 1, 1, 0))
    size = 1 if rng.random() < 0.1 else int(rng.integers(2, 2 * most))
    varying = _varying(rng)
    x_integer, y_integer = rng.random(n) < traits.x_integer, rng.random(m) < traits.y_integer
    x_lower, x_upper = _bounds(rng, n, traits, x_integer)
    x = _inside(rng, x_lower, x_upper, x_integer, grid)
    y_lower, y_upper, y = _recourse_bounds(rng, m, size, traits, y_integer, grid, "bounds" in varying)
    T = _repeated(rng, size, "T" in varying, lambda: _entries(rng, (r, n), grid))
    W = _repeated(rng, size, "W" in varying, lambda: _entries(rng, (r, m), grid, traits.big))
    anchored = rng.random() < traits.anchored
    activity = np.einsum("srn,n->sr", T, x) + np.einsum("srm,sm->sr", W, y)
    if not anchored:
        activity = _repeated(rng, size, "rows" in varying, lambda: grid(rng.uniform(-8, 12, r)))
    row_lower, row_upper = _row_limits(rng, activity, grid, varying="rows" in varying)
    A = _entries(rng, (p, n), grid)
    a_lower, a_upper = _row_limits(rng, (A @ x)[None] if anchored else grid(rng.uniform(-8, 8, (1, p))), grid, True)
    return Statement(
        c=_costs(rng, n, traits, grid),
        A=A,
        a_lower=a_lower[0],
        a_upper=a_upper[0],
        x_lower=x_lower,
        x_upper=x_upper,
        x_integer=x_integer,
        b=_repeated(rng, size, "b" in varying, lambda: _costs(rng, m, traits, grid)),
        q=_repeated(rng, size, "q" in varying, lambda: _costs(rng, n, traits, grid)) * ("q" in varying),
        T=T,
        W=W,
        row_lower=row_lower,
        row_upper=row_upper,
        y_lower=y_lower,
        y_upper=y_upper,
        y_integer=y_integer,
        offset=float(grid(rng.uniform(-50, 50))) if rng.random() < 0.3 else 0.0,
        maximize=bool(rng.random() < 0.2),
    )


def _grid(rng: np.random.Generator) -> Grid:
    """Whole numbers, quarters (exact in binary) or hundredths (not exact)."""
    step = rng.choice([1, 4, 100], p=[0.5, 0.3, 0.2])
    return lambda values: np.round(np.asarray(values) * step) / step + 0.0


def _varying(rng: np.random.Generator) -> set[str]:
    """Mostly one to three of them; now and then nothing, so that all scenarios are equal."""
    count = int(rng.choice([0, 1, 2, 3, 6], p=[0.02, 0.38, 0.3, 0.2, 0.1]))
    return set(rng.permutation(VARYING)[:count].tolist())


def _repeated(rng: np.random.Generator, size: int, varying: bool, draw: Callable[[], Floats]) -> Floats:
    """One draw per scenario, or one for all; first axis: scenarios."""
    return np.stack([draw() for _ in range(size)]) if varying else np.repeat(draw()[None], size, axis=0)


def _bounds(rng: np.random.Generator, count: int, traits: Traits, integer: Bools) -> tuple[Floats, Floats]:
    """Some negative, some fractional on integers, some infinite."""
    lower = np.where(rng.random(count) < 0.7, 0.0, rng.integers(-3, 2, count)).astype(float)
    upper = lower + rng.integers(0 if rng.random() < 0.1 else 1, 5, count).astype(float)
    fractional = rng.random(count) < 0.3
    lower = np.where(fractional & (rng.random(count) < 0.4), lower - rng.choice([0.3, 0.5, 0.9]), lower)
    upper = np.where(fractional, upper + rng.choice([0.2, 0.5, 0.7]), upper)
    far = rng.choice([np.inf, 1e6, 1e9], count, p=[0.85, 0.1, 0.05])  # finite, but an engine may take it for infinite
    lower = np.where(rng.random(count) < traits.open_bounds / 2, -far, lower)
    upper = np.where(rng.random(count) < traits.open_bounds, far, upper)
    return lower, upper


def _recourse_bounds(
    rng: np.random.Generator,
    m: int,
    size: int,
    traits: Traits,
    integer: Bools,
    grid: Grid,
    varying: bool,
) -> tuple[Floats, Floats, Floats]:
    """Bounds of y and a y between them, each of shape (S, m)."""
    pairs = [_bounds(rng, m, traits, integer) for _ in range(size if varying else 1)]
    pairs = pairs if varying else pairs * size
    points = [_inside(rng, lower, upper, integer, grid) for lower, upper in pairs]
    lower, upper = (np.stack(side) for side in zip(*pairs, strict=True))
    if varying and rng.random() < 0.05:  # a scenario may forbid every recourse
        lower[-1, 0] = upper[-1, 0] + 1 if np.isfinite(upper[-1, 0]) else lower[-1, 0]
    return lower, upper, np.stack(points)


def _inside(rng: np.random.Generator, lower: Floats, upper: Floats, integer: Bools, grid: Grid) -> Floats:
    """A point between the bounds, whole where it must be (if it can be)."""
    low, high = np.where(lower > -1e5, lower, -4), np.where(upper < 1e5, upper, 5)
    low, high = np.minimum(low, high), np.maximum(low, high)
    point = np.clip(grid(rng.uniform(low, high)), low, high)
    return np.where(integer, np.clip(np.round(point), np.ceil(low), np.floor(high)), point)


def _entries(rng: np.random.Generator, shape: tuple[int, ...], grid: Grid, big: float = 0.0) -> Floats:
    entries = grid(rng.uniform(-3, 5, shape)) * (rng.random(shape) < 0.75)
    return np.where(rng.random(shape) < big, rng.choice([20.0, 100.0, 1000.0], shape), entries)


def _costs(rng: np.random.Generator, count: int, traits: Traits, grid: Grid) -> Floats:
    costs = grid(rng.uniform(0, 15, count)) * (rng.random(count) < 0.85)
    return np.where(rng.random(count) < traits.negative_costs, -costs, costs)


def _row_limits(rng: np.random.Generator, activity: Floats, grid: Grid, varying: bool) -> tuple[Floats, Floats]:
    """Limits that hold at these activities: >=, <=, both, equal or none; often tight; shapes (S, r)."""
    low, high = activity, activity
    if not varying:
        low, high = (np.repeat(side[None], len(activity), axis=0) for side in (activity.min(0), activity.max(0)))
    shape, rows = activity.shape, activity.shape[1]
    low = low - grid(rng.uniform(0, 3, rows)) * (rng.random(rows) < 0.5)
    high = high + grid(rng.uniform(0, 3, rows)) * (rng.random(rows) < 0.5)
    sort = np.broadcast_to(rng.choice(5, rows, p=[0.5, 0.22, 0.13, 0.12, 0.03]), shape)
    lower = np.where((sort == 1) | (sort == 4), -np.inf, np.where(sort == 3, activity, low))
    upper = np.where((sort == 0) | (sort == 4), np.inf, np.where(sort == 3, activity, high))
    return lower, upper


def _with_duplicates(rng: np.random.Generator, statement: Statement) -> Statement:
    """Now and then some scenarios come twice."""
    if rng.random() > 0.12:
        return statement
    size = statement.num_scenarios
    return statement.restricted([*range(size), *rng.integers(0, size, int(rng.integers(1, 3))).tolist()])


def _kind(traits: Traits) -> Callable[[np.random.Generator], tuple[TwoStageProblem, Statement]]:
    def draw(rng: np.random.Generator) -> tuple[TwoStageProblem, Statement]:
        statement = _with_duplicates(rng, draw_statement(rng, traits))
        return statement.problem(), statement

    return draw


def _on_the_edge(rng: np.random.Generator) -> tuple[TwoStageProblem, Statement]:
    """Limits of rows that whole-number decisions meet exactly, or miss by about an engine's tolerance."""
    names = ["integer", "continuous, integer recourse", "mixed", "integer, mixed recourse"]
    statement = draw_statement(rng, TRAITS[str(rng.choice(names))])
    nudge = rng.choice([0.0, 1e-7, -1e-7, 9e-7, -9e-7, 3e-6, -3e-6], statement.row_lower.shape)
    statement = replace(statement, row_lower=statement.row_lower + nudge, row_upper=statement.row_upper + nudge)
    return statement.problem(), statement


def _badly_scaled(rng: np.random.Generator) -> tuple[TwoStageProblem, Statement]:
    traits = TRAITS[str(rng.choice(["integer, LP recourse", "mixed", "linear", "integer, mixed recourse"]))]
    statement = badly_scaled(rng, draw_statement(rng, replace(traits, negative_costs=0.15)))
    return statement.problem(), statement


KINDS = {name: _kind(traits) for name, traits in TRAITS.items()} | {
    "badly scaled": _badly_scaled,
    "on the edge": _on_the_edge,
}
