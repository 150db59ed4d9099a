"""
PRISE as Algorithm 1 writes it against the accelerated one: same engine, same formulation, same trace, one run.

    python -m benchmarks.prise [--instances 3] [--budget 8] [--sample 40] [--families SEL VC CFLP]

"engine only" forbids listing the first-stage decisions, as selections and vertex covers of up to 20 items get it, so
that both sides solve the same programs. With --sample N at most N of the naive solves of a step are timed,
and the step counts as (number of candidates) x (their mean); the accelerated trace supplies R. N = 0 runs every solve
and compares traces.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

import neurprise as nr
from benchmarks.engine_only import engine_only
from benchmarks.naive_prise import NaivePRISE
from benchmarks.record import geometric_mean, new_parser, publish, whole_table
from neurprise.evaluate import Evaluator
from neurprise.exact.master import Master
from neurprise.reducers.prise import PRISE
from neurprise.solvers import Limits, get_engine

CONFIGURATIONS: dict[str, Callable[[int], nr.TwoStageProblem]] = {
    "SEL": lambda seed: nr.make_selection(20, 50, seed),
    "VC": lambda seed: nr.make_vertex_cover(20, 50, seed),
    "CFLP": lambda seed: nr.make_facility_location(30, 30, 50, seed),
}


def compare(problem: nr.TwoStageProblem, budget: int, sample: int) -> dict[str, float | str]:
    """Seconds and solves of the naive loop, the accelerated one, and the accelerated one without tables."""
    fast = PRISE().reduce(problem, budget)
    plain = PRISE().reduce(engine_only(problem), budget) if problem.first_stage_list else fast
    if (plain.indices, plain.gains) != (fast.indices, fast.gains):
        raise SystemExit(f"traces differ: {fast.indices} and {plain.indices}")
    if sample:
        naive_s, naive_solves, checked = _sampled(problem, fast.indices, budget, sample)
    else:
        naive = NaivePRISE().reduce(problem, budget)
        naive_s, naive_solves, checked = naive.runtime, naive.num_solves, "identical"
        if naive.indices != fast.indices:
            raise SystemExit(f"traces differ: {fast.indices} and {naive.indices}")
    return {
        "naive_s": naive_s,
        "naive_solves": naive_solves,
        "fast_s": fast.runtime,
        "ratio": naive_s / fast.runtime,
        "engine_only_s": plain.runtime,
        "engine_only_ratio": naive_s / plain.runtime,
        "solves": plain.num_solves,
        "steps": len(fast.indices),
        "trace": checked,
    }


def _sampled(problem: nr.TwoStageProblem, trace: tuple[int, ...], budget: int, sample: int) -> tuple[float, int, str]:
    """Estimated seconds and number of the naive loop's solves along a known trace."""
    engine = get_engine("highs")
    master = Master(Evaluator(problem, engine), engine)
    seconds, solves = 0.0, 0
    steps = len(trace) if len(trace) in (budget, problem.num_scenarios) else len(trace) + 1
    for step in range(steps):
        kept = list(trace[:step])
        candidates = [j for j in range(problem.num_scenarios) if j not in kept]
        timed = random.Random(step).sample(candidates, min(sample, len(candidates)))
        start = time.perf_counter()
        for j in timed:
            master.solve([*kept, j], Limits())
        seconds += (time.perf_counter() - start) * len(candidates) / len(timed)
        solves += len(candidates)
    return seconds, solves, "sampled"


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--instances", type=int, default=3, help="instances of each configuration")
    parser.add_argument("--budget", type=int, default=8)
    parser.add_argument("--sample", type=int, default=0, help="naive solves timed a step; 0 for all of them")
    parser.add_argument("--families", nargs="+", choices=list(CONFIGURATIONS), default=list(CONFIGURATIONS))
    options = parser.parse_args(argv)
    for make in (nr.make_selection, nr.make_vertex_cover):
        nr.solve(make(8, 5, 1))  # compiles the oracles, so that no row pays for it
    rows: list[dict[str, float | str]] = []
    for name in options.families:
        for seed in range(options.instances):
            measured = compare(CONFIGURATIONS[name](seed), options.budget, options.sample)
            rows.append({"family": name, "seed": seed, **measured})
            print(rows[-1], file=sys.stderr, flush=True)
    notes = [_note(name, [row for row in rows if row["family"] == name]) for name in options.families]
    publish(options, "prise", rows, [whole_table("PRISE, naive against accelerated", rows)], notes)


def _note(family: str, rows: list[dict[str, float | str]]) -> str:
    total = sum(float(row["naive_s"]) for row in rows) / sum(float(row["fast_s"]) for row in rows)
    mean, engine = (geometric_mean([float(row[c]) for row in rows]) for c in ("ratio", "engine_only_ratio"))
    return f"{family}: {mean:.0f}x (geometric mean), {total:.0f}x (total seconds), engine only {engine:.0f}x"


if __name__ == "__main__":
    main()
