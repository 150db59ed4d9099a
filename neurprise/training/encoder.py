"""Scenario encoders: GINE layers over graphs of shared topology, or a DeepSets network that ignores the edges.

Message passing over copies of shared graphs is compiled and writes no message to memory. A copy is one scenario of
one instance:

    out_i = (1 + eps) h_i + sum over edges (j -> i) of ReLU(h_j + a_ji w + b)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from neurprise.arrays import Ints
from neurprise.compiled import Compiler
from neurprise.networks.scenario_graph import Floats32, ScenarioGraph


@dataclass(frozen=True)
class GraphBatch:
    """
    Scenario graphs of several instances as tensors; every scenario of every instance is one copy.

    Parameters
    ----------
    features
        Node features, shape (total nodes, F).
    coefficients
        Edge features, shape (total edges,).
    sources, targets
        Edges of each instance once, shape (edges of all instances,); nodes numbered from 0 within the copy.
    copies
        One row per copy: first node, number of nodes, first edge in `sources`, number of edges, first entry in
        `coefficients`; shape (copies, 5).
    """

    features: Tensor
    coefficients: Tensor
    sources: Tensor
    targets: Tensor
    copies: Tensor


def collate(graphs: Sequence[ScenarioGraph], device: torch.device | str = "cpu") -> GraphBatch:
    """Write out all scenarios of every graph, one after another."""
    features, coefficients, copies = [], [], []
    first_node, first_edge, first_weight = 0, 0, 0
    for graph in graphs:
        nodes, weights = graph.features(), graph.coefficients()
        count = np.arange(len(nodes))
        shared = np.full_like(count, first_edge)
        columns = (first_node + count * graph.num_nodes, np.full_like(count, graph.num_nodes), shared)
        edges = (np.full_like(count, graph.num_edges), first_weight + count * graph.num_edges)
        copies.append(np.column_stack([*columns, *edges]))
        features.append(nodes.reshape(-1, graph.num_features))
        coefficients.append(weights.ravel())
        first_node += len(features[-1])
        first_weight += len(coefficients[-1])
        first_edge += graph.num_edges
    edges_of_all = np.concatenate([graph.edges for graph in graphs], axis=1)
    arrays = (np.concatenate(features), np.concatenate(coefficients), *edges_of_all, np.concatenate(copies))
    return GraphBatch(*(torch.from_numpy(array).to(device) for array in arrays))


#: Coefficients, sources, targets and copies of a `GraphBatch`.
Topology = tuple[Floats32, Ints, Ints, Ints]

compiled = Compiler("message passing for training", seconds=1, nogil=True)


@compiled
def add_messages(h: Floats32, out: Floats32, weight: Floats32, bias: Floats32, topology: Topology) -> None:
    """Add every message to the target's row of `out`, shape (total nodes, width)."""
    coefficients, sources, targets, copies = topology
    width = h.shape[1]
    for c in range(copies.shape[0]):
        first_node, first_edge, num_edges, first_weight = copies[c, 0], copies[c, 2], copies[c, 3], copies[c, 4]
        for k in range(num_edges):
            a = coefficients[first_weight + k]
            source = h[first_node + sources[first_edge + k]]
            target = out[first_node + targets[first_edge + k]]
            for f in range(width):
                message = source[f] + (a * weight[f] + bias[f])
                target[f] += message if message > 0 else np.float32(0)


@compiled
def add_message_gradients(
    h: Floats32,
    grad_out: Floats32,
    weight: Floats32,
    bias: Floats32,
    gradients: tuple[Floats32, Floats32, Floats32],
    topology: Topology,
) -> None:
    """Add the gradient of every message to the gradients of its source's row of h, of weight and of bias."""
    grad_h, grad_weight, grad_bias = gradients
    coefficients, sources, targets, copies = topology
    width = h.shape[1]
    for c in range(copies.shape[0]):
        first_node, first_edge, num_edges, first_weight = copies[c, 0], copies[c, 2], copies[c, 3], copies[c, 4]
        for k in range(num_edges):
            a = coefficients[first_weight + k]
            source = h[first_node + sources[first_edge + k]]
            towards = grad_h[first_node + sources[first_edge + k]]
            target = grad_out[first_node + targets[first_edge + k]]
            for f in range(width):
                message = source[f] + (a * weight[f] + bias[f])
                passed = target[f] if message > 0 else np.float32(0)
                towards[f] += passed
                grad_weight[f] += a * passed
                grad_bias[f] += passed


@compiled
def mean_of_nodes(h: Floats32, copies: Ints, out: Floats32) -> None:
    """Mean over the nodes of every copy, shape (copies, width)."""
    width = h.shape[1]
    for c in range(copies.shape[0]):
        row = out[c]
        for v in range(copies[c, 0], copies[c, 0] + copies[c, 1]):
            node = h[v]
            for f in range(width):
                row[f] += node[f]
        share = np.float32(1) / np.float32(copies[c, 1])
        for f in range(width):
            row[f] *= share


@compiled
def spread_to_nodes(grad: Floats32, copies: Ints, out: Floats32) -> None:
    """The gradient of `mean_of_nodes`, shape (total nodes, width)."""
    width = grad.shape[1]
    for c in range(copies.shape[0]):
        row = grad[c] / np.float32(copies[c, 1])
        for v in range(copies[c, 0], copies[c, 0] + copies[c, 1]):
            node = out[v]
            for f in range(width):
                node[f] = row[f]


class GINEEncoder(nn.Module):
    """
    Two (or more) GINE layers [Hu et al. 2020], ReLU between them, then the mean over nodes.

    Mean and the last linear map commute, so the map is applied once per scenario instead of once per node.

    Parameters
    ----------
    num_features
        F, width of the node features; edges carry one number.
    hidden, embedding
        Width of all layers but the last, and of the output d_s.
    """

    def __init__(self, num_features: int, hidden: int, embedding: int, num_layers: int) -> None:
        super().__init__()
        widths = [num_features] + [hidden] * (num_layers - 1)
        self.layers = nn.ModuleList(GINELayer(width, hidden) for width in widths)
        outs = [hidden] * (num_layers - 1) + [embedding]
        self.outputs = nn.ModuleList(nn.Linear(hidden, out) for out in outs)

    def forward(self, graphs: GraphBatch) -> Tensor:
        """Scenario embeddings, shape (copies, embedding)."""
        h = graphs.features
        for layer, output in zip(self.layers[:-1], self.outputs[:-1], strict=True):
            h = torch.relu_(output(layer(h, graphs)))
        result: Tensor = self.outputs[-1](mean_over_nodes(self.layers[-1](h, graphs), graphs))
        return result


class GINELayer(nn.Module):
    """Aggregation and the first half of the layer's MLP: ReLU(W ((1 + eps) h_i + sum_j ReLU(h_j + e_ji)))."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.edge = nn.Linear(1, width)
        self.linear = nn.Linear(width, hidden)

    def forward(self, h: Tensor, graphs: GraphBatch) -> Tensor:
        """h: (total nodes, width) -> (total nodes, hidden)."""
        return torch.relu_(self.linear(aggregate(h, self.eps, self.edge, graphs)))


class DeepSetsEncoder(nn.Module):
    """A network on every node by itself, then the mean over nodes and a linear map [Zaheer et al. 2017]."""

    def __init__(self, num_features: int, hidden: int, embedding: int, num_layers: int) -> None:
        super().__init__()
        widths = [num_features] + [hidden] * (2 * num_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.output = nn.Linear(hidden, embedding)

    def forward(self, graphs: GraphBatch) -> Tensor:
        """Scenario embeddings, shape (copies, embedding)."""
        h = graphs.features
        for layer in self.layers:
            h = torch.relu_(layer(h))
        result: Tensor = self.output(mean_over_nodes(h, graphs))
        return result


def aggregate(h: Tensor, eps: Tensor, edge: nn.Linear, graphs: GraphBatch) -> Tensor:
    """(1 + eps) h_i + sum_j ReLU(h_j + edge(a_ji)), shape (total nodes, width)."""
    if h.device.type == "cpu":
        out: Tensor = _Aggregate.apply(h, eps, edge.weight[:, 0].contiguous(), edge.bias, graphs)  # type: ignore[no-untyped-call]
        return out
    return aggregate_by_torch(h, eps, edge, graphs)


def aggregate_by_torch(h: Tensor, eps: Tensor, edge: nn.Linear, graphs: GraphBatch) -> Tensor:
    """The same in plain tensor operations, for devices other than the CPU."""
    first_node, _, first_edge, num_edges, _ = graphs.copies.T
    copy_of_edge = torch.repeat_interleave(torch.arange(len(num_edges), device=h.device), num_edges)
    within = torch.arange(len(copy_of_edge), device=h.device) - graphs.copies[copy_of_edge, 4]
    place = first_edge[copy_of_edge] + within
    sources = graphs.sources[place] + first_node[copy_of_edge]
    targets = graphs.targets[place] + first_node[copy_of_edge]
    messages = torch.relu(h[sources] + edge(graphs.coefficients[:, None]))
    return ((1 + eps) * h).index_add(0, targets, messages)


def mean_over_nodes(h: Tensor, graphs: GraphBatch) -> Tensor:
    """Mean over the nodes of each copy, shape (copies, width)."""
    if h.device.type == "cpu":
        out: Tensor = _MeanOverNodes.apply(h, graphs.copies)  # type: ignore[no-untyped-call]
        return out
    counts = graphs.copies[:, 1]
    owner = torch.repeat_interleave(torch.arange(len(counts), device=h.device), counts)
    return torch.zeros(len(counts), h.shape[1], device=h.device).index_add(0, owner, h) / counts[:, None]


class _Aggregate(torch.autograd.Function):
    """The compiled kernel as a differentiable operation; messages are recomputed in the backward pass."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, eps: Tensor, weight: Tensor, bias: Tensor, graphs: GraphBatch) -> Tensor:
        ctx.save_for_backward(h, eps, weight, bias)
        ctx.graphs = graphs
        out = h * (1 + eps)
        add_messages(h.numpy(), out.numpy(), weight.numpy(), bias.numpy(), _topology(graphs))
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        h, eps, weight, bias = ctx.saved_tensors
        grad = grads[0].contiguous()
        grad_h, grad_weight, grad_bias = grad * (1 + eps), torch.zeros_like(weight), torch.zeros_like(bias)
        gradients = grad_h.numpy(), grad_weight.numpy(), grad_bias.numpy()
        add_message_gradients(h.numpy(), grad.numpy(), weight.numpy(), bias.numpy(), gradients, _topology(ctx.graphs))
        grad_eps = torch.dot(grad.flatten(), h.flatten()).reshape(1)
        return grad_h, grad_eps, grad_weight, grad_bias, None


class _MeanOverNodes(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, copies: Tensor) -> Tensor:
        ctx.save_for_backward(copies)
        ctx.num_nodes = len(h)
        out = torch.zeros(len(copies), h.shape[1])
        mean_of_nodes(h.contiguous().numpy(), copies.numpy(), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (copies,) = ctx.saved_tensors
        out = torch.empty(ctx.num_nodes, grads[0].shape[1])
        spread_to_nodes(grads[0].contiguous().numpy(), copies.numpy(), out.numpy())
        return out, None


def _topology(graphs: GraphBatch) -> Topology:
    return graphs.coefficients.numpy(), graphs.sources.numpy(), graphs.targets.numpy(), graphs.copies.numpy()
