"""
nr.solve against one extensive form given to the same engine, both to gap 1e-4, side by side in one run.

    python -m benchmarks.exact [--instances 3] [--time-limit 600]

Also printed: the time of solving the final master once, the floor of any method that proves its bound with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import neurprise as nr
from benchmarks.record import geometric_mean, new_parser, publish
from neurprise.evaluate import Evaluator
from neurprise.exact.master import Master
from neurprise.solvers import Limits, get_engine

GAP = 1e-4
CONFIGURATIONS: dict[str, Callable[[int], nr.TwoStageProblem]] = {
    "SEL-50-100": lambda seed: nr.make_selection(50, 100, seed),
    "VC-20-50": lambda seed: nr.make_vertex_cover(20, 50, seed),
    "CFLP-30-30-50": lambda seed: nr.make_facility_location(30, 30, 50, seed),
}


def compare(problem: nr.TwoStageProblem, time_limit: float) -> dict[str, float]:
    """Seconds and values of both ways, and of the final master alone."""
    engine = get_engine("highs")
    master = Master(Evaluator(problem, engine), engine)
    start = time.perf_counter()
    report = nr.solve(problem, gap=GAP)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    whole = master.solve(range(problem.num_scenarios), Limits(gap=GAP, time_limit=time_limit))
    extensive = time.perf_counter() - start
    start = time.perf_counter()
    master.solve(report.scenarios, Limits(gap=GAP, time_limit=time_limit))
    floor = time.perf_counter() - start
    if abs(whole.value - report.worst_case) > 3 * GAP * abs(whole.value) and whole.bound >= whole.value * (1 - GAP):
        raise SystemExit(f"the two ways disagree: {whole.value} and {report.worst_case}")
    return {
        "ours_s": ours,
        "extensive_s": extensive,
        "ratio": extensive / ours,
        "final_master_s": floor,
        "to_floor": ours / floor,
        "value": report.worst_case,
        "extensive_closed": float(whole.bound >= whole.value * (1 - 1.01 * GAP)),
    }


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--instances", type=int, default=3, help="instances of each configuration")
    parser.add_argument("--time-limit", type=float, default=600.0, help="seconds for one extensive form")
    options = parser.parse_args(argv)
    nr.solve(nr.make_vertex_cover(8, 3, 0))  # compiles the oracles, so that no row pays for it
    rows = []
    for name, make in CONFIGURATIONS.items():
        for seed in range(options.instances):
            rows.append({"instance": name, "seed": seed, **compare(make(seed), options.time_limit)})
    columns = ["instance", "seed", "extensive_s", "ours_s", "ratio", "final_master_s", "to_floor", "extensive_closed"]
    table = ("extensive form (HiGHS) against nr.solve, gap 1e-4", columns, [[row[c] for c in columns] for row in rows])
    publish(options, "exact", rows, [table], _notes(rows))


def _notes(rows: list[dict[str, Any]]) -> list[str]:
    notes = []
    for name in dict.fromkeys(row["instance"] for row in rows):
        mine = [row for row in rows if row["instance"] == name]
        ratio, floor = (geometric_mean([row[c] for row in mine]) for c in ("ratio", "to_floor"))
        notes.append(f"{name}: {ratio:.1f} times faster, {floor:.2f} times the final master (geometric means)")
    whole = geometric_mean([row["ratio"] for row in rows])
    return [*notes, f"all: {whole:.1f} times faster (geometric mean)"]


if __name__ == "__main__":
    main()
