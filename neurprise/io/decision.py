"""
A first-stage decision in whatever form a caller has it: numbers, names, a report, or a file of an earlier answer.

JSON: a list of numbers, an object with such a list "x", or one of names and numbers. CSV: the columns name and value,
as `--out` writes decision.csv.
"""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any, NoReturn

from neurprise.arrays import Floats
from neurprise.errors import FormatError, InputError
from neurprise.io.csv_cells import text_of
from neurprise.problem import TwoStageProblem
from neurprise.problem.rules import check_first_stage

Decision = list[float] | dict[str, float]


def decision_from(problem: TwoStageProblem, source: Any, role: str) -> Floats:
    """
    The decision as a vector that keeps the first stage's rules, shape (n,).

    Parameters
    ----------
    source
        Numbers in order, a dict or Series by name, a Report, or the path of a JSON or CSV file with one of these.
    role
        What the caller calls the decision, for messages.
    """
    try:
        x = problem.decision_vector(_unwrapped(source))
        check_first_stage(problem, x)
    except InputError as error:
        raise InputError(f"{role}: {error}") from None
    return x


def parse_solution(name: str, raw: bytes) -> Decision:
    """
    The decision that a text states.

    Parameters
    ----------
    name
        Of the file, for messages; the text is CSV where it ends in .csv, else JSON.
    raw
        Its bytes; UTF-8, or UTF-16 and UTF-32 as some shells redirect output.
    """
    x = _table(name, raw) if name.lower().endswith(".csv") else _decision_in(_json(name, raw))
    if not isinstance(x, list | dict):
        came = "no decision" if x is None else type(x).__name__
        raise FormatError(
            'a solution must be a list of numbers, an object with such a list "x" or an object of names and numbers, '
            f"got {came} in {name!r}."
        )
    for key, value in enumerate(x) if isinstance(x, list) else x.items():
        if not isinstance(value, float) or not math.isfinite(value):
            where = f"for {key!r}" if isinstance(x, dict) else f"at position {key}"
            raise FormatError(
                f"a solution must hold finite numbers without quotes, got {_shown(value)} {where} in {name!r}."
            )
    return x


def objective_of(source: Any) -> str | None:
    """Name of the objective that a decision was made for: of a Report, or in the JSON file of one; else None."""
    if isinstance(source, str | Path):
        path = Path(source)
        data = _json(path.name, path.read_bytes()) if path.suffix.lower() == ".json" and path.is_file() else None
        return str(data.get("objective", "worst")) if isinstance(data, dict) and "lower_bound" in data else None
    return str(getattr(source, "objective", "worst")) if hasattr(source, "lower_bound") else None


def _unwrapped(source: Any) -> Any:
    if hasattr(source, "worst_case") and hasattr(source, "x"):  # a Report, which stands on this room
        if source.x is None:
            raise InputError("the report holds no decision, because none was found in time; pass another.")
        return source.x
    if isinstance(source, str | Path):
        path = Path(source)
        if not path.is_file():
            raise InputError(f"a decision given as a text must be the path of a JSON or CSV file, got {str(source)!r}.")
        return parse_solution(str(source), path.read_bytes())
    return source


def _decision_in(data: Any) -> Any:
    """A report's decision by name, else its x; anything else is the decision itself, an empty object none at all."""
    if not isinstance(data, dict):
        return data
    reported = [data[key] for key in ("decision", "x") if isinstance(data.get(key, 0), list | dict | None)]
    return reported[0] if reported else data or None


def _table(name: str, raw: bytes) -> dict[str, float]:
    """The values by name of a CSV file."""
    header, *rows = _csv_rows(name, raw) or [[]]
    if [cell.strip().lower() for cell in header] != ["name", "value"]:
        raise FormatError(f"a solution in CSV must have the columns name and value, got {_shown(header)} in {name!r}.")
    x: dict[str, float] = {}
    for row in rows:
        variable = text_of(row[0].strip())
        if len(row) != 2 or variable in x:
            rule = "hold every variable once" if len(row) == 2 else "have two cells in every row"
            raise FormatError(f"a solution in CSV must {rule}, got the row {_shown(row)} in {name!r}.")
        x[variable] = _number(name, variable, row[1])
    return x


def _csv_rows(name: str, raw: bytes) -> list[list[str]]:
    """Rows that are not empty; spreadsheets may put semicolons between the columns."""
    try:
        lines = raw.decode("utf-8-sig").splitlines()
        delimiter = ";" if ";" in "".join(lines[:1]) else ","
        return [row for row in csv.reader(lines, delimiter=delimiter, strict=True) if row]
    except UnicodeDecodeError:
        problem = "its bytes are not text"
    except csv.Error as error:
        problem = str(error)
    raise FormatError(f"a solution file that ends in .csv must hold CSV, but {name!r} does not ({problem}).")


def _number(name: str, variable: str, cell: str) -> float:
    """The number that a cell spells; spreadsheets of some countries write a comma into it."""
    try:
        return float(cell)
    except ValueError:
        raise FormatError(
            f"a solution in CSV must hold numbers with a decimal point, got {_shown(cell)} for {_shown(variable)} "
            f"in {name!r}."
        ) from None


def _json(name: str, raw: bytes) -> Any:
    """The text's value with every number as a float: whole numbers of any length are read in linear time."""
    try:
        return json.loads(raw, parse_int=float, parse_constant=_refuse)
    except RecursionError:
        problem = "its brackets are nested too deeply"
    except UnicodeDecodeError:
        problem = "its bytes are not text"
    except ValueError as error:
        problem = str(error)
    raise FormatError(f"a solution file must hold JSON, but {name!r} does not ({problem}).")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _shown(value: Any) -> str:
    if isinstance(value, dict) or (isinstance(value, list) and not all(isinstance(entry, str) for entry in value)):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."
