"""How far MaxSum, which needs no training, is from the paper's numbers under each reading of its text."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from experiments.row import Row
from experiments.spec import Panel, Spec
from experiments.views.aggregates import mean_field, rows_of
from experiments.views.text_table import number, text_table


def readings_table(spec: Spec, rows: Sequence[Row]) -> str:
    """Mean regret of MaxSum beside the paper's; mean distance in percentage points, of MaxSum and of NeurPRISE."""
    budgets, lines = spec.panels[0].budgets, []
    paper = ""
    for panel in spec.panels:
        own = rows_of(panel, rows)
        if not own:
            continue
        name, _, reading = panel.instances.name.partition(": ")
        if name != paper:
            printed = [number(panel.paper_regret("maxsum", k)) for k in budgets]
            lines.append((name, "the paper", *printed, "", "", ""))
            paper = name
        ours = [number(mean_field(_at(own, "maxsum", k), "regret")) for k in budgets]
        far = [number(_distance(panel, own, method)) for method in panel.methods]
        lines.append(("", reading, *ours, *far, str(len({row.seed for row in own}))))
    columns = ("instances", "reading", *(f"k = {k}" for k in budgets), "distance", "NeurPRISE", "n")
    return text_table(columns, lines, left=2)


def _at(rows: Sequence[Row], method: str, k: int) -> list[Row]:
    return [row for row in rows if row.method == method and row.k == k]


def _distance(panel: Panel, rows: Sequence[Row], method: str) -> float | None:
    """Mean over the budgets of the distance between our mean regret and the paper's."""
    pairs = [(mean_field(_at(rows, method, k), "regret"), panel.paper_regret(method, k)) for k in panel.budgets]
    known = [abs(ours - paper) for ours, paper in pairs if ours is not None and paper is not None]
    return fmean(known) if known else None
