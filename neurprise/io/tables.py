"""
Plans: a TOML file that joins a deterministic model with a table of scenarios.

    model = "kitchen.lp"                  # MPS or LP
    scenarios = "demand.csv"              # CSV or Parquet, one row per scenario
    first_stage = ["batches_*"]           # names of what is decided now; * stands for anything
    ignore = ["weekday"]                  # columns of the table that mean nothing here

    [columns]                             # what each column of the table replaces in the model
    fish = { rhs = "demand_fish" }        # right-hand side of a row
    price = { cost = "buy_fish" }         # objective coefficient of a variable
    stock = { upper = "thawed_fish" }     # bound of a variable; also lower
    yield = { row = "demand_fish", variable = "batches_fish" }   # coefficient in a row
    date = "name"                         # name of the scenario; also "probability"

Without a column that means "name", a table's own row labels name the scenarios: a first CSV column without a title, as
pandas writes its index, or the index in a Parquet file.

A column may replace several numbers: give a list of such tables. Paths are relative to the TOML file.
"""

from __future__ import annotations

import json
import math
import re
import reprlib
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from neurprise.arrays import Bools, Floats
from neurprise.errors import FormatError, InputError, near_miss
from neurprise.io.linear import LinearModel, Place
from neurprise.io.model_files import SUFFIXES, read_model
from neurprise.io.records import read_text
from neurprise.io.staging import check_size, two_stage
from neurprise.io.table_files import Table, read_table
from neurprise.problem import TwoStageProblem

_KEYS = {"model", "scenarios", "first_stage", "ignore", "columns"}
_LABELS = ("name", "probability")
_MOST_PARTS = 16
#: Dotted keys take the TOML reader quadratic time: 100 kB of one are two minutes.
_ENDLESS_KEY = re.compile(rf"""(?:(?:"[^"\n]*+"|'[^'\n]*+'|(?<![\w-])[\w-]++)[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}""")


def read(path: Path, scenarios: str | Path | None = None) -> TwoStageProblem:
    """
    Read a plan.

    Parameters
    ----------
    scenarios
        A table to use instead of the one that the plan names.
    """
    plan = _plan(path)
    model = _model(path, plan)
    table = read_table(_table_file(path, plan, scenarios))
    columns = _Columns(path, plan, table, model)
    places, values = columns.values()
    return two_stage(
        model,
        _first_stage(path, plan, model),
        places,
        values,
        scenario_names=columns.names(),
        probabilities=columns.probabilities(),
    )


def sources(path: Path, scenarios: str | Path | None = None) -> list[Path]:
    """The model and the table of a plan."""
    plan = _plan(path)
    return [path.parent / _text(path, plan, "model"), _table_file(path, plan, scenarios)]


def _table_file(path: Path, plan: dict[str, Any], instead: str | Path | None) -> Path:
    return path.parent / _text(path, plan, "scenarios") if instead is None else Path(instead)


def _plan(path: Path) -> dict[str, Any]:
    text = read_text(path)
    endless = _ENDLESS_KEY.search(text)
    if endless:
        line = text.count("\n", 0, endless.start()) + 1
        raise FormatError(
            f"{path.name}, line {line}: a key has more than {_MOST_PARTS} parts; a plan needs no more than 2."
        )
    try:
        plan = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: whole numbers of thousands of digits, too
        raise FormatError(f"{path.name} is not a TOML file ({error}).") from None
    unknown = sorted(set(plan) - _KEYS)
    if unknown:
        raise FormatError(f"{path.name}: a plan has the keys {', '.join(sorted(_KEYS))}, got {unknown[0]!r}.")
    if not isinstance(plan.get("columns"), dict) or not plan["columns"]:
        raise FormatError(f"{path.name}: [columns] must say what each column of the table replaces.")
    return plan


def _text(path: Path, plan: dict[str, Any], key: str) -> str:
    value = plan.get(key)
    if not isinstance(value, str):
        raise FormatError(f"{path.name}: {key!r} must be the path of a file in quotes, got {reprlib.repr(value)}.")
    return value


def _names(path: Path, plan: dict[str, Any], key: str) -> list[str]:
    names = plan.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError(f"{path.name}: {key!r} must be a list of names, got {reprlib.repr(names)}.")
    return names


def _model(path: Path, plan: dict[str, Any]) -> LinearModel:
    file = path.parent / _text(path, plan, "model")
    if file.suffix.lower() not in SUFFIXES:
        raise FormatError(f"{path.name}: the model must be a {', '.join(SUFFIXES)} file, got {file.name!r}.")
    if not file.is_file():
        raise InputError(f"{path.name}: the model {str(file)!r} is not a file; paths are relative to the plan.")
    return read_model(file)


def _first_stage(path: Path, plan: dict[str, Any], model: LinearModel) -> Bools:
    chosen = np.zeros(len(model.columns), dtype=bool)
    for pattern in _names(path, plan, "first_stage"):
        # A name is taken as it is before it is read as a pattern: brackets are common in variable names.
        matches = [name == pattern for name in model.columns]
        if not any(matches):
            matches = [fnmatchcase(name, pattern.replace("[", "[[]")) for name in model.columns]
        if not any(matches):
            raise FormatError(
                f"{path.name}: first_stage names {pattern!r}, which matches no variable of the model "
                f"({near_miss(pattern, model.columns)})."
            )
        chosen |= matches
    return chosen


def _key(name: str) -> str:
    """The name as a TOML file spells it as a key: in quotes where it has blanks or is empty."""
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name, ensure_ascii=False)


@dataclass
class _Columns:
    """What the columns of the table mean."""

    path: Path
    plan: dict[str, Any]
    table: Table
    model: LinearModel

    def __post_init__(self) -> None:
        known, ignored = self.plan["columns"], _names(self.path, self.plan, "ignore")
        for name in (*known, *ignored):
            if name not in self.table.column_names:
                raise self._error(
                    f"the table {self.table.name} has no column {name!r} ({near_miss(name, self.table.column_names)})"
                )
        for name in self.table.column_names:
            if name not in known and name not in ignored and name != self.table.row_labels:
                raise self._error(
                    f"the column {name!r} is neither in [columns] nor in ignore; say what it means, such as "
                    f'{_key(name)} = "name" where it labels the scenarios'
                )

    def values(self) -> tuple[list[Place], Floats]:
        """Places and their values, shape (S, k)."""
        targets = [
            (name, place)
            for name, meaning in self.plan["columns"].items()
            if meaning not in _LABELS
            for target in (meaning if isinstance(meaning, list) else [meaning])
            for place in self._places(name, target)
        ]
        places = [place for _, place in targets]
        if len(set(places)) != len(places):
            raise self._error("two columns replace the same number of the model; keep one")
        check_size(self.path.name, self.table.num_rows, len(places), "keep fewer rows of the table")
        numbers = {name: self.table.numbers(name) for name, _ in targets}
        if not targets:
            return [], np.zeros((self.table.num_rows, 0))
        return places, np.column_stack([numbers[name] for name, _ in targets])

    def names(self) -> tuple[str, ...]:
        """Scenario names, from the column that means "name", else from the table's own row labels."""
        column = self._label_column("name") or self.table.row_labels
        return () if column is None else self.table.names(column)

    def probabilities(self) -> Floats | None:
        column = self._label_column("probability")
        return None if column is None else self.table.probabilities(column)

    def _label_column(self, label: str) -> str | None:
        found = [name for name, meaning in self.plan["columns"].items() if meaning == label]
        if len(found) > 1:
            raise self._error(f"only one column can be the {label}, got {', '.join(found)}")
        return found[0] if found else None

    def _places(self, column: str, target: Any) -> list[Place]:
        match target:
            case {"rhs": str(row), **rest} if not rest:
                return self._right_hand_side(row)
            case {"cost": str(variable), **rest} if not rest:
                return [Place("costs", column=self._variable(variable))]
            case {"lower": str(variable), **rest} if not rest:
                return [Place("lower", column=self._variable(variable))]
            case {"upper": str(variable), **rest} if not rest:
                return [Place("upper", column=self._variable(variable))]
            case {"row": str(row), "variable": str(variable), **rest} if not rest:
                return [Place("matrix", self._row(row), self._variable(variable))]
            case _:
                raise self._error(
                    f"the column {column!r} must mean {{rhs = row}}, {{cost = variable}}, {{lower = variable}}, "
                    "{upper = variable}, {row = row, variable = variable}, 'name' or 'probability', "
                    f"got {reprlib.repr(target)}"
                )

    def _right_hand_side(self, name: str) -> list[Place]:
        row = self._row(name)
        low, high = self.model.row_lower[row], self.model.row_upper[row]
        if low != high and math.isfinite(low) and math.isfinite(high):
            raise self._error(f"the row {name!r} has two limits, {low} and {high}; split it into two rows")
        if not math.isfinite(low) and not math.isfinite(high):
            raise self._error(
                f"the row {name!r} has no finite limit, which would tell the side that the column replaces; write any "
                "finite right-hand side into the model"
            )
        sides = (("row_lower", low), ("row_upper", high))
        return [Place(side, row=row) for side, limit in sides if math.isfinite(limit)]

    def _row(self, name: str) -> int:
        if name not in self.model.rows:
            raise self._error(f"the model has no row {name!r} ({near_miss(name, self.model.rows)})")
        return self.model.rows.index(name)

    def _variable(self, name: str) -> int:
        if name not in self.model.columns:
            raise self._error(f"the model has no variable {name!r} ({near_miss(name, self.model.columns)})")
        return self.model.columns.index(name)

    def _error(self, problem: str) -> FormatError:
        return FormatError(f"{self.path.name}: {problem}.")
