"""A problem as points and lines: where things lie, and which variables say what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neurprise.arrays import Floats, Ints

#: A point or a line without a variable of its own.
NO_VARIABLE = -1


@dataclass(frozen=True)
class Picture:
    """
    What a family can draw of a problem; numbers of variables count within their stage.

    Parameters
    ----------
    title
        What is seen, e.g. "Network".
    places
        Coordinates of the points, the second one upwards, shape (k, 2).
    point_names
        Length k.
    chosen_now
        First-stage variable of each point that is positive where the point is chosen now, shape (k,).
    chosen_later
        Recourse variable of each point that is positive where it is chosen at last, shape (k,).
    lines
        Pairs of points, shape (e, 2).
    line_variables
        Recourse variable that a line shows: it is drawn where that is positive, wider where it is larger; shape (e,).
        A line without one is always drawn.
    legend
        Words for points that are chosen "now", chosen "later", could be but are "idle", and are "fixed", that is,
        without a variable; words left out do not occur.
    """

    title: str
    places: Floats
    point_names: tuple[str, ...]
    chosen_now: Ints
    chosen_later: Ints
    lines: Ints
    line_variables: Ints
    legend: Mapping[str, str]
