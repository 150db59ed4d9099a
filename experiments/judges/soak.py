"""
Thousands of mixed solves in one process: memory, open files and threads must not grow.

    python -m experiments run soak [--solves 2000]

Families and problems of none, linear and integer recourse, exact and by every kind of reducer, answers as JSON,
decisions evaluated again; every twentieth with SCIP where it is installed. Problems repeat after some hundred solves,
so that caches are full by then. `growth` compares the means of the second and the last fifth of the run; the command
fails where memory grows by more than `--most-growth` percent, or files or threads grow at all.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

import neurprise as nr
from experiments.judges.record import new_parser, publish

REDUCERS = ("random", "kmeans", "maxsum", "singlevalue", "ccg", "prise", "neurprise", "relaxation")
SAMPLES = 50
#: Kinds of problems repeat after so many seeds.
SEEDS = 12


def generic(seed: int, integer: bool) -> nr.TwoStageProblem:
    """A problem of no family: lots of two goods that sites deliver or that are bought."""
    rng = np.random.default_rng(seed)
    sites = 3 + seed % 3
    delivery = np.vstack([rng.integers(1, 6, (2, sites)), -np.eye(sites)])
    purchase = np.vstack([np.eye(2), np.zeros((sites, 2))])
    return nr.TwoStageProblem.from_matrices(
        c=rng.integers(5, 20, sites),
        A=np.zeros((0, sites)),
        d=np.zeros(0),
        G=np.hstack([delivery, purchase]),
        h=np.zeros(2 + sites),
        E=np.vstack([np.zeros((2, sites)), 3 * np.eye(sites)]),
        M=np.vstack([-np.eye(2), np.zeros((sites, 2))]),
        xi=rng.integers(4, 25, (8, 2)),
        b=np.concatenate([rng.integers(1, 5, sites), [9.0, 8.0]]),
        x_integer=True,
        y_integer=[integer] * sites + [False, False],
        x_upper=1,
    )


def problems(seed: int) -> dict[str, nr.TwoStageProblem]:
    """One small problem of each kind."""
    return {
        "selection": nr.make_selection(8 + seed % 4, 6, seed),
        "vertex cover": nr.make_vertex_cover(7 + seed % 4, 6, seed),
        "facility location": nr.make_facility_location(4, 4, 5, seed),
        "linear recourse": generic(seed, integer=False),
        "integer recourse": generic(seed, integer=True),
    }


def tasks(scip: bool) -> Iterator[Callable[[], Any]]:
    """Solves without end, no two neighbours of the same kind."""
    reducers, number = cycle(REDUCERS), 0
    while True:
        for problem in problems(number // 10 % SEEDS).values():
            number += 1
            if scip and number % 20 == 0:
                yield partial(nr.solve, problem, solver="scip")
            elif number % 2:
                yield partial(_exact, problem)
            else:
                yield partial(_reduced, problem, next(reducers))


def _exact(problem: nr.TwoStageProblem) -> None:
    nr.solve(problem).to_json()


def _reduced(problem: nr.TwoStageProblem, reducer: str) -> None:
    report = nr.solve(problem, reducer, 2)
    nr.evaluate(problem, report.x)
    report.to_dict()


def resources() -> dict[str, float]:
    """Resident memory in megabytes, open files and threads of this process, on systems with /proc."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "memory_mb": pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
        "files": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "python_threads": threading.active_count(),
    }


def soak(solves: int, scip: bool) -> list[dict[str, float]]:
    """Resources at regular moments."""
    every, found = max(1, solves // SAMPLES), []
    for number, task in zip(range(1, solves + 1), tasks(scip), strict=False):
        task()
        if number % every == 0:
            gc.collect()
            found.append({"solves": number, **resources()})
    return found


def growth(samples: list[dict[str, float]]) -> dict[str, float]:
    """Mean of the last fifth minus mean of the second fifth, of every resource."""
    fifth = max(1, len(samples) // 5)
    early, late = samples[fifth : 2 * fifth], samples[-fifth:]
    return {
        name: float(np.mean([row[name] for row in late]) - np.mean([row[name] for row in early]))
        for name in ("memory_mb", "files", "threads", "python_threads")
    }


def main(argv: list[str] | None = None) -> int:
    parser = new_parser(__doc__)
    parser.add_argument("--solves", type=int, default=2000)
    parser.add_argument("--most-growth", type=float, default=3.0, help="of memory, percent (default 3)")
    options = parser.parse_args(argv)
    try:
        import pyscipopt  # noqa: F401

        scip = True
    except ImportError:
        scip = False
    samples = soak(options.solves, scip)
    grown = growth(samples)
    percent = 100 * grown["memory_mb"] / samples[len(samples) // 5]["memory_mb"]
    row = {**samples[-1], **{f"growth of {name}": value for name, value in grown.items()}, "growth %": percent}
    publish(options, "soak", [row], "many solves in one process")
    harmless = percent <= options.most_growth and max(grown["files"], grown["threads"], grown["python_threads"]) < 1
    return 0 if harmless else 1
