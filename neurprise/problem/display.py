"""How a problem is shown: as points and lines in a picture, and as small escaped tables in notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from neurprise.arrays import Floats, Ints
from neurprise.errors import visible

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


def facts(title: str, rows: Mapping[str, object]) -> str:
    """A title and names with their values, one a row."""
    body = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(str(value))}</td></tr>'
        for name, value in rows.items()
    )
    return visible(f"<div><strong>{escape(title)}</strong><table>{body}</table></div>")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a header; the first column is text, the others are numbers."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(entry)}</td>" for entry in row) + "</tr>" for row in rows)
    return visible(f"<table><tr>{head}</tr>{body}</table>")
