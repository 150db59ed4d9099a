"""Relaxation: the scenarios on which the linear relaxation's bound rests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Ints
from neurprise.clock import Deadline
from neurprise.problem import TwoStageProblem
from neurprise.reducers.base import Growth, Reduction, SessionReducer, num_kept
from neurprise.search.relaxation import Relaxation as RelaxedAnswer
from neurprise.search.relaxation import solve_relaxation
from neurprise.search.session import SearchSession, Status
from neurprise.search.start import learn_from_relaxation
from neurprise.solvers import Engine


@dataclass(frozen=True)
class Relaxation(SessionReducer):
    """
    Keep the scenarios of largest dual weight in the linear relaxation; no integer program is solved.

    Scenarios without weight follow by what the relaxed decision costs under them, then by their summed coefficients.

    Parameters
    ----------
    solver
        Engine that solves the linear programs.
    time_limit
        Wall-clock seconds; the relaxation as far as it was solved by then ranks. None for no limit.
    """

    solver: str | Engine = "highs"
    time_limit: float | None = None

    name = "relaxation"
    growth = Growth.RANKING

    def choose(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        clock = Deadline()
        keep = num_kept(session.problem, budget)
        session.say("solving the linear relaxation")
        relaxed = solve_relaxation(session.problem, session.engine, session.deadline)
        learn_from_relaxation(session, relaxed)
        order = relaxation_ranking(session.problem, relaxed)
        late = Status.TIME_LIMIT.value if session.deadline.passed else None
        stopped_by = Status.INTERRUPTED.value if relaxed.interrupted else late
        weights = tuple(relaxed.weights[order[:keep]].tolist())
        return Reduction(
            tuple(order[:keep].tolist()),
            num_solves=relaxed.num_solves,
            runtime=clock.elapsed,
            stopped_by=stopped_by,
            scores=weights,
        )


def relaxation_ranking(problem: TwoStageProblem, relaxed: RelaxedAnswer) -> Ints:
    """All scenarios, best first, shape (S,); ties: smallest index."""
    totals = np.nan_to_num(relaxed.totals, nan=-np.inf)
    return np.lexsort((-problem.severity, -totals, -relaxed.weights)).astype(np.int64)
