"""How few scenarios suffice, beside the paper's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from neurprise.bench.aggregates import traces_of
from neurprise.bench.methods import METHODS
from neurprise.bench.rows import Row
from neurprise.bench.spec import Panel
from neurprise.bench.statistics import mean_of
from neurprise.bench.text_table import number, text_table
from neurprise.diagnostics import compression_budget, share_nonincreasing


def compression_table(panel: Panel, rows: Sequence[Row]) -> str:
    """How many scenarios bring V(R) within 1 % of the optimum, as a share of all; the paper's line above ours."""
    columns = ("method", "whose", "mean %", "95 % interval", "median %", "<= 2 %", "<= 4 %", "<= 8 %", "<= 12 %",
               "never %", "n", "gains fall %")  # fmt: skip
    lines = []
    for method in panel.methods:
        traces = traces_of([row for row in rows if row.method == method])
        if not traces:
            continue
        paper = panel.paper.get(method, ())
        title = METHODS[method].title
        if paper:
            shares = [number(value, 1) for value in paper]
            lines.append((title, "paper", shares[0], "-", *shares[1:], "-", "-"))
        lines.append((title, "ours", *_compression(panel, traces)))
    return text_table(columns, lines, left=2)


def _compression(panel: Panel, traces: list[tuple[list[float], float]]) -> tuple[str, ...]:
    scenarios = panel.instances.kept_scenarios or panel.instances.scenarios
    reached = [compression_budget(values, optimum) for values, optimum in traces]
    ratios = [100 * (k or panel.budgets[-1]) / scenarios for k in reached]
    within = [sum(k is not None and 100 * k / scenarios <= p for k in reached) for p in (2, 4, 8, 12)]
    average = mean_of(ratios)
    assert average is not None
    return (
        number(average.value, 1),
        f"[{average.low:.1f}, {average.high:.1f}]",
        number(median(ratios), 1),
        *(number(100 * count / len(reached), 1) for count in within),
        number(100 * reached.count(None) / len(reached), 1),
        str(len(reached)),
        number(100 * share_nonincreasing([values for values, _ in traces]), 1),
    )
