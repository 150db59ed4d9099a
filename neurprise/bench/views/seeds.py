"""The same network trained with several seeds."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, stdev

from neurprise.bench.aggregates import mean_field
from neurprise.bench.methods import METHODS
from neurprise.bench.rows import Row
from neurprise.bench.spec import Panel
from neurprise.bench.text_table import number, text_table


def seeds_table(panel: Panel, rows: Sequence[Row]) -> str:
    """Regret in percent by seed, and mean and standard deviation over the seeds beside the paper's."""
    columns = ("network", *(f"k={k}" for k in panel.budgets), "n")
    by_seed = []
    lines = []
    for method in panel.methods:
        own = [row for row in rows if row.method == method]
        if own:
            means = [mean_field([row for row in own if row.k == k], "regret") for k in panel.budgets]
            by_seed.append(means)
            lines.append((METHODS[method].title, *map(number, means), str(len({row.seed for row in own}))))
    columns_of = [[value for value in column if value is not None] for column in zip(*by_seed, strict=True)]
    ours = [f"{mean(values):.2f} ± {stdev(values) if len(values) > 1 else 0:.2f}" for values in columns_of]
    printed = [[panel.paper_regret(what, k) for what in ("mean", "deviation")] for k in panel.budgets]
    paper = [f"{number(value)} ± {number(spread)}" for value, spread in printed]
    return text_table(columns, [*lines, ("ours, all", *ours, ""), ("paper", *paper, "")])
