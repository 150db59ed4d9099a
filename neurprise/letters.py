"""A problem from the letters of the paper's Eq. (1): Ax >= d;  Gy >= h - Ex - M xi_s;  x, y >= 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurprise import arrays
from neurprise.arrays import Floats, frozen
from neurprise.errors import InputError
from neurprise.stages import Changes, FirstStage, Recourse


def parts_from_letters(
    c: Any,
    A: Any,
    d: Any,
    G: Any,
    h: Any,
    E: Any,
    M: Any,
    xi: Any,
    b: Any,
    *,
    x_integer: Any,
    y_integer: Any,
    x_upper: Any,
    y_upper: Any,
) -> tuple[FirstStage, Recourse, dict[str, Changes], int]:
    """First stage, recourse, changes and number of scenarios; shapes as in `TwoStageProblem.from_matrices`."""
    costs = arrays.vector("c", c)
    recourse_matrix = arrays.matrix("G", G, (None, None))
    (rows, width), n = recourse_matrix.shape, len(costs)
    first_matrix = arrays.matrix("A", np.zeros((0, n)) if A is None else A, (None, n))
    first_lower = arrays.vector("d", np.zeros(0) if d is None else d, first_matrix.shape[0])
    base_rhs = arrays.vector("h", h, rows)
    changes, num_scenarios, base_costs = _changes_from_letters(M, xi, b, base_rhs, width)
    recourse = Recourse(
        costs=base_costs,
        x_costs=frozen(np.zeros(n)),
        technology=arrays.matrix("E", E, (rows, n)),
        matrix=recourse_matrix,
        row_lower=base_rhs,
        row_upper=frozen(np.full(rows, np.inf)),
        lower=frozen(np.zeros(width)),
        upper=arrays.vector("y_upper", y_upper, width, finite=False),
        integer=arrays.mask("y_integer", y_integer, width),
    )
    first_stage = FirstStage(
        costs=costs,
        matrix=first_matrix,
        row_lower=first_lower,
        row_upper=frozen(np.full(len(first_lower), np.inf)),
        lower=frozen(np.zeros(n)),
        upper=arrays.vector("x_upper", x_upper, n, finite=False),
        integer=arrays.mask("x_integer", x_integer, n),
    )
    return first_stage, recourse, changes, num_scenarios


def _changes_from_letters(
    M: Any, xi: Any, b: Any, base_rhs: Floats, width: int
) -> tuple[dict[str, Changes], int, Floats]:
    """Scenario changes, their number and the base costs from the letters M, xi and b."""
    changes: dict[str, Changes] = {}
    counts = set()
    if (M is None) != (xi is None):
        raise InputError("M and xi come together: the right-hand side is h - E x - M xi_s; pass both or neither.")
    if xi is not None:
        points = arrays.table("xi", xi, (None, None))
        spread = arrays.matrix("M", M, (len(base_rhs), points.shape[1]))
        counts.add(len(points))
        moved = np.flatnonzero(np.diff(spread.indptr)).astype(np.int64)
        if len(moved):
            changes["row_lower"] = Changes(moved, frozen(base_rhs[moved] - np.asarray(points @ spread[moved].T)))
    costs = np.asarray(b, dtype=object)
    if costs.ndim == 2:
        rows = arrays.table("b", b, (None, width))
        counts.add(len(rows))
        changes["costs"] = Changes(frozen(np.arange(width)), rows)
        base_costs = frozen(rows[0].copy() if len(rows) else np.zeros(width))
    else:
        base_costs = arrays.vector("b", b, width)
    if len(counts) != 1:
        raise InputError(
            f"b of shape (S, m) and xi of shape (S, q) must name the same number of scenarios, got {sorted(counts)};"
            " pass xi, or b with one row per scenario."
        )
    return changes, counts.pop(), base_costs
