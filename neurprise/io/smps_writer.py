"""SMPS files from problems: the core is the first scenario's model, the stoch file lists what each scenario has."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from neurprise.arrays import Floats
from neurprise.io.mps_writer import bound_name, check_words, mps_text, objective_name, rhs_name, row_kinds
from neurprise.io.scenario_models import ScenarioModels, check_written, moved_numbers, number_text, scenario_models
from neurprise.problem import TwoStageProblem
from neurprise.storage.whole_files import replace_file

_PERIODS = ("NOW", "LATER")


def write(problem: TwoStageProblem, files: dict[str, Path], read: Callable[[dict[str, Path]], TwoStageProblem]) -> None:
    """
    Write core, time and stoch; nothing is written that would not be read as the same problem.

    Parameters
    ----------
    files
        Of the roles "core", "time" and "stoch"; "list" for a file that names them.
    read
        Reads the problem of such files.
    """
    models = scenario_models(problem)
    check_words("scenario", models.names)
    texts = {"core": mps_text(models.model), "time": _time(models), "stoch": "\n".join(_stoch(models))}
    texts |= {"list": "".join(f"{files[role].name}\n" for role in texts)} if "list" in files else {}
    with tempfile.TemporaryDirectory() as folder:
        drafts = {role: Path(folder) / f"draft.{role[:3]}" for role in ("core", "time", "stoch")}
        for role, path in drafts.items():
            path.write_bytes(texts[role].encode())
        check_written(models, "SMPS", lambda: read(drafts))
    for role, text in texts.items():
        replace_file(files[role], text.encode())


def _time(models: ScenarioModels) -> str:
    """Each period's first column and row; the objective stands for "no row yet"."""
    model, objective = models.model, objective_name(models.model)
    later = int(models.first_stage.sum())
    count = _first_later_row(models)
    start = model.rows[count] if count < len(model.rows) else objective
    periods = [
        f"    {model.columns[0]}  {objective}  {_PERIODS[0]}",
        f"    {model.columns[later]}  {start}  {_PERIODS[1]}",
    ]
    return "\n".join(["TIME", "PERIODS", *periods, "ENDATA", ""])


def _first_later_row(models: ScenarioModels) -> int:
    rows = models.model.matrix.tocoo().coords
    touched = [*rows[0][~models.first_stage[rows[1]]].tolist(), *(p.row for p in models.places if p.row >= 0)]
    return min(touched, default=len(models.model.rows))


def _stoch(models: ScenarioModels) -> Iterator[str]:
    """Every scenario lists all that is random, in the same order."""
    entries = list(_entries(models))
    yield from ("STOCH", "SCENARIOS  DISCRETE")
    for s, (name, probability) in enumerate(zip(models.names, models.probabilities.tolist(), strict=True)):
        yield f" SC  {name}  ROOT  {number_text(probability)}  {_PERIODS[1]}"
        yield from (f"{head}  {number_text(values[s])}" for head, values in entries)
    yield from ("ENDATA", "")


def _entries(models: ScenarioModels) -> Iterator[tuple[str, Floats]]:
    """The fields before the number of each random entry, and its numbers, shape (S,)."""
    model = models.model
    for place, values in moved_numbers(models, row_kinds(model)):
        if place.kind.startswith("row"):
            yield f"    {rhs_name(model)}  {model.rows[place.row]}", values
        elif place.kind in ("lower", "upper"):
            yield (
                f" {'LO' if place.kind == 'lower' else 'UP'}  {bound_name(model)}  {model.columns[place.column]}",
                values,
            )
        else:
            row = objective_name(model) if place.kind == "costs" else model.rows[place.row]
            yield f"    {model.columns[place.column]}  {row}", values
