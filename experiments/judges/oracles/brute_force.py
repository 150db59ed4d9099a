"""Every whole-number decision of a small problem, one after another; what is continuous, in exact arithmetic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from experiments.judges.oracles.program import Program
from experiments.judges.oracles.rational import exact_minimum
from experiments.judges.random_problems.statement import Statement, moved
from neurprise.arrays import Bools, Floats

#: Decisions listed at most, and linear programs solved at most for one statement.
MOST_POINTS, MOST_PROGRAMS = 2_000, 60


def whole_points(lower: Floats, upper: Floats) -> Floats | None:
    """All whole-number points between the bounds, shape (points, k); None where they are too many."""
    low, high = np.ceil(lower - 1e-9), np.floor(upper + 1e-9)
    counts = np.maximum(high - low + 1, 0)
    if not np.isfinite(counts).all() or counts.prod() > MOST_POINTS:
        return None
    sides = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
    points = list(itertools.product(*sides))
    return np.array(points).reshape(len(points), len(low))


def first_stage_points(statement: Statement, slack: float) -> Floats | None:
    """All decisions that keep the first-stage rows, shape (points, n); None where x is not all integer or too many."""
    points = whole_points(statement.x_lower, statement.x_upper) if statement.x_integer.all() else None
    if points is None:
        return None
    return points[_kept(points @ statement.A.T, *moved(statement.a_lower, statement.a_upper, slack))]


def whole_recourse_costs(statement: Statement, points: Floats, s: int, slack: float) -> Floats | None:
    """Q(x, s) of every x in points, shape (points,); None where y is not all integer or too many."""
    later = whole_points(statement.y_lower[s], statement.y_upper[s]) if statement.y_integer.all() else None
    if later is None or len(later) * len(points) > 100 * MOST_POINTS:
        return None
    activity = points @ statement.T[s].T
    lower, upper = moved(statement.row_lower[s] - activity, statement.row_upper[s] - activity, slack)
    kept = _kept((later @ statement.W[s].T)[None], lower[:, None], upper[:, None])
    costs = np.where(kept, (later @ statement.b[s])[None], np.inf)
    return np.asarray(costs.min(axis=1, initial=np.inf) + points @ statement.q[s])


def num_programs(statement: Statement, scenarios: Sequence[int]) -> float:
    """Linear programs behind the recourse costs of one x under these scenarios: one per integer part of y."""
    integer = statement.y_integer
    parts = [whole_points(statement.y_lower[s][integer], statement.y_upper[s][integer]) for s in scenarios]
    return sum(math.inf if points is None else len(points) for points in parts)


def mixed_minimum(program: Program) -> float:
    """The least cost of a program whose integers are few: the best over all their values; -inf if unbounded."""
    integer: Bools = program.integer
    parts = whole_points(program.lower[integer], program.upper[integer])
    assert parts is not None, "num_programs says when integers are few enough"
    values = (exact_minimum(program.with_fixed(integer, part)).value for part in parts)
    return float(min(values, default=math.inf))


def _kept(activity: Floats, lower: Floats, upper: Floats) -> Bools:
    return np.asarray(((activity >= lower) & (activity <= upper)).all(axis=-1))
