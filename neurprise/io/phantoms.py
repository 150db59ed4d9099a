"""Variables that tools add to a model for what is no decision: an objective's constant, the width of a range row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools
from neurprise.io.linear import LinearModel

#: What tools call a fixed variable that carries the objective's constant: Pyomo, Gurobi, others, PuLP, PyPSA.
CONSTANTS = ("ONE_VAR_CONSTANT", "Constant", "constant", "obj_const", "objconst", "__dummy", "objective_constant")
#: What Gurobi puts before a row's name for the variable that makes an equation a range.
_RANGE = "Rg"


def without_constants(model: LinearModel) -> LinearModel:
    """The model without fixed variables of those names that stand in no row; their cost becomes the constant."""
    named = [j for j, name in enumerate(model.columns) if name in CONSTANTS]
    used = np.bincount(model.matrix.indices, minlength=len(model.columns))
    gone = [j for j in named if model.lower[j] == model.upper[j] and not used[j]]
    if not gone or len(gone) == len(model.columns):
        return model
    offset = model.offset + float(model.costs[gone] @ model.lower[gone])
    return replace(without_columns(model, gone), offset=offset)


def ranges_of_gurobi(model: LinearModel) -> LinearModel:
    """
    Rows `body + Rg = high` with 0 <= Rg <= width become ranges again, as Gurobi's `addRange` was told.

    Rg must be called after its row and stand nowhere else; then the two models are the same.
    """
    row_at = {f"{_RANGE}{name}": i for i, name in enumerate(model.rows)}
    by_column = model.matrix.tocsc()
    lower, upper, gone = model.row_lower.copy(), model.row_upper.copy(), []
    for j, name in enumerate(model.columns):
        i, entries = row_at.get(name, -1), slice(*by_column.indptr[j : j + 2])
        if i < 0 or by_column.indices[entries].tolist() != [i] or not _is_width(model, i, j):
            continue
        sign = float(by_column.data[entries][0])
        if abs(sign) != 1.0:
            continue
        ends = lower[i] - sign * np.array([model.lower[j], model.upper[j]])
        lower[i], upper[i] = ends.min(), ends.max()
        gone.append(j)
    if not gone:
        return model
    return replace(without_columns(model, gone), row_lower=lower, row_upper=upper)


def _is_width(model: LinearModel, row: int, column: int) -> bool:
    is_equation = model.row_lower[row] == model.row_upper[row]
    return bool(is_equation and model.costs[column] == 0 and model.lower[column] == 0 and not model.integer[column])


def without_columns(model: LinearModel, gone: list[int]) -> LinearModel:
    """The model without these columns."""
    keep: Bools = np.ones(len(model.columns), dtype=bool)
    keep[gone] = False
    parts: dict[str, Any] = {kind: getattr(model, kind)[keep] for kind in ("costs", "lower", "upper", "integer")}
    columns = tuple(name for name, kept in zip(model.columns, keep, strict=True) if kept)
    return replace(model, columns=columns, matrix=sparse.csr_array(model.matrix[:, keep]), **parts)
