"""The encoder of NeurPRISE from PyG's own convolution and pooling, on disjoint graphs, one per scenario."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GINEConv, global_mean_pool

from neurprise.networks.scenario_graph import ScenarioGraph


class PyGEncoder(nn.Module):
    """The same layers as `GINEEncoder`."""

    def __init__(self, num_features: int, hidden: int, embedding: int) -> None:
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
