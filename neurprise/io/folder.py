"""
A folder of models, as mpi-sppy exchanges them: `{scenario}.mps` or `.lp`, and `{scenario}_nonants.json`.

The JSON file has the scenario's probability and the names of its first-stage variables. mpi-sppy reads what is written
here (`--mps-files-directory`); names that Pyomo takes for an index or a path, such as `take[0]`, stand in quotes.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import FormatError, InputError, listed, near_miss
from neurprise.io.linear import LinearModel
from neurprise.io.model_files import read_model
from neurprise.io.models.comparison import ComparedModels, bounds_as_rows, checked_model
from neurprise.io.mps_writer import mps_text
from neurprise.io.records import read_text
from neurprise.io.scenario_models import check_written, scenario_models
from neurprise.io.staging import two_stage
from neurprise.problem import TwoStageProblem
from neurprise.storage.whole_files import replace_file

_JSON = "_nonants.json"
#: Beside both, mpi-sppy reads the LP file.
_SUFFIXES = (".lp", ".mps")
_ROOT = "ROOT"
_UNIFORM = "uniform"
_LONGEST_NAME = 200


def read(path: Path) -> TwoStageProblem:
    """Read all scenarios in the order they were written in, else by name, with numbers in names as numbers."""
    trees = {name: _tree(path / f"{name}{_JSON}") for name in _scenarios(path)}
    names = sorted(trees, key=lambda name: (trees[name].get("number", 0), _with_numbers(name)))
    models, first_stage = ComparedModels(), []
    for name in names:
        file = _model_file(path, name)
        try:
            model = checked_model(read_model(file))
            models.add(model)
            first_stage.append(_first_stage(model, trees[name]))
        except InputError as error:
            raise FormatError(f"scenario {name!r}: {error}") from None
        if first_stage[-1] != first_stage[0]:
            raise FormatError(
                f"scenario {name!r} names other first-stage variables than {names[0]!r}; correct {_JSON}."
            )
    places, values = models.places_and_values()
    base: Any = models.base
    chosen = np.array([column in first_stage[0] for column in base.columns])
    model, places = bounds_as_rows(base, chosen, places, values)
    return two_stage(
        model, chosen, places, values, scenario_names=tuple(names), probabilities=_probabilities(names, trees)
    )


def write(problem: TwoStageProblem, path: Path) -> None:
    """Write a folder of its own; nothing is written that would not be read as the same problem."""
    models = scenario_models(problem)
    _check_file_names(models.names)
    nonants = [_quoted(name) for name in problem.first_stage_names]
    files: dict[str, str] = {}
    for s, name in enumerate(models.names):
        probability = _UNIFORM if problem.probabilities is None else float(models.probabilities[s])
        tree = {"serialNumber": 0, "condProb": 1.0, "nonAnts": nonants}
        data = {
            "scenarioData": {"name": name, "scenProb": probability, "number": s},
            "treeData": {"globalNodeCount": 1, "nodes": {_ROOT: tree}},
        }
        files[f"{name}.mps"] = mps_text(models.of_scenario(s))
        files[f"{name}{_JSON}"] = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    _check_folder(path, set(files))
    with tempfile.TemporaryDirectory() as draft:
        for file, text in files.items():
            (Path(draft) / file).write_bytes(text.encode())
        check_written(models, "a folder of models", lambda: read(Path(draft)))
    path.mkdir(exist_ok=True)
    for file, text in files.items():
        replace_file(path / file, text.encode())


def sources(path: Path) -> list[Path]:
    """The files in the folder."""
    return sorted(path.iterdir())


def _scenarios(path: Path) -> list[str]:
    """Names of the scenarios that have a JSON file; each model must have one."""
    names = {file.name.removesuffix(_JSON) for file in path.iterdir() if file.name.endswith(_JSON)}
    models = {file.stem for file in path.iterdir() if file.suffix.lower() in _SUFFIXES}
    if not names:
        raise FormatError(
            f"the folder {path.name!r} holds no problem; it needs a file {{scenario}}{_JSON} for each model."
        )
    if models - names:
        odd = min(models - names)
        raise FormatError(
            f"the folder {path.name!r} has a model {odd!r} without {odd}{_JSON}; add it, or remove the model."
        )
    return sorted(names)


def _model_file(path: Path, name: str) -> Path:
    found = [path / f"{name}{suffix}" for suffix in _SUFFIXES if (path / f"{name}{suffix}").is_file()]
    if not found:
        raise FormatError(f"the folder {path.name!r} has no model {name}.lp or {name}.mps for {name}{_JSON}; add it.")
    return found[0]


def _tree(path: Path) -> dict[str, Any]:
    """What a JSON file says: the keys probability, nonants and, where we wrote it, number."""
    try:
        data = json.loads(read_text(path))
        scenario, nodes = data["scenarioData"], data["treeData"]["nodes"]
        nonants, found = nodes[_ROOT]["nonAnts"], {"probability": scenario["scenProb"]}
        if not isinstance(nonants, list) or not all(isinstance(name, str) for name in nonants):
            raise TypeError(f"nonAnts must be names, got {nonants!r}")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        sentence = (
            f"{path.name} is no description of a scenario as mpi-sppy writes it ({type(error).__name__}: {error})."
        )
        raise FormatError(sentence) from None
    if len(nodes) != 1:
        raise FormatError(
            f"{path.name}: only two stages can be represented, got {len(nodes) + 1}; join the later ones."
        )
    number = scenario.get("number", 0)
    return {**found, "nonants": nonants, "number": number if isinstance(number, int) else 0}


def _first_stage(model: LinearModel, tree: dict[str, Any]) -> set[str]:
    """Names of the model's first-stage variables; in the JSON file some stand in quotes."""
    known = set(model.columns)
    found = {name if name in known else _unquoted(name) for name in tree["nonants"]}
    unknown = sorted(found - known)
    if unknown:
        hint = near_miss(unknown[0], model.columns)
        raise FormatError(f"the first-stage variable {unknown[0]!r} is not in the model ({hint}).")
    return found


def _probabilities(names: list[str], trees: dict[str, dict[str, Any]]) -> Floats | None:
    given = [trees[name]["probability"] for name in names]
    if all(value == _UNIFORM for value in given):
        return None
    bad = next(
        (k for k, value in enumerate(given) if isinstance(value, bool) or not isinstance(value, (int, float))), None
    )
    if bad is not None:
        raise FormatError(f"{names[bad]}{_JSON}: scenProb must be a number, got {given[bad]!r}; correct it.")
    return np.array(given, dtype=np.float64)


def _quoted(name: str) -> str:
    """The name as Pyomo finds a variable by it; signs of an index or a path are none inside quotes."""
    return name if re.fullmatch(r"[\w()-]+", name) else f"'{name}'"


def _unquoted(name: str) -> str:
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in "'\"" else name


def _with_numbers(name: str) -> list[tuple[bool, int, str]]:
    """A key for sorting in which scen10 comes after scen9."""
    parts = re.findall(r"\d+|\D+", name)
    return [(part.isdecimal(), int(part) if part.isdecimal() and len(part) < 19 else 0, part) for part in parts]


def _check_file_names(names: tuple[str, ...]) -> None:
    folded: dict[str, str] = {}
    for name in names:
        if re.search(r"[/\\]", name) or name[0] == "." or len(name.encode()) > _LONGEST_NAME:
            raise InputError(
                f"a folder has a file for each scenario, but {name!r} cannot be the name of one (a slash, a point at "
                f"its start, more than {_LONGEST_NAME} bytes); rename it with problem.with_labels(scenario_names=...)."
            )
        if folded.setdefault(name.casefold(), name) != name:
            raise InputError(
                f"a folder has a file for each scenario, and some systems take {folded[name.casefold()]!r} and "
                f"{name!r} for one file; rename one with problem.with_labels(scenario_names=...)."
            )


def _check_folder(path: Path, files: set[str]) -> None:
    """Models of another problem in the same folder would be read as scenarios of this one."""
    if path.exists() and not path.is_dir():
        raise InputError(f"a folder of models cannot take the place of the file {path.name!r}; choose another name.")
    others = sorted(file.name for file in path.iterdir() if file.name not in files) if path.is_dir() else []
    if others:
        raise InputError(
            f"the folder {path.name!r} holds other files ({listed(others)}); choose a new folder, or remove them."
        )
