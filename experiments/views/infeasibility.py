"""How often a decision leaves a scenario without recourse, beside the paper's numbers."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.methods import METHODS
from experiments.row import Row
from experiments.spec import Panel
from experiments.views.aggregates import by_budget
from experiments.views.statistics import share_of
from experiments.views.text_table import compared, interval, number, text_table


def infeasibility_table(panel: Panel, rows: Sequence[Row]) -> str:
    """Share of instances, in percent, whose decision leaves a scenario without recourse."""
    lines = []
    for method in panel.methods:
        for k, part in by_budget([row for row in rows if row.method == method]):
            ours = share_of(sum(row.infeasible for row in part), len(part))
            served = share_of(sum(row.solve_infeasible for row in part), len(part))
            paper = panel.paper_regret(method, k)
            budget = "-" if k is None else str(k)
            cells = (
                number(paper, 1),
                number(ours.value, 1),
                compared(ours, panel.printed(method, k)),
                interval(ours, 1),
            )
            lines.append((METHODS[method].title, budget, *cells, number(served.value, 1), str(len(part))))
    return text_table(("method", "k", "paper", "ours", "diff", "95 % interval", "nr.solve", "n"), lines)
