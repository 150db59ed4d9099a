"""Variants of one network, each trained with several seeds, beside the paper's means over its seeds."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import stdev

from neurprise.bench.aggregates import by_budget, mean_field
from neurprise.bench.rows import Row
from neurprise.bench.spec import Panel
from neurprise.bench.statistics import mean_of, remark
from neurprise.bench.text_table import difference, number, text_table


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
    instances = dict.fromkeys(row.seed for row in rows)
    ours = mean_of([mean_field([row for row in rows if row.seed == seed], "regret") for seed in instances])
    by_network = [mean_field([row for row in rows if row.method == method], "regret") for method in methods]
    known = [value for value in by_network if value is not None]
    paper = panel.paper_regret(methods[0], k)
    gap = None if ours is None or paper is None else ours.value - paper
    return (
        "-" if k is None else str(k),
        number(paper),
        number(None if ours is None else ours.value),
        difference(gap) + remark(ours, paper),
        "-" if ours is None else f"[{ours.low:.2f}, {ours.high:.2f}]",
        f"{stdev(known):.2f}" if len(known) > 1 else "-",
        number(mean_field(rows, "solve_regret")),
        number(mean_field(rows, "regret_bound")),
        str(len(known)),
        str(len(instances)),
    )
