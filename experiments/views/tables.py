"""Rows as tables: which view shows them, and what stands above each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from experiments.methods import METHODS
from experiments.row import Row
from experiments.spec import Panel, Spec
from experiments.views.ablation import ablation_table
from experiments.views.aggregates import code_of, rows_of
from experiments.views.classes import classes_table
from experiments.views.compression import compression_table
from experiments.views.growth import growth_table
from experiments.views.headline import headline_table
from experiments.views.infeasibility import infeasibility_table
from experiments.views.limits import limits_table
from experiments.views.readings import readings_table
from experiments.views.regret import regret_table
from experiments.views.seeds import seeds_table
from experiments.views.speed import speed_table
from experiments.views.summary import summary_table
from experiments.views.winners import winners_table

#: Percent: a smaller gap is the engine's precision.
OPEN = 0.002
#: Shows one panel from its rows.
View = Callable[[Panel, Sequence[Row]], str]

#: name in specs -> view of one panel
VIEWS: dict[str, View] = {
    "regret": regret_table,
    "infeasibility": infeasibility_table,
    "compression": compression_table,
    "seeds": seeds_table,
    "ablation": ablation_table,
}
#: name in specs -> view of all panels together
WHOLE_VIEWS: dict[str, Callable[[Spec, Sequence[Row]], str]] = {
    "growth": growth_table,
    "winners": winners_table,
    "speed": speed_table,
    "limits": limits_table,
    "classes": classes_table,
    "summary": summary_table,
    "headline": headline_table,
    "readings": readings_table,
}


def table(spec: Spec, rows: Sequence[Row]) -> str:
    """Every panel of the spec, also one without rows; rows of methods that a panel does not list are left out."""
    if not rows:
        return _nothing(spec)
    if spec.view in WHOLE_VIEWS:
        return WHOLE_VIEWS[spec.view](spec, rows)
    return "\n\n".join(_panel(spec, panel, rows) for panel in spec.panels)


def _panel(spec: Spec, panel: Panel, rows: Sequence[Row]) -> str:
    name = panel.instances.name
    own = rows_of(panel, rows)
    if own:
        return f"{_heading(panel, own)}\n{VIEWS[spec.view](panel, own)}"
    return f"{name}: no instance yet; measure with: {_command(spec)} --sets {name}"


def _nothing(spec: Spec) -> str:
    return f"no rows yet; make them with: {_command(spec)}"


def _command(spec: Spec) -> str:
    return f"python -m experiments run {' or '.join(spec.rows_of) or spec.name}"


def _heading(panel: Panel, rows: Sequence[Row]) -> str:
    """How many instances of the set were measured, by which code, and how many optima and reduced problems are open."""
    count = len({row.seed for row in rows})
    gaps = {row.seed: math.inf if row.optimum_gap is None else row.optimum_gap for row in rows}
    still_open = [gap for gap in gaps.values() if gap > OPEN]
    closed = f"; {len(still_open)} not closed, gap at most {max(still_open):.2f} %" if still_open else ""
    late = [row.gap for row in rows if row.gap > METHODS[row.method].gap]
    if late:
        closed += (
            f"; {len(late)} of {len(rows)} reduced problems not closed in time, gap at most {100 * max(late):.1f} %"
        )
    return f"{panel.instances.name}: {count} of {panel.count} instances{closed} ({code_of(rows)})"
