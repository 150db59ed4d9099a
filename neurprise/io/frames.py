"""Tables of pandas and arrays of xarray as tables of scenarios, by their labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurprise.arrays import is_counted, is_xarray
from neurprise.errors import InputError
from neurprise.io.tables import Cells, Table, checked_columns, pivoted
from neurprise.problem.names import texts_of

SCENARIO = "scenario"


def table_of(value: Any, decimal: str = ".") -> Table:
    """
    A DataFrame has a row per scenario; its index, if it has labels, names them. In a Series or DataArray with several
    dimensions, the one called "scenario", else the first, lists the scenarios, and the others together the columns.
    """
    name = f"the {type(value).__name__}"
    if is_xarray(value):
        value = value.to_series() if value.ndim else value
    if getattr(value, "ndim", 0) == 1:
        if value.index.nlevels > 1:
            return _from_levels(name, value)
        if value.name is None:
            raise InputError(f"{name} must have a name or several levels of labels; pass table.to_frame('demand').")
        value = value.to_frame()
    if getattr(value, "ndim", 0) != 2:
        raise InputError(f"{name} must have at least one dimension, the scenarios.")
    # Of several levels of column names the lower ones may be empty.
    titles, cells = (
        [text.rstrip(",") for text in texts_of(value.columns)],
        [_cells(value.iloc[:, k]) for k in range(value.shape[1])],
    )
    labels = None
    if not is_counted(value.index):
        labels = texts_of([value.index.name])[0]
        titles, cells = [labels, *titles], [list(value.index), *cells]
    columns = dict(zip(checked_columns(name, titles), cells, strict=True))
    return Table(name, columns, len(value), decimal, labels)


def _from_levels(name: str, series: Any) -> Table:
    levels = list(series.index.names)
    at = levels.index(SCENARIO) if SCENARIO in levels else 0
    parts = [list(series.index.get_level_values(k)) for k in range(len(levels))]
    scenarios = texts_of(parts.pop(at))
    items = [texts_of(part) for part in parts]
    values = Table(name, {"values": _cells(series)}, len(series)).numbers("values")
    return pivoted(name, scenarios, tuple(",".join(item) for item in zip(*items, strict=True)), values)


def _cells(series: Any) -> Cells:
    """Numbers as an array, everything else as a list."""
    if series.dtype.kind in "iuf" and isinstance(series.dtype, np.dtype):
        return series.to_numpy()  # type: ignore[no-any-return]
    return list(series.astype(object).where(series.notna(), None))
