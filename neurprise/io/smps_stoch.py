"""
STOCH files: which numbers of the core are random, and what values they take together.

SCENARIOS is one random part whose outcomes are the scenarios; every block of BLOCKS and every entry of INDEP is a
part of its own. ADD and MULTIPLY combine a value with the core's; what a scenario does not list, it inherits from its
parent, and a block's later realisation from the block's first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from neurprise.errors import FormatError, near_miss
from neurprise.io.linear import Place, entry_position
from neurprise.io.mps import NUMBERED_BOUNDS, Core
from neurprise.io.records import Layout, Record, Repeats, records
from neurprise.io.scenario_product import Outcome, Part

SECTIONS = (
    "STOCH", "SCENARIOS", "INDEP", "BLOCKS", "CHANCE", "ICC", "LINKING", "SIMPLE", "ROBUST", "PLINQUAD", "NODES",
    "DISTRIB",
)  # fmt: skip
MODES = ("REPLACE", "ADD", "MULTIPLY")
WORDS = {*MODES, "DISCRETE"}
_UNREADABLE = {
    "CHANCE": "chance constraints",
    "ICC": "integrated chance constraints",
    "LINKING": "linking constraints",
    "SIMPLE": "penalties of simple recourse",
    "ROBUST": "robust penalties",
    "PLINQUAD": "piecewise linear-quadratic penalties",
    "NODES": "trees of nodes",
    "DISTRIB": "named distributions",
}


class Entry(NamedTuple):
    """A random number of the core: kind is rhs, costs, matrix, lower, upper or fixed; row -1 is the objective."""

    kind: str
    row: int = -1
    column: int = -1


@dataclass(frozen=True)
class Stoch:
    """
    Parameters
    ----------
    parts
        Independent random parts.
    base
        The core's value of every random entry.
    """

    parts: list[Part[Entry]]
    base: Mapping[Entry, float]


def read_stoch(path: Path, core: Core, layout: Layout) -> Stoch:
    """Parse the file; what cannot be represented raises FormatError with the line and the remedy."""
    parser = _Parser(core)
    for record in records(path, SECTIONS, WORDS, layout):
        parser.take(record)
    parts = parser.parts()
    if not parts:
        raise FormatError(f"{path.name} has no scenario; it needs a SCENARIOS, INDEP or BLOCKS section with data.")
    parser.repeats.warn()
    return Stoch(parts, parser.base)


def places_of(core: Core, entry: Entry) -> list[tuple[Place, float, float]]:
    """Where an entry's value v goes in the model: (place, shift, factor) with factor * v + shift to be written."""
    model, (kind, row, column) = core.model, entry
    if kind == "rhs" and row < 0:
        return [(Place("offset"), 0.0, -1.0)]
    if kind == "rhs":
        sides = (("row_lower", model.row_lower[row]), ("row_upper", model.row_upper[row]))
        return [
            (Place(side, row=row), float(limit - core.rhs[row]), 1.0) for side, limit in sides if math.isfinite(limit)
        ]
    if kind == "fixed":
        return [(Place("lower", column=column), 0.0, 1.0), (Place("upper", column=column), 0.0, 1.0)]
    return [(Place(kind, row=row, column=column), 0.0, 1.0)]


@dataclass
class _Parser:
    core: Core
    mode: str = "REPLACE"
    scenarios: Part[Entry] = field(default_factory=lambda: Part("SCENARIOS"))
    blocks: dict[str, Part[Entry]] = field(default_factory=dict)
    entries: dict[Entry, Part[Entry]] = field(default_factory=dict)
    owner: dict[Entry, str] = field(default_factory=dict)
    base: dict[Entry, float] = field(default_factory=dict)
    current: Outcome[Entry] | None = None
    current_part: str = ""
    repeats: Repeats = field(default_factory=Repeats)

    def __post_init__(self) -> None:
        self.rows = {name: i for i, name in enumerate(self.core.model.rows)}
        self.columns = {name: j for j, name in enumerate(self.core.model.columns)}
        self.free_rows = set(self.core.row_order) - set(self.rows) - {self.core.objective}
        self.scenario_at: dict[str, int] = {}

    def parts(self) -> list[Part[Entry]]:
        found = [self.scenarios, *self.blocks.values(), *self.entries.values()]
        return [part for part in found if part.outcomes]

    def take(self, record: Record) -> None:
        if record.is_header:
            self._header(record)
            return
        code = record.fields[0].upper()
        if record.section == "SCENARIOS" and code == "SC":
            self._scenario(record)
        elif record.section == "BLOCKS" and code == "BL":
            self._block(record)
        elif record.section == "INDEP":
            self._independent(record)
        elif record.section in ("SCENARIOS", "BLOCKS"):
            self._values(record)
        else:
            record.fail(f"expected a section (SCENARIOS, INDEP or BLOCKS), got {record.fields[0]!r}.")

    def _header(self, record: Record) -> None:
        self.current, self.mode = None, "REPLACE"
        if record.section in _UNREADABLE:
            record.fail(
                f"{_UNREADABLE[record.section]} ({record.section}) cannot be represented; remove the section or state "
                "it as ordinary rows."
            )
        if record.section == "STOCH":
            return
        for word in (text.upper() for text in record.fields):
            if word in MODES:
                self.mode = word
            elif word != "DISCRETE":
                record.fail(
                    f"the distribution {word} cannot be represented, only DISCRETE can; replace it by a list of values "
                    "with probabilities, for example a sample of 1000."
                )

    def _scenario(self, record: Record) -> None:
        if len(record.fields) not in (4, 5):
            record.fail("a scenario is SC, its name, its parent, its probability and, optionally, a period.")
        name, parent = (text.strip("'\"") for text in record.fields[1:3])
        if name in self.scenario_at:
            record.fail(f"the scenario {name!r} is declared twice; rename one.")
        above = None
        if parent.upper() != "ROOT":
            above = self.scenario_at.get(parent)
            if above is None:
                record.fail(f"the parent {parent!r} must be ROOT or a scenario declared before this line.")
        self.scenario_at[name] = len(self.scenarios.outcomes)
        self.current, self.current_part = Outcome(name, _probability(record, 3), {}, above), "SCENARIOS"
        self.scenarios.outcomes.append(self.current)

    def _block(self, record: Record) -> None:
        if len(record.fields) not in (3, 4):
            record.fail("a block is BL, its name, optionally a period, and its probability.")
        name = record.fields[1]
        part = self.blocks.setdefault(name, Part(name))
        above = 0 if part.outcomes else None
        label = f"{name}:{len(part.outcomes) + 1}"
        self.current, self.current_part = Outcome(label, _probability(record, -1), {}, above), f"block {name}"
        part.outcomes.append(self.current)

    def _independent(self, record: Record) -> None:
        bound = self._is_bound(record)
        if len(record.fields) - bound not in (4, 5):
            record.fail("expected a column (or RHS), a row, a value, optionally a period, and a probability.")
        entry = self._entry(record, record.fields[: 2 + bound])
        if entry is None:
            return
        part = self.entries.setdefault(entry, Part(" ".join(record.fields[: 2 + bound])))
        value = self._claim(record, entry, f"entry {part.name}", record.number_at(2 + bound))
        label = f"{part.name}:{len(part.outcomes) + 1}"
        part.outcomes.append(Outcome(label, _probability(record, -1), {entry: value}))

    def _values(self, record: Record) -> None:
        if self.current is None:
            record.fail(
                f"values must follow a line that starts with {'SC' if record.section == 'SCENARIOS' else 'BL'}."
            )
        bound = self._is_bound(record)
        counts = (4,) if bound else (3, 5)
        if len(record.fields) not in counts:
            record.fail("expected a column (or RHS) and one or two pairs of row and value.")
        for k in range(1 + bound, len(record.fields), 2):
            entry = self._entry(record, (*record.fields[: 1 + bound], record.fields[k]))
            if entry is not None:
                self._put(record, self.current.values, entry, record.number_at(k + 1))

    def _put(self, record: Record, values: dict[Entry, float], entry: Entry, number: float) -> None:
        value = self._claim(record, entry, self.current_part, number)
        if entry in values:
            self.repeats.take(record, "this number of the realisation", values[entry], value)
        values[entry] = value

    def _claim(self, record: Record, entry: Entry, part: str, value: float) -> float:
        """The entry's value after the mode; an entry may be random in one part only."""
        owner = self.owner.setdefault(entry, part)
        if owner != part:
            record.fail(f"this number is already random in {owner}; independent parts must not share numbers.")
        base = self.base.setdefault(entry, self._core_value(entry))
        if self.mode == "REPLACE":
            return value
        result = base + value if self.mode == "ADD" else base * value
        if not math.isfinite(result):
            record.fail(f"{self.mode} needs a finite number in the core file, got {base}; use REPLACE.")
        return result

    def _is_bound(self, record: Record) -> bool:
        """A bound type in front, as in a BOUNDS section; a column of that name wins."""
        code = record.fields[0]
        return code.upper() in (*NUMBERED_BOUNDS, "FR", "MI", "PL", "BV", "SC") and code not in self.columns

    def _entry(self, record: Record, names: tuple[str, ...]) -> Entry | None:
        """The entry that (column, row) or (bound type, set, column) names; None for rows without effect."""
        if len(names) == 3:
            return self._bound_entry(record, *names)
        first, row = names
        is_rhs = first not in self.columns
        if is_rhs and first not in (self.core.rhs_name, "") and not first.upper().startswith("RHS"):
            known = f"{self.core.rhs_name!r} or 'RHS'" if self.core.rhs_name else "'RHS'"
            hint = near_miss(first, self.core.model.columns)
            record.fail(f"{first!r} is neither a column of the core file nor its right-hand side {known} ({hint}).")
        if row in self.free_rows:
            return None
        if row != self.core.objective and row not in self.rows:
            record.fail(f"the row {row!r} is not in the core file ({near_miss(row, self.core.model.rows)}).")
        number = self.rows.get(row, -1)
        if is_rhs:
            return Entry("rhs", row=number)
        if number < 0:
            return Entry("costs", column=self.columns[first])
        return Entry("matrix", number, self.columns[first])

    def _bound_entry(self, record: Record, code: str, _set_name: str, column: str) -> Entry:
        kinds = {"UP": "upper", "UI": "upper", "LO": "lower", "LI": "lower", "FX": "fixed"}
        if code.upper() not in kinds:
            record.fail(f"a random bound must be {', '.join(kinds)}, got {code!r}.")
        if column not in self.columns:
            record.fail(
                f"the column {column!r} is not in the core file ({near_miss(column, self.core.model.columns)})."
            )
        return Entry(kinds[code.upper()], column=self.columns[column])

    def _core_value(self, entry: Entry) -> float:
        model, (kind, row, column) = self.core.model, entry
        if kind == "rhs":
            return -model.offset if row < 0 else float(self.core.rhs[row])
        if kind == "matrix":
            position = entry_position(model.matrix, row, column)
            stored = position < model.matrix.indptr[row + 1] and model.matrix.indices[position] == column
            return float(model.matrix.data[position]) if stored else 0.0
        if kind == "fixed":
            return float(model.lower[column]) if model.lower[column] == model.upper[column] else math.nan
        return float(getattr(model, kind)[column])


def _probability(record: Record, index: int) -> float:
    value = record.number_at(index)
    if not 0 <= value <= 1:
        record.fail(f"a probability must be between 0 and 1, got {value}.")
    return value
