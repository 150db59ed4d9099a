"""
The line structure that MPS, TIME and STOCH files share: sections that begin with a header, fields, comments.

Real files break the textbook: headers are indented, data lines are not, tabs stand for blanks, comments carry another
encoding. A line is a header when its first word names a section and nothing after it looks like data.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NoReturn

from neurprise.errors import FormatError, InputWarning

#: "free": fields are separated by blanks; "fixed": fields stand in fixed columns and may contain blanks.
Layout = Literal["free", "fixed"]

#: Largest text file that is read, in bytes.
MAX_BYTES = 2 * 2**30

_FIXED_COLUMNS = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))
_FIXED_GAPS = ((0, 1), (3, 4), (12, 14), (22, 24), (36, 39), (47, 49))


@dataclass(frozen=True)
class Record:
    """
    One line that is not a comment.

    Parameters
    ----------
    section
        The section it opens (a header) or stands in.
    fields
        Its words; for a header those after the section's name.
    """

    file: str
    number: int
    section: str
    fields: tuple[str, ...]
    is_header: bool

    def fail(self, problem: str) -> NoReturn:
        """Raise a FormatError that names file and line."""
        raise FormatError(f"{self.file}, line {self.number}: {problem}")

    def number_at(self, index: int) -> float:
        """The field as a finite number."""
        value = parse_number(self.fields[index])
        if value is None or not math.isfinite(value):
            self.fail(f"expected a number, got {self.fields[index]!r}.")
        return value


@dataclass
class Repeats:
    """Numbers that a file gives twice with the same value: harmless, but worth one warning when all is read."""

    first: Record | None = None
    count: int = 0

    def take(self, record: Record, what: str, known: float, value: float) -> None:
        """Count a repetition; two different values are refused."""
        if value != known:
            record.fail(f"{what} is given twice, as {known:g} and as {value:g}; remove one.")
        self.first, self.count = self.first or record, self.count + 1

    def warn(self) -> None:
        if self.first is not None:
            more = f", and {self.count - 1} more" if self.count > 1 else ""
            where = f"{self.first.file}, line {self.first.number}"
            sentence = f"{where}: a number is given twice with the same value{more}; the repetition is ignored."
            warnings.warn(sentence, InputWarning, stacklevel=2)


def parse_number(text: str) -> float | None:
    """
    The number that `text` spells, or None.

    Python's own extras (underscores, nan, other digits) are not numbers here, nor are Fortran's exponents: HiGHS reads
    1D3 as 1000, SCIP and Gurobi as 1.
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return None if "_" in text or not text.isascii() or math.isnan(value) else value


def read_text(path: Path, encoding: str | None = None) -> str:
    """The file's text in this encoding, else in UTF-8 or Latin-1 (old files carry accents in comments)."""
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise FormatError(f"{path.name} has {size} bytes, at most {MAX_BYTES} are read; split the problem.")
    raw = path.read_bytes()
    if encoding is not None:
        return raw.decode(encoding)
    if b"\0" in raw:
        raise FormatError(f"{path.name} is not a text file; check that it is not compressed.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def records(
    path: Path,
    sections: Collection[str],
    words: Collection[str],
    layout: Layout,
    unsupported: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Record]:
    """
    The records of a file up to ENDATA.

    Parameters
    ----------
    sections
        Names of the sections of this kind of file; the first one is its title (NAME, TIME, STOCH).
    words
        What may follow a section's name in an indented header.
    unsupported
        Other sections, with the features that they hold.
    """
    section, number = "", 0
    lines = [line.removesuffix("\r") for line in read_text(path).split("\n")]
    for number, line in enumerate(lines, start=1):
        fields = tuple(line.split())
        if not fields or fields[0].startswith("*"):
            continue
        name = fields[0].upper()
        if _is_header(line, fields, section, sections, words):
            if name == "ENDATA":
                if fields[1:]:  # HiGHS would read on
                    raise FormatError(f"{path.name}, line {number}: nothing may stand behind ENDATA on its line.")
                _warn_of_lost_text(path, lines[number:], number)
                return
            section = name
            yield Record(path.name, number, section, fields[1:], True)
        else:
            record = Record(path.name, number, section, fields, False)
            _check_data(record, line, unsupported)
            yield record if layout == "free" else replace(record, fields=_fixed_fields(record, line))
    raise FormatError(f"{path.name}: ENDATA is missing after line {number}; the file seems to be cut off.")


def _warn_of_lost_text(path: Path, lines: Sequence[str], number: int) -> None:
    """The format ends at ENDATA; control characters that old systems put behind it do no harm."""
    for line in lines:
        number += 1
        if any(mark.isprintable() and not mark.isspace() for mark in line) and not line.startswith("*"):
            warnings.warn(f"{path.name}, line {number}: what follows ENDATA is ignored.", InputWarning, stacklevel=2)
            return


def _is_header(
    line: str, fields: tuple[str, ...], section: str, sections: Collection[str], words: Collection[str]
) -> bool:
    name, rest = fields[0].upper(), fields[1:]
    if name != "ENDATA" and name not in sections:
        return False
    if all(word.upper() in words for word in rest):
        return True
    if not section:
        return True  # the title line; anything may follow
    return not line[0].isspace() and parse_number(rest[-1]) is None


def _check_data(record: Record, line: str, unsupported: Mapping[str, str]) -> None:
    name = record.fields[0].upper()
    if not line.expandtabs().isprintable():
        record.fail(f"the line has a control character: {line.strip()[:60]!r}; remove it.")
    if not record.section:
        record.fail(f"expected the file's title line, got {name!r}; is this the right kind of file?")
    if name in unsupported and len(record.fields) <= 2:
        record.fail(f"{unsupported[name]} (section {name!r}) are not supported; only linear models are read.")
    if not line[0].isspace() and len(record.fields) == 1:
        record.fail(f"the section {name!r} is not supported; remove it or restate the model without it.")


def _fixed_fields(record: Record, line: str) -> tuple[str, ...]:
    """Fields by position; anything between them would be cut, so it is refused."""
    expanded = line.expandtabs()
    fields = [expanded[start:end].strip() for start, end in _FIXED_COLUMNS]
    if not any(fields) or any(expanded[start:end].strip() for start, end in _FIXED_GAPS):
        record.fail("the line does not keep to the columns of fixed format.")
    return tuple(field for field in fields if field)
