"""Tables with named columns, one row per scenario: CSV from the standard library, Parquet through `parquet.py`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from neurprise import arrays
from neurprise.arrays import Floats
from neurprise.errors import FormatError, InputError, counted
from neurprise.io.parquet import Cells, parquet_columns
from neurprise.io.records import parse_number, read_text
from neurprise.problem.names import checked_names

SUFFIXES = (".csv", ".tsv", ".txt", ".parquet")
_DELIMITERS = (",", ";", "\t")
_PANDAS_INDEX = "__index_level_0__"


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
    """

    def __init__(self, name: str, columns: Mapping[str, Cells], num_rows: int) -> None:
        self.name, self.num_rows = name, num_rows
        self._columns = columns

    @property
    def column_names(self) -> list[str]:
        return list(self._columns)

    def numbers(self, column: str) -> Floats:
        """The column as finite numbers, shape (num_rows,)."""
        cells = self._columns[column]
        listed = isinstance(cells, list)
        values = np.array([_number(cell) for cell in cells] if listed else cells, dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            raise FormatError(
                f"{self.name}: column {column!r} must hold numbers, got {str(cells[bad[0]])!r} in data row "
                f"{bad[0] + 1}; fill or drop it (the decimal sign is a point)."
            )
        return values

    @property
    def row_labels(self) -> str | None:
        """The column that holds the rows' own labels, as pandas writes its index; None if there is none."""
        names = self.column_names
        return "" if names[:1] == [""] else _PANDAS_INDEX if _PANDAS_INDEX in names else None

    def names(self, column: str) -> tuple[str, ...]:
        """The column as distinct names of scenarios; dates without a time of day as 2024-03-01."""
        try:
            return checked_names(self._called(column), self._columns[column], "scenario", self.num_rows)
        except InputError as error:
            raise FormatError(str(error)) from None

    def probabilities(self, column: str) -> Floats:
        """The column as probabilities of scenarios, shape (num_rows,)."""
        try:
            return arrays.probabilities(self._called(column), self.numbers(column), self.num_rows)
        except InputError as error:
            raise FormatError(str(error)) from None

    def _called(self, column: str) -> str:
        return f"column {column!r} of {self.name}" if column else f"the row labels of {self.name}"


def read_table(path: Path) -> Table:
    """Read a .csv (comma, semicolon or tab) or .parquet file."""
    if not path.is_file():
        raise InputError(f"{str(path)!r} is not a file; check the table's path.")
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"scenarios come from {', '.join(SUFFIXES)} files, got {path.name!r}.")
    table = _parquet(path) if path.suffix.lower() == ".parquet" else _csv(path)
    if table.num_rows == 0:
        raise FormatError(f"{path.name} has no data row; it needs one row per scenario under a line of column names.")
    return table


def _csv(path: Path) -> Table:
    lines = _filled_lines(path)
    if not lines:
        raise FormatError(f"{path.name} is empty; it needs a line of column names and one row per scenario.")
    header, *rows = lines
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise FormatError(
                f"{path.name}: data row {number} has {counted(len(row), 'cell')}, the header has {len(header)}."
            )
    # Spreadsheets save columns that were once touched, without title and cells.
    used = [k for k, name in enumerate(header) if name or any(row[k] for row in rows)]
    names = [header[k] for k in used]
    if len(set(names)) != len(names):
        raise FormatError(f"{path.name}: column names must differ, got {', '.join(names)}.")
    return Table(path.name, {header[k]: [row[k] for row in rows] for k in used}, len(rows))


def _filled_lines(path: Path) -> list[list[str]]:
    """Header and rows, without lines whose cells are all empty; a cell in quotes may hold line breaks."""
    text = read_text(path)
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
        stripped = ([cell.strip() for cell in row] for row in rows)
        return [cells for cells in stripped if any(cells)]
    except csv.Error as error:
        raise FormatError(f"{path.name} is not a readable table ({error}).") from None


def _delimiter(text: str) -> str:
    """What separates the column names; what stands in quotes does not count."""
    header = re.match(r'\s*(?:"[^"]*"|[^"\r\n])*', text)
    bare = re.sub(r'"[^"]*"', "", header.group() if header else "")
    return max(_DELIMITERS, key=bare.count)


def _parquet(path: Path) -> Table:
    columns = parquet_columns(path)
    return Table(path.name, columns, columns.num_rows)


def _number(cell: Any) -> float:
    if isinstance(cell, bool) or cell is None:
        return np.nan
    if isinstance(cell, str):
        value = parse_number(cell)
        return np.nan if value is None else value
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return np.nan
