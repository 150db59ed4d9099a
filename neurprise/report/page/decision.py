"""The decision on the page: grids of indexed variables, then a list of the others."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from neurprise.errors import part_of
from neurprise.report import text
from neurprise.report.grids import Grid, grids
from neurprise.report.page.elements import MAX_ROWS, rest, table

if TYPE_CHECKING:
    from neurprise.report.report import Report

#: Wider grids are cut.
MAX_COLUMNS = 60
#: Entries below this share of a grid's largest are rounding of the engine, and shown as 0; the list has them.
_ROUNDING = 1e-9


def decision_section(report: Report) -> str:
    """Grids for all readers; the others as a table, for readers with scripts the whole decision as one."""
    if report.decision is None:
        return "<p>None was found.</p>"
    found, others = grids(report.decision)
    chosen = [(name, text.number(value)) for name, value in others.items() if value != 0]
    static = f"{table(chosen[:MAX_ROWS], ('name', 'value'))}{rest(chosen)}" if chosen else ""
    listing = '<div class="live narrow" id="decision-table"></div>'
    if found and not chosen:
        listing = f'<details class="live"><summary>as a list</summary>{listing}</details>'
    return (
        f'<p class="note">{_not_zero(report.decision)}</p>{"".join(map(_grid, found))}'
        f'<div class="still narrow">{static}</div>{listing}'
    )


def _not_zero(decision: Mapping[str, float]) -> str:
    count = sum(value != 0 for value in decision.values())
    return (
        f"Not zero: {part_of(count, len(decision), 'variable')}." if count < len(decision) else "No variable is zero."
    )


def _grid(grid: Grid) -> str:
    """A table with row labels that stay in view."""
    head = "".join(f'<th scope="col" class="number">{escape(label)}</th>' for label in grid.columns[:MAX_COLUMNS])
    least = _ROUNDING * max(abs(value) for row in grid.values for value in row if value is not None)
    body = "".join(
        f'<tr><th scope="row">{escape(label)}</th>{"".join(_cell(v, least) for v in values[:MAX_COLUMNS])}</tr>'
        for label, values in list(zip(grid.rows, grid.values, strict=True))[:MAX_ROWS]
    )
    cut = len(grid.rows) > MAX_ROWS or len(grid.columns) > MAX_COLUMNS
    size = f"the first of {len(grid.rows):,} rows and {len(grid.columns):,} columns; the list has all"
    caption = ": ".join(part for part in (grid.title, size if cut else "") if part)
    return (
        f'<div class="scroll"><table class="grid">{f"<caption>{escape(caption)}</caption>" if caption else ""}'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(value: float | None, least: float) -> str:
    if value is None:
        return "<td></td>"
    value = value if abs(value) >= least else 0.0
    return f'<td class="number{"" if value else " zero"}">{escape(text.number(value))}</td>'
