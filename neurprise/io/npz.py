"""
The package's own format: every problem, and problems of a family as themselves.

An archive (see `archive.py`) with a member `header`, JSON text that names format, version, family and labels, and the
numeric arrays. A family stores its constructor's arguments; any other problem stores its parts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from neurprise import arrays
from neurprise.errors import FormatError, InputError
from neurprise.io.archive import Arrays, read_arrays, write_arrays
from neurprise.problem import TwoStageProblem
from neurprise.problem.named import NAME_FIELDS
from neurprise.problem.stages import KINDS, Changes, FirstStage, Recourse
from neurprise.problems import Family, family_names, get_family

FORMAT = "neurprise-problem"
VERSION = 1

#: Kind of an argument's numbers -> the type that files hold.
_STORED_AS: dict[str, type[np.generic]] = {"f": np.float64, "i": np.int64, "u": np.int64, "b": np.bool_}
_MATRICES = {"first_stage": ("matrix",), "recourse": ("technology", "matrix")}
_LIMITS = ("row_lower", "row_upper", "lower", "upper")
_VECTORS = {
    "first_stage": ("costs", "row_lower", "row_upper", "lower", "upper", "integer"),
    "recourse": ("costs", "x_costs", "row_lower", "row_upper", "lower", "upper", "integer"),
}


def write(problem: TwoStageProblem, path: Path) -> None:
    """Write any problem; classes of your own are written as generic problems unless they are registered."""
    family = _family_of(problem)
    name = TwoStageProblem.family if family is None else family.name
    header: dict[str, Any] = {"format": FORMAT, "version": VERSION, "family": name}
    header |= {field: list(getattr(problem, field)) for field in NAME_FIELDS}
    if family is None:
        header |= {"num_scenarios": problem.num_scenarios, "offset": problem.offset, "maximize": problem.maximize}
        members = _parts(problem)
    else:
        members, others = _arguments(family, problem, reserved=(*header, "header", "probabilities"))
        header |= others
    if problem.probabilities is not None:
        members["probabilities"] = problem.probabilities
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    write_arrays(path, {"header": text, **members})


def read(path: Path) -> TwoStageProblem:
    """Read what `write` wrote; anything else raises FormatError."""
    members = read_arrays(path)
    header = _header(path, members)
    try:
        if header["family"] == TwoStageProblem.family:
            return _generic(header, members)
        return _family(header, members)
    except FormatError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError) as error:
        raise FormatError(f"{path.name} does not hold a valid problem ({error}); write it again.") from None


def _header(path: Path, members: Arrays) -> dict[str, Any]:
    text = members.pop("header", np.zeros(0, dtype=np.uint8))
    try:
        header = json.loads(text.tobytes().decode())
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FormatError(f"{path.name} was not written by neurprise; only problem.write makes such .npz files.")
    if header.get("version") != VERSION:
        raise FormatError(
            f"{path.name} has format version {header.get('version')!r}, this neurprise reads {VERSION}; "
            "upgrade neurprise."
        )
    if header.get("family") not in (TwoStageProblem.family, *family_names()):
        raise FormatError(
            f"{path.name} holds the unknown family {header.get('family')!r}; upgrade neurprise, or register the family "
            "if it is your own."
        )
    return header


def _family(header: dict[str, Any], members: Arrays) -> TwoStageProblem:
    family = get_family(header["family"])
    stored = {**header, **members}
    # Files are older than arguments that have a default; any other that is missing is refused by the constructor.
    problem = family.problem(**{name: stored[name] for name in family.argument_names if name in stored})
    return problem.with_labels(**_labels(header, members))


def _family_of(problem: TwoStageProblem) -> Family | None:
    """The problem's family; None for a subclass of it, which may mean something else."""
    if problem.family not in family_names():
        return None
    family = get_family(problem.family)
    return family if type(problem) is family.problem else None


def _arguments(
    family: Family, problem: TwoStageProblem, reserved: tuple[str, ...]
) -> tuple[Arrays, dict[str, str | float | list[Any]]]:
    """The constructor's arguments: arrays, and what the header holds as JSON."""
    members: Arrays = {}
    others: dict[str, Any] = {}
    for name, value in family.arguments(problem).items():
        if name in reserved:
            raise InputError(f"{name!r} has a meaning of its own in .npz files; give the argument another name.")
        if isinstance(value, np.ndarray) and value.dtype.kind in _STORED_AS:
            members[name] = value.astype(_STORED_AS[value.dtype.kind], copy=False)
        else:
            others[name] = value.item() if isinstance(value, np.generic) else value
    try:
        json.dumps(others, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the arguments of {family.name!r} must be arrays, numbers, texts or lists to be written ({error})."
        ) from None
    return members, others


def _generic(header: dict[str, Any], members: Arrays) -> TwoStageProblem:
    num_scenarios = arrays.whole_number("num_scenarios", header["num_scenarios"], 1)
    first = FirstStage(**_stage("first_stage", members))
    recourse = Recourse(**_stage("recourse", members))
    changes = {
        kind: Changes(_positions(kind, members), _values(kind, members))
        for kind in KINDS
        if f"changes.{kind}.values" in members
    }
    offset = arrays.vector("offset", [header["offset"]], 1)
    return TwoStageProblem(
        first,
        recourse,
        changes,
        num_scenarios,
        float(offset[0]),
        maximize=bool(header["maximize"]),
        **_labels(header, members),
    )


def _parts(problem: TwoStageProblem) -> Arrays:
    members: Arrays = {}
    for stage, names in _VECTORS.items():
        for name in names:
            members[f"{stage}.{name}"] = getattr(getattr(problem, stage), name)
    for stage, names in _MATRICES.items():
        for name in names:
            members |= _matrix_members(f"{stage}.{name}", getattr(getattr(problem, stage), name))
    for kind, change in sorted(problem.changes.items()):
        members[f"changes.{kind}.positions"] = change.positions
        members[f"changes.{kind}.values"] = change.values
    return members


def _matrix_members(prefix: str, matrix: sparse.csr_array) -> Arrays:
    parts = {"entries": matrix.data, "columns": matrix.indices, "starts": matrix.indptr, "shape": matrix.shape}
    return {f"{prefix}.{part}": np.asarray(value, dtype=_type_of(part)) for part, value in parts.items()}


def _type_of(part: str) -> type[np.generic]:
    return np.float64 if part == "entries" else np.int64


def _stage(stage: str, members: Arrays) -> dict[str, Any]:
    parts: dict[str, Any] = {name: _matrix(f"{stage}.{name}", members) for name in _MATRICES[stage]}
    for name in _VECTORS[stage]:
        value = members[f"{stage}.{name}"]
        if name == "integer":
            parts[name] = arrays.mask(name, value, len(value))
        else:
            parts[name] = arrays.vector(name, value, finite=name.endswith("costs"))
    return parts


def _matrix(prefix: str, members: Arrays) -> sparse.csr_array:
    rows, columns = (arrays.whole_number("shape", value, 0, 2**31 - 1) for value in members[f"{prefix}.shape"])
    starts, where = members[f"{prefix}.starts"], members[f"{prefix}.columns"]
    if starts.shape != (rows + 1,) or where.ndim != 1 or {starts.dtype.kind, where.dtype.kind} != {"i"}:
        raise InputError(f"{prefix} is not a row-wise sparse matrix of {rows} rows")
    matrix = sparse.csr_array((members[f"{prefix}.entries"], where, starts), shape=(rows, columns))
    matrix.check_format(full_check=True)
    if not matrix.has_canonical_format:
        raise InputError(f"{prefix} lists an entry twice or out of order")
    return arrays.matrix(prefix, matrix, (rows, columns))


def _positions(kind: str, members: Arrays) -> arrays.Ints:
    positions = members[f"changes.{kind}.positions"]
    if positions.ndim != 1 or positions.dtype != np.int64 or len(np.unique(positions)) != len(positions):
        raise InputError(f"the positions of changed {kind} are not distinct whole numbers")
    return positions


def _values(kind: str, members: Arrays) -> arrays.Floats:
    values = members[f"changes.{kind}.values"]
    if values.dtype != np.float64:
        raise InputError(f"the values of changed {kind} are not numbers")
    return arrays.table(f"changed {kind}", values, (None, None), finite=kind not in _LIMITS)


def _labels(header: dict[str, Any], members: Arrays) -> dict[str, Any]:
    """Names and probabilities, unchecked; files of earlier releases have only names of x and of scenarios."""
    labels: dict[str, Any] = {field: header.get(field, []) for field in NAME_FIELDS}
    for field, names in labels.items():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError(f"{field} must be a list of names")
    if "probabilities" in members:
        labels["probabilities"] = members["probabilities"]
    return labels
