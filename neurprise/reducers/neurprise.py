"""NeurPRISE: a trained network ranks all scenarios in one forward pass."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from neurprise.clock import Deadline
from neurprise.errors import CheckpointError, InputError, MissingDependencyError
from neurprise.problem import TwoStageProblem
from neurprise.problems import FacilityLocation
from neurprise.reducers.base import Reduction, largest_first, num_kept

if TYPE_CHECKING:
    from neurprise.arrays import Floats
    from neurprise.learn.model import ScenarioScorer


class NeurPRISE:
    """
    Keep the scenarios that a network trained on PRISE traces scores highest; ties: smallest index.

    Parameters
    ----------
    checkpoint
        A shipped checkpoint's name or a directory that `neurprise train` wrote; None takes the shipped checkpoint of
        the problem's family.
    threads
        CPU threads of the forward pass.
    """

    name = "neurprise"

    def __init__(self, checkpoint: str | Path | None = None, threads: int = 1) -> None:
        self.checkpoint = checkpoint
        self.threads = threads
        self._models: dict[str, ScenarioScorer] = {}

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        """Keep `budget` scenarios; the runtime includes loading the checkpoint on the first call."""
        clock = Deadline()
        keep = num_kept(problem, budget)
        order = largest_first(self.scores(problem))
        return Reduction(tuple(order[:keep].tolist()), runtime=clock.elapsed)

    def scores(self, problem: TwoStageProblem) -> Floats:
        """The network's score of every scenario, shape (S,); only their order has a meaning."""
        model = self._model(problem)
        import torch

        from neurprise.learn.encodings import encode

        before = torch.get_num_threads()
        torch.set_num_threads(self.threads)
        try:
            graph = encode(problem, model.config.encoding)
            self._check_features(model, graph.num_features, problem)
            return _with_largest_demand_first(model.scores(graph).double().numpy(), problem)
        finally:
            torch.set_num_threads(before)

    def _model(self, problem: TwoStageProblem) -> ScenarioScorer:
        name = problem.family if self.checkpoint is None else self.checkpoint
        key = str(name)
        if key not in self._models:
            self._models[key] = self._loaded(name)
        model = self._models[key]
        if problem.family != model.config.family:
            raise CheckpointError(
                f"Checkpoint {key!r} was trained on {model.config.family!r}, the problem is {problem.family!r}; "
                "NeurPRISE() picks the checkpoint of the problem's family."
            )
        return model

    def _loaded(self, name: str | Path) -> ScenarioScorer:
        checkpoints = _checkpoints()
        known = checkpoints.shipped_names()
        if self.checkpoint is None and name not in known:
            raise CheckpointError(
                f"no shipped checkpoint was trained on {name!r} problems (there are {', '.join(known)}); train one and "
                "pass its directory to NeurPRISE, or use the reducer 'prise' or 'ccg'."
            )
        return checkpoints.load(name)  # type: ignore[no-any-return]

    def _check_features(self, model: ScenarioScorer, num_features: int, problem: TwoStageProblem) -> None:
        if num_features != model.config.num_features:
            raise CheckpointError(
                f"the checkpoint takes {model.config.num_features} node features, {problem.family!r} problems have "
                f"{num_features} in encoding {model.config.encoding!r}; train it anew."
            )


def _with_largest_demand_first(scores: Floats, problem: TwoStageProblem) -> Floats:
    """
    Facility location: the scenario of largest total demand scores highest; other families: the scores as they are.

    Any site can serve any customer, so a decision is feasible for a scenario exactly when its capacity reaches the
    total demand. Whoever keeps the largest total has recourse in every scenario; whoever drops it may have none.
    """
    if isinstance(problem, FacilityLocation):
        scores[int(np.argmax(problem.demands.sum(axis=1)))] = scores.max() + 1.0
    return scores


def _checkpoints() -> ModuleType:
    try:
        from neurprise.learn import checkpoints
    except InputError:
        raise
    except ImportError as error:
        raise MissingDependencyError(
            f"NeurPRISE needs PyTorch and safetensors ({error}); install them with: pip install 'neurprise[learn]'."
        ) from None
    return checkpoints
