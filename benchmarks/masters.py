"""
Would a second worker shorten one exact search? What it could do is begin the next master while one is being solved.

    python -m benchmarks.masters [--instances VC-30-50 CFLP-30-30-50 ...] [--seeds 0 1 2]

Masters follow from each other: the next one needs the scenario that is worst for the last one's decision. A second
worker can only guess that scenario, and begin on R and it. The guess: the scenario outside R that is worst for the best
decision known when the master begins. A guess that comes true saves the next master, at most as long as the last one
took; `saved` is that share of the whole search, in processor time, if workers cost nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import neurprise as nr
from benchmarks.record import new_parser, publish, whole_table
from neurprise.exact.ccg import ColumnAndConstraintGeneration
from neurprise.exact.master import MasterResult
from neurprise.exact.session import SearchSession
from neurprise.exact.start import informed_start
from neurprise.solvers import Limits

INSTANCES = {
    "VC-30-50": lambda seed: nr.make_vertex_cover(30, 50, seed),
    "VC-36-50": lambda seed: nr.make_vertex_cover(36, 50, seed),
    "CFLP-20-20-50": lambda seed: nr.make_facility_location(20, 20, 50, seed),
    "CFLP-30-30-50": lambda seed: nr.make_facility_location(30, 30, 50, seed),
}


class WatchedSession(SearchSession):
    """Notes the masters: R, processor seconds, and the guess at what R grows by."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.masters: list[tuple[tuple[int, ...], float, int | None]] = []

    def solve_reduced(self, scenarios: Sequence[int], limits: Limits) -> MasterResult:
        guess, start = self._guess(scenarios), time.process_time()
        result = super().solve_reduced(scenarios, limits)
        self.masters.append((tuple(scenarios), time.process_time() - start, guess))
        return result

    def _guess(self, scenarios: Sequence[int]) -> int | None:
        others = np.setdiff1d(np.arange(self.problem.num_scenarios), scenarios)
        if len(self.pool) == 0 or len(others) == 0:
            return None
        return self.pool.most_expensive(self.pool.best()[0], others)


def measure(name: str, problem: nr.TwoStageProblem, seed: int) -> dict[str, object]:
    session, start = WatchedSession(problem), time.process_time()
    ColumnAndConstraintGeneration(session).run(informed_start(session))
    whole = time.process_time() - start
    grown = [
        (min(seconds, next_seconds), guess in next_set[len(this_set) :])
        for (this_set, seconds, guess), (next_set, next_seconds, _) in pairwise(session.masters)
        if len(next_set) > len(this_set)
    ]
    return {
        "instance": name,
        "seed": seed,
        "cpu_seconds": whole,
        "masters %": 100 * sum(seconds for _, seconds, _ in session.masters) / whole,
        "masters": len(session.masters),
        "guesses": len(grown),
        "right": sum(right for _, right in grown),
        "saved %": 100 * sum(seconds for seconds, right in grown if right) / whole,
    }


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--instances", nargs="+", default=list(INSTANCES), choices=list(INSTANCES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options = parser.parse_args(argv)
    nr.solve(nr.make_vertex_cover(8, 3, 0))  # compiles the oracles, so that no row pays for it
    nr.solve(nr.make_facility_location(3, 3, 3, 0))
    rows = [measure(name, INSTANCES[name](seed), seed) for name in options.instances for seed in options.seeds]
    publish(options, "masters", rows, [whole_table("a second worker that guesses the next master", rows)])


if __name__ == "__main__":
    main()
