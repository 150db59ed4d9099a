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

import math
import re
import reprlib
import tomllib
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from neurprise.arrays import Bools
from neurprise.errors import FormatError, InputError, near_miss
from neurprise.io import plan_writer
from neurprise.io.linear import LinearModel
from neurprise.io.model_files import SUFFIXES, read_model
from neurprise.io.plan_columns import PlanColumns
from neurprise.io.records import read_text
from neurprise.io.staging import two_stage
from neurprise.io.tables import Long, TableOptions, read_table
from neurprise.problem import TwoStageProblem

_LISTS = ("first_stage", "ignore", "skip", "keep")
_TEXTS = ("sheet", "decimal", "delimiter", "encoding")
_KEYS = {"model", "scenarios", "columns", "long", "offset", *_LISTS, *_TEXTS}
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
    if scenarios is None:
        scenarios = path.parent / _text(path, text, "scenarios")
        _check_options(path, text, scenarios.suffix.lower())
    return _plan(path, text).problem(scenarios)


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
        columns = PlanColumns(self, read_table(source, self.options))
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


def _check_options(path: Path, plan: dict[str, Any], suffix: str) -> None:
    """Refuse what means nothing for the plan's own table; another table may be given in its place."""
    idle = {".xlsx": ("delimiter", "encoding"), ".parquet": ("sheet", "delimiter", "encoding")}.get(suffix, ("sheet",))
    for key in idle:
        if key in plan:
            raise FormatError(f"{path.name}: {key!r} means nothing for a {suffix} table; remove it.")


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
