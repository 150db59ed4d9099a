"""
How fast training passes over scenario graphs: PyG's convolution on disjoint graphs, one per scenario, against ours.

A pass is forward and backward of one model over the same instances, on one thread.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import process_time
from typing import TYPE_CHECKING, Any, Self

from experiments.instances.sets import SETS
from experiments.methods.base import Method, Task
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec

if TYPE_CHECKING:
    from neurprise.networks.scenario_graph import ScenarioGraph

#: Instances that are passed at once, and how often; the quickest pass counts.
MICRO_BATCH, REPEATS = 4, 3


@dataclass(frozen=True)
class Passing:
    """
    Parameters
    ----------
    encoding
        The graph that the network reads.
    shared
        Whether all scenarios share one topology, as in `neurprise.training`; otherwise PyG's GINEConv and pooling.
    count
        Instances of a pass.
    """

    title: str
    encoding: str
    shared: bool
    count: int = 32
    gap: float = 0.0
    takes_budget = False

    def missing(self) -> str | None:
        absent = importlib.util.find_spec("torch_geometric") is None
        return "PyG is not installed; run: pip install torch-geometric" if absent else None

    def smaller(self) -> Self:
        return replace(self, count=2)

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        import torch

        from neurprise.networks.view import encode

        assert task.instances is not None
        drawn = [task.instances.problem(task.seed + place) for place in range(self.count)]
        graphs = [encode(problem, self.encoding) for problem in drawn]
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            one_pass = self._shared(graphs) if self.shared else self._disjoint(graphs)
            _seconds(one_pass, graphs)
            seconds = min(_seconds(one_pass, graphs) for _ in range(REPEATS))
        finally:
            torch.set_num_threads(threads)
        yield Outcome.timed(seconds, measured={"instances a second": self.count / seconds})

    def _shared(self, graphs: list[ScenarioGraph]) -> Any:
        from neurprise.training.model import ScenarioScorer

        model = ScenarioScorer(self._config(graphs))
        return lambda part: model(part).sum().backward()

    def _disjoint(self, graphs: list[ScenarioGraph]) -> Any:
        from experiments.baselines.pyg import PyGEncoder, pyg_batch
        from neurprise.training.model import ScenarioScorer

        config = self._config(graphs)
        model, encoder = ScenarioScorer(config), PyGEncoder(config.num_features, config.hidden, config.embedding)

        def one_pass(part: list[ScenarioGraph]) -> None:
            embeddings = encoder(pyg_batch(part)).view(len(part), -1, config.embedding)
            model.decoder(embeddings.mean(dim=1), model.attention(embeddings)).sum().backward()

        return one_pass

    def _config(self, graphs: list[ScenarioGraph]) -> Any:
        from neurprise.networks.scoring import ModelConfig

        return ModelConfig("any", graphs[0].num_features, self.encoding)


def _seconds(one_pass: Any, graphs: list[ScenarioGraph]) -> float:
    start = process_time()
    for first in range(0, len(graphs), MICRO_BATCH):
        one_pass(graphs[first : first + MICRO_BATCH])
    return process_time() - start


METHODS: dict[str, Method] = {
    f"{name}-{encoding}": Passing(f"{title}, {encoding} graphs", encoding, name == "shared")
    for encoding in ("cv", "ps")
    for name, title in (("pyg", "PyG"), ("shared", "shared topology"))
}
PASSES = Spec(
    "passes",
    "Training passes: disjoint graphs with PyG against one shared topology",
    tuple(
        Panel(SETS[name].unsolved(), 1, (f"pyg-{encoding}", f"shared-{encoding}"), (), baseline=f"pyg-{encoding}")
        for name, encoding in (
            ("SEL-20-50", "cv"), ("VC-20-50", "cv"), ("CFLP-30-30-50", "ps"), ("CFLP-30-30-50", "cv"),
        )
    ),
    view="speed",
)  # fmt: skip
SPECS = (PASSES,)
