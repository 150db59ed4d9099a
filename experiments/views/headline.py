"""The paper's headline: how much faster a network chooses than PRISE, as Algorithm 1 and as it is here."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from experiments.row import Row
from experiments.spec import Panel, Spec
from experiments.views.aggregates import rows_of
from experiments.views.text_table import seconds, text_table

BUDGET = 6
#: Of choosing alone: method and budget of the rows. PRISE takes eight steps at most, the network is asked for six.
CHOOSING = {
    "Algorithm 1": ("algorithm-1", 8),
    "PRISE": ("prise-alone", 8),
    "NeurPRISE": ("neurprise-alone", BUDGET),
}


def headline_table(spec: Spec, rows: Sequence[Row]) -> str:
    """Mean seconds of choosing, and of choosing, solving and evaluating; how often as fast the network is."""
    lines = [line for panel in spec.panels for line in _lines(panel, rows)]
    columns = (
        "instances", "seconds of", *CHOOSING, "Algorithm 1 / NeurPRISE", "PRISE / NeurPRISE", "Algorithm 1 / PRISE",
        "paper's PRISE / NeurPRISE", "n",
    )  # fmt: skip
    return text_table(columns, lines, left=2)


def _lines(panel: Panel, rows: Sequence[Row]) -> list[tuple[str, ...]]:
    name, own = panel.instances.name, [row for row in rows if row.instances == panel.instances.name]
    choosing = {title: [r.seconds_solve for r in own if (r.method, r.k) == key] for title, key in CHOOSING.items()}
    pipeline = {
        title: [r.seconds for r in rows_of(panel, own) if (r.method, r.k) == (method, BUDGET)]
        for title, method in (("PRISE", "prise"), ("NeurPRISE", "neurprise"))
    }
    if not all([*choosing.values(), *pipeline.values()]):
        return []
    whole = {title: fmean(found) for title, found in pipeline.items()}
    # What follows the choice is that of PRISE: the choices are the same.
    later = whole["PRISE"] - fmean(r.seconds_choosing for r in own if (r.method, r.k) == ("prise", BUDGET))
    alone = {title: fmean(found) for title, found in choosing.items()}
    whole = {"Algorithm 1": alone["Algorithm 1"] + later, **whole}
    theirs = [panel.paper_time(method, BUDGET) for method in ("prise", "neurprise")]
    printed = "-" if None in theirs else _ratio((theirs[0] or 0.0) / (theirs[1] or 1.0))
    counts = ["/".join(dict.fromkeys(str(len(found)) for found in part.values())) for part in (choosing, pipeline)]
    return [
        (name, "choosing", *_cells(alone), "-", counts[0]),
        (name, "the pipeline", *_cells(whole), printed, counts[1]),
    ]


def _cells(means: dict[str, float]) -> list[str]:
    first, prise, network = (means[title] for title in CHOOSING)
    return [*map(seconds, (first, prise, network)), *map(_ratio, (first / network, prise / network, first / prise))]


def _ratio(times: float) -> str:
    """Three digits, large ones in full."""
    return f"{times:,.0f}" if times >= 100 else f"{times:.3g}"
