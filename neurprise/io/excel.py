"""Sheets of Excel workbooks (.xlsx) as tables; the values that Excel saved, never formulas or macros."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neurprise.errors import FormatError, MissingDependencyError, listed, near_miss
from neurprise.io import staging
from neurprise.io.records import MAX_BYTES
from neurprise.io.tables import Table, TableOptions, table_from_rows


def table_of(path: Path, options: TableOptions) -> Table:
    """Read the named sheet, or the only one; rows and columns without any cell mean nothing."""
    try:
        import openpyxl
    except ImportError:
        raise MissingDependencyError("Excel files need openpyxl; run: pip install 'neurprise[excel]'.") from None
    try:
        _check_size(path)
        with warnings.catch_warnings(action="ignore"):  # of styles and extensions that are not read
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            try:
                lines = list(_filled(path, _sheet(path, book, options.sheet)))
            finally:
                book.close()
    except FormatError:
        raise
    except Exception as error:  # a damaged workbook raises whatever its parsers raise
        raise FormatError(f"{path.name} is not a readable Excel workbook ({type(error).__name__}: {error}).") from None
    width = max(map(len, lines), default=0)
    return table_from_rows(path.name, [line + [None] * (width - len(line)) for line in lines], options.decimal)


def _check_size(path: Path) -> None:
    """A workbook is a zip archive; a few bytes of it can stand for gigabytes."""
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > MAX_BYTES:
        raise FormatError(f"{path.name} unpacks to {size:,} bytes, at most {MAX_BYTES:,} are read; split it.")


def _sheet(path: Path, book: Any, name: str | None) -> Any:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if name is None and len(sheets) == 1:
        return next(iter(sheets.values()))
    if name is None:
        raise FormatError(
            f'{path.name} has the sheets {listed(sheets)}; say which, such as sheet = "{next(iter(sheets))}".'
        )
    if name not in sheets:
        raise FormatError(f"{path.name} has no sheet {name!r} ({near_miss(name, sheets)}).")
    return sheets[name]


def _filled(path: Path, sheet: Any) -> Iterator[list[Any]]:
    """The lines that have a cell, without the empty cells at their ends; texts without blanks around them."""
    sheet.reset_dimensions()  # what the file says about its size may be wrong
    count = 0
    for row in sheet.iter_rows(values_only=True):
        cells = [cell.strip() if isinstance(cell, str) else cell for cell in row]
        while cells and cells[-1] in (None, ""):
            cells.pop()
        count += len(cells)
        if count > staging.MAX_VALUES:
            raise FormatError(f"{path.name} has more than {staging.MAX_VALUES:,} cells; keep fewer rows or columns.")
        if any(cell not in (None, "") for cell in cells):
            yield cells
