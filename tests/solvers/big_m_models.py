"""Models with a big M, and their optimum by brute force: integers listed, what M forbids said without it."""

import itertools
import math

import numpy as np
from scipy.optimize import linprog

from neurprise.solvers import EngineStatus
from tests.solvers.models import model


def lot_sizing(seed, big_m, whole=False, slack=False):
    """Produce y_t <= M z_t, keep stock or pay for shortage, over some periods; no row bounds y."""
    rng = np.random.default_rng(seed)
    t = int(rng.integers(2, 5))
    eye, zero, demand = np.eye(t), np.zeros((t, t)), rng.integers(10, 200, t)
    slacks = [zero, eye] if slack else []
    rows = np.vstack([
        np.hstack([eye, np.eye(t, k=-1) - eye, eye, zero, *slacks[:1]]),
        np.hstack([eye, zero, zero, -big_m * eye, *slacks[1:]]),
    ])  # fmt: skip
    costs = [
        *rng.integers(0, 6, t),
        *rng.integers(1, 4, t),
        *[int(rng.integers(30, 110))] * t,
        *rng.integers(20, 500, t),
    ]
    columns = len(costs) + (t if slack else 0)
    is_setup = (np.arange(columns) >= 3 * t) & (np.arange(columns) < 4 * t)
    return model(
        [*costs, *[0] * (columns - len(costs))], rows,
        [*demand, *[0 if slack else -math.inf] * t], [*demand, *[0] * t],
        upper=np.where(is_setup, 1.0, math.inf), integer=is_setup | whole,
    )  # fmt: skip


def fixed_charge(seed, big_m):
    """Suppliers y_k <= M z_k or a shortage meet at least the demand of some customers."""
    rng = np.random.default_rng(seed)
    k, customers = int(rng.integers(2, 4)), int(rng.integers(1, 3))
    size = k * customers
    ships = np.hstack([np.eye(customers)] * k)
    rows = np.vstack([
        np.hstack([ships, np.zeros((customers, size)), np.eye(customers)]),
        np.hstack([np.eye(size), -big_m * np.eye(size), np.zeros((size, customers))]),
    ])  # fmt: skip
    is_charge = (np.arange(rows.shape[1]) >= size) & (np.arange(rows.shape[1]) < 2 * size)
    return model(
        [*rng.integers(1, 9, size), *rng.integers(10, 400, size), *rng.integers(20, 100, customers)], rows,
        [*rng.integers(5, 150, customers), *[-math.inf] * size], [*[math.inf] * customers, *[0] * size],
        upper=np.where(is_charge, 1.0, math.inf), integer=is_charge,
    )  # fmt: skip


def indicators(seed, big_m):
    """a_i'y >= b_i where z_i = 1: a_i'y - M z_i >= b_i - M; each z_i earns something."""
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(2, 4)), int(rng.integers(2, 5))
    rows = np.hstack([rng.integers(1, 9, (k, m)), -big_m * np.eye(k)])
    is_indicator = np.arange(m + k) >= m
    return model(
        [*rng.integers(1, 40, m), *-rng.integers(5, 2000, k)], rows, rng.integers(5, 300, k) - big_m,
        upper=np.where(is_indicator, 1.0, math.inf), integer=is_indicator,
    )  # fmt: skip


def optimum(given):
    """The optimal value by listing the integers; limits of a million and more are none."""
    listed, rest = (np.flatnonzero(given.integer & (given.upper == 1) == flag) for flag in (True, False))
    matrix, best = given.matrix.toarray(), math.inf
    for point in itertools.product((0.0, 1.0), repeat=len(listed)):
        moved = matrix[:, listed] @ np.array(point)
        lower, upper = given.row_lower - moved, given.row_upper - moved
        above, below = upper < 1e6, lower > -1e6
        found = linprog(
            given.costs[rest],
            np.vstack([matrix[above][:, rest], -matrix[below][:, rest]]), np.concatenate([upper[above], -lower[below]]),
            bounds=list(zip(given.lower[rest], given.upper[rest], strict=True)),
        )  # fmt: skip
        if found.status == 0:
            best = min(best, found.fun + float(given.costs[listed] @ np.array(point)) + given.offset)
    return best


def contradictions(result, truth):
    """What the result claims and is not true, in words."""
    close = 1e-5 * max(1.0, abs(truth))
    claims = {
        "the bound exceeds the optimum": result.bound > truth + close,
        "the objective is below the optimum": result.objective < truth - close,
        "the optimum is missed": result.status is EngineStatus.OPTIMAL and result.objective > truth + close,
        "a feasible model is called infeasible": result.status is EngineStatus.INFEASIBLE and math.isfinite(truth),
    }
    return [words for words, is_wrong in claims.items() if is_wrong]
