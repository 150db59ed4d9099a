"""
A scenario encoder that lets scenarios see each other node by node (ours, not the paper's).

The paper's encoder pools every scenario by itself, so whether two scenarios hurt the *same* items must be guessed from
two pooled vectors. Here a first GINE layer scores the scenarios, every node then hears what the same node looks like
under the scenarios that score high, and the remaining layers encode each scenario knowing that:

    e_i = sum_j softmax_j(score_j) h_ij,      h_ij <- h_ij + W e_i        (node i, scenario j)

Permuting scenarios or nodes still permutes the result.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from neurprise.learn.config import NUM_VIEWS
from neurprise.learn.encoder import GINELayer, GraphTensors, mean_over_nodes


class CrossedEncoder(nn.Module):
    """
    GINE layers with one exchange between scenarios after the first.

    Parameters
    ----------
    num_features, hidden, embedding, num_layers
        As in `GINEEncoder`. Of the NUM_VIEWS weightings of scenarios the first is trained to be a score by itself.
    """

    def __init__(self, num_features: int, hidden: int, embedding: int, num_layers: int) -> None:
        super().__init__()
        self.first = GINELayer(num_features, hidden)
        self.first_output = nn.Linear(hidden, hidden)
        self.views = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, NUM_VIEWS))
        self.hear = nn.Linear(NUM_VIEWS * hidden, hidden)
        rest = num_layers - 1
        self.layers = nn.ModuleList(GINELayer(hidden, hidden) for _ in range(rest))
        self.outputs = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(rest - 1))
        self.last_output = nn.Linear(2 * hidden, embedding)

    def forward(self, graphs: GraphTensors) -> tuple[Tensor, Tensor]:
        """Embeddings, shape (copies, embedding), and first scores, shape (copies,)."""
        h = self.before(graphs)
        own = mean_over_nodes(h, graphs)
        scores = self.views(own)
        weights = torch.softmax(scores.view(graphs.num_instances, -1, scores.shape[1]), dim=1)
        heard = [self.heard(w, part) for w, part in zip(weights, _per_instance(h, graphs), strict=True)]
        return self.after(h, own, heard, graphs), scores[:, 0]

    def before(self, graphs: GraphTensors) -> Tensor:
        """Nodes before the exchange, shape (total nodes, hidden)."""
        return torch.relu_(self.first_output(self.first(graphs.features, graphs)))

    def heard(self, weights: Tensor, h: Tensor) -> Tensor:
        """What each node hears; weights: (s, views), h: (s, N, hidden) -> (N, hidden)."""
        told: Tensor = self.hear(torch.einsum("sv,snd->nvd", weights, h).flatten(1))
        return told

    def after(self, h: Tensor, own: Tensor, heard: list[Tensor], graphs: GraphTensors) -> Tensor:
        """Embeddings from nodes that know the exchange and their means `own` before it, shape (copies, embedding)."""
        parts = zip(_per_instance(h, graphs), heard, strict=True)
        told = torch.cat([(part + message).flatten(0, 1) for part, message in parts])
        for layer, output in zip(self.layers[:-1], self.outputs, strict=True):
            told = torch.relu_(output(layer(told, graphs)))
        pooled = mean_over_nodes(self.layers[-1](told, graphs), graphs)
        result: Tensor = self.last_output(torch.cat([pooled, own], dim=1))
        return result


def _per_instance(h: Tensor, graphs: GraphTensors) -> list[Tensor]:
    """Views of shape (scenarios, N, width), one per instance."""
    counts = graphs.copies[:, 1].view(graphs.num_instances, -1)
    sizes = counts.sum(dim=1).tolist()
    return [
        part.view(counts.shape[1], int(count), -1)
        for part, count in zip(torch.split(h, sizes), counts[:, 0].tolist(), strict=True)
    ]
