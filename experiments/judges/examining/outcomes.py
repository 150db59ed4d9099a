"""What came of one random problem, and a file of such outcomes that lets a long cross-check go on where it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.judges.examining.examination import Finding
from experiments.provenance import code
from neurprise.storage.rows import RowWriter, open_rows


@dataclass(frozen=True)
class Outcome:
    """
    One problem, examined.

    Parameters
    ----------
    answers
        Every question with its answer, one line each.
    hinges
        Some number was accepted only because the answer hinges on less than the tolerance.
    listed
        Judged by brute force, not by engines.
    """

    seed: int
    kind: str
    scale: str
    medium: bool
    findings: tuple[Finding, ...]
    answers: tuple[str, ...]
    hinges: bool
    listed: bool
    seconds: float


class OutcomeFile:
    """Outcomes on the disk, by series of problems; made by `open_outcomes`."""

    def __init__(self, rows: RowWriter) -> None:
        self._rows = rows
        self._stored = [row for row in rows.stored() if row["tree"] == code().tree]

    def known(self, series: str) -> dict[int, Outcome]:
        """What this code found before it was stopped, by seed; without the answers."""
        outcomes = [_outcome(row["outcome"]) for row in self._stored if row["series"] == series]
        return {outcome.seed: outcome for outcome in outcomes}

    def keep(self, series: str, outcomes: list[Outcome]) -> None:
        for outcome in outcomes:
            self._rows.append({"tree": code().tree, "series": series, "outcome": {**asdict(outcome), "answers": []}})


@contextmanager
def open_outcomes(path: Path) -> Iterator[OutcomeFile]:
    """Hold the file; whoever has all outcomes removes it."""
    with open_rows(path) as rows:
        yield OutcomeFile(rows)


def _outcome(row: dict[str, Any]) -> Outcome:
    return Outcome(**{**row, "answers": (), "findings": tuple(Finding(**finding) for finding in row["findings"])})
