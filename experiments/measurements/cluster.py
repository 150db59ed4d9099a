"""
What 100 and 1,000 cores would give: labelling simulated from measured rows.

Unit times are drawn with a seed from those of PRISE's choices in the experiment `small`; what a message costs the
caller is measured by `hand-out`. Assumptions: cores as fast as the measured one; every worker has two batches at hand,
as in `neurprise.parallel`, where short units travel in batches of half a second; the caller hands out batches and
stores their results one after another; workers are up after three seconds; no worker dies.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from experiments.instances.sets import SETS
from experiments.methods.base import Method
from experiments.row import Row
from experiments.spec import Panel, Spec
from experiments.views.text_table import number, text_table
from neurprise.parallel.workers import BatchSize, Done, Outcome

UNITS, CORES = (2500, 100_000), (1, 10, 100, 1000)
#: Seconds until workers are up.
START = 3.0
#: Units at hand for each worker, as in `ClusterPool.window`, and seconds of a batch, as in `ClusterPool.batch_seconds`.
WINDOW, BATCH_SECONDS = 2, 0.5


def makespan(seconds: Sequence[float], cores: int, overhead: float, start: float, batch_seconds: float = 0.0) -> float:
    """
    Wall-clock seconds until the last result is stored.

    The caller does one thing at a time, each message with its results `overhead` seconds. A batch waits for the caller,
    then for its worker; while a worker computes, its next batch is on the way.
    """
    size = BatchSize(batch_seconds)
    size.learn(Done([Outcome()] * len(seconds), sum(seconds)))
    # When each place of the window takes its next unit; in a sorted list, first places come before second ones.
    places = [(start, place, core) for place in range(WINDOW) for core in range(cores)]
    busy_until, caller, last = [start] * cores, start, start
    done = 0
    while done < len(seconds):
        number_of_units = size.next(len(seconds) - done, cores * WINDOW)
        ready, place, core = heapq.heappop(places)
        caller = max(caller, ready) + overhead
        busy_until[core] = max(busy_until[core], caller) + sum(seconds[done : done + number_of_units])
        done += number_of_units
        last = max(last, busy_until[core])
        heapq.heappush(places, (busy_until[core], place, core))
    return last


def cluster_table(spec: Spec, rows: Sequence[Row]) -> str:
    """Minutes, speedup and efficiency of labelling with more and more cores."""
    messages = [row.seconds_solve for row in rows if row.method == "hand-out-dask"]
    if not messages:
        return "no rows yet; make them with: python -m experiments run hand-out"
    lines = []
    for units in UNITS:
        for panel in spec.panels:
            single = [row.seconds_choosing for row in rows if _is_label(row, panel)]
            if single:
                drawn = np.random.default_rng(0).choice(np.array(single), units)
                lines += [_line(panel.instances.name, drawn.tolist(), cores, messages[-1]) for cores in CORES]
    table = text_table(("instances", "units", "cores", "minutes", "speedup", "efficiency %"), lines)
    return f"{1000 * messages[-1]:.2f} ms of the caller for a message\n{table}"


def _is_label(row: Row, panel: Panel) -> bool:
    return row.instances == panel.instances.name and row.method == "prise" and row.k == max(panel.budgets)


def _line(name: str, seconds: list[float], cores: int, overhead: float) -> tuple[str, ...]:
    whole = makespan(seconds, cores, overhead, START, BATCH_SECONDS)
    speedup = sum(seconds) / whole
    figures = (number(whole / 60, 2), number(speedup, 1), number(100 * speedup / cores, 1))
    return (name, str(len(seconds)), str(cores), *figures)


METHODS: dict[str, Method] = {}
VIEWS = {"cluster": cluster_table}
CLUSTER = Spec(
    "cluster-simulation",
    "What 100 and 1,000 cores would give, simulated",
    tuple(Panel(SETS[name], 0, ("prise",), (6,)) for name in ("SEL-20-50", "VC-20-50", "CFLP-30-30-50")),
    view="cluster",
    rows_of=("small", "hand-out"),
)
SPECS = (CLUSTER,)
