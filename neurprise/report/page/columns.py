"""Small tables of the page by column, for readers without scripts and for the script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from neurprise.report import text
from neurprise.report.comparison import footnote
from neurprise.report.page.content import number
from neurprise.report.page.elements import short

if TYPE_CHECKING:
    from neurprise.report.comparison import Comparison
    from neurprise.report.report import Report

Entry = str | float


@dataclass(frozen=True)
class Column:
    """
    One column.

    Parameters
    ----------
    title
        Empty for bars.
    values
        Texts, or numbers; length L.
    best
        True for entries in bold, length L; empty for none.
    bars
        True: values are lengths in percent, drawn as bars.
    """

    title: str
    values: Sequence[Entry]
    best: Sequence[bool] = ()
    bars: bool = False

    @property
    def numeric(self) -> bool:
        return not any(isinstance(value, str) for value in self.values)

    def data(self) -> dict[str, Any]:
        """As `page.js` reads it."""
        values = [value if isinstance(value, str) else number(value) for value in self.values]
        data = {"title": self.title, "values": values, "numeric": self.numeric}
        return data | ({"best": list(self.best)} if self.best else {}) | ({"bars": True} if self.bars else {})

    def cell(self, row: int, words: text.Words) -> str:
        """The entry as an element."""
        value = self.values[row]
        if self.bars:
            return f'<td class="bars"><span class="bar" style="width:{value:.1f}%"></span></td>'
        if isinstance(value, str):
            return f"<td{short(value)}>{escape(value)}</td>"
        bold = " best" if self.best and self.best[row] else ""
        return f'<td class="number{bold}">{escape(words.amount(value))}</td>'


@dataclass(frozen=True)
class ColumnTable:
    """
    A table of the page.

    Parameters
    ----------
    caption
        Text above the table.
    file
        Name of its download.
    columns
        The first column names the rows.
    """

    caption: str
    file: str
    columns: Sequence[Column]

    def data(self) -> dict[str, Any]:
        """As `page.js` reads it."""
        return {"caption": self.caption, "file": self.file, "columns": [column.data() for column in self.columns]}

    def markup(self, words: text.Words, most: int) -> str:
        """The table as HTML, cut to the first rows."""
        names, *others = self.columns
        titles = "".join(
            "<td></td>"
            if column.bars
            else f'<th scope="col" class="{"number" if column.numeric else "text"}">{escape(column.title)}</th>'
            for column in self.columns
        )
        rows = "".join(
            f'<tr><th scope="row">{escape(str(name))}</th>'
            + "".join(column.cell(row, words) for column in others)
            + "</tr>"
            for row, name in enumerate(names.values[:most])
        )
        return (
            f'<div class="scroll"><table><caption>{escape(self.caption)}</caption>'
            f"<thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table></div>"
        )


def comparison_table(comparison: Comparison) -> ColumnTable:
    """One row per decision; the best of every column is bold, as in `Comparison.best`."""
    summary = comparison.summary()
    columns = [Column("decision", list(summary))]
    for key, title in comparison.titles.items():
        columns.append(Column(title, [float(row[key]) for row in summary.values()], comparison.best(key)))
    columns.append(Column("worst in", [str(row["worst_scenario"]) for row in summary.values()]))
    columns.append(Column("no recourse in", [row["infeasible"] for row in summary.values()]))
    caption = "; ".join(["over all scenarios; the best of a column is bold", *footnote(comparison.meant_for)])
    return ColumnTable(caption.replace("no star", "never bold"), "comparison.csv", columns)


def chosen_table(report: Report) -> ColumnTable | None:
    """Gain or score of each chosen scenario, with bars; None if neither is known."""
    if report.gains:
        caption, file = "gain of each scenario, in the order of choice", "gains.csv"
        known = [
            Column(text.words_of(report).gain, report.gains),
            Column("value", list(accumulate(report.gains))),
        ]
        lengths = [abs(gain) for gain in report.gains]
    elif report.scores:
        caption = f"scores of {report.reducer}; only their order has a meaning"
        file, known = "scores.csv", [Column("score", report.scores)]
        lengths = [score - min(0.0, *report.scores) for score in report.scores]
    else:
        return None
    names = [report.scenario_name(s) for s in report.scenarios[: len(lengths)]]
    longest = max(lengths) or 1.0
    bars = Column("", [round(100 * length / longest, 1) for length in lengths], bars=True)
    return ColumnTable(caption, file, [Column("scenario", names), *known, bars])
