"""How few scenarios suffice, beside the paper's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from experiments.instances.sets import FIRST_SEED
from experiments.methods import METHODS
from experiments.row import Row
from experiments.spec import Panel
from experiments.views.aggregates import traces_of
from experiments.views.statistics import Mean, Printed, mean_of
from experiments.views.text_table import compared, difference, interval, number, text_table
from experiments.views.traces import compression_budget, share_nonincreasing


def compression_table(panel: Panel, rows: Sequence[Row]) -> str:
    """How many scenarios bring V(R) within 1 % of the optimum, as a share of all: the paper's, ours, the difference."""
    columns = ("method", "whose", "mean %", "95 % interval", "median %", "<= 2 %", "<= 4 %", "<= 8 %", "<= 12 %",
               "never %", "n", "gains fall %")  # fmt: skip
    lines = []
    for method in panel.methods:
        traces = traces_of([row for row in rows if row.method == method])
        if not traces:
            continue
        title, paper = METHODS[method].title, panel.paper.get(method, ())
        average, shares = _compression(panel, traces)
        numbers = [number(value, 1) for value in shares]
        falling = number(100 * share_nonincreasing([values for values, _ in traces]), 1)
        if paper:
            printed = [number(value, 1) for value in paper]
            lines.append((title, "paper", printed[0], "-", *printed[1:], "-", "-"))
        lines.append((title, "ours", numbers[0], interval(average, 1), *numbers[1:], str(len(traces)), falling))
        if paper:
            change = [difference(ours - (theirs or 0.0), 1) for ours, theirs in zip(shares[1:], paper[1:], strict=True)]
            lines.append(
                (title, "diff", compared(average, Printed(paper[0] or 0.0, panel.count, 1)), "-", *change, "-", "-")
            )
    return text_table(columns, lines, left=2)


def _compression(panel: Panel, traces: list[tuple[list[float], float]]) -> tuple[Mean, list[float]]:
    """The mean share with its interval; mean, median, shares of instances within 2, 4, 8, 12 %, and never, in %."""
    scenarios = panel.instances.problem(FIRST_SEED).num_scenarios
    reached = [compression_budget(values, optimum) for values, optimum in traces]
    ratios = [100 * (k or panel.budgets[-1]) / scenarios for k in reached]
    within = [sum(k is not None and 100 * k / scenarios <= p for k in reached) for p in (2, 4, 8, 12)]
    average = mean_of(ratios)
    assert average is not None
    counts = (*within, reached.count(None))
    return average, [average.value, median(ratios), *(100 * count / len(reached) for count in counts)]
