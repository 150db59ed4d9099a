"""SingleValue: the scenarios that would cost most if each were certain."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.reducers.base import Growth, Reduction, SessionReducer, cut_short, num_kept
from neurprise.search.pool import DecisionPool
from neurprise.search.session import SearchSession
from neurprise.search.single_values import largest_of, value_largest
from neurprise.solvers import Engine


@dataclass(frozen=True)
class SingleValue(SessionReducer):
    """
    Keep the scenarios of largest V({j}), the cost when scenario j is certain; ties: smallest index.

    Parameters
    ----------
    solver
        Engine, asked where the family has no shortcut.
    time_limit
        Wall-clock seconds; scenarios not valued by then come last. None for no limit.
    """

    solver: str | Engine = "highs"
    time_limit: float | None = None

    name = "singlevalue"
    growth = Growth.RANKING

    def choose(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        clock = Deadline()
        keep = num_kept(session.problem, budget)
        solves = session.num_solves
        values = np.full(session.problem.num_scenarios, -math.inf)
        with cut_short(session) as cut:
            value_largest(session, keep, values)
        chosen = largest_of(values, keep)
        known = np.isfinite(values[chosen]).all()
        return Reduction(
            tuple(chosen),
            scores=tuple(values[chosen].tolist()) if known else None,
            num_solves=session.num_solves - solves,
            runtime=clock.elapsed,
            stopped_by=cut.reason,
            decisions=best_decisions(session.pool, chosen),
        )


def best_decisions(pool: DecisionPool, chosen: list[int]) -> tuple[Floats, ...]:
    """The decisions of the pool that are best on the chosen scenarios and on all, each of shape (n,)."""
    places = {pool.best(chosen)[0], pool.best()[0]} - {-1} if chosen else set()
    return tuple(pool.member(place) for place in sorted(places))
