"""Variants of one network, each trained with several seeds, beside the paper's means over its seeds."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.row import Row
from experiments.spec import Panel
from experiments.views.aggregates import by_budget, mean_field, mean_over_networks, spread_of_networks
from experiments.views.text_table import compared, interval, number, text_table


def ablation_table(panel: Panel, rows: Sequence[Row]) -> str:
    """Mean regret in percent over instances and seeds, its interval over instances, its deviation between seeds."""
    columns = (
        "variant", "k", "paper", "ours", "diff", "95 % interval", "between seeds", "nr.solve", "proved", "seeds", "n",
    )  # fmt: skip
    lines = []
    for variant, methods in panel.variants.items():
        measured = [row for row in rows if row.method in methods]
        lines += [(variant, *_numbers(panel, methods, k, part)) for k, part in by_budget(measured)]
    return text_table(columns, lines)


def _numbers(panel: Panel, methods: tuple[str, ...], k: int | None, rows: list[Row]) -> tuple[str, ...]:
    ours = mean_over_networks(rows)
    paper = panel.paper_regret(methods[0], k)
    return (
        "-" if k is None else str(k),
        number(paper),
        number(None if ours is None else ours.value),
        compared(ours, panel.printed(methods[0], k)),
        interval(ours),
        number(spread_of_networks(rows)),
        number(mean_field(rows, "solve_regret")),
        number(mean_field(rows, "regret_bound")),
        str(len({row.method for row in rows})),
        str(len({row.seed for row in rows})),
    )
