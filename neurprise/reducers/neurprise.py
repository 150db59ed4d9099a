"""NeurPRISE: a trained network ranks all scenarios in one forward pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import LibController, ThreadpoolController

from neurprise.clock import Deadline
from neurprise.errors import CheckpointError
from neurprise.problem import TwoStageProblem
from neurprise.problems import FacilityLocation
from neurprise.reducers.base import Reduction, largest_first, num_kept

if TYPE_CHECKING:
    from neurprise.arrays import Floats
    from neurprise.learn.scoring import Scorer


class NeurPRISE:
    """
    Keep the scenarios that a network trained on PRISE traces scores highest; ties: smallest index.

    Parameters
    ----------
    checkpoint
        A shipped checkpoint's name or a directory that `neurprise train` wrote; None takes the shipped checkpoint of
        the problem's family.
    """

    name = "neurprise"

    def __init__(self, checkpoint: str | Path | None = None) -> None:
        self.checkpoint = checkpoint
        self._networks: dict[str, Scorer] = {}

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        """Keep `budget` scenarios; the runtime includes loading the checkpoint on the first call."""
        clock = Deadline()
        keep = num_kept(problem, budget)
        order = largest_first(self.scores(problem))
        return Reduction(tuple(order[:keep].tolist()), runtime=clock.elapsed)

    def scores(self, problem: TwoStageProblem) -> Floats:
        """The network's score of every scenario, shape (S,); only their order has a meaning."""
        from neurprise.learn.encodings import encode

        network = self._network(problem)
        graph = encode(problem, network.config.encoding)
        self._check_features(network, graph.num_features, problem)
        with _one_blas_thread():
            scores = network.scores(graph)
        return with_largest_demand_first(scores, problem)

    def _network(self, problem: TwoStageProblem) -> Scorer:
        name = problem.family if self.checkpoint is None else self.checkpoint
        key = str(name)
        if key not in self._networks:
            self._networks[key] = self._loaded(name)
        network = self._networks[key]
        if problem.family != network.config.family:
            raise CheckpointError(
                f"Checkpoint {key!r} was trained on {network.config.family!r}, the problem is {problem.family!r}; "
                "NeurPRISE() picks the checkpoint of the problem's family."
            )
        return network

    def _loaded(self, name: str | Path) -> Scorer:
        from neurprise.learn import checkpoints

        known = checkpoints.shipped_names()
        if self.checkpoint is None and name not in known:
            raise CheckpointError(
                f"no shipped checkpoint was trained on {name!r} problems (there are {', '.join(known)}); train one and "
                "pass its directory to NeurPRISE, or use the reducer 'prise' or 'ccg'."
            )
        return checkpoints.load(name)

    def _check_features(self, network: Scorer, num_features: int, problem: TwoStageProblem) -> None:
        if num_features != network.config.num_features:
            raise CheckpointError(
                f"the checkpoint takes {network.config.num_features} node features, {problem.family!r} problems have "
                f"{num_features} in encoding {network.config.encoding!r}; train it anew."
            )


def with_largest_demand_first(scores: Floats, problem: TwoStageProblem) -> Floats:
    """
    Facility location: the scenario of largest total demand scores highest; other families: the scores as they are.

    Any site can serve any customer, so a decision is feasible for a scenario exactly when its capacity reaches the
    total demand. Whoever keeps the largest total has recourse in every scenario; whoever drops it may have none.
    """
    if isinstance(problem, FacilityLocation):
        scores[int(np.argmax(problem.demands.sum(axis=1)))] = scores.max() + 1.0
    return scores


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
