"""A problem as files see it: one linear model, and the places in it that scenarios fill with numbers of their own."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats
from neurprise.errors import InputError, InputWarning
from neurprise.io.linear import LinearModel, Place, with_pattern, with_values
from neurprise.io.staging import two_stage
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import KINDS

#: How files of text write infinity: engines take it for that, and so does `two_stage`.
INFINITE = 1e30
#: Two limits of a row come back from a limit and a width, which costs their last digit.
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class ScenarioModels:
    """
    Parameters
    ----------
    model
        First-stage variables and rows come first; where scenarios differ it has a finite number of one of them.
    first_stage
        Which columns are decided now, shape (columns,).
    places, values
        What scenarios replace, and by what, shape (S, places), in the sense (min or max) of the model.
    names, probabilities
        Of the scenarios; equal probabilities where the problem has none.
    """

    model: LinearModel
    first_stage: Bools
    places: list[Place]
    values: Floats
    names: tuple[str, ...]
    probabilities: Floats

    def of_scenario(self, index: int) -> LinearModel:
        """The model of one scenario; its matrix stores no zeros."""
        model = with_pattern(with_values(self.model, self.places, self.values[index : index + 1]), [])
        model.matrix.eliminate_zeros()
        model.matrix.sort_indices()
        return model


def scenario_models(problem: TwoStageProblem) -> ScenarioModels:
    """
    The inverse of `two_stage`: both stages in one model.

    Costs of first-stage variables that a recourse pays are costs of that variable here; no value changes by that.
    """
    sign = -1.0 if problem.maximize else 1.0
    columns = _distinct("variables", (*problem.first_stage_names, *problem.recourse_names))
    rows = _distinct("rows", (*problem.first_stage_row_names, *problem.recourse_row_names))
    model, places, values = _base(problem, columns, rows, sign), *_replaced(problem, sign)
    finite = np.where(np.isfinite(values), values, np.nan)
    shown = np.array([column[~np.isnan(column)][0] if (~np.isnan(column)).any() else 0.0 for column in finite.T])
    count = problem.num_scenarios
    return ScenarioModels(
        with_values(model, places, shown.reshape(1, -1)),
        np.arange(len(columns)) < problem.num_first_stage,
        places,
        values,
        problem.scenario_labels,
        np.full(count, 1.0 / count) if problem.probabilities is None else problem.probabilities,
    )


def check_written(models: ScenarioModels, kind: str, read: Callable[[], TwoStageProblem]) -> None:
    """Read again what was written; raises InputError where it is refused, or means something else than the problem."""
    with warnings.catch_warnings(action="ignore", category=InputWarning):  # whoever reads the files is told again
        try:
            found = scenario_models(read())
        except InputError as error:
            raise InputError(f"{kind} cannot hold this problem: {error} A .npz file can.") from None
        meant = scenario_models(
            two_stage(models.model, models.first_stage, models.places, models.values, scenario_names=models.names)
        )
    wanted = _parts(meant)
    for part, values in _parts(found).items():
        if not all(map(_alike, values, wanted[part])):
            raise InputError(f"{kind} cannot hold this problem: its {part} would come back changed; write a .npz file.")


def moved_numbers(models: ScenarioModels, row_kinds: Sequence[str]) -> Iterator[tuple[Place, Floats]]:
    """
    What files list as random, and its numbers, shape (S,): of a row only the right-hand side, which moves all limits.

    Parameters
    ----------
    row_kinds
        E, G or L: the upper limit of an L row is its right-hand side, the lower limit of the others.
    """
    at = {place: models.values[:, k] for k, place in enumerate(models.places)}
    for place, values in at.items():
        if place.kind.startswith("row"):
            twin = Place("row_lower" if place.kind == "row_upper" else "row_upper", row=place.row)
            _check_sides(models.model, place, values, at.get(twin))
            if place.kind != ("row_upper" if row_kinds[place.row] == "L" else "row_lower"):
                continue
        yield place, values


def _check_sides(model: LinearModel, place: Place, values: Floats, twin: Floats | None) -> None:
    """One number moves both limits of a row."""
    limits = {"row_lower": float(model.row_lower[place.row]), "row_upper": float(model.row_upper[place.row])}
    here = limits.pop(place.kind)
    (there,) = limits.values()
    both = np.isfinite(here) and np.isfinite(there)
    moves = twin is not None and np.allclose(values - here, twin - there, rtol=1e-9, atol=0.0)
    if (both and not moves) or (not both and twin is not None):
        raise InputError(
            f"such files have one right-hand side a row, but scenarios move the two limits of "
            f"{model.rows[place.row]!r} differently; split the row, or write a .npz file."
        )


def number_text(value: float) -> str:
    """The shortest text that reads back to the same number; infinity as 1e30."""
    if np.isinf(value):
        return repr(float(np.copysign(INFINITE, value)))
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _base(problem: TwoStageProblem, columns: tuple[str, ...], rows: tuple[str, ...], sign: float) -> LinearModel:
    first, later = problem.first_stage, problem.recourse
    blocks = [
        [first.matrix, sparse.csr_array((first.matrix.shape[0], problem.num_recourse))],
        [later.technology, later.matrix],
    ]
    matrix = sparse.csr_array(sparse.block_array(blocks, format="csr"))
    matrix.sort_indices()
    return LinearModel(
        columns=columns,
        rows=rows,
        costs=sign * np.concatenate([first.costs + later.x_costs, later.costs]) + 0.0,
        matrix=matrix,
        offset=sign * problem.offset + 0.0,
        maximize=problem.maximize,
        **{
            kind: np.concatenate([getattr(first, kind), getattr(later, kind)])
            for kind in ("row_lower", "row_upper", "lower", "upper", "integer")
        },
    )


def _replaced(problem: TwoStageProblem, sign: float) -> tuple[list[Place], Floats]:
    """Places, and what scenarios put there, shape (S, places)."""
    n, p = problem.num_first_stage, len(problem.first_stage.row_lower)
    places: list[Place] = []
    tables = [np.zeros((problem.num_scenarios, 0))]
    for kind in (kind for kind in KINDS if kind in problem.changes):
        change, values = problem.changes[kind], problem.changes[kind].values
        positions = change.positions
        if kind in ("technology", "matrix"):
            row, column = (part[positions] for part in getattr(problem.recourse, kind).tocoo().coords)
            shift = 0 if kind == "technology" else n
            places += [Place("matrix", p + i, shift + j) for i, j in zip(row.tolist(), column.tolist(), strict=True)]
        elif kind == "x_costs":
            places += [Place("costs", column=j) for j in positions.tolist()]
            values = sign * (values + problem.first_stage.costs[positions]) + 0.0
        elif kind.startswith("row"):
            places += [Place(kind, row=p + i) for i in positions.tolist()]
        else:
            places += [Place(kind, column=n + j) for j in positions.tolist()]
            values = sign * values + 0.0 if kind == "costs" else values
        tables.append(values)
    return places, np.hstack(tables)


def _distinct(what: str, names: tuple[str, ...]) -> tuple[str, ...]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(
                f"a model has one list of {what}, but both stages have {name!r}; rename one with problem.with_labels."
            )
        seen.add(name)
    return names


def _parts(models: ScenarioModels) -> dict[str, list[Any]]:
    """What must come back, by what messages call it."""
    model, order = models.of_scenario(0), sorted(range(len(models.places)), key=models.places.__getitem__)
    vectors = [getattr(model, kind) for kind in ("costs", "row_lower", "row_upper", "lower", "upper")]
    entries = model.matrix.tocoo()
    return {
        "variables": [model.columns, models.first_stage.tolist(), model.integer.tolist()],
        "rows": [model.rows],
        "scenarios": [models.names, [models.places[k] for k in order], models.values[:, order]],
        "sense and constant": [model.maximize, model.offset],
        "costs, limits and coefficients": [*vectors, *entries.coords, entries.data],
    }


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and np.allclose(one, other, rtol=_ROUNDING, atol=0.0)
    return bool(one == other)
