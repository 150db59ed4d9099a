"""Sections of the page for what is asked next: the trade-off, and what guarantee and knowledge are worth."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from neurprise.report.page.chart import Curve, Point, xy_chart

if TYPE_CHECKING:
    from neurprise.report.insights import Insights
    from neurprise.report.tradeoff import Tradeoff


def tradeoff_section(tradeoff: Tradeoff) -> str:
    """The lesson, the frontier as a chart, and one line a point."""
    head, *lines = tradeoff.cells()
    titles = "".join(f'<th scope="col">{escape(title)}</th>' for title in head)
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
    return _section(
        "tradeoff",
        "What a weaker guarantee buys",
        f"<p>{escape(tradeoff.lesson)}</p>{frontier_chart(tradeoff)}"
        f'<div class="scroll"><table><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table></div>',
    )


def insights_section(insights: Insights) -> str:
    """Each insight as a row."""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(words)}</td></tr>'
        for name, words in insights.rows().items()
    )
    table = f'<div class="scroll"><table class="provenance"><tbody>{rows}</tbody></table></div>'
    return _section("insights", "What guarantee and knowledge are worth", table)


def frontier_chart(tradeoff: Tradeoff) -> str:
    """The decisions, and the line that no decision lies beyond; empty without points."""
    if not tradeoff.points:
        return ""
    words = tradeoff.words
    curves = [
        Curve("decisions", "cost", [(point.worst_case, point.value) for point in tradeoff.points], stairs=True),
        Curve(f"{words.bound}: no decision lies beyond", "bound", proved_line(tradeoff), dots=False),
    ]
    label = f"{words.worst} and {tradeoff.objective} of the decisions on the frontier"
    return xy_chart(curves, words.worst, f"{tradeoff.objective} {words.cost}", label, signed_x=True)


def proved_line(tradeoff: Tradeoff) -> list[Point]:
    """The bound below each limit: it falls where a limit ends."""
    line: list[Point] = []
    for point in tradeoff.points:
        limit = point.limit if math.isfinite(point.limit) else point.worst_case
        if math.isfinite(point.bound):
            line += [*([(line[-1][0], point.bound)] if line else []), (limit, point.bound)]
    return line


def _section(name: str, title: str, content: str) -> str:
    return (
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{title}</h2>{content}</section>\n'
    )
