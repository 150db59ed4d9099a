"""
Published SMPS instances: nr.solve against one extensive form given to the same engine, both within one time limit.

    python -m benchmarks.smps [--time-limit 60] [--gap 1e-4] [NAME ...]

The instances are read from ../shared/data/smps; without names, the two hardest are taken.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import neurprise as nr
from benchmarks.record import new_parser, publish, whole_table
from neurprise.convergence import regret_percent
from neurprise.evaluate import Evaluator
from neurprise.exact.master import Master
from neurprise.sign import users_sign
from neurprise.solvers import Limits, get_engine

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "smps"
HARDEST = ("smkp_1", "dcap332_200")


def compare(name: str, time_limit: float, gap: float) -> list[dict[str, Any]]:
    """One row per method: bounds, the gap between them and seconds."""
    problem = nr.read(FOLDER / name / f"{name}.cor")
    start = time.perf_counter()
    report = nr.solve(problem, gap=gap, time_limit=time_limit)
    # Rows speak of costs, also where the file maximises.
    worst_case, bound = (users_sign(value, problem.maximize) for value in (report.worst_case, report.lower_bound))
    ours = _row(name, "nr.solve", worst_case, bound, time.perf_counter() - start)
    engine = get_engine("highs")
    start = time.perf_counter()
    limits = Limits(gap=gap, time_limit=time_limit)
    whole = Master(Evaluator(problem, engine), engine).solve(range(problem.num_scenarios), limits)
    return [ours, _row(name, "extensive form", whole.value, whole.bound, time.perf_counter() - start)]


def _row(name: str, method: str, worst_case: float, lower_bound: float, seconds: float) -> dict[str, Any]:
    return {
        "instance": name,
        "method": method,
        "worst_case": worst_case,
        "lower_bound": lower_bound,
        "gap_percent": regret_percent(worst_case, lower_bound),
        "seconds": seconds,
    }


def main(argv: Sequence[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("names", nargs="*", default=HARDEST, metavar="NAME", help="folders of ../shared/data/smps")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each method")
    parser.add_argument("--gap", type=float, default=1e-4, help="relative gap at which a method may stop")
    options = parser.parse_args(argv)
    if not FOLDER.is_dir():
        raise SystemExit("the instances (../shared/data/smps) are not here")
    rows = [row for name in options.names for row in compare(name, options.time_limit, options.gap)]
    publish(options, "smps", rows, [whole_table("nr.solve against the extensive form (HiGHS)", rows)])


if __name__ == "__main__":
    main()
