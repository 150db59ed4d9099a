"""What commands print and write: text or one JSON object, and files that are complete or absent."""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from neurprise.cli.terminal import show_text
from neurprise.errors import InputError
from neurprise.io import writer_of
from neurprise.storage.whole_files import replacing


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
    """Refuse a destination that cannot be written before hours of work go into what it should hold."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"an output file must not be a directory, got {str(path)!r}; add a file name.")
    if path.exists() and not path.is_file():  # a device or a pipe, which a finished file would take the place of
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
    """Refuse two options that name one file, of which the later would overwrite what the earlier wrote."""
    given = {option: path for option, path in files.items() if path is not None}
    for (first, one), (option, path) in combinations(given.items(), 2):
        if is_same_file(one, path):
            raise InputError(f"{first} and {option} must be two files, got {str(path)!r} for both; rename one.")


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, be it by a hard link; files that are not there yet go by their paths."""
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()


def check_problem_destination(path: Path | None) -> None:
    """The same for a file that is to hold a problem: its suffix must name a format that can be written."""
    if path is not None:
        writer_of(path)
    check_destination(path)


def write_text(path: Path, text: str) -> None:
    """Write a whole text file or nothing."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))
