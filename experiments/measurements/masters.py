"""
Would a second worker shorten one exact search? What it could do is begin the next master while one is being solved.

Masters follow from each other: the next one needs the scenario that is worst for the last one's decision. A second
worker can only guess that scenario, and begin on R and it. The guess: the scenario outside R that is worst for the best
decision known when the master begins. A guess that comes true saves the next master, at most as long as the last one
took; "saved %" is that share of the whole search, in processor time, if workers cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from time import process_time
from typing import Any

import numpy as np

from experiments.instances.sets import InstanceSet
from experiments.methods.base import GAP, Method, Task
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec
from neurprise.search.ccg import ColumnAndConstraintGeneration, informed_start
from neurprise.search.master import MasterResult
from neurprise.search.session import SearchSession
from neurprise.solvers import Limits


class WatchedSession(SearchSession):
    """Notes the masters: R, processor seconds, and the guess at what R grows by."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.masters: list[tuple[tuple[int, ...], float, int | None]] = []

    def solve_reduced(self, scenarios: Sequence[int], limits: Limits) -> MasterResult:
        guess, start = self._guess(scenarios), process_time()
        result = super().solve_reduced(scenarios, limits)
        self.masters.append((tuple(scenarios), process_time() - start, guess))
        return result

    def _guess(self, scenarios: Sequence[int]) -> int | None:
        others = np.setdiff1d(np.arange(self.problem.num_scenarios), scenarios)
        if len(self.pool) == 0 or len(others) == 0:
            return None
        return self.pool.most_expensive(self.pool.best()[0], others)


@dataclass(frozen=True)
class GuessedMasters:
    """Exact search, and what a second worker could have saved."""

    title: str = "exact search"
    gap: float = GAP
    takes_budget = False

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        session, start = WatchedSession(task.problem), process_time()
        ColumnAndConstraintGeneration(session, gap=self.gap).run(informed_start(session))
        whole = process_time() - start
        yield Outcome.timed(whole, measured=saved(session.masters, whole))


def saved(masters: Sequence[tuple[tuple[int, ...], float, int | None]], whole: float) -> dict[str, float]:
    """How many guesses came true, and the share of the whole search that they would have saved."""
    grown = [
        (min(seconds, next_seconds), guess in next_set[len(this_set) :])
        for (this_set, seconds, guess), (next_set, next_seconds, _) in pairwise(masters)
        if len(next_set) > len(this_set)
    ]
    return {
        "masters": len(masters),
        "guesses": len(grown),
        "right": sum(right for _, right in grown),
        "masters %": 100 * sum(seconds for _, seconds, _ in masters) / whole,
        "saved %": 100 * sum(seconds for seconds, right in grown if right) / whole,
    }


METHODS: dict[str, Method] = {"guessed-masters": GuessedMasters()}
MASTERS = Spec(
    "masters",
    "What a second worker could save in one exact search by guessing the next master",
    tuple(
        Panel(InstanceSet(name, family, size, 50, exact_seconds=None), 5, tuple(METHODS), ())
        for name, family, size in (
            ("VC-30-50", "vertex-cover", (30,)),
            ("VC-36-50", "vertex-cover", (36,)),
            ("CFLP-20-20-50", "facility-location", (20, 20)),
            ("CFLP-30-30-50", "facility-location", (30, 30)),
        )
    ),
    view="speed",
)
SPECS = (MASTERS,)
