"""Labelled tables as data of a family: put into one order by their labels, which become names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from neurprise.arrays import Ints, is_pandas
from neurprise.errors import InputError, near_miss
from neurprise.problem.alignment import align
from neurprise.problem.named import Stem, numbered
from neurprise.problem.names import texts_of


class LabelledData:
    """
    The arguments of a family's constructor.

    Parameters
    ----------
    values
        Argument -> its value.
    axes
        Argument -> meaning of its dimensions, in the singular: ("scenario", "item").
    """

    def __init__(self, values: Mapping[str, Any], axes: Mapping[str, tuple[str, ...]]) -> None:
        found = align(values, axes, {})
        self._values, self._labels = found.values, found.names

    def __getitem__(self, argument: str) -> Any:
        """The argument without labels, in the common order."""
        return self._values[argument]

    def labels(self, axis: str) -> tuple[str, ...]:
        """The labels of an axis in that order; empty if there are none."""
        return self._labels.get(axis, ())

    def names(self, stems: Mapping[str, list[Stem]], *axes: str) -> dict[str, Any]:
        """Names for the constructor of the problem: of scenarios, and of variables and rows if these axes have any."""
        found = {"scenario_names": self.labels("scenario")}
        if any(map(self.labels, axes)):
            parts = {part: [name for stem in several for name in numbered(*stem)] for part, several in stems.items()}
            found |= {f"{part}_names": tuple(names) for part, names in parts.items()}
        return found


def numbers_of(argument: str, entries: Any, axis: str, labels: tuple[str, ...]) -> Any:
    """
    An array that names members of an axis by number or by label.

    Whole numbers count as numbers, unless the labels are whole numbers too.
    """
    array = np.asarray(entries.to_numpy() if is_pandas(entries) else entries)
    by_number = array.dtype.kind in "iu" and not (labels and all(label.lstrip("-").isdecimal() for label in labels))
    if by_number or array.size == 0 or (not labels and array.dtype.kind not in "UO"):
        return array
    return _positions(argument, array, axis, labels)


def _positions(argument: str, array: Any, axis: str, labels: tuple[str, ...]) -> Ints:
    places = {label: k for k, label in enumerate(labels)}
    texts = texts_of(array.ravel().tolist())
    unknown = [text for text in texts if text not in places]
    if unknown:
        offer = near_miss(unknown[0], labels) if labels else f"the {axis}s have no labels"
        raise InputError(f"{argument} must name {axis}s, got {unknown[0]!r} ({offer}).")
    return np.array([places[text] for text in texts], dtype=np.int64).reshape(array.shape)
