"""The rows of a judge's last run, and their table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.provenance import provenance
from experiments.row_files import RowFile
from experiments.views.text_table import text_table


def last_run(name: str, folder: Path) -> list[dict[str, Any]]:
    """The rows that the last run of a judge kept."""
    rows = RowFile(folder, name).read()
    return [row for row in rows if row["run"] == rows[-1]["run"]]


def last_run_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """All numbers of the run, below its date, its commit and its command as it was called then."""
    if not rows:
        return "no rows yet"
    made_by = ("command", *provenance())
    table = all_fields([{column: row[column] for column in row if column not in made_by} for row in rows])
    first = rows[0]
    return f"run of {first['began'][:10]}, code of {first['commit']}: {first['command']}\n{table}"


def all_fields(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table of all fields of the rows, numbers to four digits."""
    return text_table(list(rows[0]), [list(map(_shown, row.values())) for row in rows])


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
