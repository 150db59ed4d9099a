"""The answer as an Excel workbook: a summary, the decision and its grids, costs and recourse."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from neurprise.errors import InputError, MissingDependencyError
from neurprise.report.grids import Grid, grids
from neurprise.report.tables import AnswerTables, Row, Which, plain, sheets
from neurprise.storage.whole_files import replacing

SUFFIX = ".xlsx"
#: Limits of Excel.
_ROWS, _COLUMNS, _TITLE = 1_048_576, 16_384, 31
_NOT_IN_TITLES = re.compile(r"[\[\]:*?/\\\\\x00-\x1f]")
#: Widths in characters; longer entries are cut by the next column.
_NARROWEST, _WIDEST = 8, 60
#: Rows that a column's width is taken from.
_MEASURED = 1000


def write_excel(tables: AnswerTables, path: Path, recourse: Which = None, regret: bool = False) -> None:
    """One workbook with a sheet per table; texts are texts, never formulas."""
    check_excel(path)
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for title, rows in _named(tables, recourse, regret):
        _fill(book.create_sheet(title), rows)
    with replacing(path) as file:
        _save(book, file)


def check_excel(path: Path) -> None:
    """Raise before the work begins for another suffix, or if the package that writes workbooks is missing."""
    if path.suffix.lower() != SUFFIX:
        raise InputError(f"the name of an Excel workbook must end in {SUFFIX}, got {str(path)!r}; to_csv writes CSV.")
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            "Excel files need openpyxl; install it with: pip install 'neurprise[excel]'."
        ) from None


def _named(tables: AnswerTables, recourse: Which, regret: bool) -> Iterator[tuple[str, Iterable[Row]]]:
    """Titles and rows of all sheets."""
    parts = sheets(tables, recourse, regret)
    if tables.summary:
        yield "summary", tables.summary.items()
    taken = {"summary", *parts}
    yield "decision", parts.pop("decision")
    for grid in grids(tables.plan.decision)[0]:
        if len(grid.columns) < _COLUMNS:
            yield _free_title(grid.title or "by index", taken), _grid_rows(grid)
    yield from parts.items()


def _grid_rows(grid: Grid) -> Iterable[Row]:
    head = (grid.title, *grid.columns)
    return chain([head], ((label, *values) for label, values in zip(grid.rows, grid.values, strict=True)))


def _free_title(name: str, taken: set[str]) -> str:
    """A title that Excel accepts and no other sheet has, upper or lower case; `taken` learns it."""
    kept = _NOT_IN_TITLES.sub("_", name).strip("'")[:_TITLE] or "grid"
    title, k = kept, 2
    while title.lower() in taken:
        title, k = f"{kept[: _TITLE - 1 - len(str(k))]} {k}", k + 1
    taken.add(title.lower())
    return title


def _fill(sheet: Any, rows: Iterable[Sequence[Any]]) -> None:
    """Rows with a bold header that stays in view, and columns as wide as their entries."""
    widths: dict[int, int] = {}
    for number, row in enumerate(rows, start=1):
        if number > _ROWS:
            raise InputError(
                f"a sheet of Excel holds {_ROWS:,} rows, and {sheet.title} needs more; write CSV, or choose "
                "fewer scenarios with recourse=."
            )
        for column, entry in enumerate(row, start=1):
            cell = sheet.cell(number, column, plain(entry))
            if isinstance(cell.value, str):
                cell.data_type = "s"  # a name such as =1+1 stays a name
            if number <= _MEASURED:
                widths[column] = max(widths.get(column, _NARROWEST), len(str(cell.value or "")) + 2)
    _style(sheet, widths)


def _style(sheet: Any, widths: dict[int, int]) -> None:
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    for column, width in widths.items():
        sheet.column_dimensions[get_column_letter(column)].width = min(width, _WIDEST)
    is_summary = sheet.title == "summary"  # names in its first column, no header
    for cell in sheet["A"] if is_summary else sheet[1]:
        cell.font = Font(bold=True)
    sheet.freeze_panes = "B1" if is_summary else "B2"


def _save(book: Any, file: IO[bytes]) -> None:
    """Like `book.save`, but an interrupt closes the archive here and not in a finalizer."""
    from openpyxl.writer.excel import ExcelWriter

    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        ExcelWriter(book, archive).save()
