"""Plans from problems: a TOML file, a model and a table that a spreadsheet opens."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from neurprise.io.linear import LinearModel, Place, value_at
from neurprise.io.mps_writer import mps_text, row_kinds
from neurprise.io.scenario_models import check_written, moved_numbers, number_text, scenario_models
from neurprise.problem import TwoStageProblem
from neurprise.problem.names import looks_like_sum
from neurprise.storage.whole_files import replace_file


def write(
    problem: TwoStageProblem, plan: Path, model: Path, table: Path, read: Callable[[Path], TwoStageProblem]
) -> None:
    """Write the three files; nothing is written that `read` would not read as the same problem."""
    models = scenario_models(problem)
    moved = [
        (place, values)
        for place, values in moved_numbers(models, row_kinds(models.model))
        if (values != value_at(models.model, place)).any()
    ]
    meanings: dict[str, str] = {}
    columns: list[tuple[str, ...]] = []
    if problem.scenario_names or not moved:
        meanings["scenario"] = '"name"'
        columns.append(models.names)
    if problem.probabilities is not None:
        meanings["probability"] = '"probability"'
        columns.append(tuple(map(number_text, problem.probabilities.tolist())))
    for place, values in moved:
        title, meaning = _meaning(models.model, place)
        meanings[title] = meaning
        columns.append(tuple(map(number_text, values.tolist())))
    lines = [
        f"model = {_quoted(model.name)}",
        f"scenarios = {_quoted(table.name)}",
        f"first_stage = {_listed(problem.first_stage_names)}",
        f"keep = {_listed(filter(looks_like_sum, models.names))}",
        "",
        "[columns]",
        *(f"{_quoted(title)} = {meaning}" for title, meaning in meanings.items()),
    ]
    rows = io.StringIO(newline="")
    csv.writer(rows, lineterminator="\n").writerows([list(meanings), *zip(*columns, strict=True)])
    texts = {plan: "\n".join(lines) + "\n", model: mps_text(models.model), table: rows.getvalue()}
    with tempfile.TemporaryDirectory() as draft:
        for path, text in texts.items():
            (Path(draft) / path.name).write_bytes(text.encode())
        check_written(models, "a plan", lambda: read(Path(draft) / plan.name))
    for path, text in texts.items():
        replace_file(path, text.encode())


def _meaning(model: LinearModel, place: Place) -> tuple[str, str]:
    """The title of a place's column, and its meaning as a TOML value."""
    if place.kind == "matrix":
        row, column = model.rows[place.row], model.columns[place.column]
        return f"{row} {column}", f"{{ row = {_quoted(row)}, variable = {_quoted(column)} }}"
    if place.kind.startswith("row"):
        return f"rhs {model.rows[place.row]}", f"{{ rhs = {_quoted(model.rows[place.row])} }}"
    kind, name = place.kind.replace("costs", "cost"), model.columns[place.column]
    return f"{kind} {name}", f"{{ {kind} = {_quoted(name)} }}"


def _listed(names: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, names))}]"


def _quoted(name: str) -> str:
    """The text as TOML has it, which is how JSON has it."""
    return json.dumps(name, ensure_ascii=False)
