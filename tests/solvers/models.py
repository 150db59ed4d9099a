"""Small models for the engine tests."""

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from neurprise.solvers import EngineModel


def model(costs, rows, row_lower, row_upper=np.inf, *, lower=0.0, upper=np.inf, integer=True, offset=0.0):
    """A model from lists and scalars."""
    n, r = len(costs), len(rows)
    spread = (np.broadcast_to(np.asarray(value, dtype=float), size).copy() for value, size in
              ((row_lower, r), (row_upper, r), (lower, n), (upper, n)))  # fmt: skip
    row_lower, row_upper, lower, upper = spread
    matrix = sparse.csr_array(np.asarray(rows, dtype=float).reshape(r, n))
    flags = np.broadcast_to(integer, n).copy()
    return EngineModel(np.asarray(costs, dtype=float), matrix, row_lower, row_upper, lower, upper, flags, offset)


def random_model(seed):
    """A bounded mixed-integer model with all kinds of rows; feasible or not."""
    rng = np.random.default_rng(seed)
    n, r = int(rng.integers(2, 9)), int(rng.integers(1, 6))
    middle = rng.integers(-5, 15, r).astype(float)
    spread = rng.integers(0, 8, r)
    return model(
        rng.integers(-20, 21, n),
        rng.integers(-4, 7, (r, n)) * (rng.random((r, n)) < 0.7),
        np.where(rng.random(r) < 0.3, -np.inf, middle),
        np.where(rng.random(r) < 0.3, np.inf, middle + spread),
        lower=-rng.integers(0, 3, n),
        upper=rng.integers(1, 6, n),
        integer=rng.random(n) < 0.6,
        offset=float(rng.integers(-50, 50)),
    )


def market_split(num_rows=5, num_columns=40, seed=0):
    """Split every row in half, or pay for the difference: tiny, and out of reach for branch-and-bound."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 100, (num_rows, num_columns))
    rows = np.hstack([weights, np.eye(num_rows), -np.eye(num_rows)])
    half = weights.sum(axis=1) // 2
    binary = np.arange(rows.shape[1]) < num_columns
    upper = np.where(binary, 1.0, np.inf)
    return model(np.where(binary, 0.0, 1.0), rows, half, half, upper=upper, integer=binary)


def scipy_optimum(given):
    """Optimal value by scipy; inf if infeasible."""
    result = milp(
        given.costs,
        constraints=LinearConstraint(given.matrix, given.row_lower, given.row_upper),
        bounds=Bounds(given.lower, given.upper),
        integrality=given.integer,
        options={"mip_rel_gap": 0.0},
    )
    if result.status == 2:
        return np.inf
    assert result.status == 0, result.message
    return result.fun + given.offset
