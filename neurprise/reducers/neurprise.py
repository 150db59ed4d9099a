"""NeurPRISE: a trained network ranks all scenarios in one forward pass."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import LibController, ThreadpoolController

from neurprise.arrays import largest_first
from neurprise.clock import Deadline
from neurprise.errors import CheckpointError
from neurprise.problem import TwoStageProblem
from neurprise.reducers.base import Growth, Reduction, SessionReducer, num_kept
from neurprise.reducers.relaxation import relaxation_ranking
from neurprise.search.convergence import Status
from neurprise.search.first_decisions import learn_from_relaxation
from neurprise.search.session import SearchSession

if TYPE_CHECKING:
    from neurprise.arrays import Floats, Ints
    from neurprise.networks.scenario_graph import ScenarioGraph
    from neurprise.networks.scoring import Scorer


#: Under a time limit so many scenarios are scored first, to see how long it takes.
FIRST_SCORED = 200
#: Of the remaining time this share is planned with: the estimate is rough.
TIME_SHARE = 0.5


class NeurPRISE(SessionReducer):
    """
    Keep the scenarios that a network trained on PRISE traces scores highest; ties: smallest index.

    Parameters
    ----------
    checkpoint
        A shipped checkpoint's name or a directory that `neurprise train` wrote; None takes the shipped checkpoint of
        the problem's family, and `universal` where there is none.
    """

    name = "neurprise"
    growth = Growth.RANKING

    def __init__(self, checkpoint: str | Path | None = None) -> None:
        self.checkpoint = checkpoint
        self._networks: dict[str, Scorer] = {}

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        """Keep `budget` scenarios; the runtime includes loading the checkpoint on the first call."""
        if self.asks_every_scenario(problem):
            return super().reduce(problem, budget, seed)
        return self._rank(problem, budget, Deadline())

    def choose(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        """
        The same within a search; under its deadline only as many scenarios are scored as there is time for.

        Where the network asks for the linear relaxation, the search gets its bound, its cuts and its decision; if time
        is over before the network has its answers, the relaxation as far as it was solved ranks.
        """
        if self.asks_every_scenario(session.problem):
            return self._rank_by_relaxation(session, budget)
        return self._rank(session.problem, budget, session.deadline)

    def asks_every_scenario(self, problem: TwoStageProblem) -> bool:
        """Where the network reads linear programs; a family's own reads what the family knows, in a millisecond."""
        return self._network(problem).config.encoding == "lp"

    def _rank_by_relaxation(self, session: SearchSession, budget: int) -> Reduction:
        from neurprise.networks.universal import universal_graph
        from neurprise.search.relaxed_costs import relaxed_costs

        clock = Deadline()
        keep, solves = num_kept(session.problem, budget), session.num_solves
        session.say("solving the linear relaxation")
        costs = relaxed_costs(session.problem, session.engine, session.deadline, session.relaxation)
        learn_from_relaxation(session, costs.relaxation)
        session.solves_besides += costs.num_singles
        scores = None
        if costs.late:  # the network was never told so little
            order = relaxation_ranking(session.problem, costs.relaxation)
        else:
            scores = self.scores_of(session.problem, universal_graph(session.problem, costs))
            order = largest_first(scores)
        late = Status.TIME_LIMIT.value if costs.late else None
        stopped_by = Status.INTERRUPTED.value if costs.relaxation.interrupted else late
        return replace(_ranked(order[:keep], scores, clock, stopped_by), num_solves=session.num_solves - solves)

    def _rank(self, problem: TwoStageProblem, budget: int, deadline: Deadline) -> Reduction:
        clock = Deadline()
        keep = num_kept(problem, budget)
        scores: Floats | None
        if math.isinf(deadline.remaining):
            scores = self.scores(problem)
            order = largest_first(scores)
        else:
            order, scores = self._timely_order(problem, deadline)
        return _ranked(order[:keep], scores, clock, None if scores is not None else Status.TIME_LIMIT.value)

    def _timely_order(self, problem: TwoStageProblem, deadline: Deadline) -> tuple[Ints, Floats | None]:
        """
        Scenarios by falling score, shape (S,), those that there is no time for last; scores (S,) if there is for all.

        A few are scored first, the most severe ones; how long that took tells how many there is time for, since
        attention grows with their square.
        """
        severe = largest_first(problem.severity)
        count = min(FIRST_SCORED, len(severe))
        while True:
            start = deadline.elapsed
            part = np.sort(severe[:count])
            scores = self.scores(problem.restrict(part.tolist()))
            growth = math.sqrt(TIME_SHARE * deadline.remaining / max(deadline.elapsed - start, 1e-6))
            affordable = min(int(count * growth), len(severe))
            if count == len(severe) or affordable <= count:
                break
            count = affordable
        order = np.concatenate([part[largest_first(scores)], severe[count:]])
        return order, scores if count == len(severe) else None

    def scores(self, problem: TwoStageProblem) -> Floats:
        """The network's score of every scenario, shape (S,); only their order has a meaning."""
        from neurprise.networks.encodings import encode

        return self.scores_of(problem, encode(problem, self._network(problem).config.encoding))

    def scores_of(self, problem: TwoStageProblem, graph: ScenarioGraph) -> Floats:
        """The same where the graph that the network reads is known."""
        from neurprise.networks.view import view_of

        network = self._network(problem)
        self._check_features(network, graph.num_features, problem)
        with _one_blas_thread():
            scores = network.scores(graph)
        return view_of(problem).final_scores(scores)

    def _network(self, problem: TwoStageProblem) -> Scorer:
        from neurprise.networks import checkpoints
        from neurprise.networks.config import ANY_FAMILY

        name = checkpoints.shipped_for(problem.family) if self.checkpoint is None else self.checkpoint
        key = str(name)
        if key not in self._networks:
            self._networks[key] = checkpoints.load(name)
        network = self._networks[key]
        if network.config.family not in (problem.family, ANY_FAMILY):
            raise CheckpointError(
                f"Checkpoint {key!r} was trained on {network.config.family!r}, the problem is {problem.family!r}; "
                "NeurPRISE() picks the checkpoint of the problem's family, and 'universal' scores any problem."
            )
        return network

    def _check_features(self, network: Scorer, num_features: int, problem: TwoStageProblem) -> None:
        if num_features != network.config.num_features:
            raise CheckpointError(
                f"the checkpoint takes {network.config.num_features} node features, {problem.family!r} problems have "
                f"{num_features} in encoding {network.config.encoding!r}; train it anew."
            )


def _ranked(kept: Ints, scores: Floats | None, clock: Deadline, stopped_by: str | None) -> Reduction:
    """The kept scenarios with their scores, where all scenarios have one of the same network pass."""
    shown = None if scores is None else tuple(scores[kept].tolist())
    return Reduction(tuple(kept.tolist()), runtime=clock.elapsed, stopped_by=stopped_by, scores=shown)


@cache
def _blas_libraries() -> list[LibController]:
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """
    Matrices are small, and sums in one thread are the same on every machine with this library.

    threadpoolctl's own context does the same and takes as long as a layer of the network.
    """
    many = [(library, library.num_threads) for library in _blas_libraries() if library.num_threads != 1]
    for library, _ in many:
        library.set_num_threads(1)
    try:
        yield
    finally:
        for library, threads in many:
            library.set_num_threads(threads)
