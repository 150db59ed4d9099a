"""
Problems that others wrote, and three generated kinds: nr.solve beside one extensive form, each within one time limit.

    python -m benchmarks.published [--time-limit 60] [--gap 1e-4] [--instances NAME ...] [--again]

Both use HiGHS on one thread. Rows are kept as they are made, in results/published.jsonl; a run that was cut short goes
on where it ended, and `--again` starts anew. Files are read from ../shared/data/smps where they are there. Costs are
minimised, also where a file maximises; no decision, no bound and no gap are empty.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import neurprise as nr
from benchmarks.published_instances import disrupted_sites, instances, linear_problem
from benchmarks.record import RESULTS, current_commit, geometric_mean, new_parser, publish, save, whole_table
from neurprise.clock import Deadline
from neurprise.convergence import regret_percent
from neurprise.exact.extensive_form import ExtensiveForm
from neurprise.sign import users_sign
from neurprise.solvers import Limits, get_engine
from neurprise.storage.rows import read_rows

#: Best value, proved bound.
Bounds = tuple[float, float]


def by_solve(problem: nr.TwoStageProblem, time_limit: float, gap: float) -> Bounds:
    """nr.solve, in costs."""
    report = nr.solve(problem, gap=gap, time_limit=time_limit)
    return users_sign(report.worst_case, problem.maximize), users_sign(report.lower_bound, problem.maximize)


def by_extensive_form(problem: nr.TwoStageProblem, time_limit: float, gap: float) -> Bounds:
    """One model of all scenarios, given once to the engine as it comes."""
    deadline = Deadline(time_limit)
    model = ExtensiveForm(problem).model(range(problem.num_scenarios))
    whole = get_engine("highs").solve(model, Limits(gap=gap).until(deadline))
    return whole.objective, whole.bound


METHODS: dict[str, Callable[[nr.TwoStageProblem, float, float], Bounds]] = {
    "nr.solve": by_solve,
    "extensive form": by_extensive_form,
}


def measured(name: str, method: str, problem: nr.TwoStageProblem, time_limit: float, gap: float) -> dict[str, Any]:
    """One row; an exception is an answer too."""
    start, error = time.perf_counter(), None
    try:
        best, bound = METHODS[method](problem, time_limit, gap)
    except (nr.InputError, nr.EngineError) as raised:
        best, bound, error = math.inf, -math.inf, str(raised)
    seconds = time.perf_counter() - start
    return {
        "instance": name,
        "method": method,
        "scenarios": problem.num_scenarios,
        "best": _finite(best),
        "bound": _finite(bound),
        "gap_percent": _finite(regret_percent(best, bound)),
        "closed": bound > -math.inf and best - bound <= 1.01 * gap * abs(bound),
        "seconds": seconds,
        "time_limit": time_limit,
        "error": error,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def stored_rows(time_limit: float) -> dict[tuple[str, str], dict[str, Any]]:
    """What this commit has measured within that limit, by instance and method."""
    rows = read_rows(RESULTS / "published.jsonl")
    kept = (row for row in rows if row["time_limit"] == time_limit and row["commit"] == current_commit())
    return {(row["instance"], row["method"]): row for row in kept}


def verdict(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Where the extensive form is ahead, and how many times faster nr.solve is where both close."""
    ours = {row["instance"]: row for row in rows if row["method"] == "nr.solve"}
    theirs = {row["instance"]: row for row in rows if row["method"] == "extensive form"}
    both = [name for name in ours if name in theirs]
    behind = [name for name in both if _absolute_gap(ours[name]) > 1.0001 * _absolute_gap(theirs[name]) + 1e-6]
    behind = [name for name in behind if not ours[name]["closed"]]
    closed = [name for name in both if ours[name]["closed"] and theirs[name]["closed"]]
    lines = [f"no decision: {', '.join(name for name in ours if ours[name]['best'] is None) or 'nowhere'}"]
    lines.append(f"larger gap than the extensive form: {', '.join(behind) or 'nowhere'}")
    latest = max(ours.values(), key=_overrun)
    lines.append(f"nr.solve overran its limit by at most {max(_overrun(latest), 0):.2g} s ({latest['instance']})")
    if closed:
        ratio = geometric_mean([theirs[name]["seconds"] / ours[name]["seconds"] for name in closed])
        lines.append(f"{len(closed)} closed by both: {ratio:.3g} times faster than the extensive form (geometric mean)")
    return lines


def _overrun(row: dict[str, Any]) -> float:
    return float(row["seconds"] - row["time_limit"])


def _absolute_gap(row: dict[str, Any]) -> float:
    known = row["best"] is not None and row["bound"] is not None
    return row["best"] - row["bound"] if known else math.inf


def main(argv: Sequence[str] | None = None) -> None:
    parser = new_parser(__doc__)
    known = instances()
    parser.add_argument("--instances", nargs="+", default=list(known), metavar="NAME", help=", ".join(known))
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS), help="default: both")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each method")
    parser.add_argument("--gap", type=float, default=1e-4, help="relative gap at which a method may stop")
    parser.add_argument("--again", action="store_true", help="measure also what this commit has measured before")
    options = parser.parse_args(argv)
    missing = [name for name in options.instances if name not in known]
    if missing:
        raise SystemExit(f"{', '.join(missing)}: not here; instances are {', '.join(known)}")
    for method in METHODS.values():  # imports are nobody's time
        for small in (linear_problem(3, num_first_stage=5, num_recourse=5), disrupted_sites(3, 3, 1)):
            method(small, options.time_limit, options.gap)
    stored = {} if options.again or options.no_save else stored_rows(options.time_limit)
    rows = []
    for name in options.instances:
        problem = known[name]()
        for method in options.methods:
            row = stored.get((name, method))
            if row is None:
                row = measured(name, method, problem, options.time_limit, options.gap)
                print(*row.values(), file=sys.stderr)
                if not options.no_save:
                    save("published", [row])
            rows.append({key: row[key] for key in row if key not in ("command", "commit", "at", "machine")})
    table = whole_table(f"within {options.time_limit:g} s", rows)
    publish(options, "published", rows, [table], verdict(rows), saved=True)


if __name__ == "__main__":
    main()
