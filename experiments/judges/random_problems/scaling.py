"""The same problem in other units: rows, continuous columns and costs multiplied by powers of a thousand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from experiments.judges.random_problems.statement import Statement
from neurprise.arrays import Bools, Floats


def badly_scaled(rng: np.random.Generator, statement: Statement) -> Statement:
    """
    Entries between about 1e-6 and 1e6, the same decisions up to their units.

    A row is multiplied by its unit; a continuous variable is measured in its unit, so its entries are divided by it.
    """
    x_unit = _units(rng, ~statement.x_integer)
    y_unit = _units(rng, ~statement.y_integer)
    row, first_row = _units(rng, len(statement.row_lower[0])), _units(rng, len(statement.a_lower))
    money = float(10.0 ** rng.choice([-3, 0, 3]))
    return replace(
        statement,
        c=money * statement.c / x_unit,
        A=first_row[:, None] * statement.A / x_unit,
        a_lower=first_row * statement.a_lower,
        a_upper=first_row * statement.a_upper,
        x_lower=statement.x_lower * x_unit,
        x_upper=statement.x_upper * x_unit,
        b=money * statement.b / y_unit,
        q=money * statement.q / x_unit,
        T=row[:, None] * statement.T / x_unit,
        W=row[:, None] * statement.W / y_unit,
        row_lower=row * statement.row_lower,
        row_upper=row * statement.row_upper,
        y_lower=statement.y_lower * y_unit,
        y_upper=statement.y_upper * y_unit,
        offset=money * statement.offset,
    )


def _units(rng: np.random.Generator, scaled: Bools | int) -> Floats:
    """A power of a thousand for everything that may be scaled, else 1."""
    free = np.ones(scaled, dtype=bool) if isinstance(scaled, int) else scaled
    return np.where(free, 10.0 ** rng.choice([-3.0, 0.0, 3.0], len(free)), 1.0)
