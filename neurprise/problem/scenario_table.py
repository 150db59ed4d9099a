"""The columns of `scenario_data` by name, and tables of other scenarios that go by these names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from neurprise.arrays import Bools, Floats, as_pandas
from neurprise.errors import InputError, near_miss
from neurprise.problem.alignment import align
from neurprise.problem.names import texts_of
from neurprise.problem.stages import Changes, Recourse, listed_kinds


class TableReader(Protocol):
    """Knows what the columns of a table of scenarios mean, as a plan does."""

    def problem(self, source: Any) -> Any: ...


def column_names(
    changes: Mapping[str, Changes], names: Mapping[str, tuple[str, ...]], recourse: Recourse
) -> tuple[str, ...]:
    """
    Names of the columns of `table_of`, with the kind before them where a name alone says too little.

    Parameters
    ----------
    names
        Of the variables "x" and "y" and of the recourse rows, "row".
    """
    found = []
    for kind in listed_kinds(changes):
        positions = changes[kind].positions
        if kind in ("technology", "matrix"):
            rows, columns = (part[positions].tolist() for part in getattr(recourse, kind).tocoo().coords)
            of_columns = names["x" if kind == "technology" else "y"]
            own = [f"{names['row'][i]},{of_columns[j]}" for i, j in zip(rows, columns, strict=True)]
        else:
            listing = names["row" if kind.startswith("row") else "x" if kind == "x_costs" else "y"]
            own = [listing[position] for position in positions.tolist()]
        found += [(kind, name) for name in own]
    count = Counter(name for _, name in found)
    return tuple(name if count[name] == 1 else f"{kind} {name}" for kind, name in found)


def cost_columns(changes: Mapping[str, Changes], width: int) -> Bools:
    """Which columns of `table_of` are costs, shape (width,)."""
    kinds = [kind for kind in listed_kinds(changes) for _ in changes[kind].positions]
    return np.array([kind.endswith("costs") for kind in kinds][:width], dtype=bool)


def in_columns(data: Any, columns: tuple[str, ...], scenario_names: tuple[Any, ...]) -> tuple[Floats, tuple[str, ...]]:
    """
    A table of pandas or xarray as an array with these columns, shape (S, k), and the names of its rows.

    A column may be called by what is in the brackets of its name: `hammer` for `take_later[hammer]`.
    """
    short = tuple(name[name.index("[") + 1 : -1] if name.endswith("]") and "[" in name else name for name in columns)
    table = as_pandas("data", data)
    given = set(texts_of(table.axes[-1]))
    names = short if given == set(short) and len(set(short)) == len(short) else columns
    odd = sorted(given ^ set(names))
    if odd:
        came = f"got no {odd[0]!r}" if odd[0] in names else f"got {odd[0]!r} ({near_miss(odd[0], names)})"
        raise InputError(f"data must have the columns that problem.scenario_columns names, {came}.")
    found = align({"data": data}, {"data": ("scenario", "column")}, {"column": names, "scenario": scenario_names})
    return np.asarray(found.values["data"], dtype=np.float64), found.names.get("scenario", ())
