"""Small tables for notebooks; every text in them is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from neurprise.errors import visible


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
