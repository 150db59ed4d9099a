"""
Tables of pandas and arrays of xarray, aligned by their labels; never by position without a word.

Several arguments speak about the same things: the index of c, the columns of A and those of E all list the first-stage
variables. Each such list is an axis. All labelled arguments of an axis must carry the same labels, in any order; they
are put into one order, and arrays without labels are taken to be in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from neurprise.arrays import as_pandas, is_counted, is_pandas, is_xarray
from neurprise.errors import InputError, listed, near_miss
from neurprise.problem.names import WORDS, listed_texts, looks_like_sum, texts_of

#: How xarray names dimensions without a name.
_UNNAMED = "dim_"
_AXIS_WORDS = {**WORDS, "factor": "uncertain factors"}


class _Side(NamedTuple):
    """One labelled side of an argument: `place` says where its labels stand ("the index of c")."""

    argument: str
    place: str
    labels: tuple[str, ...]
    counted: bool  # pandas numbered it itself, 0 to n - 1


@dataclass(frozen=True)
class Aligned:
    """
    Arguments in one order.

    Parameters
    ----------
    values
        Argument -> its value; labelled ones have become arrays.
    names
        Axis -> its names in that order; empty where nothing names them.
    """

    values: dict[str, Any]
    names: dict[str, tuple[str, ...]]


def align(
    values: Mapping[str, Any], axes: Mapping[str, tuple[str, ...]], given: Mapping[str, Iterable[Any]]
) -> Aligned:
    """
    Put all tables of pandas and arrays of xarray among the arguments into one order by their labels.

    Parameters
    ----------
    values
        Argument -> what came.
    axes
        Argument -> the axes of its dimensions, keys of WORDS or what they count in the singular; an argument with fewer
        dimensions has the last ones.
    given
        Axis -> the caller's own names, under the key of WORDS; their order wins. Arguments call them `{axis}_names`.
    """
    tables = {name: _unstacked(as_pandas(name, value), axes[name]) for name, value in values.items()}
    _check_dimensions(values, axes)
    values = tables
    sides = {name: _sides(name, value, axes[name]) for name, value in values.items() if is_pandas(value)}
    names = {axis: listed_texts(f"{axis}_names", listing) for axis, listing in given.items()}
    for axis in dict.fromkeys(axis for table in sides.values() for axis in table):
        members = [table[axis] for table in sides.values() if axis in table]
        names[axis] = _common_names(axis, members, names.get(axis), _unlabelled(axis, values, axes))
    reordered = {name: _reordered(values[name], table, names) for name, table in sides.items()}
    return Aligned({**values, **reordered}, names)


def _check_dimensions(values: Mapping[str, Any], axes: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse arrays of xarray in which a dimension stands for something else than in another one, or than it says."""
    meanings = {axis: axis for own in axes.values() for axis in own}
    for name, value in values.items():
        for dimension, axis in zip(value.dims, axes[name][-value.ndim :], strict=False) if is_xarray(value) else ():
            meant = axis if str(dimension).startswith(_UNNAMED) else meanings.setdefault(dimension, axis)
            if meant != axis:
                raise InputError(
                    f"the dimension {dimension!r} of {name} must list the {_members(meant)}, but stands where {name} "
                    f"lists the {_members(axis)}; transpose {name}."
                )


def _unstacked(value: Any, axes: tuple[str, ...]) -> Any:
    """
    A Series whose two levels of labels are a table's two axes as that table, in the order in which labels come.

    What may have a row per scenario or none (b) is such a table only where a level is called "scenario" or so.
    """
    levels = list(value.index.names) if is_pandas(value) and value.ndim == 1 else []
    if len(axes) != 2 or len(levels) != 2 or (axes[0] == "scenario" and not set(levels) & set(axes)):
        return value
    swapped = levels[0] == axes[1] or levels[1] == axes[0]
    rows, columns = (value.index.get_level_values(level).unique() for level in ((1, 0) if swapped else (0, 1)))
    return value.unstack(0 if swapped else 1).reindex(index=rows, columns=columns)


def _check_scenarios(side: _Side) -> None:
    """People put sums under their tables; such a row is no scenario, as a rule."""
    for label in side.labels:
        if looks_like_sum(label):
            raise InputError(
                f"{side.place} has the scenario {label!r}, which looks like a sum of others; drop the row, or rename "
                "it if it is a scenario."
            )


def by_label(series: Any) -> dict[Any, Any]:
    """Label -> value of a Series; whole numbers stay numbers, other labels become texts."""
    texts = _texts("the index of the Series", series.index)
    labels = series.index.tolist() if series.index.dtype.kind in "iu" else texts
    return dict(zip(labels, series.tolist(), strict=True))


def _sides(argument: str, table: Any, axes: tuple[str, ...]) -> dict[str, _Side]:
    if table.ndim > len(axes):
        raise InputError(
            f"{argument} must be one-dimensional, got a DataFrame; pass one column, such as table['cost']."
        )
    places = ("index", "columns")
    found = {}
    for axis, index, place in zip(axes[-table.ndim :], table.axes, places, strict=False):
        where = f"the {place} of {argument}"
        found[axis] = _Side(argument, where, _texts(where, index), is_counted(index))
        if axis == "scenario":
            _check_scenarios(found[axis])
    return found


def _texts(where: str, index: Any) -> tuple[str, ...]:
    if index.to_frame().isna().to_numpy().any():  # through a table, because a MultiIndex does not answer itself
        raise InputError(f"{where} must have no missing label; fill or drop it.")
    texts = texts_of(index)
    if len(set(texts)) != len(texts):
        twice = next(text for k, text in enumerate(texts) if text in texts[:k])
        raise InputError(f"{where} must name each entry once, got {twice!r} twice; rename or sum them.")
    return texts


def _common_names(
    axis: str, sides: list[_Side], given: tuple[str, ...] | None, unlabelled: list[str]
) -> tuple[str, ...]:
    """The axis' names in the order that counts: the caller's, else that of the first labelled argument."""
    labelled = [side for side in sides if not side.counted]
    if not given and not labelled:
        return ()
    source, names = (f"{axis}_names", given) if given else (labelled[0].place, labelled[0].labels)
    for side in sides:
        _check_same(axis, side, source, names)
    other = [side for side in sides if side.labels != names]
    if other and unlabelled and not given:
        remedy = f"label {unlabelled[0]} too" + ("" if given is None else f", or pass {axis}_names")
        raise InputError(
            f"{source} and {other[0].place} list the {_members(axis)} in different orders, so the order meant by "
            f"{unlabelled[0]}, which has no labels, is unknown; {remedy}."
        )
    return names


def _members(axis: str) -> str:
    return _AXIS_WORDS.get(axis, f"{axis}s")


def _check_same(axis: str, side: _Side, source: str, names: tuple[str, ...]) -> None:
    wanted, came_with = set(names), set(side.labels)
    if wanted == came_with:
        return
    unknown = [label for label in side.labels if label not in wanted]
    missing = [name for name in names if name not in came_with]
    if side.counted:
        came = f"got no labels but the numbers 0 to {len(side.labels) - 1}"
    elif unknown:
        came = f"got {unknown[0]!r} ({near_miss(unknown[0], missing or names)})"
    else:
        came = f"got no {listed(missing)}"
    raise InputError(
        f"{side.place} must name the {_members(axis)} as {source} does, {came}; label both alike, or pass "
        f"{side.argument}.to_numpy() to go by position."
    )


def _unlabelled(axis: str, values: Mapping[str, Any], axes: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Arguments of this axis that have an order but no labels."""
    found = []
    for name, value in values.items():
        if value is not None and not is_pandas(value):
            dimensions = 2 if sparse.issparse(value) else _dimensions(value)
            if dimensions and axis in axes[name][-dimensions:]:
                found.append(name)
    return found


def _dimensions(value: Any) -> int:
    try:
        return np.ndim(value)
    except ValueError:  # a ragged list, which the checks of arrays.py refuse
        return 0


def _reordered(table: Any, sides: Mapping[str, _Side], names: Mapping[str, tuple[str, ...]]) -> Any:
    """The table's values with every labelled side in the order of its axis."""
    array = table.to_numpy()
    for dimension, (axis, side) in enumerate(sides.items()):
        if names[axis] and side.labels != names[axis]:
            at = {label: k for k, label in enumerate(side.labels)}
            array = array.take([at[name] for name in names[axis]], axis=dimension)
    return array
