"""Output of commands: text, tables or one JSON object, and files written completely or not at all."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurprise.errors import InputError, visible
from neurprise.io import writer_of
from neurprise.report.text import in_columns
from neurprise.storage.whole_files import replacing

if TYPE_CHECKING:
    from rich.text import Text


def emit(args: argparse.Namespace, text: str, data: Mapping[str, Any]) -> None:
    """Print `data` as one JSON object under --json, else `text`."""
    if args.json:
        print_json(data)
    else:
        show_text(text)


def print_json(data: Mapping[str, Any]) -> None:
    """One object; unknown numbers are null."""
    print(json.dumps(finite(data), allow_nan=False))


def finite(value: Any) -> Any:
    """Plain data with None for numbers that JSON cannot hold: infinities and nan."""
    if isinstance(value, Mapping):
        return {name: finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def aligned(rows: Mapping[str, object]) -> str:
    """Names and values in two columns, one row a line."""
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())


def check_destination(path: Path | None) -> None:
    """Refuse an unwritable destination before the work begins."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"an output file must not be a directory, got {str(path)!r}; add a file name.")
    if path.exists() and not path.is_file():  # a device or a pipe, which the file would replace
        raise InputError(f"an output file must be a plain file, got {str(path)!r}; choose another name.")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise InputError(f"the directory of an output file must exist, got {str(path)!r}; create it first.")
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise InputError(
            f"the directory of an output file must be writeable, got {str(path)!r} ({error.strerror}); choose another."
        ) from None


def check_distinct(files: Mapping[str, Path | None]) -> None:
    """Refuse two options that write the same file."""
    given = {option: path for option, path in files.items() if path is not None}
    for (first, one), (option, path) in combinations(given.items(), 2):
        if is_same_file(one, path):
            raise InputError(f"{first} and {option} must be two files, got {str(path)!r} for both; rename one.")


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same file, also by a hard link; files that do not exist are compared by path."""
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()


def check_problem_destination(path: Path | None) -> None:
    """Check the destination of a problem: its suffix must name a writable format; without one it was forgotten."""
    if path is None:
        return
    writer_of(path)
    if not path.suffix:
        raise InputError(f"a problem is written to a file, got {path.name!r}; add a suffix such as .npz.")
    check_destination(path)


def write_text(path: Path, text: str) -> None:
    """Write a whole text file or nothing."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


#: Pattern -> style: proved results are green, interrupted ones yellow.
_STYLES = {
    r"^\S+( \S+)?(?=  )": "bold",
    r"\boptimal\b|\(proved\)": "green",
    r"\btime limit\b|\binterrupted\b|\bstopped\b|\bnumerical limit\b|\bcut short\b|\bno recourse\b": "yellow",
}


def on_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def show_text(text: str) -> None:
    """Print a text; on a terminal, labels and words of success or warning are coloured."""
    text = visible(text)
    if not on_terminal():
        print(text)
        return
    from rich.console import Console

    Console(highlight=False, soft_wrap=True).print(coloured(text))


def show_table(rows: Sequence[Sequence[str]], right: Collection[int], below: Sequence[str] = ()) -> None:
    """
    Print a table: ruled and coloured on a terminal, as plain columns elsewhere.

    Parameters
    ----------
    rows
        The header, then one row a line. A star at the end of an entry marks the best of a column.
    right
        Columns that are right-aligned.
    below
        Lines to print after the table.
    """
    if not on_terminal():
        print(visible("\n".join([in_columns(rows, right), *below])))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for k, title in enumerate(rows[0]):
        table.add_column(Text(title), justify="right" if k in right else "left", overflow="fold")
    for row in rows[1:]:
        # Text, not str: a name such as [red] is not markup.
        table.add_row(*(Text(visible(entry).strip(), style="green" if entry.endswith("*") else "") for entry in row))
    Console(highlight=False).print(table, *(Text(visible(line)) for line in below), sep="\n")


def coloured(text: str) -> Text:
    """The same text with styles."""
    from rich.text import Text

    found = Text(text)
    for pattern, style in _STYLES.items():
        for match in re.finditer(pattern, text, re.M):
            found.stylize(style, *match.span())
    return found
