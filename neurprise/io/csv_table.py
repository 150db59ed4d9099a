"""Tables in text files: commas, semicolons, tabs or another delimiter between cells."""

from __future__ import annotations

import codecs
import csv
import io
import re
from pathlib import Path

from neurprise.errors import FormatError, counted
from neurprise.io.records import read_text
from neurprise.io.tables import Table, TableOptions, table_from_rows

_DELIMITERS = (",", ";", "\t")


def table_of(path: Path, options: TableOptions) -> Table:
    """Read the file; lines whose cells are all empty mean nothing, and a cell in quotes may hold line breaks."""
    text = _text(path, options.encoding)
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=options.delimiter or _delimiter(text), strict=True)
        stripped = ([cell.strip() for cell in row] for row in rows)
        lines = [cells for cells in stripped if any(cells)]
    except (csv.Error, TypeError, ValueError) as error:  # the last two: delimiters that are none
        raise FormatError(f"{path.name} is not a readable table ({error}).") from None
    for number, row in enumerate(lines):
        if len(row) != len(lines[0]):
            raise FormatError(
                f"{path.name}: data row {number} has {counted(len(row), 'cell')}, the header has {len(lines[0])}."
            )
    return table_from_rows(path.name, lines, options.decimal)


def _text(path: Path, encoding: str | None) -> str:
    if encoding is None:
        return read_text(path)
    try:
        if not codecs.lookup(encoding)._is_text_encoding:  # zip and base64 are codecs, too
            raise LookupError
        return read_text(path, encoding)
    except (LookupError, UnicodeError) as error:
        raise FormatError(f"{path.name} is not a text in the encoding {encoding!r} ({error}); correct it.") from None


def _delimiter(text: str) -> str:
    """What separates the column names; what stands in quotes does not count."""
    header = re.match(r'\s*(?:"[^"]*"|[^"\r\n])*', text)
    bare = re.sub(r'"[^"]*"', "", header.group() if header else "")
    return max(_DELIMITERS, key=bare.count)
