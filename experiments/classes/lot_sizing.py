"""Lot sizing: fix setups and lots now; stock, backlog and overtime follow the demand."""

from __future__ import annotations

import numpy as np

from experiments.classes.outcomes import num_scenarios, outcomes
from neurprise.problem import TwoStageProblem


def draw(seed: int) -> TwoStageProblem:
    """
    x: setup (binary) and lot per period, lot_t <= capacity setup_t. y: stock, backlog and overtime per period.

    Rows per period t: stock_t - backlog_t - stock_(t-1) + backlog_(t-1) - overtime_t = lot_t - demand_t.
    """
    rng = np.random.default_rng(seed)
    periods, count = int(rng.integers(5, 11)), num_scenarios(rng)
    demand = rng.uniform(20, 80, periods)
    capacity = rng.uniform(1.5, 3.0) * demand.mean()
    unit, setup = rng.uniform(1, 3, periods), rng.uniform(20, 150, periods)
    stock = rng.uniform(0.3, 1.5)
    backlog, overtime = rng.uniform(3, 10), rng.uniform(2, 4) * unit.mean()
    balance = np.eye(periods) - np.eye(periods, k=-1)
    limit = rng.uniform(0.1, 0.4) * demand.mean()
    return TwoStageProblem.from_matrices(
        c=np.concatenate([setup, unit]),
        A=np.hstack([capacity * np.eye(periods), -np.eye(periods)]),
        d=np.zeros(periods),
        G=np.hstack([balance, -balance, -np.eye(periods)]),
        h=np.zeros(periods),
        E=np.hstack([np.zeros((periods, periods)), -np.eye(periods)]),
        M=np.eye(periods),
        xi=outcomes(rng, demand, count),
        # What is still owed at the end is bought elsewhere.
        b=np.concatenate([np.full(periods, stock), np.full(periods - 1, backlog), [4 * backlog], [overtime] * periods]),
        x_integer=np.repeat([True, False], periods),
        y_integer=False,
        x_upper=np.repeat([1.0, np.inf], periods),
        y_upper=np.repeat([np.inf, np.inf, limit], periods),
        y_row_sense="=",
    )
