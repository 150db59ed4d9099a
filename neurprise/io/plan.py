"""
Plans: a TOML file that joins a deterministic model with a table of scenarios.

    model = "kitchen.lp"                  # MPS or LP
    scenarios = "demand.csv"              # CSV, Excel or Parquet, one row per scenario
    first_stage = ["batches_*"]           # names of what is decided now; * stands for anything
    ignore = ["weekday"]                  # columns of the table that mean nothing here

    [columns]                             # what each column of the table replaces in the model
    "demand_*" = { rhs = "balance_*" }    # right-hand side of a row, for all columns of that pattern
    price = { cost = "buy_fish", scale = -1, add = 2 }     # objective coefficient of a variable: 2 - price
    stock = { upper = "thawed_fish" }     # bound of a variable; also lower
    yield = { row = "demand_fish", variable = "batches_fish" }   # coefficient in a row
    rent = "offset"                       # constant of the objective
    date = "name"                         # name of the scenario; also "probability"

A column may replace several numbers: give a list of such tables. Without a column that means "name", a table's own row
labels name the scenarios. Paths are relative to the TOML file. Further keys:

    sheet = "2025"                        # of an Excel file; needed where it has several
    decimal = ","                         # also delimiter and encoding of a CSV file
    long = { index = "day", columns = "item", values = "amount" }   # a table with one value a row
    skip = ["Total"]                      # rows that are no scenarios; keep = [...] where a row called Total is one
    offset = 120                          # the objective's constant, where the tool did not write it
"""

from __future__ import annotations

import json
import math
import re
import reprlib
import tomllib
import warnings
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from neurprise.arrays import Bools, Floats
from neurprise.errors import FormatError, InputError, InputWarning, near_miss
from neurprise.io import plan_writer
from neurprise.io.linear import LinearModel, Place, value_at
from neurprise.io.model_files import SUFFIXES, read_model
from neurprise.io.records import read_text
from neurprise.io.staging import check_size, two_stage
from neurprise.io.tables import Long, Table, TableOptions, read_table
from neurprise.problem import TwoStageProblem

_LISTS = ("first_stage", "ignore", "skip", "keep")
_TEXTS = ("sheet", "decimal", "delimiter", "encoding")
_KEYS = {"model", "scenarios", "columns", "long", "offset", *_LISTS, *_TEXTS}
_LABELS = ("name", "probability")
_MOST_STARS = 3
_MOST_PARTS = 16
#: Dotted keys take the TOML reader quadratic time: 100 kB of one are two minutes.
_ENDLESS_KEY = re.compile(rf"""(?:(?:"[^"\n]*+"|'[^'\n]*+'|(?<![\w-])[\w-]++)[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}""")


def read(path: Path, scenarios: Any = None) -> TwoStageProblem:
    """
    Read a plan.

    Parameters
    ----------
    scenarios
        A table to use instead of the one that the plan names: a path, a table of pandas or an array of xarray.
    """
    text = _parsed(path)
    own = path.parent / _text(path, text, "scenarios") if scenarios is None else scenarios
    return _plan(path, text).problem(own)


def write(problem: TwoStageProblem, path: Path) -> None:
    """Write a plan, its model (.mps) and its table (.csv) beside each other."""
    plan, model, table = outputs(path)
    plan_writer.write(problem, plan, model, table, read)


def outputs(path: Path) -> list[Path]:
    """The files that `write` writes: plan, model and table."""
    return [path, path.with_suffix(".mps"), path.with_suffix(".csv")]


def sources(path: Path, scenarios: Any = None) -> list[Path]:
    """The model and the table of a plan."""
    plan = _parsed(path)
    table = path.parent / _text(path, plan, "scenarios") if scenarios is None else scenarios
    return [path.parent / _text(path, plan, "model"), *([Path(table)] if isinstance(table, (str, Path)) else [])]


class _Target(NamedTuple):
    """A number of the model and what it becomes: scale times the cell, plus add."""

    place: Place
    scale: float
    add: float


@dataclass(frozen=True, eq=False)
class Plan:
    """
    A plan without its table.

    Parameters
    ----------
    meanings
        What columns of the table replace, as the TOML file has it.
    options
        How its table is written.
    ignore, skip, keep
        Columns that mean nothing, rows that are no scenarios, and rows that are some although they look like sums.
    """

    name: str
    model: LinearModel
    first_stage: Bools
    meanings: dict[str, Any]
    options: TableOptions
    ignore: tuple[str, ...]
    skip: tuple[str, ...]
    keep: tuple[str, ...]

    def problem(self, source: Any) -> TwoStageProblem:
        """The problem of a table: a path, a table of pandas or an array of xarray."""
        columns = _Columns(self, read_table(source, self.options))
        places, values = columns.values()
        problem = two_stage(
            self.model,
            self.first_stage,
            places,
            values,
            scenario_names=columns.names(),
            probabilities=columns.probabilities(),
        )
        return problem.with_table_reader(self)


def _plan(path: Path, plan: dict[str, Any]) -> Plan:
    model = _with_offset(path, plan, _model(path, plan))
    return Plan(
        path.name,
        model,
        _first_stage(path, plan, model),
        plan["columns"],
        _options(path, plan),
        *(tuple(_names(path, plan, key)) for key in ("ignore", "skip", "keep")),
    )


def _parsed(path: Path) -> dict[str, Any]:
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


def _options(path: Path, plan: dict[str, Any]) -> TableOptions:
    """How the table is written."""
    given = {key: plan[key] for key in _TEXTS if key in plan}
    for key, value in given.items():
        if not isinstance(value, str) or not value:
            raise FormatError(f"{path.name}: {key!r} must be a text in quotes, got {reprlib.repr(value)}.")
    if given.get("decimal", ".") not in (".", ","):
        raise FormatError(f'{path.name}: \'decimal\' must be "." or ",", got {given["decimal"]!r}.')
    match plan.get("long"):
        case None:
            return TableOptions(**given)
        case {"index": str(index), "columns": str() | list() as columns, "values": str(values), **rest} if not rest:
            listed = (columns,) if isinstance(columns, str) else tuple(map(str, columns))
            return TableOptions(**given, long=Long(index, listed, values))
        case other:
            raise FormatError(
                f"{path.name}: 'long' must name the columns of a table with one value a row, such as "
                f'{{ index = "day", columns = "item", values = "amount" }}, got {reprlib.repr(other)}.'
            )


def _with_offset(path: Path, plan: dict[str, Any], model: LinearModel) -> LinearModel:
    offset = plan.get("offset", model.offset)
    if isinstance(offset, bool) or not isinstance(offset, (int, float)) or not math.isfinite(offset):
        raise FormatError(f"{path.name}: 'offset' must be a number, got {reprlib.repr(offset)}.")
    if model.offset not in (0.0, offset):
        raise FormatError(
            f"{path.name}: the model's objective has the constant {model.offset:g} already, but 'offset' is "
            f"{offset:g}; remove one of them."
        )
    return replace(model, offset=float(offset))


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
    """What the columns of a table mean in a plan."""

    plan: Plan
    table: Table

    def __post_init__(self) -> None:
        self._at = {
            "row": {name: i for i, name in enumerate(self.plan.model.rows)},
            "variable": {name: j for j, name in enumerate(self.plan.model.columns)},
        }
        self._ignored = self._matched(self.plan.ignore)
        self._meanings = self._explained()
        titles = self._titles()
        if titles is not None:
            self.table = self.table.without_sums(titles, self.plan.skip, self.plan.keep)

    def values(self) -> tuple[list[Place], Floats]:
        """Places and their values, shape (S, k)."""
        targets = [(name, target) for name in self._meanings for target in self._targets(name)]
        places = [target.place for _, target in targets]
        if len(set(places)) != len(places):
            raise self._error("two columns replace the same number of the model; keep one")
        check_size(self.plan.name, self.table.num_rows, len(places), "keep fewer rows of the table")
        numbers = {name: self.table.numbers(name) for name, _ in targets}
        columns = [target.scale * numbers[name] + target.add for name, target in targets]
        self._warn_of_idle_columns(targets, columns)
        return places, np.column_stack(columns) if columns else np.zeros((self.table.num_rows, 0))

    def names(self) -> tuple[str, ...]:
        """Scenario names, from the column that means "name", else from the table's own row labels."""
        column = self._label_column("name") or self.table.row_labels
        return () if column is None else self.table.names(column)

    def probabilities(self) -> Floats | None:
        column = self._label_column("probability")
        return None if column is None else self.table.probabilities(column)

    def _matched(self, patterns: tuple[str, ...]) -> set[str]:
        """The columns that names or patterns stand for."""
        found: set[str] = set()
        for pattern in patterns:
            columns = {column for column in self.table.column_names if self._groups(pattern, column) is not None}
            if not columns:
                names = self.table.column_names
                raise self._error(
                    f"the table {self.table.name} has no column {pattern!r} ({near_miss(pattern, names)})"
                )
            found |= columns
        return found

    def _explained(self) -> dict[str, Any]:
        """Column -> what it means; patterns are applied to the columns that are not named themselves."""
        meanings = self.plan.meanings
        self._matched(tuple(meanings))
        found: dict[str, Any] = {}
        for column in self.table.column_names:
            keys = (
                [column] if column in meanings else [key for key in meanings if self._groups(key, column) is not None]
            )
            if len(keys) > 1:
                raise self._error(f"the column {column!r} matches {keys[0]!r} and {keys[1]!r}; name it on its own")
            if keys and (column in meanings or column not in self._ignored):
                found[column] = _filled(meanings[keys[0]], self._groups(keys[0], column) or ())
            elif column not in self._ignored and column != self.table.row_labels:
                raise self._error(
                    f"the column {column!r} is neither in [columns] nor in ignore; say what it means, such as "
                    f'{_key(column)} = "name" where it labels the scenarios'
                )
        return {column: found[column] for column in sorted(found, key=self._position)}

    def _position(self, column: str) -> int:
        """Where a column's meaning stands in the plan."""
        keys = list(self.plan.meanings)
        return (
            keys.index(column)
            if column in keys
            else next(k for k, key in enumerate(keys) if self._groups(key, column) is not None)
        )

    def _groups(self, pattern: str, column: str) -> tuple[str, ...] | None:
        """What the stars of a pattern stand for in a column's name; None where it does not match."""
        if pattern == column:
            return ()
        if "*" not in pattern or pattern in self.table.column_names:
            return None
        if pattern.count("*") > _MOST_STARS:
            raise self._error(f"a pattern has at most {_MOST_STARS} stars, got {pattern!r}")
        match = re.fullmatch("(.*)".join(map(re.escape, pattern.split("*"))), column, re.DOTALL)
        return None if match is None else match.groups()

    def _titles(self) -> str | None:
        """The column that tells what a row is: the scenario's name, the row label, or an ignored column of texts."""
        named = self._label_column("name") or self.table.row_labels
        if named is not None:
            return named
        return next(
            (name for name in self.table.column_names if name in self._ignored and self.table.holds_texts(name)), None
        )

    def _label_column(self, label: str) -> str | None:
        found = [name for name, meaning in self._meanings.items() if meaning == label]
        if len(found) > 1:
            raise self._error(f"only one column can be the {label}, got {', '.join(found)}")
        return found[0] if found else None

    def _targets(self, column: str) -> list[_Target]:
        meaning = self._meanings[column]
        if meaning in _LABELS:
            return []
        return [
            _Target(place, *self._scaling(column, target))
            for target in (meaning if isinstance(meaning, list) else [meaning])
            for place in self._places(column, target)
        ]

    def _scaling(self, column: str, target: Any) -> tuple[float, float]:
        scaling = [target.get("scale", 1.0), target.get("add", 0.0)] if isinstance(target, dict) else [1.0, 0.0]
        if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in scaling):
            raise self._error(f"scale and add of the column {column!r} must be numbers, got {reprlib.repr(scaling)}")
        return float(scaling[0]), float(scaling[1])

    def _places(self, column: str, target: Any) -> list[Place]:
        bare = (
            {key: value for key, value in target.items() if key not in ("scale", "add")}
            if isinstance(target, dict)
            else target
        )
        match bare:
            case "offset":
                return [Place("offset")]
            case {"rhs": str(row), **rest} if not rest:
                return self._right_hand_side(row)
            case {"cost": str(variable), **rest} if not rest:
                return [Place("costs", column=self._index("variable", variable))]
            case {"lower": str(variable), **rest} if not rest:
                return [Place("lower", column=self._index("variable", variable))]
            case {"upper": str(variable), **rest} if not rest:
                return [Place("upper", column=self._index("variable", variable))]
            case {"row": str(row), "variable": str(variable), **rest} if not rest:
                return [Place("matrix", self._index("row", row), self._index("variable", variable))]
            case _:
                raise self._error(
                    f"the column {column!r} must mean {{rhs = row}}, {{cost = variable}}, {{lower = variable}}, "
                    "{upper = variable}, {row = row, variable = variable}, with scale and add if needed, 'offset', "
                    f"'name' or 'probability', got {reprlib.repr(target)}"
                )

    def _right_hand_side(self, name: str) -> list[Place]:
        row = self._index("row", name)
        low, high = self.plan.model.row_lower[row], self.plan.model.row_upper[row]
        if low != high and math.isfinite(low) and math.isfinite(high):
            raise self._error(f"the row {name!r} has two limits, {low} and {high}; split it into two rows")
        if not math.isfinite(low) and not math.isfinite(high):
            raise self._error(
                f"the row {name!r} has no finite limit, which would tell the side that the column replaces; write any "
                "finite right-hand side into the model"
            )
        sides = (("row_lower", low), ("row_upper", high))
        return [Place(side, row=row) for side, limit in sides if math.isfinite(limit)]

    def _index(self, what: str, name: str) -> int:
        if name not in self._at[what]:
            raise self._error(f"the model has no {what} {name!r} ({near_miss(name, self._at[what])})")
        return self._at[what][name]

    def _warn_of_idle_columns(self, targets: list[tuple[str, _Target]], columns: list[Floats]) -> None:
        """A column that puts into every scenario what the model has anyway was probably meant for another number."""
        working = {
            name
            for (name, target), values in zip(targets, columns, strict=True)
            if (values != value_at(self.plan.model, target.place)).any()
        }
        for name in dict.fromkeys(name for name, _ in targets):
            if name not in working and self.table.num_rows > 1:
                where = self.plan.meanings.get(name, "its pattern")
                warnings.warn(
                    f"{self.plan.name}: the column {name!r} changes nothing: every scenario has the number that the "
                    f"model has; check what it means ({where}).",
                    InputWarning,
                    stacklevel=2,
                )

    def _error(self, problem: str) -> FormatError:
        return FormatError(f"{self.plan.name}: {problem}.")


def _filled(meaning: Any, groups: tuple[str, ...]) -> Any:
    """The meaning of a pattern with what its stars stand for."""
    if isinstance(meaning, dict):
        return {key: _filled(value, groups) for key, value in meaning.items()}
    if isinstance(meaning, list):
        return [_filled(value, groups) for value in meaning]
    if not isinstance(meaning, str) or not groups:
        return meaning
    parts = meaning.split("*")
    stars = [*groups[: len(parts) - 1], *["*"] * (len(parts) - 1 - len(groups)), ""]
    return "".join(part + star for part, star in zip(parts, stars, strict=True))
