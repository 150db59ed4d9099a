"""One linear model per scenario, kept as the first one and the numbers in which each other differs from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.errors import InputError, counted
from neurprise.io.linear import LinearModel, Place
from neurprise.io.staging import check_size

#: Parts of a model that are vectors over its columns, and over its rows.
_OF_COLUMNS = ("costs", "lower", "upper")
_OF_ROWS = ("row_lower", "row_upper")
#: Kind -> positions in that kind (matrix entries as row * columns + column) and the values there.
Difference = dict[str, tuple[Ints, Floats]]


class ComparedModels:
    """
    Scenarios' models, added one after the other; none but the first is kept.

    A row that some scenarios lack is a free row there. Variables, their integrality and the sense must agree.
    """

    def __init__(self) -> None:
        self.base: LinearModel | None = None
        self._differences: list[Difference] = []

    def add(self, model: LinearModel) -> None:
        """Compare the next scenario's model with the first; raises InputError where they cannot be one problem."""
        if self.base is None:
            self.base = model
        model = self._in_order(model)
        _check_same_kinds(self.base, model)
        self._differences.append(_difference(self.base, model))

    def places_and_values(self) -> tuple[list[Place], Floats]:
        """Where scenarios differ, and what each has there, shape (scenarios, places)."""
        base, kinds = self._first(), dict.fromkeys(kind for found in self._differences for kind in found)
        tables, places = [], []
        positions = {kind: _union([d[kind][0] for d in self._differences if kind in d]) for kind in kinds}
        num_places = sum(map(len, positions.values()))
        check_size("from_models", len(self._differences), num_places, "use fewer scenarios")
        for kind, union in positions.items():
            table = np.tile(_values_at(base, kind, union), (len(self._differences), 1))
            for s, difference in enumerate(self._differences):
                if kind in difference:
                    where, values = difference[kind]
                    table[s, np.searchsorted(union, where)] = values
            tables.append(table)
            places += _places(kind, union, len(base.columns))
        return places, np.hstack([np.zeros((len(self._differences), 0)), *tables])

    def _first(self) -> LinearModel:
        if self.base is None:
            raise InputError("there must be a model for at least one scenario, got none.")
        return self.base

    def _in_order(self, model: LinearModel) -> LinearModel:
        """The model with columns and rows numbered as in the base, which gets the rows that are new."""
        base = self._first()
        if model.columns != base.columns:
            model = _with_columns(model, base.columns)
        if model.rows == base.rows:
            return model
        self.base = base = _with_new_rows(base, model)
        return _with_rows_of(base, model)


def _check_same_kinds(base: LinearModel, model: LinearModel) -> None:
    if model.maximize != base.maximize:
        raise InputError("its objective has the other sense (min or max) than the first scenario's.")
    other = np.flatnonzero(model.integer != base.integer)
    if other.size:
        kinds = ("continuous", "integer") if model.integer[other[0]] else ("integer", "continuous")
        raise InputError(
            f"the variable {base.columns[other[0]]!r} is {kinds[1]} here and {kinds[0]} in the first scenario; all "
            "scenarios need the same kinds of variables."
        )


def _with_columns(model: LinearModel, columns: tuple[str, ...]) -> LinearModel:
    """The model with its columns in this order; they must be the same."""
    if set(columns) != set(model.columns):
        odd = sorted(set(columns) ^ set(model.columns))[0]
        where = "in the first scenario but not here" if odd in set(columns) else "only here"
        raise InputError(f"the variable {odd!r} exists {where}; all scenarios need the same variables.")
    at = {name: j for j, name in enumerate(model.columns)}
    order = np.array([at[name] for name in columns], dtype=np.int64)
    parts: dict[str, Any] = {kind: getattr(model, kind)[order] for kind in (*_OF_COLUMNS, "integer")}
    matrix = sparse.csr_array(model.matrix[:, order])
    matrix.sort_indices()
    return replace(model, columns=columns, matrix=matrix, **parts)


def _with_new_rows(base: LinearModel, model: LinearModel) -> LinearModel:
    """The base with the model's new rows, which are free there; their entries are those of the model."""
    known = set(base.rows)
    new = np.array([i for i, name in enumerate(model.rows) if name not in known], dtype=np.int64)
    if not new.size:
        return base
    return replace(
        base,
        rows=(*base.rows, *(model.rows[i] for i in new)),
        matrix=sparse.vstack([base.matrix, model.matrix[new]], format="csr"),
        row_lower=np.append(base.row_lower, np.full(len(new), -np.inf)),
        row_upper=np.append(base.row_upper, np.full(len(new), np.inf)),
    )


def _with_rows_of(base: LinearModel, model: LinearModel) -> LinearModel:
    """The model with the base's rows in their order; where it has no such row, the base's entries without limits."""
    at = {name: i for i, name in enumerate(model.rows)}
    order = np.array([at.get(name, -1) for name in base.rows], dtype=np.int64)
    missing = np.flatnonzero(order < 0)
    order[missing] = len(model.rows) + np.arange(len(missing))
    free = np.full(len(missing), np.inf)
    matrix = sparse.csr_array(sparse.vstack([model.matrix, base.matrix[missing]], format="csr")[order])
    matrix.sort_indices()
    return replace(
        model,
        rows=base.rows,
        matrix=matrix,
        row_lower=np.append(model.row_lower, -free)[order],
        row_upper=np.append(model.row_upper, free)[order],
    )


def _difference(base: LinearModel, model: LinearModel) -> Difference:
    found: Difference = {}
    for kind in (*_OF_COLUMNS, *_OF_ROWS):
        mine, first = getattr(model, kind), getattr(base, kind)
        where = np.flatnonzero(mine != first)
        if where.size:
            found[kind] = (where, mine[where])
    where, values = _matrix_difference(base.matrix, model.matrix)
    if where.size:
        found["matrix"] = (where, values)
    if model.offset != base.offset:
        found["offset"] = (np.zeros(1, dtype=np.int64), np.array([model.offset]))
    return found


def _matrix_difference(base: sparse.csr_array, matrix: sparse.csr_array) -> tuple[Ints, Floats]:
    """Entries in which two matrices in canonical form differ, as keys and the second one's values."""
    if np.array_equal(base.indptr, matrix.indptr) and np.array_equal(base.indices, matrix.indices):
        where = np.flatnonzero(base.data != matrix.data)
        return _keys(matrix)[where] if where.size else where, matrix.data[where]
    keys = _union([_keys(base), _keys(matrix)])
    before, after = _entries_at(base, keys), _entries_at(matrix, keys)
    return keys[before != after], after[before != after]


def _keys(matrix: sparse.csr_array) -> Ints:
    """row * columns + column of every stored entry, ascending."""
    rows = np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))
    keys: Ints = rows * matrix.shape[1] + matrix.indices
    return keys


def _entries_at(matrix: sparse.csr_array, keys: Ints) -> Floats:
    values = np.zeros(len(keys))
    values[np.searchsorted(keys, _keys(matrix))] = matrix.data
    return values


def _values_at(model: LinearModel, kind: str, positions: Ints) -> Floats:
    if kind == "offset":
        return np.array([model.offset])
    if kind != "matrix":
        values: Floats = getattr(model, kind)[positions]
        return values
    known = _keys(model.matrix)
    where = np.minimum(np.searchsorted(known, positions), max(len(known) - 1, 0))
    found = known[where] == positions if len(known) else np.zeros(len(positions), dtype=bool)
    return np.where(found, model.matrix.data[where] if len(known) else 0.0, 0.0)


def _union(positions: list[Ints]) -> Ints:
    return np.unique(np.concatenate(positions))


def _places(kind: str, positions: Ints, num_columns: int) -> list[Place]:
    if kind == "offset":
        return [Place("offset")]
    if kind == "matrix":
        return [Place(kind, *divmod(key, num_columns)) for key in positions.tolist()]
    if kind in _OF_ROWS:
        return [Place(kind, row=i) for i in positions.tolist()]
    return [Place(kind, column=j) for j in positions.tolist()]


def bounds_as_rows(
    model: LinearModel, first_stage: Any, places: list[Place], values: Floats
) -> tuple[LinearModel, list[Place]]:
    """
    Rows in the place of first-stage bounds that scenarios change: x keeps the bounds of every scenario that counts.

    The bound itself becomes the widest one of all scenarios.
    """
    moved = [k for k, p in enumerate(places) if p.kind in ("lower", "upper") and first_stage[p.column]]
    if not moved:
        return model, places
    columns = sorted({places[k].column for k in moved})
    row_of = {column: len(model.rows) + i for i, column in enumerate(columns)}
    limits = {kind: getattr(model, kind).copy() for kind in ("lower", "upper")}
    sides = {kind: limits[kind][columns] for kind in limits}
    places = list(places)
    for k in moved:
        kind, column = places[k].kind, places[k].column
        limits[kind][column] = values[:, k].min() if kind == "lower" else values[:, k].max()
        places[k] = Place(f"row_{kind}", row=row_of[column])
    entries = (np.ones(len(columns)), (np.arange(len(columns)), columns))
    added = sparse.csr_array(entries, shape=(len(columns), len(model.columns)))
    wider = replace(
        model,
        rows=(*model.rows, *(f"bounds of {model.columns[j]}" for j in columns)),
        matrix=sparse.vstack([model.matrix, added], format="csr"),
        row_lower=np.append(model.row_lower, sides["lower"]),
        row_upper=np.append(model.row_upper, sides["upper"]),
        lower=limits["lower"],
        upper=limits["upper"],
    )
    return wider, places


def checked_model(model: LinearModel) -> LinearModel:
    """The model in canonical form: names that differ and have no blanks around, a sorted matrix without zeros."""
    columns, rows = (tuple(name.strip() for name in names) for names in (model.columns, model.rows))
    model = replace(model, columns=columns, rows=rows)
    for what, names in (("variable", model.columns), ("constraint", model.rows)):
        if len(set(names)) != len(names):
            seen: set[str] = set()
            twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise InputError(f"two {what}s have the name {twice!r}; rename one.")
    if not model.columns:
        raise InputError(f"a model needs variables, got none (and {counted(len(model.rows), 'constraint')}).")
    matrix = sparse.csr_array(model.matrix, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    _check_numbers(model, matrix)
    return replace(model, matrix=matrix, costs=model.costs + 0.0, offset=float(model.offset) + 0.0)


def _check_numbers(model: LinearModel, matrix: sparse.csr_array) -> None:
    if not np.isfinite(model.offset):
        raise InputError(f"the objective's constant must be finite, got {model.offset}.")
    bad = np.flatnonzero(~np.isfinite(model.costs))
    if bad.size:
        raise InputError(f"the cost of {model.columns[bad[0]]!r} must be finite, got {model.costs[bad[0]]}.")
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if bad.size:
        i = int(np.searchsorted(matrix.indptr, bad[0], side="right")) - 1
        raise InputError(f"a coefficient of the constraint {model.rows[i]!r} is not finite, got {matrix.data[bad[0]]}.")
    for what, names, low, high in (
        ("variable", model.columns, model.lower, model.upper),
        ("constraint", model.rows, model.row_lower, model.row_upper),
    ):
        bad = np.flatnonzero(~(low <= high))
        if bad.size:
            k = bad[0]
            raise InputError(f"the {what} {names[k]!r} has the limits {low[k]} and {high[k]}; correct them.")
