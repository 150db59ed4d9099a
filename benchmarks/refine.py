"""
Does exact search get there sooner from the scenarios that the universal checkpoint chooses?

    python -m benchmarks.refine [--instances vc-50-50-1 ...] [--budget 4] [--gap 0.01] [--time-limit 120] [--turns 1]

Plain search and refined search by turns on the same problem; CPU seconds of one thread until the proved gap is first
below `--gap`, choosing scenarios included. A search that does not get there in time counts with the time that it had.
The public instances are read from ../shared/data.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import neurprise as nr
from benchmarks.record import Shown, geometric_mean, new_parser, publish
from benchmarks.unseen_classes import DATA, public_instance, recombined_network
from neurprise.convergence import Iteration, relative_gap

NAME = "refine"
PLAIN, REFINED = "plain", "refined"


INSTANCES: dict[str, Callable[[], nr.TwoStageProblem]] = {
    **{f"vc-50-50-{seed}": partial(nr.make_vertex_cover, 50, 50, seed) for seed in (1, 2)},
    **{name: partial(public_instance, name) for name in ("dcap332_200", "dcap243_200", "sslp_10_50_500")},
    **{f"netdes-200-{seed}": partial(recombined_network, 200, seed) for seed in (1, 2)},
}
#: What needs no file.
GENERATED = tuple(name for name in INSTANCES if name.startswith("vc-"))


class _GapClock:
    """Notes the CPU seconds after which the gap was first reached, and ends the search there."""

    def __init__(self, gap: float) -> None:
        self._gap, self._start = gap, time.process_time()
        self.seconds: float | None = None

    @property
    def elapsed(self) -> float:
        return time.process_time() - self._start

    def __call__(self, line: Iteration) -> bool:
        reached = relative_gap(line.worst_case, line.lower_bound) <= self._gap
        if reached and self.seconds is None:
            self.seconds = self.elapsed
        return reached


def measured(problem: nr.TwoStageProblem, way: str, budget: int, gap: float, time_limit: float) -> dict[str, Any]:
    """CPU seconds of one search to the gap."""
    clock = _GapClock(gap)
    options: dict[str, Any] = {"gap": gap, "time_limit": time_limit, "on_progress": clock}
    if way == PLAIN:
        report = nr.solve(problem, **options)
    else:
        report = nr.solve(problem, nr.reducers.NeurPRISE("universal"), budget, refine=True, **options)
    reached = relative_gap(report.worst_case, report.lower_bound) <= gap
    return {
        "method": way,
        "reached": reached,
        "cpu_s": clock.elapsed if clock.seconds is None else clock.seconds,
        "gap_percent": 100 * relative_gap(report.worst_case, report.lower_bound),
        "num_scenarios": len(report.scenarios),
        "num_solves": report.num_solves,
        "status": str(report.status),
    }


def compared(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each instance: the least seconds of both ways, and how many times sooner the refined one is."""
    shown = []
    for name in dict.fromkeys(row["instance"] for row in rows):
        mine = [row for row in rows if row["instance"] == name]
        best = {way: min((r for r in mine if r["method"] == way), key=_seconds) for way in (PLAIN, REFINED)}
        plain, refined = best[PLAIN], best[REFINED]
        shown.append(
            {
                "instance": name,
                "plain_s": _told(plain),
                "refined_s": _told(refined),
                "plain_solves": plain["num_solves"],
                "refined_solves": refined["num_solves"],
                "times_sooner": plain["cpu_s"] / refined["cpu_s"],
            }
        )
    return shown


def _seconds(row: dict[str, Any]) -> float:
    return float(row["cpu_s"])


def _told(row: dict[str, Any]) -> str:
    return f"{row['cpu_s']:.2f}" if row["reached"] else f"> {row['cpu_s']:.1f} ({row['gap_percent']:.1f} % left)"


def table(rows: Sequence[dict[str, Any]], gap: float) -> tuple[Shown, str]:
    """The comparison, and its geometric mean."""
    shown = compared(rows)
    mean = geometric_mean([row["times_sooner"] for row in shown])
    title = f"CPU seconds to a gap of {100 * gap:g} %"
    return (title, list(shown[0]), [list(row.values()) for row in shown]), f"geometric mean {mean:.2f} times sooner"


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--instances", nargs="+", choices=list(INSTANCES), default=list(INSTANCES))
    parser.add_argument("--budget", type=int, default=4)
    parser.add_argument("--gap", type=float, default=0.01)
    parser.add_argument("--time-limit", type=float, default=120.0, help="wall-clock seconds of each search")
    parser.add_argument("--turns", type=int, default=1, help="the quickest of so many turns counts")
    options = parser.parse_args(argv)
    if not DATA.is_dir() and set(options.instances) - set(GENERATED):
        parser.error(f"the public instances ({DATA}) are not here; {', '.join(GENERATED)} need none.")
    nr.solve(nr.make_vertex_cover(8, 4, 0), nr.reducers.NeurPRISE("universal"), 2)  # compiles and loads
    rows = []
    for name in options.instances:
        problem = INSTANCES[name]()
        for turn in range(options.turns):
            for way in (PLAIN, REFINED):
                found = measured(problem, way, options.budget, options.gap, options.time_limit)
                asked = {"budget": options.budget, "gap": options.gap, "time_limit": options.time_limit}
                rows.append({"instance": name, "turn": turn, **found, **asked})
    shown, note = table(rows, options.gap)
    publish(options, NAME, rows, [shown], [note])


if __name__ == "__main__":
    main()
