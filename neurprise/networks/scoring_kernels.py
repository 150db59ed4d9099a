"""
Compiled layers of a forward pass over one instance. The matrices are small, so calls of numpy would take most time.

Rows are nodes of scenarios, or scenarios. Weights multiply from the right.
"""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Ints
from neurprise.compiled import Compiler
from neurprise.networks.scenario_graph import Floats32

compiled = Compiler("the network's layers", seconds=11, nogil=True)

_ZERO, _ONE = np.float32(0), np.float32(1)
_LOG2_E, _LN_2 = np.float32(1.4426950408889634), np.float32(0.6931471805599453)
#: Coefficients of exp(f) = 1 + f + f^2 / 2 + ... from the highest down; |f| <= ln(2) / 2 makes the error 2e-7.
_TAYLOR = tuple(map(np.float32, (1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1, 1)))
#: Attention scores that are held together: half a megabyte.
ATTENTION_SCORES_AT_ONCE = 1 << 17
_SMALLEST_EXPONENT = np.float32(-126)


@compiled
def linear(h: Floats32, weight: Floats32, bias: Floats32) -> Floats32:
    """h W + b: (rows, inputs) -> (rows, outputs)."""
    out: Floats32 = np.dot(h, weight)
    out += bias
    return out


@compiled
def linear_relu(h: Floats32, weight: Floats32, bias: Floats32) -> Floats32:
    """ReLU(h W + b): (rows, inputs) -> (rows, outputs)."""
    out: Floats32 = np.dot(h, weight)
    for i in range(out.shape[0]):
        row = out[i]
        for f in range(row.shape[0]):
            row[f] = max(row[f] + bias[f], _ZERO)
    return out


@compiled
def gine_by_edges(
    h: Floats32,
    own: np.float32,
    edge_weight: Floats32,
    edge_bias: Floats32,
    weight: Floats32,
    bias: Floats32,
    edges: Ints,
    coefficients: Floats32,
    varying: Ints,
    varying_coefficients: Floats32,
) -> Floats32:
    """
    ReLU((own h_i + sum over edges (j -> i) of ReLU(h_j + a_ji w + b)) W + b), edge by edge.

    Row v * s + k of h is node v in the k-th of s scenarios. `varying` holds, for each edge, the column of
    `varying_coefficients` (s, k) to take a_ji from, or -1 if it is in `coefficients`.
    """
    out = own * h
    count = varying_coefficients.shape[0]
    for e in range(edges.shape[1]):
        for s in range(count):
            a = coefficients[e] if varying[e] < 0 else varying_coefficients[s, varying[e]]
            source, target = h[edges[0, e] * count + s], out[edges[1, e] * count + s]
            for f in range(h.shape[1]):
                target[f] += max(source[f] + (a * edge_weight[f] + edge_bias[f]), _ZERO)
    return linear_relu(out, weight, bias)


@compiled
def gine_by_matrix(
    h: Floats32, own: np.float32, shift: Floats32, weight: Floats32, bias: Floats32, adjacency: Floats32
) -> Floats32:
    """The same for edges of one weight: a node sends the same message to all, and a matrix product adds them."""
    messages = np.empty_like(h)
    for i in range(h.shape[0]):
        row, message = h[i], messages[i]
        for f in range(h.shape[1]):
            message[f] = max(row[f] + shift[f], _ZERO)
    out = np.dot(adjacency, messages.reshape(adjacency.shape[0], -1)).reshape(h.shape)
    for i in range(h.shape[0]):
        row, target = h[i], out[i]
        for f in range(h.shape[1]):
            target[f] += own * row[f]
    return linear_relu(out, weight, bias)


@compiled
def mean_over_nodes(h: Floats32, num_nodes: int) -> Floats32:
    """Mean over the nodes of each scenario: (num_nodes * s, width) -> (s, width)."""
    count = h.shape[0] // num_nodes
    out = np.zeros((count, h.shape[1]), dtype=np.float32)
    for i in range(h.shape[0]):
        row, target = h[i], out[i % count]
        for f in range(h.shape[1]):
            target[f] += row[f]
    out /= np.float32(num_nodes)
    return out


@compiled.fastmath
def attention_layer(
    h: Floats32,
    heads: int,
    project: Floats32,
    project_bias: Floats32,
    combine: Floats32,
    combine_bias: Floats32,
    first_norm: Floats32,
    widen: Floats32,
    widen_bias: Floats32,
    narrow: Floats32,
    narrow_bias: Floats32,
    second_norm: Floats32,
) -> Floats32:
    """
    Self-attention and a small network, each added and then normalised: (S, width) -> (S, width).

    `project` yields queries, keys and values, shape (3 width, width), queries divided by the root of a head's width;
    `first_norm` and `second_norm` hold scale and shift, shape (2, width).
    """
    projected = np.dot(project, h.T)
    for f in range(projected.shape[0]):
        projected[f] += project_bias[f]
    attended = np.empty_like(h)
    attend(projected, heads, attended)
    out = h.copy()
    _add_and_normalise(out, np.dot(attended, combine), combine_bias, first_norm)
    _add_and_normalise(out, np.dot(linear_relu(out, widen, widen_bias), narrow), narrow_bias, second_norm)
    return out


@compiled.fastmath
def _add_and_normalise(h: Floats32, change: Floats32, change_bias: Floats32, norm: Floats32) -> None:
    """h += change + change_bias, then each row to mean 0 and variance 1, scaled and shifted; shape (rows, width)."""
    width = np.float32(h.shape[1])
    for i in range(h.shape[0]):
        row, added = h[i], change[i]
        total = _ZERO
        for f in range(h.shape[1]):
            row[f] += added[f] + change_bias[f]
            total += row[f]
        mean = total / width
        squares = _ZERO
        for f in range(h.shape[1]):
            squares += (row[f] - mean) ** 2
        scale = _ONE / np.sqrt(squares / width + np.float32(1e-5))
        for f in range(h.shape[1]):
            row[f] = (row[f] - mean) * scale * norm[0, f] + norm[1, f]


@compiled
def attend(projected: Floats32, heads: int, out: Floats32) -> None:
    """
    Self-attention: every scenario's mean of all values, weighted by the softmax of the attention scores of each head.

    projected: queries, keys and values, one above another, shape (3 width, S); out: shape (S, width).
    The attention scores of only some scenarios are held at a time, so memory grows with S, not with S^2.
    """
    count, width = out.shape
    each = width // heads
    step = max(1, ATTENTION_SCORES_AT_ONCE // count)
    for first in range(0, width, each):
        queries = projected[first : first + each].T
        keys = projected[width + first : width + first + each]
        values = projected[2 * width + first : 2 * width + first + each].T
        for top in range(0, count, step):
            scores = np.dot(np.ascontiguousarray(queries[top : top + step]), keys)
            totals = np.empty(len(scores), dtype=np.float32)
            for i in range(len(scores)):
                totals[i] = _exponentiate(scores[i])
            means = np.dot(scores, values)
            for i in range(len(scores)):
                for d in range(each):
                    out[top + i, first + d] = means[i, d] / totals[i]


@compiled
def decode(
    context: Floats32,
    scenarios: Floats32,
    query: Floats32,
    key: Floats32,
    heads: int,
    widen: Floats32,
    widen_bias: Floats32,
    narrow: Floats32,
    narrow_bias: Floats32,
) -> Floats32:
    """
    Products of context and scenarios in several heads, mixed by a small network: (width,), (S, width) -> scores (S,).

    query and key: (heads * head width, width), keys divided by the root of a head's width. The query of
    each head is the same for all scenarios, so it is multiplied with the keys first.
    """
    asked = np.dot(query, context).reshape(heads, -1)
    each = asked.shape[1]
    wanted = np.empty((len(context), heads), dtype=np.float32)
    for head in range(heads):
        wanted[:, head] = np.dot(asked[head], key[head * each : (head + 1) * each])
    return linear(linear_relu(np.dot(scenarios, wanted), widen, widen_bias), narrow, narrow_bias)[:, 0]


@compiled.fastmath
def _exponentiate(logits: Floats32) -> np.float32:
    """
    exp(logits - their largest) in place, and the sum; shape (S,).

    exp(z) = 2^k exp(f) with k the nearest whole number to z / ln 2; unlike libm's, this loop runs on whole vectors.
    """
    largest = logits[0]
    for j in range(logits.shape[0]):
        largest = max(largest, logits[j])
    total = _ZERO
    for j in range(logits.shape[0]):
        z = max((logits[j] - largest) * _LOG2_E, _SMALLEST_EXPONENT)
        k = np.floor(z + np.float32(0.5))
        f = (z - k) * _LN_2
        series = _ZERO
        for coefficient in _TAYLOR:
            series = series * f + coefficient
        power = np.int32((np.int32(k) + np.int32(127)) << np.int32(23)).view(np.float32)  # the bits of 2^k
        logits[j] = series * power
        total += logits[j]
    return total
