"""Rows as tables: the paper's number, ours, the difference, the interval, and what the paper does not have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby

from neurprise.bench.methods import METHODS
from neurprise.bench.rows import Row
from neurprise.bench.spec import Panel, Spec
from neurprise.bench.statistics import mean_of
from neurprise.bench.text_table import difference, number, seconds, text_table

#: Shows one panel from its rows.
View = Callable[[Panel, Sequence[Row]], str]


def table(spec: Spec, rows: Sequence[Row]) -> str:
    """Every panel of the spec that has rows, one view after another."""
    shown = []
    for panel in spec.panels:
        own = [row for row in rows if row.instances == panel.instances.name]
        shown += [f"{_heading(panel, own)}\n{VIEWS[view](panel, own)}" for view in spec.views if own]
    return "\n\n".join(shown) if shown else f"no rows yet; make them with: neurprise bench run {spec.name}"


def regret_table(panel: Panel, rows: Sequence[Row]) -> str:
    """Mean regret in percent: paper, ours, difference, interval, ties; what nr.solve returns and proves; seconds."""
    columns = (
        "method", "k", "paper", "ours", "diff", "95 % interval", "ties", "best", "nr.solve", "proved", "infeasible",
        "n", "seconds", "paper s", "nr.solve s",
    )  # fmt: skip
    lines = []
    for method in panel.methods:
        measured = [row for row in rows if row.method == method]
        lines += [_regret_line(panel, method, k, list(part)) for k, part in _by_budget(measured)]
    return text_table(columns, lines)


def _regret_line(panel: Panel, method: str, k: int | None, rows: list[Row]) -> tuple[str, ...]:
    ours = mean_of([row.regret for row in rows])
    paper = panel.paper_regret(method, k)
    gap = None if ours is None or paper is None else ours.value - paper
    infeasible = 100 * sum(row.infeasible for row in rows) / len(rows)
    return (
        METHODS[method].title,
        "-" if k is None else str(k),
        number(paper),
        number(_mean(rows, "regret")),
        difference(gap),
        "-" if ours is None else f"[{ours.low:.2f}, {ours.high:.2f}]",
        number(_mean(rows, "regret_ties")),
        number(_mean(rows, "regret_best_tie")),
        number(_mean(rows, "solve_regret")),
        number(_mean(rows, "regret_bound")),
        f"{infeasible:.0f} %" if infeasible else "-",
        str(len(rows)),
        seconds(_mean(rows, "seconds")),
        seconds(panel.paper_time(method, k)),
        seconds(_mean(rows, "seconds_solve")),
    )


def _mean(rows: Sequence[Row], field: str) -> float | None:
    """Of the rows that have a number there."""
    found = mean_of([getattr(row, field) for row in rows])
    return None if found is None else found.value


#: name in specs -> view
VIEWS: dict[str, View] = {"regret": regret_table}


def _heading(panel: Panel, rows: Sequence[Row]) -> str:
    """The set, how many of its instances were measured, and how many of their optima are not proved."""
    count = len({row.seed for row in rows})
    gaps = {row.seed: math.inf if row.optimum_gap is None else row.optimum_gap for row in rows}
    still_open = [gap for gap in gaps.values() if gap > OPEN]
    closed = f"; {len(still_open)} not closed, gap at most {max(still_open):.2f} %" if still_open else ""
    return f"{panel.instances.name}: {count} of {panel.count} instances{closed}"


#: Percent: a smaller gap is the engine's precision.
OPEN = 0.002


def _by_budget(rows: Sequence[Row]) -> list[tuple[int | None, list[Row]]]:
    ordered = sorted(rows, key=lambda row: (row.k or 0, row.seed))
    return [(k, list(part)) for k, part in groupby(ordered, key=lambda row: row.k)]
