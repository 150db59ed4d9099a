"""The same network trained with several seeds."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.methods import METHODS
from experiments.row import Row
from experiments.spec import Panel
from experiments.views.aggregates import mean_field, mean_over_networks, spread_of_networks
from experiments.views.text_table import compared, interval, number, text_table


def seeds_table(panel: Panel, rows: Sequence[Row]) -> str:
    """Regret in percent by seed; mean over the seeds, its interval over instances, and what the paper printed."""
    lines = []
    for method in panel.methods:
        own = [row for row in rows if row.method == method]
        if own:
            means = [number(mean_field(part, "regret")) for part in _parts(panel, own)]
            lines.append((METHODS[method].title, *means, str(len({row.seed for row in own}))))
    ours = [mean_over_networks(part) for part in _parts(panel, rows)]
    paper = [panel.paper_regret("mean", k) for k in panel.budgets]
    summary = {
        "paper": map(number, paper),
        "ours, all": (number(None if one is None else one.value) for one in ours),
        "diff": (compared(one, panel.printed("mean", k)) for one, k in zip(ours, panel.budgets, strict=True)),
        "95 % interval": map(interval, ours),
        "between seeds, paper": (number(panel.paper_regret("deviation", k)) for k in panel.budgets),
        "between seeds, ours": (number(spread_of_networks(part)) for part in _parts(panel, rows)),
    }
    columns = ("network", *(f"k={k}" for k in panel.budgets), "n")
    return text_table(columns, [*lines, *((name, *cells, "") for name, cells in summary.items())])


def _parts(panel: Panel, rows: Sequence[Row]) -> list[list[Row]]:
    """By budget."""
    return [[row for row in rows if row.k == k] for k in panel.budgets]
