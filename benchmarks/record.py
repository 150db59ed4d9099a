"""Print a benchmark's table and append its rows to results/NAME.jsonl with what made them."""

from __future__ import annotations

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

RESULTS = Path(__file__).resolve().parent.parent / "results"


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table on standard output; numbers to four digits."""
    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name, justify="left" if name in ("instance", "method", "family") else "right")
    for row in rows:
        table.add_row(*(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row))
    Console(width=160 if not sys.stdout.isatty() else None).print(table)


def save(name: str, rows: Iterable[dict[str, Any]]) -> Path:
    """Append one JSON line per row, with the command, the commit, the time and the machine."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.jsonl"
    made_by = {
        "command": " ".join(["python -m", f"benchmarks.{name}", *sys.argv[1:]]),
        "commit": _commit(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine(),
    }
    with path.open("a") as lines:
        lines.writelines(json.dumps({**row, **made_by}) + "\n" for row in rows)
    return path


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(math.log(value) for value in values) / len(values))


def _commit() -> str:
    command = ["git", "-C", str(RESULTS.parent), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def _machine() -> str:
    return (
        f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}, HiGHS {version('highspy')}"
    )
