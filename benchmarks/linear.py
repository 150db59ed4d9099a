"""
Linear problems with reduced problems that are kept open while scenarios are added, against ones that are solved anew.

    python -m benchmarks.linear [--instances linear-300-2000 ...] [--gap 1e-4]

Both by turns in one process with HiGHS; CPU seconds of one thread. ssn and storm are read from ../shared/data/smps,
where that is there.
"""

from __future__ import annotations

import time
from typing import Any

import neurprise as nr
from benchmarks.published_instances import instances
from benchmarks.record import geometric_mean, new_parser, publish, whole_table
from neurprise.exact.ccg import ColumnAndConstraintGeneration
from neurprise.exact.session import SearchSession
from neurprise.solvers import Engine, get_engine

NAME = "linear"
WANTED = ("linear-300-2000", "linear-100-10000", "ssn-500", "storm-500")


class _Anew:
    """An engine that does not say that its sessions grow."""

    def __init__(self, engine: Engine) -> None:
        self.name, self.solve, self.session = engine.name, engine.solve, engine.session
        self.linear_session = getattr(engine, "linear_session", None)


def seconds(problem: nr.TwoStageProblem, engine: Engine, gap: float) -> tuple[float, float]:
    """CPU seconds of one search to the gap, and the worst case that it found."""
    start = time.process_time()
    found = ColumnAndConstraintGeneration(SearchSession(problem, engine), gap=gap).run()
    return time.process_time() - start, found.worst_case


def compared(name: str, problem: nr.TwoStageProblem, gap: float) -> dict[str, Any]:
    """One row."""
    anew, worst_case = seconds(problem, _Anew(get_engine("highs")), gap)
    kept_open, again = seconds(problem, get_engine("highs"), gap)
    apart = abs(again - worst_case) / abs(worst_case)
    return {"instance": name, "anew_s": anew, "open_s": kept_open, "anew_to_open": anew / kept_open, "apart": apart}


def main(argv: list[str] | None = None) -> None:
    known = {name: make for name, make in instances().items() if name in WANTED}
    parser = new_parser(__doc__)
    parser.add_argument("--instances", nargs="+", choices=list(known), default=list(known))
    parser.add_argument("--gap", type=float, default=1e-4)
    options = parser.parse_args(argv)
    rows = [compared(name, known[name](), options.gap) for name in options.instances]
    mean = geometric_mean([row["anew_to_open"] for row in rows])
    title = "linear masters solved anew, and kept open; apart: relative distance of the worst cases"
    publish(options, NAME, rows, [whole_table(title, rows)], [f"geometric mean {mean:.2f} times"])


if __name__ == "__main__":
    main()
