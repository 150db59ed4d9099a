"""Tables of texts for readers without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

#: Tables for readers without scripts are cut; the JSON at the end of the page is complete.
MAX_ROWS = 40
#: Longer names may be broken; page.js has the same limit.
LONGEST_UNBROKEN = 24


def table(
    rows: Iterable[Sequence[str]], head: Sequence[str] = (), *, style: str = "", numeric: Sequence[int] = (1,)
) -> str:
    """A table of texts; without a header row, the first column is the header."""
    right = [bool(head) and k in numeric for k in range(max(len(head), 2))]
    titles = "".join(f'<th scope="col"{_class(name, right[k])}>{escape(name)}</th>' for k, name in enumerate(head))
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{escape(entry)}</th>'
            if not head and k == 0
            else f"<td{_class(entry, right[k])}>{escape(entry)}</td>"
            for k, entry in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    top = f"<thead><tr>{titles}</tr></thead>" if head else ""
    return f'<div class="scroll"><table class="{style}">{top}<tbody>{body}</tbody></table></div>'


def rest(items: Sequence[object]) -> str:
    """How many rows were cut."""
    more = len(items) - MAX_ROWS
    return f'<p class="note">and {more:,} more</p>' if more > 0 else ""


def short(name: str) -> str:
    """The class that keeps short names, such as dates, on one line."""
    return ' class="short"' if len(name) <= LONGEST_UNBROKEN else ""


def _class(entry: str, is_number: bool) -> str:
    return ' class="number"' if is_number else short(entry)
