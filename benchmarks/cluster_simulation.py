"""
What 100 and 1,000 cores would give: labelling simulated from the measured seconds of single labels.

    python -m benchmarks.cluster_simulation [--units 2500 100000] [--cores 1 2 10 100 1000]

Unit times are drawn with a seed from the last measured ones of each family (`python -m benchmarks.parallel`, rows in
results/parallel.jsonl). Assumptions: cores as fast as the measured one; every worker has two units at hand, as in
`neurprise.parallel`, where short units travel in batches of half a second; the caller hands out batches and stores
their results one after another, each message at the measured processor time of the caller and the scheduler; workers
are up after `--start` seconds; no worker dies.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.parallel import CONFIGURATIONS, timed_label
from benchmarks.record import RESULTS, new_parser, publish, whole_table
from neurprise.parallel.batches import BatchSize, Done, Outcome
from neurprise.storage.rows import read_rows

#: Used until an overhead was measured: milliseconds.
UNMEASURED_OVERHEAD = 2.0
#: Units at hand for each worker, as in `ClusterPool.window`.
WINDOW = 2
#: Of a batch, as in `ClusterPool.batch_seconds`.
BATCH_SECONDS = 0.5


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
        number = size.next(len(seconds) - done, cores * WINDOW)
        ready, place, core = heapq.heappop(places)
        caller = max(caller, ready) + overhead
        busy_until[core] = max(busy_until[core], caller) + sum(seconds[done : done + number])
        done += number
        last = max(last, busy_until[core])
        heapq.heappush(places, (busy_until[core], place, core))
    return last


def simulate(
    name: str, measured: Sequence[float], units: int, cores: Sequence[int], overhead: float, start: float
) -> list[dict[str, Any]]:
    """One row for each number of cores."""
    drawn = np.random.default_rng(0).choice(np.asarray(measured), units)
    rows = []
    for number in cores:
        seconds = makespan(drawn.tolist(), number, overhead, start, BATCH_SECONDS)
        speedup = float(drawn.sum()) / seconds
        rows.append(
            {
                "instance": name,
                "units": units,
                "cores": number,
                "minutes": seconds / 60,
                "speedup": speedup,
                "efficiency %": 100 * speedup / number,
            }
        )
    return rows


def last_measured() -> tuple[dict[str, list[float]], float]:
    """Seconds of single labels by family, and the caller's milliseconds for a message on Dask."""
    rows = read_rows(RESULTS / "parallel.jsonl")
    seconds = {row["instance"]: row["unit_seconds"] for row in rows if "unit_seconds" in row}
    if not seconds:  # nothing was measured yet: a few labels, here and now
        name, config = CONFIGURATIONS["SEL"]
        seconds = {name: [timed_label(config, index)[1] for index in range(20)]}
    overheads = [row["ms_caller"] for row in rows if row.get("pool", "").startswith("Dask")]
    return seconds, overheads[-1] if overheads else UNMEASURED_OVERHEAD


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--units", type=int, nargs="+", default=[2500, 100_000])
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2, 10, 100, 1000])
    parser.add_argument("--start", type=float, default=3.0, help="seconds until workers are up (default 3)")
    options = parser.parse_args(argv)
    measured, milliseconds = last_measured()
    rows = [
        row
        for units in options.units
        for name, seconds in measured.items()
        for row in simulate(name, seconds, units, options.cores, milliseconds / 1000, options.start)
    ]
    notes = [
        f"the caller's time for a message: {milliseconds:.2f} ms; labels measured: {sum(map(len, measured.values()))}"
    ]
    publish(options, "cluster_simulation", rows, [whole_table("labelling, simulated", rows)], notes)


if __name__ == "__main__":
    main()
