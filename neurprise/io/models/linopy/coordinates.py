"""Names of linopy's variables and constraints: the container's, and its coordinates in brackets."""

from __future__ import annotations

from itertools import compress, product
from typing import Any

import numpy as np

from neurprise.arrays import Bools
from neurprise.problem.names import texts_of

#: Dimensions that linopy uses for terms, not for what a variable or constraint is about.
_HELPERS = ("_term", "_factor")


class Names:
    """Names of the active members of variables and constraints; those of equal coordinates are made once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[tuple[Any, ...], Bools, tuple[str, ...]]] = {}

    def of(self, container: Any) -> tuple[str, ...]:
        """The active members' names, in their order."""
        key = (type(container).__name__, container.name)
        indexes, active = indexes_of(container), active_members(container)
        if key in self._known:
            before, mask, names = self._known[key]
            if _same(before, indexes) and np.array_equal(mask, active):
                return names
        names = tuple(compress(all_names(container.name, indexes), active.tolist()))
        self._known[key] = (indexes, active, names)
        return names


def indexes_of(container: Any) -> tuple[Any, ...]:
    """The pandas index of every dimension of a variable or constraint, in their order."""
    labels = container.labels
    return tuple(labels.get_index(name) for name in labels.dims if name not in _HELPERS)


def active_members(container: Any) -> Bools:
    """Which members take part, in the order of the coordinates; masked ones do not."""
    labels = container.labels.values.ravel()
    if hasattr(container, "active_labels"):  # linopy leaves out constraints without terms
        active: Bools = np.isin(labels, container.active_labels())
        return active
    return np.asarray(labels != -1)


def all_names(name: str, indexes: tuple[Any, ...]) -> list[str]:
    """The names of all members, masked ones too."""
    if not indexes:
        return [name]
    texts = [texts_of(index) for index in indexes]
    return [f"{name}[{','.join(labels)}]" for labels in product(*texts)]


def _same(before: tuple[Any, ...], indexes: tuple[Any, ...]) -> bool:
    return len(before) == len(indexes) and all(
        one is other or one.equals(other) for one, other in zip(before, indexes, strict=True)
    )
