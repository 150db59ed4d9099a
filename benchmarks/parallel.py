"""
Labels per minute with one and with two workers in one run, and what handing out a unit of work costs.

    python -m benchmarks.parallel [--instances 200] [--families SEL VC CFLP] [--jobs 1 2] [--units 2000]

Both runs label the same instances and must find the same labels. "steady" counts from the first label on, without the
start of the workers; `ratio` compares steady rates. The overhead is the wall-clock time of units that do nothing, in
this process, in two processes, and, where Dask is installed, on a local cluster with two workers. The seconds of
processor time that each label took are kept for `python -m benchmarks.cluster_simulation`. `load` is what else the
machine was doing (processes that want to run, over the last minute): rates mean something only while it is small.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from typing import Any

from benchmarks.record import new_parser, publish, whole_table
from neurprise.clock import Deadline
from neurprise.learn.labels import LabelConfig, label_instance
from neurprise.parallel.pools import Pool, Workers
from neurprise.parallel.units import completed, completed_in

CONFIGURATIONS = {
    "SEL": ("SEL-20-50", LabelConfig("selection", (20,), 50, seed=7)),
    "VC": ("VC-20-50", LabelConfig("vertex-cover", (20,), 50, seed=7)),
    "CFLP": ("CFLP-30-30-50", LabelConfig("facility-location", (30,), 50, seed=7)),
}


def timed_label(config: LabelConfig, index: int) -> tuple[dict[str, Any], float]:
    """One label and the seconds of processor time that it took."""
    start = time.process_time()
    found = label_instance(config, index)
    return asdict(found), time.process_time() - start


def nothing(unit: int) -> int:
    return unit


def labelling(config: LabelConfig, instances: int, jobs: int) -> tuple[dict[str, float], dict[int, Any]]:
    """Rates with that many workers, and what they found by instance."""
    start, moments, found = time.perf_counter(), [], {}
    for index, result in completed(partial(timed_label, config), range(instances), Workers(jobs)):
        moments.append(time.perf_counter() - start)
        found[index] = result
    steady = 60 * (instances - 1) / max(moments[-1] - moments[0], 1e-9)
    seconds = {"seconds": moments[-1], "seconds_to_first": moments[0]}
    return {**seconds, "per_minute": 60 * instances / moments[-1], "steady_per_minute": steady}, found


def throughput(name: str, config: LabelConfig, instances: int, all_jobs: Sequence[int]) -> list[dict[str, Any]]:
    """One row for each number of workers, on the same instances."""
    label_instance(config, 0)  # compiled code is loaded before the clock starts; workers load theirs before the first
    rows, all_found = [], []
    for jobs in all_jobs:
        load = os.getloadavg()[0]
        rates, found = labelling(config, instances, jobs)
        rows.append({"instance": name, "jobs": jobs, "instances": instances, "load": load, **rates})
        all_found.append(found)
    labels = [{index: label for index, (label, _) in found.items()} for found in all_found]
    if any(found != labels[0] for found in labels):
        raise AssertionError(f"the labels of {name} depend on the number of workers")
    unit_seconds = [round(seconds, 5) for _, (_, seconds) in sorted(all_found[0].items())]
    first = rows[0]["steady_per_minute"]
    rows = [{**row, "ratio": row["steady_per_minute"] / first} for row in rows]
    return [{**rows[0], "unit_seconds": unit_seconds}, *rows[1:]]


def overhead(units: int) -> list[dict[str, Any]]:
    """Milliseconds of wall-clock time for each of many units that do nothing, workers up and running."""
    with ExitStack() as stack:
        pools = {"this process": Workers(), "two processes": Workers(2)}
        try:
            from distributed import LocalCluster
        except ImportError:
            pass
        else:
            local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, protocol="tcp")
            pools["Dask, two workers"] = Workers(cluster=stack.enter_context(local).scheduler_address)
        return [
            {"pool": name, "units": units, "load": os.getloadavg()[0], **costs(who, units)}
            for name, who in pools.items()
        ]


def costs(workers: Workers, units: int) -> dict[str, float]:
    """
    Milliseconds of a unit that travels alone, as long ones do, and of one that travels with others.

    And of the caller's processor time for one that travels alone; with Dask the scheduler's is in it, for a local
    cluster keeps it in the same process.
    """
    pool = workers.pool(nothing)
    try:
        together = per_unit(pool, units)
        pool.batch_seconds, processor = 0.0, time.process_time()
        alone = per_unit(pool, units)
        caller = 1000 * (time.process_time() - processor) / units
        return {"ms_alone": alone, "ms_together": together, "ms_caller": caller}
    finally:
        pool.close(at_once=False)


def per_unit(pool: Pool, units: int) -> float:
    moments = [time.perf_counter() for _ in completed_in(pool, range(units), Deadline())]
    return 1000 * (moments[-1] - moments[0]) / max(units - 1, 1)


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument("--families", nargs="+", choices=CONFIGURATIONS, default=list(CONFIGURATIONS))
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2], help="numbers of workers (default 1 2)")
    parser.add_argument("--units", type=int, default=2000, help="that do nothing (default 2000)")
    options = parser.parse_args(argv)
    rates = [
        row for name in options.families for row in throughput(*CONFIGURATIONS[name], options.instances, options.jobs)
    ]
    overheads = overhead(options.units)
    told = [{name: value for name, value in row.items() if name != "unit_seconds"} for row in rates]
    tables = [
        whole_table("labels by number of workers", told),
        whole_table("what a unit costs that does nothing", overheads),
    ]
    publish(options, "parallel", [*rates, *overheads], tables)


if __name__ == "__main__":
    main()
