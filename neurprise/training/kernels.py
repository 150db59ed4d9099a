"""
Message passing over copies of shared graphs, compiled: no message is ever written to memory.

    out_i = (1 + eps) h_i + sum over edges (j -> i) of ReLU(h_j + a_ji w + b)

A copy is one scenario of one instance; rows of `copies` are those of `GraphBatch.copies`.
"""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Ints
from neurprise.compiled import Compiler
from neurprise.networks.scenario_graph import Floats32

compiled = Compiler("message passing for training", seconds=1, nogil=True)


@compiled
def add_messages(
    h: Floats32,
    out: Floats32,
    weight: Floats32,
    bias: Floats32,
    coefficients: Floats32,
    sources: Ints,
    targets: Ints,
    copies: Ints,
) -> None:
    """Add every message to the target's row of `out`, shape (total nodes, width)."""
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
    grad_h: Floats32,
    weight: Floats32,
    bias: Floats32,
    grad_weight: Floats32,
    grad_bias: Floats32,
    coefficients: Floats32,
    sources: Ints,
    targets: Ints,
    copies: Ints,
) -> None:
    """Add the gradient of every message to its source's row of `grad_h` and to the gradients of weight and bias."""
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
