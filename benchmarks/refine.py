"""
Does exact search get there sooner from the scenarios that the universal checkpoint chooses?

    python -m benchmarks.refine [--instances vc-50-50-1 ...] [--budget 4] [--gap 0.01] [--time-limit 120] [--turns 1]
                                [--before COMMIT]

By turns on the same problem: plain search; refined search; and what choices would give if they cost nothing, that of
the checkpoint (given) and that of the scenarios which plain search ended with (told). `--before` adds plain search as
it was at an earlier commit; where that raised an error, there is no answer and no ratio. CPU seconds of one thread
until the proved gap is first below `--gap`, choosing scenarios included. A search that does not get there in time
counts with the time that it had. The public instances are read from ../shared/data.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import neurprise as nr
from benchmarks.network_design import drawn_network, network_design
from benchmarks.record import Shown, geometric_mean, new_parser, publish, save
from benchmarks.unseen_classes import DATA, public_instance, recombined_network
from benchmarks.versions import printed_by, unpack
from neurprise.convergence import Iteration, relative_gap
from neurprise.reducers import Reducer, Reduction

NAME = "refine"
PLAIN, REFINED, GIVEN, TOLD, BEFORE = "plain", "refined", "given", "told", "before"
_PROBE = Path(__file__).with_name("plain_probe.py")


def _generated_network(num_nodes: int, seed: int) -> nr.TwoStageProblem:
    """Sixty scenarios, four pairs of nodes."""
    return network_design(drawn_network(num_nodes, 60, 4, seed))


INSTANCES: dict[str, Callable[[], nr.TwoStageProblem]] = {
    **{f"vc-50-50-{seed}": partial(nr.make_vertex_cover, 50, 50, seed) for seed in (1, 2)},
    **{f"network-18-{seed}": partial(_generated_network, 18, seed) for seed in (1, 2)},
    **{name: partial(public_instance, name) for name in ("dcap332_200", "dcap243_200", "sslp_10_50_500")},
    **{f"netdes-200-{seed}": partial(recombined_network, 200, seed) for seed in (1, 2)},
}
#: What needs no file.
GENERATED = tuple(name for name in INSTANCES if name.startswith(("vc-", "network-")))


class _These:
    """Keep these scenarios."""

    name = "these"

    def __init__(self, indices: Sequence[int]) -> None:
        self._indices = tuple(indices)

    def reduce(self, problem: nr.TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        return Reduction(self._indices)


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


def measured(problem: nr.TwoStageProblem, reducer: Reducer | None, budget: int, **limits: float) -> dict[str, Any]:
    """CPU seconds of one search to the gap, refined from a reducer's choice where there is one."""
    clock = _GapClock(limits["gap"])
    chosen: dict[str, Any] = {} if reducer is None else {"reducer": reducer, "budget": budget, "refine": True}
    report = nr.solve(problem, **chosen, on_progress=clock, **limits)
    return {
        "cpu_s": clock.elapsed if clock.seconds is None else clock.seconds,
        "worst_case": report.worst_case,
        "lower_bound": report.lower_bound,
        "scenarios": list(report.scenarios),
        "num_solves": report.num_solves,
        "status": str(report.status),
    }


def one_turn(
    problem: nr.TwoStageProblem, package: Path | None, budget: int, **limits: float
) -> dict[str, dict[str, Any]]:
    """Every way once; `package` holds the earlier version, if one is asked for."""
    universal = nr.reducers.NeurPRISE("universal")
    found = {PLAIN: measured(problem, None, budget, **limits)}
    found[REFINED] = measured(problem, universal, budget, **limits)
    found[GIVEN] = measured(problem, _These(universal.reduce(problem, budget).indices), budget, **limits)
    ended_with = found[PLAIN]["scenarios"] or [0]  # nothing where time was over at once
    found[TOLD] = measured(problem, _These(ended_with), len(ended_with), **limits)
    if package is not None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "problem.npz"
            problem.write(path)
            found[BEFORE] = printed_by(_PROBE, [str(path), *(str(limits[k]) for k in ("gap", "time_limit"))], package)
    return found


def compared(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each instance: the least seconds of every way, and how many times sooner than plain search it was."""
    shown = []
    for name in dict.fromkeys(row["instance"] for row in rows):
        mine = [row for row in rows if row["instance"] == name]
        ways = list(dict.fromkeys(row["method"] for row in mine))
        best = {way: min((row for row in mine if row["method"] == way), key=_seconds) for way in ways}
        pairs = [(PLAIN, REFINED), (PLAIN, GIVEN), (PLAIN, TOLD), (BEFORE, REFINED)]
        ratios = {f"{a}_to_{b}": _seconds(best[a]) / _seconds(best[b]) for a, b in pairs if a in best}
        shown.append({"instance": name, **{f"{way}_s": _shown_seconds(best[way]) for way in ways}, **ratios})
    return shown


def _seconds(row: dict[str, Any]) -> float:
    return float(row.get("cpu_s", math.nan))


def _shown_seconds(row: dict[str, Any]) -> str:
    if "error" in row:
        return "no answer"
    left = relative_gap(row["worst_case"], row["lower_bound"])
    return f"{row['cpu_s']:.2f}" if left <= 1.001 * row["gap"] else f"> {row['cpu_s']:.1f} ({100 * left:.1f} % left)"


def table(rows: Sequence[dict[str, Any]], gap: float) -> tuple[Shown, list[str]]:
    """The comparison, and its geometric means."""
    shown = compared(rows)
    ratios = [column for column in shown[0] if "_to_" in column]
    known = {column: [row[column] for row in shown if not math.isnan(row[column])] for column in ratios}
    means = [f"{column}: geometric mean {geometric_mean(values):.2f}" for column, values in known.items() if values]
    return (f"CPU seconds to a gap of {100 * gap:g} %", list(shown[0]), [list(row.values()) for row in shown]), means


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--instances", nargs="+", choices=list(INSTANCES), default=list(INSTANCES))
    parser.add_argument("--budget", type=int, default=4)
    parser.add_argument("--gap", type=float, default=0.01)
    parser.add_argument("--time-limit", type=float, default=120.0, help="wall-clock seconds of each search")
    parser.add_argument("--turns", type=int, default=1, help="the quickest of so many turns counts")
    parser.add_argument("--before", metavar="COMMIT", help="an earlier version, for its plain search")
    options = parser.parse_args(argv)
    if not DATA.is_dir() and set(options.instances) - set(GENERATED):
        parser.error(f"the public instances ({DATA}) are not here; {', '.join(GENERATED)} need none.")
    nr.solve(nr.make_vertex_cover(8, 4, 0), nr.reducers.NeurPRISE("universal"), 2)  # compiles and loads
    limits = {"gap": options.gap, "time_limit": options.time_limit}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        package = None if options.before is None else Path(folder)
        if package is not None:
            unpack(options.before, package)
        for name in options.instances:
            problem = INSTANCES[name]()
            for turn in range(options.turns):
                asked = {"budget": options.budget, **limits, "before": options.before}
                found = one_turn(problem, package, options.budget, **limits)
                made = [{"instance": name, "turn": turn, "method": way, **one, **asked} for way, one in found.items()]
                if not options.no_save:
                    save(NAME, made)
                rows += made
    shown, notes = table(rows, options.gap)
    publish(options, NAME, rows, [shown], notes, saved=True)


if __name__ == "__main__":
    main()
