"""
A trained network's scores in numpy and compiled kernels: choosing scenarios needs no PyTorch.

The parts mirror those of `model` and `encoder`, name for name, for one instance and without gradients.
Scenarios are encoded a few at a time, so that memory stays bounded whatever their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import sqrt
from typing import Protocol

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import CheckpointError
from neurprise.learn import kernels
from neurprise.learn.config import ModelConfig
from neurprise.learn.graphs import GraphBatch, ScenarioGraph, Singles, collate

#: Nodes that are encoded at once.
NODES_AT_ONCE = 20_000
#: Entries of attention matrices that are held at once, 16 MB.
ATTENTION_AT_ONCE = 1 << 22


class Scorer:
    """
    A network that is ready to score.

    Parameters
    ----------
    config
        Its shape.
    weights
        Arrays by the names that PyTorch gives them; a missing, superfluous or misshapen one is refused.
    """

    def __init__(self, config: ModelConfig, weights: dict[str, Singles]) -> None:
        named = _Weights(weights)
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
        context, scenarios = self._context_and_scenarios(graph)
        return self._decoder(context, scenarios).astype(float)

    def _context_and_scenarios(self, graph: ScenarioGraph) -> tuple[Singles, Singles]:
        """What the decoder compares, shapes (d_s,) and (S, d_s): see `ModelConfig.fusion`."""
        embeddings = self._encoder(graph)
        if self._context_encoder is None:
            return embeddings.mean(axis=0), self._refined(embeddings)
        context = self._context_encoder(graph.average())
        if self.config.fusion == "late":
            return context[0], self._refined(embeddings)
        refined = self._refined(np.concatenate([context, embeddings]))
        return refined[0], refined[1:]

    def _refined(self, embeddings: Singles) -> Singles:
        for layer in self._attention:
            embeddings = layer(embeddings)
        return embeddings


class _Weights:
    """Arrays by name, taken one by one, each in the shape its user expects."""

    def __init__(self, arrays: dict[str, Singles], prefix: str = "", taken: set[str] | None = None) -> None:
        self._arrays, self._prefix = arrays, prefix
        self._taken: set[str] = set() if taken is None else taken

    def part(self, name: str) -> _Weights:
        return _Weights(self._arrays, f"{self._prefix}{name}.", self._taken)

    def array(self, name: str, *shape: int) -> Singles:
        key = self._prefix + name
        got = self._arrays[key].shape if key in self._arrays else None
        if got != shape:
            raise CheckpointError(f"{key} must have shape {shape}, got {got}")
        self._taken.add(key)
        return self._arrays[key]

    def linear(self, name: str, inputs: int, outputs: int, bias: bool = True) -> _Linear:
        part = self.part(name)
        weight = np.ascontiguousarray(part.array("weight", outputs, inputs).T)
        return _Linear(weight, part.array("bias", outputs) if bias else None)

    def check_that_all_are_taken(self) -> None:
        left = sorted(self._arrays.keys() - self._taken)
        if left:
            raise CheckpointError(f"{left[0]} belongs to no part of the network")


class _Linear:
    def __init__(self, weight: Singles, bias: Singles | None) -> None:
        self.weight, self.bias = weight, bias

    def __call__(self, h: Singles) -> Singles:
        """h: (rows, inputs) -> (rows, outputs)."""
        out = h @ self.weight
        if self.bias is not None:
            out += self.bias
        return out

    def then_relu(self, h: Singles) -> Singles:
        out = h @ self.weight
        kernels.add_bias_and_clip(out, self.bias)
        return out


class _GINELayer:
    def __init__(self, width: int, hidden: int, weights: _Weights) -> None:
        self._eps = weights.array("eps", 1)
        edge = weights.linear("edge", 1, width)
        self._edge_weight, self._edge_bias = edge.weight[0], edge.bias
        self._linear = weights.linear("linear", width, hidden)

    def __call__(self, h: Singles, graphs: GraphBatch) -> Singles:
        """h: (total nodes, width) -> (total nodes, hidden)."""
        out = h * (1 + self._eps)
        kernels.add_messages(
            h,
            out,
            self._edge_weight,
            self._edge_bias,
            graphs.coefficients,
            graphs.sources,
            graphs.targets,
            graphs.copies,
        )
        return self._linear.then_relu(out)


class _Encoder(Protocol):
    def __call__(self, graph: ScenarioGraph) -> Singles:
        """Scenario embeddings, shape (S, embedding)."""


class _GINEEncoder:
    def __init__(self, config: ModelConfig, weights: _Weights) -> None:
        widths = [config.num_features] + [config.hidden] * (config.num_layers - 1)
        outs = [config.hidden] * (config.num_layers - 1) + [config.embedding]
        self._layers = [_GINELayer(w, config.hidden, weights.part(f"layers.{k}")) for k, w in enumerate(widths)]
        self._outputs = [weights.linear(f"outputs.{k}", config.hidden, out) for k, out in enumerate(outs)]

    def __call__(self, graph: ScenarioGraph) -> Singles:
        return self._outputs[-1](np.concatenate([self._pooled(chunk) for chunk in _chunks(graph)]))

    def _pooled(self, graphs: GraphBatch) -> Singles:
        h = graphs.features
        for layer, output in zip(self._layers[:-1], self._outputs[:-1], strict=True):
            h = output.then_relu(layer(h, graphs))
        return _mean_over_nodes(self._layers[-1](h, graphs), graphs)


class _DeepSetsEncoder:
    def __init__(self, config: ModelConfig, weights: _Weights) -> None:
        widths = [config.num_features] + [config.hidden] * (2 * config.num_layers - 1)
        self._layers = [weights.linear(f"layers.{k}", a, b) for k, (a, b) in enumerate(pairwise(widths))]
        self._output = weights.linear("output", config.hidden, config.embedding)

    def __call__(self, graph: ScenarioGraph) -> Singles:
        return self._output(np.concatenate([self._pooled(chunk) for chunk in _chunks(graph)]))

    def _pooled(self, graphs: GraphBatch) -> Singles:
        h = graphs.features
        for layer in self._layers:
            h = layer.then_relu(h)
        return _mean_over_nodes(h, graphs)


class _AttentionLayer:
    """As PyTorch's TransformerEncoderLayer: self-attention and a small network, each added and then normalised."""

    def __init__(self, config: ModelConfig, weights: _Weights) -> None:
        width, self._heads = config.embedding, config.attention_heads
        weight = weights.array("self_attn.in_proj_weight", 3 * width, width)
        self._project = _Linear(np.ascontiguousarray(weight.T), weights.array("self_attn.in_proj_bias", 3 * width))
        self._combine = weights.linear("self_attn.out_proj", width, width)
        self._widen = weights.linear("linear1", width, config.feedforward)
        self._narrow = weights.linear("linear2", config.feedforward, width)
        self._norms = [
            (weights.array(f"{name}.weight", width), weights.array(f"{name}.bias", width))
            for name in ("norm1", "norm2")
        ]

    def __call__(self, h: Singles) -> Singles:
        """h: (S, width) -> (S, width)."""
        h = self._combine(self._attended(h)) + h
        kernels.normalise_rows(h, *self._norms[0])
        h = self._narrow(self._widen.then_relu(h)) + h
        kernels.normalise_rows(h, *self._norms[1])
        return h

    def _attended(self, h: Singles) -> Singles:
        """Every row's mean of all rows, weighted by likeness in each head."""
        count, width = h.shape
        per_head = self._project(h).reshape(count, 3, self._heads, -1).transpose(1, 2, 0, 3)  # (3, heads, S, w)
        queries, keys, values = np.ascontiguousarray(per_head)
        queries /= np.float32(sqrt(width // self._heads))
        out = np.empty((count, self._heads, width // self._heads), dtype=np.float32)
        step = max(1, ATTENTION_AT_ONCE // (self._heads * count))
        for first in range(0, count, step):
            rows = slice(first, first + step)
            likeness = _softmax(queries[:, rows] @ keys.transpose(0, 2, 1), axis=2)
            out[rows] = (likeness @ values).transpose(1, 0, 2)
        return out.reshape(count, width)


class _Decoder:
    def __init__(self, config: ModelConfig, weights: _Weights) -> None:
        self._heads, self._width = config.scoring_heads, config.head_width
        outputs = self._heads * self._width
        self._query = weights.linear("query", config.embedding, outputs, bias=False)
        self._key = weights.linear("key", config.embedding, outputs, bias=False)
        self._mix = weights.linear("mix.0", self._heads, 4 * self._heads), weights.linear("mix.2", 4 * self._heads, 1)

    def __call__(self, context: Singles, scenarios: Singles) -> Singles:
        """context: (d_s,), scenarios: (S, d_s) -> scores (S,)."""
        products = self._key(scenarios) * self._query(context[None])
        per_head = products.reshape(-1, self._heads, self._width).sum(axis=2) / np.float32(sqrt(self._width))
        first, second = self._mix
        return second(first.then_relu(per_head))[:, 0]


def _encoder(config: ModelConfig, weights: _Weights) -> _Encoder:
    return _GINEEncoder(config, weights) if config.encoder == "gnn" else _DeepSetsEncoder(config, weights)


def _chunks(graph: ScenarioGraph) -> Iterator[GraphBatch]:
    """A few scenarios at a time, written out."""
    step = max(1, NODES_AT_ONCE // graph.num_nodes)
    for first in range(0, graph.num_scenarios, step):
        yield collate([graph], slice(first, first + step))


def _mean_over_nodes(h: Singles, graphs: GraphBatch) -> Singles:
    """Mean over the nodes of each copy, shape (copies, width)."""
    out = np.zeros((len(graphs.copies), h.shape[1]), dtype=np.float32)
    kernels.mean_of_nodes(h, graphs.copies, out)
    return out


def _softmax(logits: Singles, axis: int) -> Singles:
    """Shares along an axis; the largest logit is subtracted first, so that nothing overflows."""
    out: Singles = np.exp(logits - logits.max(axis=axis, keepdims=True))
    out /= out.sum(axis=axis, keepdims=True)
    return out
