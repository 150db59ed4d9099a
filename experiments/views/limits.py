"""Searches that a clock ends, beside each other: seconds and gaps, and where one has nothing or less than the other."""

from __future__ import annotations

import math
from collections.abc import Sequence

from experiments.methods import METHODS
from experiments.methods.answers import OVER
from experiments.row import Row
from experiments.spec import Spec
from experiments.views.speed import is_closed, speed_table


def limits_table(spec: Spec, rows: Sequence[Row]) -> str:
    """The table of seconds and gaps, and a verdict on every method."""
    baseline = next((panel.baseline for panel in spec.panels), "")
    methods = dict.fromkeys(name for panel in spec.panels for name in panel.methods)
    sets = {panel.instances.name for panel in spec.panels}
    own = [row for row in rows if row.instances in sets]
    said = [_verdict(own, method, baseline) for method in methods if method != baseline]
    return "\n".join([speed_table(spec, rows), *said])


def _verdict(rows: Sequence[Row], method: str, baseline: str) -> str:
    own = {row.instances: row for row in rows if row.method == method}
    others = {row.instances: row for row in rows if row.method == baseline}
    none = [name for name, row in own.items() if row.solve_objective is None]
    behind = [name for name in own if name in others and _is_behind(own[name], others[name])]
    said = [f"no decision: {_listed(none)}"]
    if others:
        said.append(f"larger gap than {METHODS[baseline].title}: {_listed(behind)}")
    late = max(own.values(), key=lambda row: row.measured.get(OVER, -math.inf), default=None)
    if late is not None and OVER in late.measured:
        said.append(f"at most {max(late.measured[OVER], 0):.2g} s over its limit ({late.instances})")
    return f"{METHODS[method].title}: {'; '.join(said)}"


def _is_behind(row: Row, other: Row) -> bool:
    return not is_closed(row) and _absolute_gap(row) > 1.0001 * _absolute_gap(other) + 1e-6


def _absolute_gap(row: Row) -> float:
    if row.solve_objective is None or row.bound is None:
        return math.inf
    return abs(row.solve_objective - row.bound)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "nowhere"
