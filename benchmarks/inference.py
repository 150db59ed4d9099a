"""
How long NeurPRISE takes to choose, against PRISE on the same instances, and how fast training passes run.

    python -m benchmarks.inference [--instances 3] [--scenarios 50 200 1000] [--prise-scenarios 50 200]

One core. Times are of a whole call of `reduce` with budget 6 on a problem that no method has seen, graph drawing
included, the checkpoint loaded before; the quickest of twenty calls (PRISE: of five) per instance. "engine_only" is
PRISE without the tables over all first-stage decisions that up to 20 items or nodes get. The process keeps freed
memory: PRISE's tables are large, and asking the system for them anew would slow it down.
The throughput rows are forward and backward passes of one model over the same 32 instances: PyG's GINEConv on a
batch of disjoint graphs, one per scenario, against the shared-topology path.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GINEConv, global_mean_pool

import neurprise as nr
from benchmarks.engine_only import engine_only
from benchmarks.record import new_parser, publish, whole_table
from neurprise.graphs.scenario_graph import ScenarioGraph
from neurprise.inference.config import ModelConfig
from neurprise.inference.encodings import encode
from neurprise.learn.allocator import keep_freed_memory
from neurprise.learn.model import ScenarioScorer
from neurprise.reducers import PRISE, NeurPRISE

FAMILIES: dict[str, Callable[[int, int], nr.TwoStageProblem]] = {
    "SEL-20": lambda scenarios, seed: nr.make_selection(20, scenarios, seed),
    "VC-20": lambda scenarios, seed: nr.make_vertex_cover(20, scenarios, seed),
    "CFLP-30-30": lambda scenarios, seed: nr.make_facility_location(30, 30, scenarios, seed),
}
#: The graphs that the paper trains on, the one that it prefers first.
ENCODINGS = {"SEL-20": ("cv",), "VC-20": ("cv",), "CFLP-30-30": ("ps", "cv")}
BUDGET = 6


def choosing_times(name: str, scenarios: int, instances: int, with_prise: bool) -> dict[str, object]:
    """Mean milliseconds of NeurPRISE and of PRISE over a few instances, and the ratios."""
    reducer = NeurPRISE()
    reducer.reduce(FAMILIES[name](scenarios, 0), BUDGET)
    seconds: dict[str, list[float]] = {"neurprise": [], "prise": [], "engine_only": []}
    for seed in range(10_000, 10_000 + instances):
        draw = partial(FAMILIES[name], scenarios, seed)
        seconds["neurprise"].append(min(_seconds(partial(reducer.reduce, draw(), BUDGET)) for _ in range(20)))
        if with_prise:
            seconds["prise"].append(min(_seconds(partial(PRISE().reduce, draw(), BUDGET)) for _ in range(5)))
            seconds["engine_only"].append(_seconds(partial(PRISE().reduce, engine_only(draw()), BUDGET)))
    means = {method: 1e3 * float(np.mean(times)) if times else None for method, times in seconds.items()}
    row: dict[str, object] = {"family": name, "scenarios": scenarios, "instances": instances}
    row |= {f"{method}_ms": mean for method, mean in means.items()}
    for method in ("prise", "engine_only"):
        row[f"{method}_ratio"] = means[method] / means["neurprise"] if means[method] else None
    return row


class PyGEncoder(nn.Module):
    """The same layers as `GINEEncoder`, from PyG's convolution and pooling."""

    def __init__(self, num_features: int, hidden: int, embedding: int, num_layers: int = 2) -> None:
        super().__init__()
        self.first = _convolution(num_features, hidden, hidden)
        self.second = _convolution(hidden, hidden, embedding)

    def forward(self, batch: Batch) -> Tensor:
        h = torch.relu(self.first(batch.x, batch.edge_index, batch.edge_attr))
        pooled: Tensor = global_mean_pool(self.second(h, batch.edge_index, batch.edge_attr), batch.batch)
        return pooled


def _convolution(width: int, hidden: int, out: int) -> GINEConv:
    network = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, out))
    return GINEConv(network, train_eps=True, edge_dim=1)


def pyg_batch(graphs: list[ScenarioGraph]) -> Batch:
    """One disjoint graph per scenario of every instance."""
    items = []
    for graph in graphs:
        features, weights = torch.from_numpy(graph.features()), torch.from_numpy(graph.coefficients())
        edges = torch.from_numpy(graph.edges)
        items += [Data(x=x, edge_index=edges, edge_attr=w[:, None]) for x, w in zip(features, weights, strict=True)]
    return Batch.from_data_list(items)


def throughputs(name: str, encoding: str, instances: int, micro_batch: int = 4) -> dict[str, object]:
    """Instances a second of a forward and backward pass, both ways, in one process on one thread."""
    graphs = [encode(FAMILIES[name](50, seed), encoding) for seed in range(instances)]
    config = ModelConfig("any", graphs[0].num_features, encoding)
    ours = ScenarioScorer(config)
    theirs = ScenarioScorer(config)
    encoder = PyGEncoder(config.num_features, config.hidden, config.embedding)
    parts = [graphs[i : i + micro_batch] for i in range(0, instances, micro_batch)]

    def shared_topology() -> None:
        for part in parts:
            ours(part).sum().backward()

    def plain_pyg() -> None:
        for part in parts:
            embeddings = encoder(pyg_batch(part)).view(len(part), -1, config.embedding)
            theirs.decoder(embeddings.mean(dim=1), theirs.attention(embeddings)).sum().backward()

    seconds = []
    for passes in (plain_pyg, shared_topology):
        passes()
        seconds.append(min(_seconds(passes) for _ in range(3)))
    return {
        "family": name,
        "encoding": encoding,
        "pyg_per_s": instances / seconds[0],
        "shared_per_s": instances / seconds[1],
        "ratio": seconds[0] / seconds[1],
    }


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--instances", type=int, default=3)
    parser.add_argument("--scenarios", type=int, nargs="+", default=[50, 200, 1000])
    parser.add_argument("--prise-scenarios", type=int, nargs="*", default=[50, 200], help="where PRISE is run too")
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--training", type=int, default=32, metavar="N", help="instances of a training pass; 0: none")
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    threadpool_limits(limits=1)
    keep_freed_memory()
    PRISE().reduce(nr.make_vertex_cover(8, 3, 0), 2)  # compiles the oracles, so that no row pays for it
    rows = [
        choosing_times(name, count, options.instances, count in options.prise_scenarios)
        for name in options.families
        for count in options.scenarios
    ]
    tables = [whole_table("Choosing 6 scenarios, one core", rows)]
    trained = options.families if options.training else ()
    speeds = [throughputs(name, encoding, options.training) for name in trained for encoding in ENCODINGS[name]]
    if speeds:
        tables.append(whole_table("Training throughput, instances a second, one thread", speeds))
    publish(options, "inference", rows + speeds, tables)


if __name__ == "__main__":
    main()
