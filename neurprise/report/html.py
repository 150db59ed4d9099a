"""A report as a notebook cell; the page stands in `page/`."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from neurprise.errors import visible
from neurprise.report import text

if TYPE_CHECKING:
    from neurprise.report.report import Report

#: Longer decisions are cut.
MAX_ROWS = 200


def cell(report: Report) -> str:
    """What a notebook shows: the verdict, the numbers, the decision."""
    return visible(
        f"<div><p>{escape(text.verdict(report))}</p><pre>{escape(str(report))}</pre>{_decision(report)}</div>"
    )


def _decision(report: Report) -> str:
    """The entries of x that are not zero."""
    if report.decision is None:
        return "<p>None.</p>"
    chosen = [(name, value) for name, value in report.decision.items() if value != 0]
    rows = [f"<tr><td>{escape(name)}</td><td>{escape(text.number(value))}</td></tr>" for name, value in chosen]
    more = len(rows) - MAX_ROWS
    rest = f"<p>and {more} more; report.decision has all</p>" if more > 0 else ""
    return f"<p>Everything not listed is 0.</p><table>{''.join(rows[:MAX_ROWS])}</table>{rest}"
