"""
A ReLU network inside a mixed-integer model.

A unit h = max(0, a'v + b) whose pre-activation lies in [low, high] becomes, with a binary z,

    h >= a'v + b,   h <= a'v + b - low (1 - z),   h <= high z,   h >= 0,

which is exact for every v; units whose sign is known need no binary. `low` and `high` are the big-M's, so they should
be as close as they can be had.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.solvers import Model
from neurprise.surrogates.network import Affine

#: Coefficients of rows, and the columns they belong to: matrix (rows, len(columns)), columns.
Term = tuple[Floats | sparse.csr_array, Ints]


class Extension:
    """
    Columns and rows added to a model.

    Parameters
    ----------
    model
        What is extended; its columns keep their places.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._lower, self._upper, self._integer = [model.lower], [model.upper], [model.integer]
        self._rows: list[tuple[Sequence[Term], Floats, Floats]] = []
        self._num_columns = len(model.costs)

    def add_columns(self, lower: Floats, upper: Floats, *, integer: bool = False) -> Ints:
        """Free of cost; their places."""
        self._lower.append(lower)
        self._upper.append(upper)
        self._integer.append(np.full(len(lower), integer))
        self._num_columns += len(lower)
        return np.arange(self._num_columns - len(lower), self._num_columns)

    def add_rows(self, terms: Sequence[Term], lower: Floats, upper: Floats) -> None:
        """lower <= sum of coefficients @ columns <= upper."""
        if len(lower):
            self._rows.append((terms, lower, upper))

    def model(self) -> Model:
        """The model with everything added."""
        old = self._model.matrix
        widened = sparse.csr_array((old.data, old.indices, old.indptr), shape=(old.shape[0], self._num_columns))
        added = self._num_columns - len(self._model.costs)
        return replace(
            self._model,
            costs=np.concatenate([self._model.costs, np.zeros(added)]),
            matrix=sparse.csr_array(sparse.vstack([widened, *(self._spread(terms) for terms, _, _ in self._rows)])),
            row_lower=np.concatenate([self._model.row_lower, *(lower for _, lower, _ in self._rows)]),
            row_upper=np.concatenate([self._model.row_upper, *(upper for _, _, upper in self._rows)]),
            lower=np.concatenate(self._lower),
            upper=np.concatenate(self._upper),
            integer=np.concatenate(self._integer),
        )

    def _spread(self, terms: Sequence[Term]) -> sparse.csr_array:
        parts = []
        for coefficients, columns in terms:
            entries = sparse.coo_array(coefficients)
            places = (entries.coords[0], columns[entries.coords[1]])
            parts.append(sparse.coo_array((entries.data, places), shape=(entries.shape[0], self._num_columns)))
        return sparse.csr_array(sum(parts[1:], start=parts[0]))


def add_affine(extension: Extension, layer: Affine, inputs: Ints, ranges: Floats) -> Ints:
    """Columns that equal layer(inputs); ranges: (outputs, 2)."""
    outputs = extension.add_columns(ranges[:, 0], ranges[:, 1])
    extension.add_rows([(layer.weight, inputs), (-np.eye(len(outputs)), outputs)], -layer.bias, -layer.bias)
    return outputs


def add_relu(extension: Extension, layer: Affine, inputs: Ints, ranges: Floats) -> Ints:
    """Columns that equal max(0, layer(inputs)); ranges: (outputs, 2), of layer(inputs) before the maximum."""
    low, high = ranges.T
    outputs = extension.add_columns(np.maximum(low, 0.0), np.maximum(high, 0.0))
    _add_active(extension, layer, inputs, outputs, np.flatnonzero(low >= 0))
    _add_undecided(extension, layer, inputs, outputs, np.flatnonzero((low < 0) & (high > 0)), low, high)
    return outputs


def affine_range(layer: Affine, ranges: Floats) -> Floats:
    """Range of layer(v) over all v in a box; ranges: (inputs, 2) -> (outputs, 2)."""
    positive, negative = np.maximum(layer.weight, 0.0), np.minimum(layer.weight, 0.0)
    low = positive @ ranges[:, 0] + negative @ ranges[:, 1] + layer.bias
    high = positive @ ranges[:, 1] + negative @ ranges[:, 0] + layer.bias
    return np.column_stack([low, high])


def _add_active(extension: Extension, layer: Affine, inputs: Ints, outputs: Ints, units: Ints) -> None:
    """h = a'v + b."""
    bias = -layer.bias[units]
    extension.add_rows([(layer.weight[units], inputs), (-np.eye(len(units)), outputs[units])], bias, bias)


def _add_undecided(
    extension: Extension, layer: Affine, inputs: Ints, outputs: Ints, units: Ints, low: Floats, high: Floats
) -> None:
    weight, bias, chosen = layer.weight[units], layer.bias[units], outputs[units]
    eye, none, any_value = np.eye(len(units)), np.full(len(units), -np.inf), np.full(len(units), np.inf)
    on = extension.add_columns(np.zeros(len(units)), np.ones(len(units)), integer=True)
    # h - a'v >= b;   h - a'v - low z <= b - low;   h - high z <= 0
    extension.add_rows([(eye, chosen), (-weight, inputs)], bias, any_value)
    extension.add_rows([(eye, chosen), (-weight, inputs), (np.diag(-low[units]), on)], none, bias - low[units])
    extension.add_rows([(eye, chosen), (np.diag(-high[units]), on)], none, np.zeros(len(units)))
