"""Regret beside the paper's: the reduced problem's own solution, what nr.solve returns and proves, and seconds."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.methods import METHODS
from experiments.row import Row
from experiments.spec import Panel
from experiments.views.aggregates import by_budget, mean_field, median_field
from experiments.views.statistics import mean_of
from experiments.views.text_table import compared, interval, number, seconds, text_table


def regret_table(panel: Panel, rows: Sequence[Row]) -> str:
    """Mean regret in percent: paper, ours, difference, interval, ties; what nr.solve returns and proves; seconds."""
    columns = (
        "method", "k", "paper", "ours", "diff", "95 % interval", "ties", "best", "nr.solve", "proved", "infeasible",
        "n", "seconds", "paper s", "nr.solve s",
    )  # fmt: skip
    lines = []
    for method in panel.methods:
        measured = [row for row in rows if row.method == method]
        lines += [_regret_line(panel, method, k, list(part)) for k, part in by_budget(measured)]
    return text_table(columns, lines)


def _regret_line(panel: Panel, method: str, k: int | None, rows: list[Row]) -> tuple[str, ...]:
    ours = mean_of([row.regret for row in rows])
    paper = panel.paper_regret(method, k)
    infeasible = 100 * sum(row.infeasible for row in rows) / len(rows)
    return (
        METHODS[method].title,
        "-" if k is None else str(k),
        number(paper),
        number(mean_field(rows, "regret")),
        compared(ours, panel.printed(method, k)),
        interval(ours),
        number(mean_field(rows, "regret_ties")),
        number(mean_field(rows, "regret_best_tie")),
        number(mean_field(rows, "solve_regret")),
        number(mean_field(rows, "regret_bound")),
        f"{infeasible:.0f} %" if infeasible else "-",
        str(len(rows)),
        seconds(median_field(rows, "seconds")),
        seconds(panel.paper_time(method, k)),
        seconds(median_field(rows, "seconds_solve")),
    )
