"""
One search with whatever version of the package is on the path: `version_probe.py FILE TASK GAP SECONDS` prints JSON.

Uses only names that every version has, and nothing of the lab around it.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import neurprise as nr

#: Wall-clock seconds of a search before the measured one, which loads and compiles what it needs.
WARM_UP = 2.0
#: Scenarios that PRISE keeps.
BUDGET = 6
#: The quickest of so many searches counts, unless together they took so many CPU seconds: longer ones vary less.
REPEATS, LONG_ENOUGH = 5, 1.0


def search(path: str, task: str, gap: str, seconds: str) -> None:
    """Print what was found and the CPU seconds that it took, or the error that ended it."""
    asked: dict[str, Any] = {"gap": float(gap)} | ({} if task == "exact" else {"reducer": task, "budget": BUDGET})
    try:
        nr.solve(nr.read(path), **asked, time_limit=WARM_UP)
        found = [_timed(path, asked, float(seconds))]
        while len(found) < REPEATS and sum(one["cpu_s"] for one in found) < LONG_ENOUGH:
            found.append(_timed(path, asked, float(seconds)))
    except nr.EngineError as error:
        print(json.dumps({"error": str(error)}))
        return
    print(json.dumps(min(found, key=lambda one: one["cpu_s"])))


def _timed(path: str, asked: dict[str, Any], seconds: float) -> dict[str, Any]:
    """On a problem that nobody has asked anything yet."""
    problem = nr.read(path)
    start = time.process_time()
    report = nr.solve(problem, **asked, time_limit=seconds)
    took = time.process_time() - start
    return {
        "cpu_s": took,
        "worst_case": report.worst_case,
        "lower_bound": report.lower_bound,
        "scenarios": [int(s) for s in report.scenarios],
    }


if __name__ == "__main__":
    search(*sys.argv[1:])
