"""
Plain search with whatever version of the package is on the path: `plain_probe.py FILE GAP SECONDS` prints JSON.

Uses only names that every version has, and nothing of the benchmarks around it.
"""

from __future__ import annotations

import json
import sys
import time

import neurprise as nr

#: Wall-clock seconds of a search before the measured one, which loads and compiles what it needs.
WARM_UP = 2.0


def search(path: str, gap: str, time_limit: str) -> None:
    """Print what it found and the CPU seconds that it took, or the error that ended it."""
    problem = nr.read(path)
    try:
        nr.solve(problem, gap=float(gap), time_limit=WARM_UP)
        start = time.process_time()
        report = nr.solve(problem, gap=float(gap), time_limit=float(time_limit))
    except nr.EngineError as error:
        print(json.dumps({"error": str(error)}))
        return
    found = {
        "cpu_s": time.process_time() - start,
        "worst_case": report.worst_case,
        "lower_bound": report.lower_bound,
        "num_scenarios": len(report.scenarios),
        "num_solves": report.num_solves,
        "status": str(report.status.value),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    search(*sys.argv[1:])
