"""What the judges share: their parser, what they print, and their rows in results/NAME.jsonl with what made them."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from experiments.judges.last_run import all_fields
from experiments.places import ROOT
from experiments.provenance import provenance
from neurprise.storage.rows import open_rows

RESULTS = ROOT / "results"


def new_parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the two options that every judge has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the rows as one JSON object instead of tables")
    parser.add_argument("--no-save", action="store_true", help="do not append the rows to results/")
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
    """Append one JSON line per row, with the command and what made it."""
    RESULTS.mkdir(exist_ok=True)
    command = shlex.join(["python", "-m", "experiments", *sys.argv[1:]])
    with open_rows(RESULTS / f"{name}.jsonl", wait=True) as stored:
        for row in rows:
            stored.append_line(json.dumps({**row, "command": command, **provenance()}).encode())
