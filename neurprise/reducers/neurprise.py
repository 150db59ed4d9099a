"""NeurPRISE: a trained network ranks all scenarios in one forward pass."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
from neurprise.search.session import SearchSession, Status
from neurprise.search.start import learn_from_relaxation

if TYPE_CHECKING:
    from neurprise.arrays import Floats, Ints
    from neurprise.networks.scenario_graph import ScenarioGraph
    from neurprise.networks.scoring import Scorer
    from neurprise.search.relaxation import RelaxedCosts


#: At most this many scenarios are scored, in half a second: attention grows with their square, and networks are
#: trained on a few hundred.
MOST_SCORED = 5_000
#: Under a time limit this many scenarios are scored first, to measure the time.
FIRST_SCORED = 200
#: Share of the remaining time that is planned with: the estimate is rough.
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
        clock, keep = Deadline(), num_kept(problem, budget)
        return _kept(self._by_family(problem, Deadline()), keep, clock)

    def choose(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        """
        The same within a search; under its deadline only as many scenarios are scored as there is time for.

        Where the network asks for the linear relaxation, the search gets its bound, its cuts and its decision; if time
        is over before the network has its answers, the relaxation as far as it was solved ranks.
        """
        clock, keep = Deadline(), num_kept(session.problem, budget)
        if not self.asks_every_scenario(session.problem):
            return _kept(self._by_family(session.problem, session.deadline), keep, clock)
        from neurprise.search.relaxation import relaxed_costs

        solves = session.num_solves
        session.say("solving the linear relaxation")
        costs = relaxed_costs(session.problem, session.engine, session.deadline, session.relaxation)
        learn_from_relaxation(session, costs.relaxation)
        session.count_solves(costs.num_singles)
        session.say("scoring scenarios")
        kept = _kept(self._by_costs(session.problem, costs, session.deadline), keep, clock)
        stopped_by = Status.INTERRUPTED.value if costs.relaxation.interrupted else kept.stopped_by
        return replace(kept, stopped_by=stopped_by, num_solves=session.num_solves - solves)

    def asks_every_scenario(self, problem: TwoStageProblem) -> bool:
        """Where the network reads linear programs; a family's own reads what the family knows, in a millisecond."""
        return self._network(problem).config.encoding == "lp"

    def _by_costs(self, problem: TwoStageProblem, costs: RelaxedCosts, deadline: Deadline) -> _Ranking:
        """By a network that reads linear programs; what it does not score follows as the relaxation ranks it."""
        from neurprise.networks.universal import graph_of_features, universal_features

        promising = relaxation_ranking(problem, costs.relaxation)
        if costs.late or not costs.is_known:  # the network was not trained on so little
            return _Ranking(promising, np.full(len(promising), np.nan), late=costs.late)
        candidates = np.sort(promising[:MOST_SCORED])
        features = universal_features(problem, costs, candidates)

        def score(part: Ints) -> Floats:
            graph = graph_of_features(features[np.searchsorted(candidates, part)])
            return self.scores_of(_restricted(problem, part), graph)

        return _ranking(promising, score, deadline)

    def _by_family(self, problem: TwoStageProblem, deadline: Deadline) -> _Ranking:
        """By a family's network; what it does not score follows by summed coefficients."""
        severe = largest_first(problem.severity)
        return _ranking(severe, lambda part: self.scores(_restricted(problem, part)), deadline)

    def scores(self, problem: TwoStageProblem) -> Floats:
        """The network's score of every scenario, shape (S,); only their order has a meaning."""
        from neurprise.networks.view import encode

        return self.scores_of(problem, encode(problem, self._network(problem).config.encoding))

    def scores_of(self, problem: TwoStageProblem, graph: ScenarioGraph) -> Floats:
        """The same where the graph that the network reads is known."""
        from neurprise.networks.view import view_of

        return view_of(problem).final_scores(self.network_scores(problem, graph))

    def network_scores(self, problem: TwoStageProblem, graph: ScenarioGraph) -> Floats:
        """What the network says, before a rule of the family moves scenarios to the front, shape (S,)."""
        network = self._network(problem)
        self._check_features(network, graph.num_features, problem)
        with _one_blas_thread():
            return network.scores(graph)

    def _network(self, problem: TwoStageProblem) -> Scorer:
        from neurprise.networks.checkpoints import SCORERS, shipped_for
        from neurprise.networks.scoring import ANY_FAMILY

        name = shipped_for(problem.family) if self.checkpoint is None else self.checkpoint
        key = str(name)
        if key not in self._networks:
            self._networks[key] = SCORERS.load(name)
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


@dataclass(frozen=True)
class _Ranking:
    """
    All scenarios, best first, shape (S,); scores, shape (S,), nan where not scored; whether time cut it short.
    """

    order: Ints
    scores: Floats
    late: bool


def _ranking(promising: Ints, score: Callable[[Ints], Floats], deadline: Deadline) -> _Ranking:
    """
    The first of `promising`, shape (S,), by falling score, then the others as they are.

    At most MOST_SCORED are scored. Under a deadline a few come first. Their time shows how many fit, since attention
    grows with their square.
    """
    most = min(MOST_SCORED, len(promising))
    count = most if math.isinf(deadline.remaining) else min(FIRST_SCORED, most)
    while True:
        start = deadline.elapsed
        part = np.sort(promising[:count])
        scores = score(part)
        growth = math.sqrt(TIME_SHARE * deadline.remaining / max(deadline.elapsed - start, 1e-6))
        affordable = most if math.isinf(growth) else min(int(count * growth), most)
        if affordable <= count:
            break
        count = affordable
    known = np.full(len(promising), np.nan)
    known[part] = scores
    return _Ranking(np.concatenate([part[largest_first(scores)], promising[count:]]), known, late=count < most)


def _restricted(problem: TwoStageProblem, part: Ints) -> TwoStageProblem:
    return problem if len(part) == problem.num_scenarios else problem.restrict(part.tolist())


def _kept(ranking: _Ranking, keep: int, clock: Deadline) -> Reduction:
    """The first scenarios with their scores, where each of them has one."""
    kept = ranking.order[:keep]
    scores = ranking.scores[kept]
    return Reduction(
        tuple(kept.tolist()),
        runtime=clock.elapsed,
        stopped_by=Status.TIME_LIMIT.value if ranking.late else None,
        scores=None if np.isnan(scores).any() else tuple(scores.tolist()),
    )


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
