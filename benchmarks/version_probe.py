"""
What `benchmarks.versions` measures in one version of the package: run with that version on the path, prints JSON.

Uses only names that every version has, and nothing of the benchmarks around it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

import neurprise as nr

PROBLEMS: dict[str, Callable[[int], nr.TwoStageProblem]] = {
    "SEL-20-50": lambda seed: nr.make_selection(20, 50, seed),
    "SEL-50-100": lambda seed: nr.make_selection(50, 100, seed),
    "VC-20-50": lambda seed: nr.make_vertex_cover(20, 50, seed),
    "CFLP-10-10-20": lambda seed: nr.make_facility_location(10, 10, 20, seed),
    "CFLP-30-30-50": lambda seed: nr.make_facility_location(30, 30, 50, seed),
    "CFLP-70-70-50": lambda seed: nr.make_facility_location(70, 70, 50, seed),
    "VC-50-50": lambda seed: nr.make_vertex_cover(50, 50, seed),
}
EXACT = ("SEL-50-100", "VC-20-50", "CFLP-30-30-50", "CFLP-70-70-50", "VC-50-50")
#: Minutes each, so only if asked for; and a smaller one of the same kind, to warm up.
LONG = {"CFLP-70-70-50": "CFLP-30-30-50", "VC-50-50": "VC-20-50"}
PRISE = ("SEL-20-50", "VC-20-50", "CFLP-30-30-50")
#: Small enough for every method.
ANSWERED = ("SEL-20-50", "VC-20-50", "CFLP-10-10-20")
METHODS = ("exact", "prise", "neurprise", "ccg", "maxsum", "kmeans", "sor", "singlevalue", "random")
WARM_UP_SEED = 12345
#: CPU seconds after which a run is not repeated: longer ones vary less.
_LONG_ENOUGH = 1.0


def measure(names: list[str], instances: int, repeats: int) -> list[dict[str, Any]]:
    """CPU seconds (the least of the repeats) and values of exact search and of PRISE, one row an instance."""
    rows = []
    for task, measured in (("exact", EXACT), ("prise", PRISE)):
        for name in (name for name in measured if name in names):
            _run(task, PROBLEMS[LONG.get(name, name)](WARM_UP_SEED))  # loads and compiles what the task needs
            for seed in range(instances):
                rows.append({"task": task, "instance": name, "seed": seed, **_best(task, name, seed, repeats)})
    return rows


def answers(names: list[str], instances: int) -> list[dict[str, Any]]:
    """What every method answers with four scenarios on the instances of seeds 0, 1, ..."""
    rows = []
    for name in (name for name in ANSWERED if name in names):
        for method, seed in product(METHODS, range(instances)):
            problem = PROBLEMS[name](seed)
            try:
                report = nr.solve(problem) if method == "exact" else nr.solve(problem, method, budget=4, seed=seed)
            except nr.InputError as error:
                rows.append({"instance": name, "method": method, "seed": seed, "refused": type(error).__name__})
                continue
            found = {"worst_case": report.worst_case, "bound": report.lower_bound, "solves": report.num_solves}
            scenarios = [int(s) for s in report.scenarios]
            rows.append({"instance": name, "method": method, "seed": seed, "scenarios": scenarios, **found})
    return rows


def call_path(problem: nr.TwoStageProblem) -> dict[str, int]:
    """Files of the package that one reduced solve goes through, calls in it, and those from one file to another."""
    root = str(Path(nr.__file__).parent)
    files: set[str] = set()
    calls = {"calls": 0, "switches": 0}

    def count(frame: FrameType, event: str, argument: object) -> None:
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(root):
            return
        files.add(file)
        calls["calls"] += 1
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(root):
            caller = caller.f_back
        calls["switches"] += caller is not None and caller.f_code.co_filename != file

    nr.solve(problem, "neurprise", budget=6)
    sys.setprofile(count)
    try:
        nr.solve(problem, "neurprise", budget=6)
    finally:
        sys.setprofile(None)
    return {"files": len(files), **calls}


def _best(task: str, name: str, seed: int, repeats: int) -> dict[str, float]:
    seconds: list[float] = []
    value = 0.0
    while len(seconds) < repeats and sum(seconds) < _LONG_ENOUGH:
        problem = PROBLEMS[name](seed)
        start = time.process_time()
        value = _run(task, problem)
        seconds.append(time.process_time() - start)
    return {"cpu_s": min(seconds), "value": value}


def _run(task: str, problem: nr.TwoStageProblem) -> float:
    report = nr.solve(problem) if task == "exact" else nr.solve(problem, "prise", budget=6)
    return float(report.worst_case)


def print_measured(instances: str, repeats: str, *names: str) -> None:
    """Print what was measured; the path of a call only where vertex covers are."""
    found = {
        "rows": measure(list(names), int(instances), int(repeats)),
        "answers": answers(list(names), int(instances)),
        "path": call_path(PROBLEMS["VC-20-50"](7)) if "VC-20-50" in names else None,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    print_measured(*sys.argv[1:])
