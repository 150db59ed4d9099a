"""What the judges share: their parser, what they print, and where their rows are kept."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from experiments.judges.last_run import all_fields
from experiments.places import default_places
from experiments.provenance import provenance
from experiments.row_files import RowFile

ROWS = default_places().rows


def new_parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the two options that every judge has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the rows as one JSON object instead of tables")
    parser.add_argument("--no-save", action="store_true", help="do not keep the rows")
    return parser


def publish(
    options: argparse.Namespace,
    name: str,
    rows: Sequence[dict[str, Any]],
    title: str,
    notes: Sequence[str] = (),
    saved: bool = False,
) -> None:
    """Print a table and notes, or the rows as JSON, and keep the rows unless --no-save or they are kept already."""
    if options.json:
        print(json.dumps({"check": name, "rows": rows}))
    else:
        print(title, all_fields(rows), sep="\n")
        print(*notes, sep="\n", end="\n" if notes else "")
    if not options.no_save and not saved:
        save(name, rows)


def save(name: str, rows: Iterable[dict[str, Any]]) -> None:
    """Append the rows, with the command and what made them."""
    command = shlex.join(["python", "-m", "experiments", *sys.argv[1:]])
    with RowFile(ROWS, name).appending({**provenance(), "command": command}, wait=True) as stored:
        for row in rows:
            stored.append(row)
