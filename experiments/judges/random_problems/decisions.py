"""First-stage decisions drawn at random, so that evaluation is tried away from optima too."""

from __future__ import annotations

import numpy as np

from experiments.judges.random_problems.statement import Statement, moved
from neurprise.arrays import Floats

_TRIES = 50


def draw_decision(rng: np.random.Generator, statement: Statement) -> Floats | None:
    """A decision within bounds and first-stage rows, shape (n,), quarters where continuous; None if none was hit."""
    low = np.where(statement.x_lower > -1e5, statement.x_lower, -4.0)
    high = np.maximum(np.where(statement.x_upper < 1e5, statement.x_upper, low + 8.0), low)
    for _ in range(_TRIES):
        x = np.clip(np.round(rng.uniform(low, high) * 4) / 4, low, high)
        x = np.where(statement.x_integer, np.round(x), x) + 0.0
        if is_feasible(statement, x):
            return x
    return None


def is_feasible(statement: Statement, x: Floats, slack: float = 0.0) -> bool:
    """Whether x keeps bounds, rows and integrality; see `moved` for the slack of bounds and rows."""
    lower, upper = moved(
        np.concatenate([statement.x_lower, statement.a_lower]),
        np.concatenate([statement.x_upper, statement.a_upper]),
        slack,
    )
    values = np.concatenate([x, statement.A @ x])
    whole = x[statement.x_integer]
    return bool((values >= lower).all() and (values <= upper).all() and (whole == np.round(whole)).all())
