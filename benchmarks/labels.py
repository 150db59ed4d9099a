"""
Labelled instances per minute on two cores, for the paper's three small configurations.

    python -m benchmarks.labels [--instances 40] [--jobs 2]

A label is a whole PRISE trace with budget 8. "paper's 2,500" says how long the paper's label set would take at that
rate; there vertex cover took 14 hours of 40 threads.
"""

from __future__ import annotations

import tempfile
import time

from benchmarks.record import new_parser, publish, whole_table
from neurprise.learn.labels import label

CONFIGURATIONS = {
    "SEL-20-50": ("selection", 20),
    "VC-20-50": ("vertex-cover", 20),
    "CFLP-30-30-50": ("facility-location", 30),
}


def measure(family: str, size: int, instances: int, jobs: int) -> dict[str, float]:
    """Seconds to label that many instances from nothing, workers' start included."""
    with tempfile.TemporaryDirectory() as directory:
        start = time.perf_counter()
        label(directory, family=family, size=size, scenarios=50, count=instances, seed=7, jobs=jobs, exact=False)
        seconds = time.perf_counter() - start
    rate = 60 * instances / seconds
    return {"instances": instances, "seconds": seconds, "per_minute": rate, "paper's 2,500 (hours)": 2500 / rate / 60}


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(argv)
    rows = [
        {"instance": name, "jobs": options.jobs, **measure(*configuration, options.instances, options.jobs)}
        for name, configuration in CONFIGURATIONS.items()
    ]
    publish(options, "labels", rows, [whole_table("labels on this machine", rows)])


if __name__ == "__main__":
    main()
