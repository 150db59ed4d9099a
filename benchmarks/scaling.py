"""
Many scenarios, and a hard instance: nr.solve to proven optimality.

    python -m benchmarks.scaling [--scenarios 1000 10000 100000] [--cover-seeds 0 1]

Selection with 50 items and ten times the scenarios each; then VC-50-50 to gap 1e-4.
"""

from __future__ import annotations

import neurprise as nr
from benchmarks.record import new_parser, publish, whole_table


def measure(name: str, problem: nr.TwoStageProblem, seed: int) -> dict[str, object]:
    report = nr.solve(problem)
    return {
        "instance": name,
        "seed": seed,
        "seconds": report.runtime,
        "status": report.status.value,
        "worst_case": report.worst_case,
        "lower_bound": report.lower_bound,
        "solves": report.num_solves,
        "kept": len(report.scenarios),
    }


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--scenarios", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2], help="selection instances of each size")
    parser.add_argument("--cover-seeds", type=int, nargs="*", default=[0], help="VC-50-50 instances; minutes each")
    options = parser.parse_args(argv)
    nr.solve(nr.make_vertex_cover(8, 3, 0))  # compiles the oracles, so that no row pays for it
    rows = [
        measure(f"SEL-50-{count}", nr.make_selection(50, count, seed), seed)
        for count in options.scenarios
        for seed in options.seeds
    ]
    rows += [measure("VC-50-50", nr.make_vertex_cover(50, 50, seed), seed) for seed in options.cover_seeds]
    publish(options, "scaling", rows, [whole_table("nr.solve to gap 1e-4", rows)])


if __name__ == "__main__":
    main()
