"""The paper's main numbers beside ours, one line per method."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.methods import METHODS
from experiments.row import Row
from experiments.spec import Panel, Spec
from experiments.views.aggregates import mean_field, median_field, rows_of
from experiments.views.text_table import number, seconds, text_table


def summary_table(spec: Spec, rows: Sequence[Row]) -> str:
    """Mean regret in percent by set, method and budget, as "ours (paper)"; seconds at the largest budget likewise."""
    budgets = spec.panels[0].budgets
    lines = []
    for panel in spec.panels:
        own = rows_of(panel, rows)
        for method in panel.methods:
            measured = [row for row in own if row.method == method]
            if measured:
                lines.append(_line(panel, method, measured))
    columns = ("instances", "method", "no budget", *(f"k = {k}" for k in budgets), "seconds", "n")
    return text_table(columns, lines, left=2)


def _line(panel: Panel, method: str, rows: Sequence[Row]) -> tuple[str, ...]:
    by_budget = {k: [row for row in rows if row.k == k] for k in (None, *panel.budgets)}
    cells = [
        _beside(number(mean_field(part, "regret")), number(panel.paper_regret(method, k))) if part else "-"
        for k, part in by_budget.items()
    ]
    last = max((k for k, part in by_budget.items() if part), key=lambda k: k or 0)
    taken = _beside(seconds(median_field(by_budget[last], "seconds")), seconds(panel.paper_time(method, last)))
    return (panel.instances.name, METHODS[method].title, *cells, taken, str(len({row.seed for row in rows})))


def _beside(ours: str, paper: str) -> str:
    return ours if paper == "-" else f"{ours} ({paper})"
