"""Indexed decisions as grids: `on[coal, 2]` as a table of units by hours, for the page and for Excel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_INDEXED = re.compile(r"(?P<base>[^\[\]]+)\[(?P<index>[^\[\]]+)\]")
#: A grid with more empty places than this share is a list.
_MOST_EMPTY = 0.5


@dataclass(frozen=True)
class Grid:
    """
    Variables in rows and columns.

    Parameters
    ----------
    title
        The name without its indices; empty if every column is a variable of its own.
    rows, columns
        Labels.
    values
        One list a row; None where no variable has these indices.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: list[list[float | None]]


def grids(decision: Mapping[str, float]) -> tuple[list[Grid], dict[str, float]]:
    """
    The variables that form grids, and the others by name.

    Names with several indices have the last one across. Names with one index stand side by side if at least two bases,
    such as `open[north]` and `capacity[north]`, have the same indices.
    """
    groups: dict[tuple[str, int], dict[tuple[str, ...], str]] = {}
    for name in decision:
        base, index = _parsed(name)
        if index:
            groups.setdefault((base, len(index)), {}).setdefault(index, name)
    found, used = list[Grid](), set[str]()
    for bases in _side_by_side(groups):
        places = {(index[0], base): name for base in bases for index, name in groups[base, 1].items()}
        _collect(found, used, "", places, decision)
    for (base, depth), names in groups.items():
        if depth > 1:
            places = {(", ".join(index[:-1]), index[-1]): name for index, name in names.items()}
            _collect(found, used, base, places, decision)
    return found, {name: value for name, value in decision.items() if name not in used}


def _parsed(name: str) -> tuple[str, tuple[str, ...]]:
    """`on[coal, 2]` -> "on" and ("coal", "2"); no indices for other names."""
    match = _INDEXED.fullmatch(name)
    if match is None:
        return name, ()
    return match["base"], tuple(part.strip() for part in match["index"].split(","))


def _side_by_side(groups: Mapping[tuple[str, int], Mapping[tuple[str, ...], str]]) -> list[list[str]]:
    """Bases of one index that have the same indices, two or more each."""
    alike: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for (base, depth), names in groups.items():
        if depth == 1:
            alike.setdefault(tuple(names), []).append(base)
    return [bases for bases in alike.values() if len(bases) > 1]


def _collect(
    found: list[Grid], used: set[str], title: str, places: Mapping[tuple[str, str], str], decision: Mapping[str, float]
) -> None:
    """Append the grid of these places (row, column) -> name, unless it is a line or mostly empty."""
    rows, columns = _distinct(row for row, _ in places), _distinct(column for _, column in places)
    if min(len(rows), len(columns)) < 2 or len(places) < (1 - _MOST_EMPTY) * len(rows) * len(columns):
        return
    values = [
        [decision[places[row, column]] if (row, column) in places else None for column in columns] for row in rows
    ]
    found.append(Grid(title, rows, columns, values))
    used.update(places.values())


def _distinct(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(labels))
