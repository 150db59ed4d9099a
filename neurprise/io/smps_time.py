"""TIME files: which columns and rows of the core are decided now, and which after the scenario is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from neurprise.arrays import Bools
from neurprise.errors import FormatError, near_miss
from neurprise.io.mps import Core
from neurprise.io.records import Layout, Record, records

SECTIONS = ("TIME", "PERIODS", "ROWS", "COLUMNS")
#: Some files write the number of periods behind PERIODS.
COUNTS = {str(count) for count in range(1, 100)}
WORDS = {"IMPLICIT", "EXPLICIT", "LP", "IP", "NETWORK", "DISCRETE", *COUNTS}


def read_first_stage(path: Path, core: Core, layout: Layout) -> Bools:
    """Which columns of the core belong to the first of two periods, shape (columns,)."""
    parser = _Parser(path, core)
    for record in records(path, SECTIONS, WORDS, layout):
        parser.take(record)
    now, now_rows = parser.stages()
    _check_order(path, core, now, now_rows)
    return now


@dataclass
class _Period:
    name: str
    record: Record


@dataclass
class _Parser:
    path: Path
    core: Core
    periods: list[_Period] = field(default_factory=list)
    assigned: dict[str, dict[str, str]] = field(default_factory=lambda: {"ROWS": {}, "COLUMNS": {}})

    def take(self, record: Record) -> None:
        if record.is_header:
            self._header(record)
            return
        if record.section == "PERIODS":
            self._period(record)
        elif record.section in self.assigned:
            self._assignment(record)
        else:
            record.fail(f"expected a section ({', '.join(SECTIONS[1:])}), got {record.fields[0]!r}.")

    def _header(self, record: Record) -> None:
        announced = [word for word in record.fields if word in COUNTS]
        if record.section == "PERIODS" and announced not in ([], ["2"]):
            record.fail(f"two periods can be represented, the section announces {announced[0]}; join the later ones.")

    def _period(self, record: Record) -> None:
        if len(record.fields) not in (1, 3):
            record.fail("a period is its first column, its first row and its name, or, with EXPLICIT, its name alone.")
        self.periods.append(_Period(record.fields[-1], record))
        if len(self.periods) > 2:
            record.fail(
                "only two periods can be represented, this is the third; join the later periods into the second."
            )
        if len({period.name for period in self.periods}) != len(self.periods):
            record.fail(f"the period {record.fields[-1]!r} is named twice.")

    def _assignment(self, record: Record) -> None:
        if len(record.fields) != 2 or record.fields[1] not in [period.name for period in self.periods]:
            record.fail(f"expected a name and one of the periods, got {' '.join(record.fields)!r}.")
        self.assigned[record.section][record.fields[0]] = record.fields[1]

    def stages(self) -> tuple[Bools, Bools]:
        """First-period columns, and first-period rows in the core's row order (free rows included)."""
        if len(self.periods) != 2:
            raise FormatError(
                f"{self.path.name}: two periods are needed, got {len(self.periods)}; the first is decided before the "
                "scenario is known, the second after."
            )
        if any(self.assigned.values()):
            return self._explicit("COLUMNS", self.core.model.columns), self._explicit("ROWS", self.core.row_order)
        return self._implicit_columns(), self._implicit_rows()

    def _explicit(self, section: str, names: tuple[str, ...]) -> Bools:
        periods, first = self.assigned[section], self.periods[0].name
        missing = [name for name in names if name not in periods and name != self.core.objective]
        unknown = [name for name in periods if name not in set(names)]
        if missing or unknown:
            what = f"{missing[0]!r} has no period" if missing else f"{unknown[0]!r} is not in the core file"
            raise FormatError(f"{self.path.name}: every name in {section} needs its period, but {what}.")
        return np.array([periods.get(name, first) == first for name in names])

    def _implicit_columns(self) -> Bools:
        start = [self._position(period, 0, self.core.model.columns, "column") for period in self.periods]
        if start[0] >= start[1]:
            self.periods[1].record.fail("its first column must come after the first period's; reorder the columns.")
        return np.arange(len(self.core.model.columns)) < start[1]

    def _implicit_rows(self) -> Bools:
        rows = self.core.row_order
        first, second = (self._position(period, 1, rows, "row") for period in self.periods)
        if self.periods[0].record.fields[1] == self.core.objective:
            first = 0  # the objective stands for "no row yet", wherever the core lists it
        if first > second:
            self.periods[1].record.fail("its first row must not come before the first period's; reorder the rows.")
        return np.arange(len(rows)) < second

    def _position(self, period: _Period, index: int, names: tuple[str, ...], what: str) -> int:
        if len(period.record.fields) != 3:
            period.record.fail("without ROWS and COLUMNS sections a period needs its first column and first row.")
        name = period.record.fields[index]
        if name not in names:
            period.record.fail(f"the {what} {name!r} is not in the core file ({near_miss(name, names)}).")
        return names.index(name)


def _check_order(path: Path, core: Core, now: Bools, now_rows: Bools) -> None:
    """A first-period row must not use what is decided in the second."""
    declared = dict(zip(core.row_order, now_rows.tolist(), strict=True))
    entries = core.model.matrix.tocoo()
    for i, j in zip(*(part.tolist() for part in entries.coords), strict=True):
        if declared[core.model.rows[i]] and not now[j]:
            raise FormatError(
                f"{path.name}: row {core.model.rows[i]!r} belongs to the first period but uses column "
                f"{core.model.columns[j]!r} of the second; move the row to the second period."
            )
