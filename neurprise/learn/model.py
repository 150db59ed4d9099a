"""NeurPRISE: scenario graphs in, one score per scenario out (the paper's Section on model architecture)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from neurprise.errors import InputError
from neurprise.learn.crossed import CrossedEncoder
from neurprise.learn.encoder import DeepSetsEncoder, GINEEncoder, GraphTensors
from neurprise.learn.encodings import ENCODINGS
from neurprise.learn.graphs import ScenarioGraph, collate

#: Nodes that are encoded at once when no gradient is needed; bounds memory for any number of scenarios.
NODES_AT_ONCE = 20_000

CHOICES = {
    "encoding": ENCODINGS,
    "encoder": ("gnn", "deepsets"),
    "fusion": ("pooled", "late", "early", "crossed"),
}


@dataclass(frozen=True)
class ModelConfig:
    """
    The model's shape; defaults are the paper's.

    Parameters
    ----------
    family
        Family it is trained on.
    num_features
        Width of the node features.
    encoding, encoder, fusion
        Graph ("cv", "ps", "sv"), scenario encoder ("gnn", "deepsets"), and where the instance context comes from and
        meets the scenarios: "pooled" (mean of the scenario embeddings, met in the decoder), "late" (an encoder of its
        own, met in the decoder), "early" (an encoder of its own, one more token among the scenarios) or "crossed" (as
        "pooled", with an encoder in which scenarios see each other node by node: see `crossed`).
    hidden, embedding, num_layers
        GINE widths 128 and d_s, and its number of layers.
    """

    family: str
    num_features: int
    encoding: str = "cv"
    encoder: str = "gnn"
    fusion: str = "pooled"
    hidden: int = 128
    embedding: int = 64
    num_layers: int = 2
    attention_layers: int = 2
    attention_heads: int = 8
    feedforward: int = 128
    scoring_heads: int = 4
    head_width: int = 32
    dropout: float = 0.0

    def __post_init__(self) -> None:
        for field, known in CHOICES.items():
            if getattr(self, field) not in known:
                raise InputError(f"{field} must be one of {', '.join(known)}, got {getattr(self, field)!r}.")
        for field in ("num_features", "hidden", "embedding", "num_layers", "attention_heads", "feedforward"):
            value = getattr(self, field)
            if not isinstance(value, int) or not 1 <= value <= 4096:
                raise InputError(f"{field} must be a whole number between 1 and 4096, got {value!r}.")
        if self.embedding % self.attention_heads:
            raise InputError(
                f"embedding must be a multiple of attention_heads, got {self.embedding} and {self.attention_heads}."
            )
        if self.fusion == "crossed" and (self.encoder != "gnn" or self.num_layers < 2):
            raise InputError("fusion 'crossed' needs encoder 'gnn' and at least 2 layers; choose another fusion.")


class ScenarioScorer(nn.Module):
    """The complete network; `scores` ranks the scenarios of one instance, `forward` those of a batch."""

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
        return self.all_logits(graphs)[0]

    def all_logits(self, graphs: Sequence[ScenarioGraph]) -> list[Tensor]:
        """The logits, and those of intermediate scores that are trained alongside; each of the shape of `forward`."""
        count, tensors = len(graphs), self._tensors(graphs)
        if isinstance(self.encoder, CrossedEncoder):
            embeddings, first_scores = self.encoder(tensors)
            extra = [first_scores.view(count, -1)]
        else:
            embeddings, extra = self.encoder(tensors), []
        return [self._decode(embeddings.view(count, -1, self.config.embedding), graphs), *extra]

    @torch.inference_mode()
    def scores(self, graph: ScenarioGraph) -> Tensor:
        """Logits of one instance's scenarios, shape (S,); scenarios are encoded a few at a time."""
        step = max(1, NODES_AT_ONCE // graph.num_nodes)
        starts = range(0, graph.num_scenarios, step)
        chunks = [partial(self._tensors, [graph], slice(i, i + step)) for i in starts]
        if isinstance(self.encoder, CrossedEncoder):
            embeddings = self.encoder.embed_in_chunks(chunks)
        else:
            embeddings = torch.cat([self.encoder(chunk()) for chunk in chunks])
        return self._decode(embeddings[None], [graph])[0]

    def _decode(self, embeddings: Tensor, graphs: Sequence[ScenarioGraph]) -> Tensor:
        """embeddings: (instances, scenarios, d_s) before attention."""
        if self.context_encoder is None:
            result: Tensor = self.decoder(embeddings.mean(dim=1), self.attention(embeddings))
            return result
        context = self.context_encoder(self._tensors([graph.average() for graph in graphs]))
        if self.config.fusion == "late":
            return self.decoder(context, self.attention(embeddings))  # type: ignore[no-any-return]
        refined = self.attention(torch.cat([context[:, None], embeddings], dim=1))
        return self.decoder(refined[:, 0], refined[:, 1:])  # type: ignore[no-any-return]

    def _tensors(self, graphs: Sequence[ScenarioGraph], scenarios: slice = slice(None)) -> GraphTensors:
        device = next(self.parameters()).device
        return GraphTensors.of(collate(graphs, scenarios), device, len(graphs))


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


def _encoder(config: ModelConfig) -> nn.Module:
    gnn = CrossedEncoder if config.fusion == "crossed" else GINEEncoder
    kind: type[nn.Module] = gnn if config.encoder == "gnn" else DeepSetsEncoder
    return kind(config.num_features, config.hidden, config.embedding, config.num_layers)
