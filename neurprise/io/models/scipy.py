"""The arguments of scipy's `milp` as a tuple (c, constraints, bounds, integrality)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.errors import InputError, counted
from neurprise.io.linear import LinearModel


class Reader:
    """Variables are called x[0], x[1], ..., rows row[0], row[1], ...; both in the order of the arrays."""

    def linear(self, model: tuple[Any, ...]) -> LinearModel:
        if len(model) != 4:
            raise InputError(
                f"a scipy model is a tuple (c, constraints, bounds, integrality), got {counted(len(model), 'part')}; "
                "write None for what milp should not get."
            )
        costs = np.array(model[0], dtype=np.float64, ndmin=1)
        matrix, low, high = _rows(model[1], len(costs))
        lower, upper = _bounds(model[2], len(costs))
        return LinearModel(
            columns=tuple(f"x[{j}]" for j in range(len(costs))),
            rows=tuple(f"row[{i}]" for i in range(len(low))),
            costs=costs,
            matrix=matrix,
            row_lower=low,
            row_upper=high,
            lower=lower,
            upper=upper,
            integer=_integrality(model[3], len(costs)),
        )

    def names_of(self, part: Any) -> list[str] | None:
        """Variables by their position in c."""
        return [f"x[{part}]"] if isinstance(part, (int, np.integer)) and not isinstance(part, bool) else None

    def fill(self, model: Any, values: Mapping[str, float]) -> Floats:
        """The tuple has no variables to set: their values in the order of c."""
        return np.array(list(values.values()))


def _rows(constraints: Any, num_columns: int) -> tuple[sparse.csr_array, Floats, Floats]:
    from scipy.optimize import LinearConstraint

    if constraints is None:
        constraints = []
    if isinstance(constraints, LinearConstraint) or (isinstance(constraints, tuple) and len(constraints) == 3):
        constraints = [constraints]
    blocks, sides = [sparse.csr_array((0, num_columns))], [np.zeros((2, 0))]
    for part in constraints:
        one = part if isinstance(part, LinearConstraint) else _linear_constraint(part)
        block = sparse.csr_array(one.A if sparse.issparse(one.A) else np.atleast_2d(one.A), dtype=np.float64)
        blocks.append(block)
        sides.append(np.array([np.broadcast_to(side, block.shape[0]) for side in (one.lb, one.ub)]))
    if any(block.shape[1] != num_columns for block in blocks):
        raise InputError(
            f"every constraint of a scipy model must have {counted(num_columns, 'column')}, one for each cost."
        )
    limits = np.hstack(sides)
    return sparse.vstack(blocks, format="csr"), limits[0], limits[1]


def _linear_constraint(part: Any) -> Any:
    from scipy.optimize import LinearConstraint

    if not isinstance(part, tuple):
        raise InputError(f"a constraint must be a scipy LinearConstraint, got {type(part).__name__}; it is not linear.")
    return LinearConstraint(*part)


def _bounds(bounds: Any, num_columns: int) -> tuple[Floats, Floats]:
    """milp's own default is 0 and infinity."""
    low, high = (0.0, np.inf) if bounds is None else (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else tuple(bounds)
    lower, upper = (np.array(np.broadcast_to(side, num_columns), dtype=np.float64) for side in (low, high))
    return lower, upper


def _integrality(kinds: Any, num_columns: int) -> Any:
    whole = np.broadcast_to(0 if kinds is None else kinds, num_columns)
    other = np.flatnonzero(~np.isin(whole, (0, 1)))
    if other.size:
        raise InputError(f"the variable x[{other[0]}] is semi-continuous or semi-integer; only linear models are read.")
    return whole == 1
