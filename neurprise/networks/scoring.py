"""
A trained network's scores in numpy and compiled kernels: choosing scenarios needs no PyTorch.

The parts have the names of those in `training.model` and `training.encoder`; they take one instance and compute no
gradients. Scenarios are encoded a few at a time, so memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

import numpy as np

from neurprise import arrays
from neurprise.arrays import Floats
from neurprise.errors import CheckpointError, InputError
from neurprise.networks import scoring_kernels as kernels
from neurprise.networks.scenario_graph import Floats32, ScenarioGraph
from neurprise.networks.view import ENCODINGS

#: The family of networks that score any problem.
ANY_FAMILY = "any"

CHOICES = {
    "encoding": ENCODINGS,
    "encoder": ("gnn", "deepsets"),
    "fusion": ("pooled", "late", "early"),
}
SIZES = (
    "num_features", "hidden", "embedding", "num_layers", "attention_layers", "attention_heads", "feedforward",
    "scoring_heads", "head_width",
)  # fmt: skip


@dataclass(frozen=True)
class ModelConfig:
    """
    The model's shape; defaults are the paper's.

    Parameters
    ----------
    family
        Family it is trained on; ANY_FAMILY if it scores every problem.
    num_features
        Width of the node features.
    encoding, encoder, fusion
        Graph ("cv", "ps", "sv", "lp"), scenario encoder ("gnn", "deepsets"), and the instance context: "pooled" (mean
        of the scenario embeddings, read by the decoder), "late" (its own encoder, read by the decoder) or "early" (its
        own encoder, one more token in the attention layers).
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
        if not isinstance(self.family, str):
            raise InputError(f"family must be a name, got {self.family!r}.")
        for field in SIZES:
            arrays.whole_number(field, getattr(self, field), 1, 4096)
        if not arrays.nonnegative_number("dropout", self.dropout) < 1:
            raise InputError(f"dropout must be at least 0 and below 1, got {self.dropout!r}.")
        if self.embedding % self.attention_heads:
            raise InputError(
                f"embedding must be a multiple of attention_heads, got {self.embedding} and {self.attention_heads}."
            )


#: Nodes that are encoded together.
NODES_AT_ONCE = 20_000


class Scorer:
    """
    A trained network.

    Parameters
    ----------
    config
        Its shape.
    weights
        Arrays by their names in PyTorch; missing, unknown and misshapen arrays are refused.
    """

    def __init__(self, config: ModelConfig, weights: dict[str, Floats32]) -> None:
        named = NamedWeights(weights)
        self.config = config
        self._encoder = _encoder(config, named.part("encoder"))
        own_context = config.fusion in ("late", "early")
        self._context_encoder = _encoder(config, named.part("context_encoder")) if own_context else None
        layers = range(config.attention_layers)
        self._attention = [_AttentionLayer(config, named.part(f"attention.layers.{layer}")) for layer in layers]
        self._decoder = _Decoder(config, named.part("decoder"))
        named.check_that_all_are_taken()

    def scores(self, graph: ScenarioGraph) -> Floats:
        """The score of every scenario, shape (S,)."""
        try:
            scores: Floats = self._decoder(*self._context_and_scenarios(graph)).astype(float)
        except ZeroDivisionError:  # the attention weights sum to zero
            scores = np.array([np.nan])
        if not np.isfinite(scores).all():
            raise CheckpointError("the network's scores leave the range of 32-bit numbers; train it anew.")
        return scores

    def _context_and_scenarios(self, graph: ScenarioGraph) -> tuple[Floats32, Floats32]:
        """The decoder's inputs, shapes (d_s,) and (S, d_s); see `ModelConfig.fusion`."""
        embeddings = self._encoder(graph)
        if self._context_encoder is None:
            return embeddings.mean(axis=0), self._refined(embeddings)
        context = self._context_encoder(graph.average())
        if self.config.fusion == "late":
            return context[0], self._refined(embeddings)
        refined = self._refined(np.concatenate([context, embeddings]))
        return refined[0], refined[1:]

    def _refined(self, embeddings: Floats32) -> Floats32:
        for layer in self._attention:
            embeddings = layer(embeddings)
        return embeddings


class NamedWeights:
    """Arrays by name, taken one by one; each must have the expected shape."""

    def __init__(self, arrays: dict[str, Floats32], prefix: str = "", taken: set[str] | None = None) -> None:
        self._arrays, self._prefix = arrays, prefix
        self._taken: set[str] = set() if taken is None else taken

    def part(self, name: str) -> NamedWeights:
        return NamedWeights(self._arrays, f"{self._prefix}{name}.", self._taken)

    def array(self, name: str, *shape: int) -> Floats32:
        key = self._prefix + name
        got = self._arrays[key].shape if key in self._arrays else None
        if got != shape:
            raise CheckpointError(f"{key} must have shape {shape}, got {got}")
        self._taken.add(key)
        return self._arrays[key]

    def linear(self, name: str, inputs: int, outputs: int) -> _Linear:
        part = self.part(name)
        return _Linear(np.ascontiguousarray(part.array("weight", outputs, inputs).T), part.array("bias", outputs))

    def norm(self, name: str, width: int) -> Floats32:
        """Scale and shift, shape (2, width)."""
        part = self.part(name)
        return np.stack([part.array("weight", width), part.array("bias", width)])

    def check_that_all_are_taken(self) -> None:
        left = sorted(self._arrays.keys() - self._taken)
        if left:
            raise CheckpointError(f"{left[0]} belongs to no part of the network")


class _Linear:
    def __init__(self, weight: Floats32, bias: Floats32) -> None:
        self.arrays = weight, bias

    def __call__(self, h: Floats32) -> Floats32:
        """h: (rows, inputs) -> (rows, outputs)."""
        return kernels.linear(h, *self.arrays)

    def then_relu(self, h: Floats32) -> Floats32:
        return kernels.linear_relu(h, *self.arrays)


class _Part:
    """Some scenarios of an instance, written out node by node: row v * s + k is node v in the k-th of s scenarios."""

    def __init__(self, graph: ScenarioGraph, scenarios: slice) -> None:
        self.graph = graph
        self.features = graph.features(scenarios).transpose(1, 0, 2).reshape(-1, graph.num_features)
        self.varying_coefficients = graph.edge_values[scenarios]

    def mean_over_nodes(self, h: Floats32) -> Floats32:
        """Mean over the nodes of each scenario, shape (s, width)."""
        return kernels.mean_over_nodes(h, self.graph.num_nodes)


class _GINELayer:
    def __init__(self, width: int, hidden: int, weights: NamedWeights) -> None:
        self._own = np.float32(1 + weights.array("eps", 1)[0])
        weight, self._edge_bias = weights.linear("edge", 1, width).arrays
        self._edge_weight = weight[0]
        self._linear = weights.linear("linear", width, hidden).arrays

    def __call__(self, h: Floats32, part: _Part) -> Floats32:
        """h: (N s, width) -> (N s, hidden)."""
        out: Floats32
        graph = part.graph
        if graph.adjacency is not None:
            shift = graph.weights[0] * self._edge_weight + self._edge_bias
            out = kernels.gine_by_matrix(h, self._own, shift, *self._linear, graph.adjacency)
        else:
            edge = self._edge_weight, self._edge_bias
            edges = graph.edges, graph.weights, graph.varying_edges, part.varying_coefficients
            out = kernels.gine_by_edges(h, self._own, *edge, *self._linear, *edges)
        return out


class _GINEEncoder:
    def __init__(self, config: ModelConfig, weights: NamedWeights) -> None:
        widths = [config.num_features] + [config.hidden] * (config.num_layers - 1)
        outs = [config.hidden] * (config.num_layers - 1) + [config.embedding]
        self._layers = [_GINELayer(w, config.hidden, weights.part(f"layers.{k}")) for k, w in enumerate(widths)]
        self._outputs = [weights.linear(f"outputs.{k}", config.hidden, out) for k, out in enumerate(outs)]

    def __call__(self, graph: ScenarioGraph) -> Floats32:
        return self._outputs[-1](np.concatenate([self._pooled(part) for part in _parts(graph)]))

    def _pooled(self, part: _Part) -> Floats32:
        h = part.features
        for layer, output in zip(self._layers[:-1], self._outputs[:-1], strict=True):
            h = output.then_relu(layer(h, part))
        return part.mean_over_nodes(self._layers[-1](h, part))


class _DeepSetsEncoder:
    def __init__(self, config: ModelConfig, weights: NamedWeights) -> None:
        widths = [config.num_features] + [config.hidden] * (2 * config.num_layers - 1)
        self._layers = [weights.linear(f"layers.{k}", a, b) for k, (a, b) in enumerate(pairwise(widths))]
        self._output = weights.linear("output", config.hidden, config.embedding)

    def __call__(self, graph: ScenarioGraph) -> Floats32:
        return self._output(np.concatenate([self._pooled(part) for part in _parts(graph)]))

    def _pooled(self, part: _Part) -> Floats32:
        h = part.features
        for layer in self._layers:
            h = layer.then_relu(h)
        return part.mean_over_nodes(h)


class _AttentionLayer:
    """As PyTorch's TransformerEncoderLayer."""

    def __init__(self, config: ModelConfig, weights: NamedWeights) -> None:
        width, self._heads = config.embedding, config.attention_heads
        scale = np.ones(3 * width, dtype=np.float32)
        scale[:width] = 1 / sqrt(width // self._heads)
        self._arrays = (
            weights.array("self_attn.in_proj_weight", 3 * width, width) * scale[:, None],
            weights.array("self_attn.in_proj_bias", 3 * width) * scale,
            *weights.linear("self_attn.out_proj", width, width).arrays,
            weights.norm("norm1", width),
            *weights.linear("linear1", width, config.feedforward).arrays,
            *weights.linear("linear2", config.feedforward, width).arrays,
            weights.norm("norm2", width),
        )

    def __call__(self, h: Floats32) -> Floats32:
        """h: (S, width) -> (S, width)."""
        return kernels.attention_layer(h, self._heads, *self._arrays)


class _Decoder:
    def __init__(self, config: ModelConfig, weights: NamedWeights) -> None:
        heads, outputs = config.scoring_heads, config.scoring_heads * config.head_width
        self._arrays = (
            weights.array("query.weight", outputs, config.embedding),
            weights.array("key.weight", outputs, config.embedding) / np.float32(sqrt(config.head_width)),
            heads,
            *weights.linear("mix.0", heads, 4 * heads).arrays,
            *weights.linear("mix.2", 4 * heads, 1).arrays,
        )

    def __call__(self, context: Floats32, scenarios: Floats32) -> Floats32:
        """context: (d_s,), scenarios: (S, d_s) -> scores (S,)."""
        return kernels.decode(context, scenarios, *self._arrays)


def _encoder(config: ModelConfig, weights: NamedWeights) -> Callable[[ScenarioGraph], Floats32]:
    """From a graph to scenario embeddings, shape (S, embedding)."""
    return _GINEEncoder(config, weights) if config.encoder == "gnn" else _DeepSetsEncoder(config, weights)


def _parts(graph: ScenarioGraph) -> Iterator[_Part]:
    """A few scenarios at a time."""
    step = max(1, NODES_AT_ONCE // graph.num_nodes)
    for first in range(0, graph.num_scenarios, step):
        yield _Part(graph, slice(first, first + step))
