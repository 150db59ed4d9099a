"""Variables that look like typing mistakes: modelling languages make a new variable of a name that is misspelt."""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Sequence

import numpy as np

from neurprise.arrays import Bools, Ints
from neurprise.errors import InputWarning
from neurprise.io.linear import LinearModel, Place

#: A mistake is rare; models with more such variables use them on purpose, as slacks.
_MOST = 20
#: How alike two names must be: one letter in about six.
_ALIKE = 0.85
_NUMBER = re.compile(r"\d+")


def warn_of_typing_mistakes(model: LinearModel, first_stage: Bools, places: Sequence[Place]) -> None:
    """
    Warn of variables that hardly do anything and are called almost like one that does.

    A variable with the usual bounds and no cost that stands in one row only, without its twin, and a first-stage
    variable without cost and row. Names that differ in their numbers only, such as slack_1 and slack_2, are right.
    """
    rows, has_cost = _uses(model, places)
    usual = (model.lower == 0.0) & (model.upper == np.inf) & ~model.integer
    lonely = ~has_cost & ((usual & (rows == 1)) | (first_stage & (rows == 0) & (model.lower != model.upper)))
    names = _stems(np.flatnonzero(lonely), model)
    if len(names) > _MOST:
        return
    busy = {_stem(model.columns[j]): j for j in np.flatnonzero(~lonely).tolist()}
    for stem, j in names.items():
        name, twin = model.columns[j], _twin(stem, busy)
        if rows[j] == 0:
            hint = "" if twin is None else f" (did you mean {model.columns[twin]!r}?)"
            _warn(
                f"the first-stage variable {name!r} has no cost and stands in no row, so its value means nothing{hint}."
            )
        elif twin is not None:
            row = _row_of(model, j)
            if row is None or not model.matrix[row, twin]:
                where = "one row" if row is None else f"row {model.rows[row]!r}"
                _warn(f"{name!r} has no cost and stands in {where} only; did you mean {model.columns[twin]!r}?")


def _row_of(model: LinearModel, column: int) -> int | None:
    """The row that the column stands in; None where only a scenario puts it there."""
    found = model.matrix[:, [column]].tocoo().coords[0]
    return int(found[0]) if len(found) else None


def _uses(model: LinearModel, places: Sequence[Place]) -> tuple[Ints, Bools]:
    """In how many rows each column stands, and whether it has a cost; in any scenario, both of shape (columns,)."""
    used = model.matrix.copy()
    used.eliminate_zeros()
    moved = {(place.row, place.column) for place in places if place.kind == "matrix"}
    entries = used.tocoo()
    known = set(zip(*(part.tolist() for part in entries.coords), strict=True)) if moved else set()
    rows = np.bincount(entries.coords[1], minlength=len(model.columns))
    np.add.at(rows, [column for _, column in moved - known], 1)
    has_cost = model.costs != 0
    has_cost[[place.column for place in places if place.kind == "costs"]] = True
    return rows, has_cost


def _stems(columns: Ints, model: LinearModel) -> dict[str, int]:
    """Name without its numbers -> the column, for names of which no other lonely column has the same."""
    found: dict[str, list[int]] = {}
    for j in columns.tolist():
        found.setdefault(_stem(model.columns[j]), []).append(j)
    return {stem: members[0] for stem, members in found.items() if len(members) == 1}


def _stem(name: str) -> str:
    return _NUMBER.sub("0", name)


def _twin(stem: str, busy: dict[str, int]) -> int | None:
    """The column that does more and is spelt almost alike; None where there is none, or one of the same stem."""
    if stem in busy:
        return None
    near = [other for other in busy if abs(len(other) - len(stem)) <= 1]
    found = difflib.get_close_matches(stem, near, n=1, cutoff=_ALIKE)
    return busy[found[0]] if found else None


def _warn(sentence: str) -> None:
    warnings.warn(sentence, InputWarning, stacklevel=2)
