"""
Equal wall-clock time: one time-limited extensive form, plain nr.solve, and refinement from a reduced set.

    python -m benchmarks.refine [--seconds 2 10] [--instances 3] [--instance VC-50-50 ...] [--starts maxsum ccg ...]

"regret" is measured against the best worst case that any run on the instance reached (marked * when it is proved
optimal); "gap" is what the method itself proved. "seconds to 1 %" is when it first proved a gap of 1 %.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import neurprise as nr
from benchmarks.record import new_parser, publish
from neurprise.convergence import Iteration, regret_percent, relative_gap
from neurprise.evaluate import Evaluator
from neurprise.exact.master import Master
from neurprise.solvers import Limits, get_engine

INSTANCES: dict[str, Callable[[int], nr.TwoStageProblem]] = {
    "SEL-50-100": lambda seed: nr.make_selection(50, 100, seed),
    "VC-50-50": lambda seed: nr.make_vertex_cover(50, 50, seed),
    "CFLP-30-30-50": lambda seed: nr.make_facility_location(30, 30, 50, seed),
}
START_BUDGET = 5


def extensive(problem: nr.TwoStageProblem, seconds: float) -> dict[str, float]:
    """All scenarios in one model, until the time is over."""
    engine, evaluator = get_engine("highs"), Evaluator(problem)
    start = time.perf_counter()
    result = Master(evaluator, engine).solve(
        range(problem.num_scenarios), Limits(gap=1e-4, time_limit=seconds), start=None
    )
    worst_case = math.inf if result.x is None else evaluator.evaluate(result.x).worst_case
    return _row(worst_case, result.bound, time.perf_counter() - start, ())


def ours(problem: nr.TwoStageProblem, seconds: float, start: str | None) -> dict[str, float]:
    """nr.solve, from nothing or from a reduced set."""
    chosen: dict[str, Any] = {} if start is None else {"reducer": start, "budget": START_BUDGET, "refine": True}
    report = nr.solve(problem, time_limit=seconds, **chosen)
    return _row(report.worst_case, report.lower_bound, report.runtime, report.iterations)


def _row(worst_case: float, bound: float, seconds: float, history: Sequence[Iteration]) -> dict[str, float]:
    within = [step.seconds for step in history if relative_gap(step.worst_case, step.lower_bound) <= 0.01]
    return {
        "worst_case": worst_case,
        "bound": bound,
        "used_s": seconds,
        "to_one_percent_s": within[0] if within else math.inf,
    }


def measure(problem: nr.TwoStageProblem, seconds: float, starts: Sequence[str]) -> list[dict[str, Any]]:
    """Every method on one instance; regret against the best value met."""
    runs = {"extensive form": extensive(problem, seconds), "nr.solve": ours(problem, seconds, None)}
    runs |= {f"{start} + refine": ours(problem, seconds, start) for start in starts}
    best = min(run["worst_case"] for run in runs.values())
    proved = max(run["bound"] for run in runs.values()) >= best * (1 - 1.01e-4)
    return [
        {
            "method": method,
            "regret": regret_percent(run["worst_case"], best),
            "gap": 100 * relative_gap(run["worst_case"], run["bound"]),
            "best_is_optimal": proved,
            **run,
        }
        for method, run in runs.items()
    ]


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--seconds", type=float, nargs="+", default=[2.0, 10.0])
    parser.add_argument("--instances", type=int, default=3)
    parser.add_argument("--instance", nargs="+", choices=list(INSTANCES), default=list(INSTANCES))
    parser.add_argument("--starts", nargs="+", default=["maxsum", "singlevalue", "ccg", "neurprise"])
    options = parser.parse_args(argv)
    nr.solve(nr.make_vertex_cover(8, 3, 0), "maxsum", 2)  # compiles and imports, so that no row pays for it
    rows: list[dict[str, Any]] = []
    for name in options.instance:
        for seconds in options.seconds:
            for seed in range(options.instances):
                measured = measure(INSTANCES[name](seed), seconds, options.starts)
                rows += [{"instance": name, "limit_s": seconds, "seed": seed, **row} for row in measured]
    columns = ["instance", "limit_s", "method", "regret %", "gap %", "used s", "s to 1 %"]
    kept = [{k: None if v == math.inf else v for k, v in row.items()} for row in rows]
    publish(options, "refine", kept, [("equal wall-clock time (means)", columns, _summary(rows))])


def _summary(rows: list[dict[str, Any]]) -> list[list[Any]]:
    groups = dict.fromkeys((row["instance"], row["limit_s"], row["method"]) for row in rows)
    table = []
    for group in groups:
        mine = [row for row in rows if (row["instance"], row["limit_s"], row["method"]) == group]
        optimal = all(row["best_is_optimal"] for row in mine)
        means = [statistics.mean(row[key] for row in mine) for key in ("regret", "gap", "used_s", "to_one_percent_s")]
        table.append([*group, f"{means[0]:.2f}{'*' if optimal else ''}", *means[1:]])
    return table


if __name__ == "__main__":
    main()
