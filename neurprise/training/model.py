"""
NeurPRISE in PyTorch: scenario graphs in, one score per scenario out (the paper's Section on model architecture).

`networks.scoring` computes the same from the trained weights without PyTorch; a test compares the two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from neurprise.networks.checkpoints import SCORERS
from neurprise.networks.scenario_graph import Floats32, ScenarioGraph
from neurprise.networks.scoring import ModelConfig, Scorer
from neurprise.training.encoder import DeepSetsEncoder, GINEEncoder, GraphBatch, collate


class ScenarioScorer(nn.Module):
    """The complete network, for a batch of instances."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = _encoder(config)
        self.context_encoder = _encoder(config) if config.fusion in ("late", "early") else None
        layer = nn.TransformerEncoderLayer(
            config.embedding, config.attention_heads, config.feedforward, config.dropout, batch_first=True
        )
        self.attention = nn.TransformerEncoder(layer, config.attention_layers, enable_nested_tensor=False)
        self.decoder = ScoringDecoder(config.embedding, config.scoring_heads, config.head_width)

    def forward(self, graphs: Sequence[ScenarioGraph]) -> Tensor:
        """Logits of every scenario, shape (instances, scenarios); all instances have equally many scenarios."""
        embeddings = self.encoder(self._batch(graphs))
        return self._decode(embeddings.view(len(graphs), -1, self.config.embedding), graphs)

    def scorer(self) -> Scorer:
        """The network with its present weights, without PyTorch."""
        return Scorer(self.config, self.weights())

    def weights(self) -> dict[str, Floats32]:
        """Copies of all weights by name."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}

    def _decode(self, embeddings: Tensor, graphs: Sequence[ScenarioGraph]) -> Tensor:
        """embeddings: (instances, scenarios, d_s) before attention."""
        if self.context_encoder is None:
            result: Tensor = self.decoder(embeddings.mean(dim=1), self.attention(embeddings))
            return result
        context = self.context_encoder(self._batch([graph.average() for graph in graphs]))
        if self.config.fusion == "late":
            return self.decoder(context, self.attention(embeddings))  # type: ignore[no-any-return]
        refined = self.attention(torch.cat([context[:, None], embeddings], dim=1))
        return self.decoder(refined[:, 0], refined[:, 1:])  # type: ignore[no-any-return]

    def _batch(self, graphs: Sequence[ScenarioGraph]) -> GraphBatch:
        return collate(graphs, next(self.parameters()).device)


class ScoringDecoder(nn.Module):
    """Scaled dot products of context and scenarios in several heads, mixed by a small network."""

    def __init__(self, embedding: int, heads: int, head_width: int) -> None:
        super().__init__()
        self.heads, self.head_width = heads, head_width
        self.query = nn.Linear(embedding, heads * head_width, bias=False)
        self.key = nn.Linear(embedding, heads * head_width, bias=False)
        self.mix = nn.Sequential(nn.Linear(heads, 4 * heads), nn.ReLU(), nn.Linear(4 * heads, 1))

    def forward(self, context: Tensor, scenarios: Tensor) -> Tensor:
        """context: (B, d_s), scenarios: (B, S, d_s) -> logits (B, S)."""
        query = self.query(context).view(-1, 1, self.heads, self.head_width)
        key = self.key(scenarios).view(*scenarios.shape[:2], self.heads, self.head_width)
        per_head = (query * key).sum(dim=-1) / math.sqrt(self.head_width)
        result: Tensor = self.mix(per_head).squeeze(-1)
        return result


def load_weights(model: ScenarioScorer, checkpoint: str | Path) -> None:
    """Give the model the weights of a checkpoint of the same configuration."""
    weights = SCORERS.weights(checkpoint)
    model.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})


def _encoder(config: ModelConfig) -> nn.Module:
    kind: type[nn.Module] = GINEEncoder if config.encoder == "gnn" else DeepSetsEncoder
    return kind(config.num_features, config.hidden, config.embedding, config.num_layers)
