"""Tables of an answer as files and data frames: CSV, Excel, pandas."""

from __future__ import annotations

import csv
import io
import math
import tempfile
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from neurprise.errors import InputError, MissingDependencyError
from neurprise.io.csv_cells import cell_of
from neurprise.report.tables import AnswerTables, Row, Which
from neurprise.storage.whole_files import replacing

#: What `write_csv` writes into its folder.
CSV_FILES = ("decision.csv", "costs.csv", "recourse.csv")

_EXCEL_ROWS = 1_048_576
#: Files are for people: where a problem maximises, costs are called what they are.
_HEADINGS_OF_PROFITS = {"cost": "profit", "best_cost": "best_profit"}


def write_csv(
    tables: AnswerTables, folder: Path, recourse: Which = None, regret: bool = False, neutral: bool = True
) -> None:
    """decision.csv, costs.csv and recourse.csv, each complete or absent; `neutral` as `cell_of` has it."""
    sheets = _sheets(tables, recourse, regret)
    check_folder(folder)
    folder.mkdir(exist_ok=True)
    for name, rows in sheets.items():
        with replacing(folder / f"{name}.csv") as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            csv.writer(text, lineterminator="\n").writerows([_cell(entry, neutral) for entry in row] for row in rows)
            text.detach()


def write_excel(tables: AnswerTables, path: Path, recourse: Which = None, regret: bool = False) -> None:
    """One workbook with a sheet per table; texts are texts, never formulas."""
    check_excel()
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for name, rows in _sheets(tables, recourse, regret).items():
        _fill(book.create_sheet(name), rows)
    with replacing(path) as file:
        _save(book, file)


def _save(book: Any, file: IO[bytes]) -> None:
    """As `book.save`, but an archive that an interrupt leaves unfinished is closed here and not by a finalizer."""
    from openpyxl.writer.excel import ExcelWriter

    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        ExcelWriter(book, archive).save()


def frame(tables: AnswerTables, regret: bool = False) -> Any:
    """A pandas DataFrame with one row per scenario, by name."""
    try:
        import pandas
    except ImportError:
        raise MissingDependencyError(
            "to_frame needs pandas; install it with: pip install pandas, or write files with to_csv."
        ) from None
    return pandas.DataFrame(tables.frame_columns(regret)).set_index("scenario")


def check_excel() -> None:
    """Refuse a workbook where the package that writes it is missing, before hours of work go into what it holds."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            "Excel files need openpyxl; install it with: pip install 'neurprise[excel]'."
        ) from None


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be made or written before hours of work go into what it should hold."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"an output folder must be a folder, got the file {str(folder)!r}; choose another name.")
    if not folder.resolve().parent.is_dir():
        raise InputError(f"an output folder must lie in one that exists, got {str(folder)!r}; create that first.")
    try:
        tempfile.TemporaryFile(dir=folder if folder.is_dir() else folder.resolve().parent).close()
    except OSError as error:
        raise InputError(
            f"an output folder must be writeable, got {str(folder)!r} ({error.strerror}); choose another."
        ) from None


def _sheets(tables: AnswerTables, recourse: Which, regret: bool) -> dict[str, Iterable[Row]]:
    """Name of a table -> its rows, the header first; scenarios that are not known are refused here."""
    chosen, costs = tables.chosen(recourse), tables.costs(regret)
    head = tuple(_HEADINGS_OF_PROFITS.get(name, name) if tables.plan.problem.maximize else name for name in costs)
    return {
        "decision": chain([("name", "value")], tables.decision()),
        "costs": chain([head], zip(*costs.values(), strict=True)),
        "recourse": chain([("scenario", "name", "value")], tables.recourse(chosen)),
    }


def _fill(sheet: Any, rows: Iterable[Sequence[Any]]) -> None:
    for number, row in enumerate(rows, start=1):
        if number > _EXCEL_ROWS:
            raise InputError(
                f"a sheet of Excel holds {_EXCEL_ROWS:,} rows, and {sheet.title} needs more; write CSV, or choose "
                "fewer scenarios with recourse=."
            )
        for column, entry in enumerate(row, start=1):
            cell = sheet.cell(number, column, _plain(entry))
            if isinstance(cell.value, str):
                cell.data_type = "s"  # a name such as =1+1 stays a name


def _cell(entry: Any, neutral: bool) -> Any:
    return cell_of(entry, neutral) if isinstance(entry, str) else _plain(entry)


def _plain(entry: Any) -> Any:
    """Numbers whole where they are, infinite ones as text; texts as they are."""
    if not isinstance(entry, float):
        return entry
    if not math.isfinite(entry):
        return "" if math.isnan(entry) else str(entry)
    return int(entry) if entry.is_integer() and abs(entry) < 2**53 else entry
