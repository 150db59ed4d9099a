"""Rows in groups, and one number for a group."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from statistics import fmean, median, stdev

from experiments.row import Row
from experiments.spec import Panel
from experiments.views.statistics import Mean, mean_of


def rows_of(panel: Panel, rows: Sequence[Row]) -> list[Row]:
    """Those of its set and its methods; a panel without methods shows all."""
    named = panel.methods or {row.method for row in rows}
    return [row for row in rows if row.instances == panel.instances.name and row.method in named]


def code_of(rows: Sequence[Row]) -> str:
    """Which commits made the rows."""
    return f"code of {', '.join(dict.fromkeys(row.commit for row in rows if row.commit))}"


def mean_field(rows: Sequence[Row], field: str) -> float | None:
    """Of the rows that have a number there."""
    found = [value for row in rows if (value := getattr(row, field)) is not None]
    return fmean(found) if found else None


def mean_over_networks(rows: Sequence[Row]) -> Mean | None:
    """Mean regret in percent; each instance counts by its mean over the networks that were tried on it."""
    instances = dict.fromkeys(row.seed for row in rows)
    return mean_of([mean_field([row for row in rows if row.seed == seed], "regret") for seed in instances])


def spread_of_networks(rows: Sequence[Row]) -> float | None:
    """Standard deviation of the networks' mean regrets; None for a single one."""
    networks = dict.fromkeys(row.method for row in rows)
    means = [mean_field([row for row in rows if row.method == name], "regret") for name in networks]
    known = [value for value in means if value is not None]
    return stdev(known) if len(known) > 1 else None


def median_field(rows: Sequence[Row], field: str) -> float:
    """Of seconds: a few instances take far longer than the others, and a busy machine makes some of them so."""
    return median(float(getattr(row, field)) for row in rows)


def by_budget(rows: Sequence[Row]) -> list[tuple[int | None, list[Row]]]:
    ordered = sorted(rows, key=lambda row: (row.k or 0, row.seed))
    return [(k, list(part)) for k, part in groupby(ordered, key=lambda row: row.k)]


def traces_of(rows: Sequence[Row]) -> list[tuple[list[float], float]]:
    """V(R_1), V(R_2), ... and the optimum of every instance that was measured at all its budgets."""
    traces = []
    most = max((row.k or 0 for row in rows), default=0)
    for _, part in groupby(sorted(rows, key=lambda row: (row.seed, row.k or 0)), key=lambda row: row.seed):
        steps = list(part)
        values = [row.bound for row in steps if row.bound is not None]
        if len(values) == most and steps[0].optimum is not None:
            traces.append((values, steps[0].optimum))
    return traces
