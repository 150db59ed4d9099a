"""Scenario encoders: GINE layers over shared-topology graphs, or a DeepSets network that ignores the edges."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from neurprise.training import kernels
from neurprise.training.graphs import GraphBatch


@dataclass(frozen=True)
class GraphTensors:
    """A GraphBatch on a device; fields as there."""

    features: Tensor
    coefficients: Tensor
    sources: Tensor
    targets: Tensor
    copies: Tensor

    @classmethod
    def of(cls, batch: GraphBatch, device: torch.device) -> GraphTensors:
        arrays = (batch.features, batch.coefficients, batch.sources, batch.targets, batch.copies)
        return cls(*(torch.from_numpy(array).to(device) for array in arrays))


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

    def forward(self, graphs: GraphTensors) -> Tensor:
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

    def forward(self, h: Tensor, graphs: GraphTensors) -> Tensor:
        """h: (total nodes, width) -> (total nodes, hidden)."""
        return torch.relu_(self.linear(aggregate(h, self.eps, self.edge, graphs)))


class DeepSetsEncoder(nn.Module):
    """A network on every node by itself, then the mean over nodes and a linear map [Zaheer et al. 2017]."""

    def __init__(self, num_features: int, hidden: int, embedding: int, num_layers: int) -> None:
        super().__init__()
        widths = [num_features] + [hidden] * (2 * num_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.output = nn.Linear(hidden, embedding)

    def forward(self, graphs: GraphTensors) -> Tensor:
        """Scenario embeddings, shape (copies, embedding)."""
        h = graphs.features
        for layer in self.layers:
            h = torch.relu_(layer(h))
        result: Tensor = self.output(mean_over_nodes(h, graphs))
        return result


def aggregate(h: Tensor, eps: Tensor, edge: nn.Linear, graphs: GraphTensors) -> Tensor:
    """(1 + eps) h_i + sum_j ReLU(h_j + edge(a_ji)), shape (total nodes, width)."""
    if h.device.type == "cpu":
        out: Tensor = _Aggregate.apply(h, eps, edge.weight[:, 0].contiguous(), edge.bias, graphs)  # type: ignore[no-untyped-call]
        return out
    return aggregate_by_torch(h, eps, edge, graphs)


def aggregate_by_torch(h: Tensor, eps: Tensor, edge: nn.Linear, graphs: GraphTensors) -> Tensor:
    """The same in plain tensor operations, for devices the compiled kernels do not reach."""
    first_node, _, first_edge, num_edges, _ = graphs.copies.T
    copy_of_edge = torch.repeat_interleave(torch.arange(len(num_edges), device=h.device), num_edges)
    within = torch.arange(len(copy_of_edge), device=h.device) - graphs.copies[copy_of_edge, 4]
    place = first_edge[copy_of_edge] + within
    sources = graphs.sources[place] + first_node[copy_of_edge]
    targets = graphs.targets[place] + first_node[copy_of_edge]
    messages = torch.relu(h[sources] + edge(graphs.coefficients[:, None]))
    return ((1 + eps) * h).index_add(0, targets, messages)


def mean_over_nodes(h: Tensor, graphs: GraphTensors) -> Tensor:
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
    def forward(ctx: Any, h: Tensor, eps: Tensor, weight: Tensor, bias: Tensor, graphs: GraphTensors) -> Tensor:
        ctx.save_for_backward(h, eps, weight, bias)
        ctx.graphs = graphs
        out = h * (1 + eps)
        kernels.add_messages(h.numpy(), out.numpy(), weight.numpy(), bias.numpy(), *_topology(graphs))
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        h, eps, weight, bias = ctx.saved_tensors
        grad = grads[0].contiguous()
        grad_h, grad_weight, grad_bias = grad * (1 + eps), torch.zeros_like(weight), torch.zeros_like(bias)
        kernels.add_message_gradients(
            *(t.numpy() for t in (h, grad, grad_h, weight, bias, grad_weight, grad_bias)), *_topology(ctx.graphs)
        )
        grad_eps = torch.dot(grad.flatten(), h.flatten()).reshape(1)
        return grad_h, grad_eps, grad_weight, grad_bias, None


class _MeanOverNodes(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, copies: Tensor) -> Tensor:
        ctx.save_for_backward(copies)
        ctx.num_nodes = len(h)
        out = torch.zeros(len(copies), h.shape[1])
        kernels.mean_of_nodes(h.contiguous().numpy(), copies.numpy(), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (copies,) = ctx.saved_tensors
        out = torch.empty(ctx.num_nodes, grads[0].shape[1])
        kernels.spread_to_nodes(grads[0].contiguous().numpy(), copies.numpy(), out.numpy())
        return out, None


def _topology(graphs: GraphTensors) -> tuple[np.ndarray[Any, Any], ...]:
    parts = (graphs.coefficients, graphs.sources, graphs.targets, graphs.copies)
    return tuple(part.numpy() for part in parts)
