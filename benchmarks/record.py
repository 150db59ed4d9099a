"""What every benchmark shares: its parser, its tables, and its rows in results/NAME.jsonl with what made them."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from neurprise.storage.rows import open_rows

RESULTS = Path(__file__).resolve().parent.parent / "results"

#: A table: its title, its columns and its rows.
Shown = tuple[str, Sequence[str], Iterable[Sequence[Any]]]


def new_parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the two options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the rows as one JSON object instead of tables")
    parser.add_argument("--no-save", action="store_true", help="do not append the rows to results/")
    return parser


def publish(
    options: argparse.Namespace,
    name: str,
    rows: Sequence[dict[str, Any]],
    tables: Sequence[Shown],
    notes: Sequence[str] = (),
    saved: bool = False,
) -> None:
    """Print tables and notes, or the rows as JSON, and keep the rows unless --no-save or they are kept already."""
    if options.json:
        print(json.dumps({"benchmark": name, "rows": rows}))
    else:
        for table in tables:
            show(*table)
        print(*notes, sep="\n", end="\n" if notes else "")
    if not options.no_save and not saved:
        save(name, rows)


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table on standard output; numbers to four digits."""
    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name, justify="left" if name in ("instance", "method", "family") else "right")
    for row in rows:
        table.add_row(*(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row))
    Console(width=160 if not sys.stdout.isatty() else None).print(table)


def whole_table(title: str, rows: Sequence[dict[str, Any]]) -> Shown:
    """The table of all fields of the rows."""
    return title, list(rows[0]), [list(row.values()) for row in rows]


def save(name: str, rows: Iterable[dict[str, Any]]) -> Path:
    """Append one JSON line per row, with the command, the commit, the time and the machine."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.jsonl"
    made_by = {
        "command": " ".join(["python -m", f"benchmarks.{name}", *sys.argv[1:]]),
        "commit": current_commit(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine(),
    }
    with open_rows(path, wait=True) as stored:
        for row in rows:
            stored.append_line(json.dumps({**row, **made_by}).encode())
    return path


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(math.log(value) for value in values) / len(values))


def current_commit() -> str:
    """Short hash of the checkout."""
    command = ["git", "-C", str(RESULTS.parent), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def _machine() -> str:
    return (
        f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}, HiGHS {version('highspy')}"
    )
