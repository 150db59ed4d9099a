"""CCG: the scenarios an adversary would add, one after another."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import counted
from neurprise.reducers.base import Growth, Reduction, SessionReducer, at_least_one, cut_short, num_kept
from neurprise.reducers.single_value import best_decisions
from neurprise.search.session import SearchSession
from neurprise.search.single_values import hardest_scenarios
from neurprise.solvers import Engine, EngineStatus, Limits


@dataclass(frozen=True)
class CCG(SessionReducer):
    """
    Keep the first scenarios that column-and-constraint generation adds [Zeng and Zhao 2013].

    The first is the scenario of largest V({j}), each next one the worst for the decision that is optimal so far; ties
    go to the larger sum of coefficients, then to the smallest index. It stops early when that decision costs no more
    on all scenarios than on the kept ones: then V(R) = V(all).

    Parameters
    ----------
    solver
        Engine that solves the reduced problems, each to optimality.
    time_limit
        Wall-clock seconds; the scenarios added by then are kept. None for no limit.
    """

    solver: str | Engine = "highs"
    time_limit: float | None = None

    name = "ccg"
    growth = Growth.STEPS

    def choose(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        clock = Deadline()
        keep = num_kept(session.problem, budget)
        chosen: list[int] = []
        values: list[float] = []
        solves = session.num_solves
        with cut_short(session) as cut:
            chosen += hardest_scenarios(session, 1)
            new = _respond(session, chosen, values)
            while new is not None and len(chosen) < keep and not session.reached_target:
                chosen.append(new)
                new = _respond(session, chosen, values)
        known = bool(chosen) and len(values) == len(chosen) and all(map(math.isfinite, values))
        return Reduction(
            at_least_one(chosen, session.problem),
            gains=tuple(np.diff(values, prepend=0.0).tolist()) if known else None,
            objective=values[-1] if known else None,
            num_solves=session.num_solves - solves,
            runtime=clock.elapsed,
            stopped_by=cut.reason,
            decisions=best_decisions(session.pool, chosen),
        )


def _respond(session: SearchSession, chosen: list[int], values: list[float]) -> int | None:
    """Solve V(R) for the chosen scenarios, add its value to `values`, and return the worst scenario of its decision."""
    known = f", V(R) {session.shown(values[-1])}" if values else ""
    session.say(f"ccg step {len(chosen)}: solving on {counted(len(chosen), 'scenario')}{known}")
    result = session.solve_reduced(chosen, Limits(gap=0.0))
    if result.status is EngineStatus.TIME_LIMIT:
        raise OutOfTimeError
    values.append(result.value)
    if result.x is None:  # another scenario's rows may bound what these leave open
        return next((s for s in range(session.problem.num_scenarios) if s not in chosen), None)
    place = session.pool.add(result.x, session.deadline)
    session.record(len(chosen))
    return session.pool.missing(place, chosen, session.deadline)
