"""Which variables are decided now: named, matched by a pattern, or given as the tool's own objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from neurprise.arrays import Bools
from neurprise.errors import InputError, near_miss


def chosen_columns(
    first_stage: Iterable[Any], columns: tuple[str, ...], names_of: Callable[[Any], list[str] | None]
) -> Bools:
    """
    Which columns are first stage, shape (columns,).

    Parameters
    ----------
    first_stage
        Names ("batch"), whole indexed variables ("batch" for batch[1], batch[2]), patterns ("batch_*"), or objects of
        the modelling tool.
    names_of
        The names of a tool's own object; None for what is none.
    """
    at = {name: j for j, name in enumerate(columns)}
    chosen = np.zeros(len(columns), dtype=bool)
    for part in first_stage:
        for name in [part] if isinstance(part, str) else _names(part, names_of):
            chosen[_matches(name.strip(), columns, at)] = True
    return chosen


def _names(part: Any, names_of: Callable[[Any], list[str] | None]) -> list[str]:
    names = names_of(part)
    if names is not None:
        return names
    if isinstance(part, Mapping):
        return [name for member in part.values() for name in _names(member, names_of)]
    if isinstance(part, (list, tuple, set, np.ndarray)):
        return [name for member in part for name in _names(member, names_of)]
    raise InputError(
        f"first_stage must list names, patterns or variables of the modelling tool, got {type(part).__name__}."
    )


def _matches(name: str, columns: tuple[str, ...], at: Mapping[str, int]) -> list[int]:
    """A name is taken as it is before it is read as a pattern: brackets are common in variable names."""
    if name in at:
        return [at[name]]
    found = [j for j, column in enumerate(columns) if column.startswith(f"{name}[") and column.endswith("]")]
    if not found:
        pattern = name.replace("[", "[[]")
        found = [j for j, column in enumerate(columns) if fnmatchcase(column, pattern)]
    if not found:
        known = dict.fromkeys([column.split("[")[0] for column in columns] + list(columns))
        raise InputError(f"first_stage: the model has no variable {name!r} ({near_miss(name, known)}).")
    return found


def listed_parts(first_stage: Any) -> list[Any] | None:
    """The parts of the first stage; a single text would be read letter by letter."""
    if isinstance(first_stage, (str, bytes)):
        raise InputError(f"first_stage must be a list of names, got {first_stage!r}; write [{first_stage!r}].")
    if first_stage is None:
        return None
    parts = list(first_stage) if isinstance(first_stage, (list, tuple, set, frozenset)) else [first_stage]
    if not parts:
        raise InputError("first_stage must name at least one variable, got none.")
    return parts
