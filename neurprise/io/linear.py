"""A named, deterministic linear model, and the places in it that a scenario can replace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats


@dataclass(frozen=True)
class LinearModel:
    """
    min or max  offset + costs'v  with  row_lower <= matrix @ v <= row_upper,  lower <= v <= upper.

    Parameters
    ----------
    columns, rows
        Names, in order; the objective is not among the rows.
    costs
        As the source states them: profits when `maximize`.
    matrix
        Shape (rows, columns).
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    costs: Floats
    matrix: sparse.csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools
    offset: float = 0.0
    maximize: bool = False


class Place(NamedTuple):
    """A number of a LinearModel: kind is the field's name; rows and columns are numbered as there."""

    kind: str
    row: int = -1
    column: int = -1


def with_values(model: LinearModel, places: Sequence[Place], values: Floats) -> LinearModel:
    """The model with one row of values, shape (1, k), put at its places."""
    if not places:
        return model
    model = with_pattern(model, places)
    matrix = model.matrix.copy()
    fields = {name: getattr(model, name).copy() for name in ("costs", "row_lower", "row_upper", "lower", "upper")}
    offset = model.offset
    for place, value in zip(places, values[0].tolist(), strict=True):
        if place.kind == "offset":
            offset = value
        elif place.kind == "matrix":
            matrix.data[entry_position(matrix, place.row, place.column)] = value
        else:
            fields[place.kind][_index(place)] = value
    return replace(model, matrix=matrix, offset=offset, **fields)


def value_at(model: LinearModel, place: Place) -> float:
    """The model's own number at a place."""
    if place.kind == "offset":
        return model.offset
    if place.kind == "matrix":
        return float(model.matrix[place.row, place.column])
    return float(getattr(model, place.kind)[_index(place)])


def with_pattern(model: LinearModel, places: Sequence[Place]) -> LinearModel:
    """The model whose matrix stores every entry that a scenario touches, as an explicit zero where it is new."""
    rows = [place.row for place in places if place.kind == "matrix"]
    columns = [place.column for place in places if place.kind == "matrix"]
    known = model.matrix.tocoo()
    data = np.concatenate([known.data, np.zeros(len(rows))])
    where = (np.concatenate([known.coords[0], rows]), np.concatenate([known.coords[1], columns]))
    pattern = sparse.coo_array((data, np.array(where, dtype=np.int64)), shape=model.matrix.shape).tocsr()
    pattern.sum_duplicates()
    return replace(model, matrix=pattern)


def entry_position(matrix: sparse.csr_array, row: int, column: int) -> int:
    """Where the stored entry (row, column) stands in the matrix's data; it must be stored."""
    start, end = matrix.indptr[row], matrix.indptr[row + 1]
    return int(start + np.searchsorted(matrix.indices[start:end], column))


def _index(place: Place) -> int:
    return place.row if place.kind.startswith("row") else place.column
