"""Tables of scenarios: named columns and a row per scenario, from a file of any kind or from pandas and xarray."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurprise import arrays
from neurprise.arrays import Bools, Floats, is_pandas, is_xarray
from neurprise.errors import FormatError, InputError, listed, near_miss
from neurprise.io.records import parse_number
from neurprise.io.staging import check_size
from neurprise.problem.names import checked_names, looks_like_sum, texts_of, without_midnight

#: Cells of a column: numbers as an array, everything else one by one.
Cells = list[Any] | NDArray[Any]

# suffix -> module with columns_of(path, options), which gives a Mapping of column names to Cells
_FILES = {".csv": "csv_table", ".tsv": "csv_table", ".txt": "csv_table", ".xlsx": "excel", ".parquet": "parquet"}
SUFFIXES = tuple(_FILES)


@dataclass(frozen=True)
class Long:
    """A long table has one value a row: names of the columns with the scenarios, the items and the values."""

    index: str
    columns: tuple[str, ...]
    values: str


@dataclass(frozen=True)
class TableOptions:
    """
    How a table is written.

    Parameters
    ----------
    sheet
        Of a workbook; needed where it has several.
    decimal, delimiter, encoding
        Of texts: the decimal sign, what separates cells (None: comma, semicolon or tab, as the first line shows), and
        the name of the encoding as Python and pandas know it (None: UTF-8, else Latin-1).
    long
        None for a table with a row per scenario.
    """

    sheet: str | None = None
    decimal: str = "."
    delimiter: str | None = None
    encoding: str | None = None
    long: Long | None = None


class Table:
    """
    Parameters
    ----------
    name
        The file's name, for messages.
    columns
        Column name -> its cells, all of one length; may read them when they are asked for.
    num_rows
        That length.
    decimal
        The decimal sign of numbers that are texts.
    row_labels
        The column that holds the rows' own labels, as pandas writes its index; None if there is none.
    """

    def __init__(
        self,
        name: str,
        columns: Mapping[str, Cells],
        num_rows: int,
        decimal: str = ".",
        row_labels: str | None = None,
    ) -> None:
        self.name, self.num_rows, self.row_labels = name, num_rows, row_labels
        self._columns, self._decimal = columns, decimal

    @property
    def column_names(self) -> list[str]:
        return list(self._columns)

    def holds_texts(self, column: str) -> bool:
        """Whether a column at hand holds texts; one that would have to be read from a file first counts as none."""
        if not isinstance(self._columns, dict):
            return False
        cells = self._columns[column]
        return isinstance(cells, list) and any(
            isinstance(cell, str) and _number(cell, ".") != _number(cell, ".") for cell in cells
        )

    def numbers(self, column: str) -> Floats:
        """The column as finite numbers, shape (num_rows,)."""
        cells = self._columns[column]
        listed = isinstance(cells, list)
        values = np.array([_number(cell, self._decimal) for cell in cells] if listed else cells, dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            cell = cells[bad[0]]
            raise FormatError(
                f"{self.name}: column {column!r} must hold numbers, got {_shown(cell)} in data row {bad[0] + 1}; "
                f"{_remedy(cell, self._decimal)}."
            )
        return values

    def texts(self, column: str) -> tuple[str, ...]:
        """The column as texts; dates without a time of day as 2024-03-01."""
        return texts_of(without_midnight(self._columns[column]))

    def names(self, column: str) -> tuple[str, ...]:
        """The column as distinct names of scenarios."""
        try:
            return checked_names(self._called(column), self.texts(column), "scenario", self.num_rows)
        except InputError as error:
            raise FormatError(str(error)) from None

    def probabilities(self, column: str) -> Floats:
        """The column as probabilities of scenarios, shape (num_rows,)."""
        try:
            return arrays.probabilities(self._called(column), self.numbers(column), self.num_rows)
        except InputError as error:
            raise FormatError(str(error)) from None

    def without_sums(self, titles: str, skip: Iterable[str], keep: Iterable[str]) -> Table:
        """
        The table without the rows that `skip` names; a row that looks like a sum and is not in `keep` is refused.

        Parameters
        ----------
        titles
            The column that names the rows.
        """
        texts, skipped, kept = self.texts(titles), set(skip), set(keep)
        for text in texts:
            if looks_like_sum(text) and text not in skipped | kept:
                raise FormatError(
                    f"{self.name}: the row {text!r} looks like a sum of other rows; write skip = [{text!r}] into the "
                    f"plan to leave it out, or keep = [{text!r}] if it is a scenario."
                )
        chosen = np.array([text not in skipped for text in texts])
        if chosen.all():
            return self
        if not chosen.any():
            raise FormatError(f"{self.name}: 'skip' leaves no row; a plan needs at least one scenario.")
        rows = _Rows(self._columns, chosen)
        return Table(self.name, rows, int(chosen.sum()), self._decimal, self.row_labels)

    def wide(self, long: Long) -> Table:
        """A long table with a row per scenario and a column per item, both in the order in which they come."""
        for column in (long.index, *long.columns, long.values):
            if column not in self.column_names:
                offer = near_miss(column, self.column_names)
                raise FormatError(f"{self.name}: the table has no column {column!r} ({offer}); correct 'long'.")
        items = zip(*(self._columns[column] for column in long.columns), strict=True)
        joined = texts_of(item if len(item) > 1 else item[0] for item in items)
        return pivoted(self.name, self.texts(long.index), joined, self.numbers(long.values))

    def _called(self, column: str) -> str:
        return f"column {column!r} of {self.name}" if column else f"the row labels of {self.name}"


class _Rows(Mapping[str, Cells]):
    """Columns cut to the chosen rows; `chosen` is a mask."""

    def __init__(self, columns: Mapping[str, Cells], chosen: Bools) -> None:
        self._columns, self._chosen = columns, chosen

    def __iter__(self) -> Any:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, name: str) -> Cells:
        cells = self._columns[name]
        if isinstance(cells, list):
            return [cell for cell, chosen in zip(cells, self._chosen, strict=True) if chosen]
        return cells[self._chosen]


def read_table(source: Any, options: TableOptions | None = None) -> Table:
    """Read a file, a DataFrame, a Series with two or more levels of labels, or a DataArray."""
    options = options or TableOptions()
    if is_pandas(source) or is_xarray(source):
        from neurprise.io.frames import table_of

        table = table_of(source, options.decimal)
    elif isinstance(source, (str, Path)):
        table = _file(Path(source), options)
    else:
        raise InputError(
            f"scenarios must be a path ({', '.join(SUFFIXES)}), a table of pandas or an array of xarray, got "
            f"{type(source).__name__}; convert it, for example with .to_pandas()."
        )
    if table.num_rows == 0:
        raise FormatError(f"{table.name} has no data row; it needs one row per scenario under a line of column names.")
    return table if options.long is None else table.wide(options.long)


def table_from_rows(name: str, lines: list[list[Any]], decimal: str) -> Table:
    """A table from its lines, the first of which has the column names; empty cells are None or ""."""
    if not lines:
        raise FormatError(f"{name} is empty; it needs a line of column names and one row per scenario.")
    header, rows = texts_of(lines[0]), lines[1:]
    # Spreadsheets save columns that were once touched, without title and cells.
    used = [k for k, title in enumerate(header) if title or any(row[k] not in (None, "") for row in rows)]
    columns = checked_columns(name, [header[k] for k in used])
    cells = {title: [row[k] for row in rows] for title, k in zip(columns, used, strict=True)}
    return Table(name, cells, len(rows), decimal, "" if columns[:1] == [""] else None)


def pivoted(name: str, scenarios: tuple[str, ...], items: tuple[str, ...], values: Floats) -> Table:
    """A table with these scenarios as row labels and these items as columns; all three of one length."""
    row = {text: s for s, text in enumerate(dict.fromkeys(scenarios))}
    column = {text: k for k, text in enumerate(dict.fromkeys(items))}
    check_size(name, len(row), len(column), "keep fewer of them")
    at: dict[tuple[int, int], None] = {}
    for scenario, item in zip(scenarios, items, strict=True):
        place = row[scenario], column[item]
        if place in at:
            raise FormatError(
                f"{name}: the item {item!r} has two values in scenario {scenario!r}; remove one or sum them."
            )
        at[place] = None
    table = np.full((len(row), len(column)), np.nan)
    table[tuple(np.array(list(at), dtype=np.int64).reshape(-1, 2).T)] = values
    return Table(name, {"": list(row), **{text: table[:, k] for text, k in column.items()}}, len(row), row_labels="")


def checked_columns(name: str, titles: Iterable[str]) -> list[str]:
    """The titles, once they differ."""
    found = list(titles)
    if len(set(found)) != len(found):
        raise FormatError(f"{name}: column names must differ, got {listed(found)}.")
    return found


def _file(path: Path, options: TableOptions) -> Table:
    if not path.is_file():
        raise InputError(f"{str(path)!r} is not a file; check the table's path.")
    suffix = path.suffix.lower()
    if suffix not in _FILES:
        raise InputError(f"scenarios come from {', '.join(SUFFIXES)} files, got {path.name!r}.")
    read: Callable[[Path, TableOptions], Table] = importlib.import_module(f"neurprise.io.{_FILES[suffix]}").table_of
    return read(path, options)


def _number(cell: Any, decimal: str) -> float:
    if isinstance(cell, bool) or cell is None:
        return np.nan
    if isinstance(cell, str):
        point = cell.replace(decimal, ".") if decimal != "." and "." not in cell else cell if decimal == "." else ""
        value = parse_number(point)
        return np.nan if value is None else value
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def _shown(cell: Any) -> str:
    return "nothing" if cell is None or cell == "" or cell != cell else repr(str(cell))


def _remedy(cell: Any, decimal: str) -> str:
    if isinstance(cell, str) and decimal == "." and cell.count(",") == 1 and _number(cell, ",") == _number(cell, ","):
        return 'if the comma is its decimal sign, write decimal = "," into the plan'
    return "fill or drop it" + ("" if decimal == "." else f" (the decimal sign is {decimal!r})")
