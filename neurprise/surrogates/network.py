"""
The surrogate's value network, torch-free: what it is made of, and what is left of it for one instance.

Two sets are embedded, the items with what is decided about them and the elements of a scenario: a small network per
member, the mean over the members (the sum, in units of the set's size, so that larger sets stay in range), a second
network. A value network reads both embeddings [Dumouchelle, Julien, Kurtz and Khalil 2024].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Bools, Floats, Ints
from neurprise.clock import Deadline
from neurprise.errors import CheckpointError, InputError
from neurprise.networks.description import Description

#: A network of this package is far smaller; larger numbers are not ours.
_WIDEST = 4096
#: Elements of scenarios that pass through the network at once: a few megabytes, however many scenarios there are.
_ELEMENTS_AT_ONCE = 20_000


@dataclass(frozen=True)
class NetworkConfig:
    """
    The network's shape; defaults are those of Neur2RO, but for `decision_hidden`.

    Parameters
    ----------
    family
        Family it is trained on.
    item_inputs, scenario_inputs
        Numbers told about an item (with what is decided about it) and about an element of a scenario.
    member_hidden, member_outputs
        Widths of the network per member of a set.
    decision_hidden, scenario_hidden, set_outputs
        Widths of the networks after the mean. A hidden unit on the decision's side needs a binary variable in the main
        problem; Neur2RO has 64 on both sides, 16 predict nearly as well and are solved sooner (docs/neur2ro.md).
    value_hidden
        Hidden units of the value network; each needs a binary variable per scenario in the main problem.
    """

    family: str
    item_inputs: int
    scenario_inputs: int
    member_hidden: int = 32
    member_outputs: int = 16
    decision_hidden: int = 16
    scenario_hidden: int = 64
    set_outputs: int = 8
    value_hidden: int = 8

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name != "family" and (not isinstance(value, int) or not 1 <= value <= _WIDEST):
                raise InputError(f"{name} must be a whole number between 1 and {_WIDEST}, got {value!r}.")

    @property
    def widths(self) -> dict[str, tuple[int, int, int]]:
        """Inputs, hidden units and outputs of each part, by its name in the weights."""
        of_member = (self.member_hidden, self.member_outputs)
        return {
            "items": (self.item_inputs, *of_member),
            "decision": (self.member_outputs, self.decision_hidden, self.set_outputs),
            "elements": (self.scenario_inputs, *of_member),
            "scenario": (self.member_outputs, self.scenario_hidden, self.set_outputs),
            "value": (2 * self.set_outputs, self.value_hidden, 1),
        }


@dataclass(frozen=True)
class Affine:
    """v -> weight @ v + bias; shapes (outputs, inputs), (outputs,)."""

    weight: Floats
    bias: Floats

    def __call__(self, v: Floats) -> Floats:
        """v: (..., inputs) -> (..., outputs)."""
        return np.asarray(v @ self.weight.T + self.bias)


@dataclass(frozen=True)
class Layers:
    """Two affine maps with a ReLU between them."""

    first: Affine
    second: Affine

    def __call__(self, v: Floats) -> Floats:
        """v: (..., inputs) -> (..., outputs)."""
        return self.second(np.maximum(self.first(v), 0.0))


@dataclass(frozen=True)
class FoldedNetwork:
    """
    The network of one instance as a function of x alone, in units of `scale`.

    value_s(x) = last . relu(second(relu(first(x))) + offsets_s) + last_bias. Only `first` reads x, and all scenarios
    share it: in a model, its units cost binary variables once and the units after it once a scenario.

    Parameters
    ----------
    first
        From x to the hidden units after the mean over the items, shapes (h, n_x), (h,).
    first_range
        Smallest and largest value of `first` over all decisions, shape (h, 2).
    second
        From there to the value network's hidden units, without the scenario's part; shapes (v, h), (v,).
    offsets
        The scenarios' parts, shape (S, v).
    last, last_bias
        Output weights, shape (v,), and bias.
    scale
        Costs in the problem's unit are this times the value.
    is_read
        Scenarios that there was time to read, shape (S,); the values of others say nothing.
    """

    first: Affine
    first_range: Floats
    second: Affine
    offsets: Floats
    last: Floats
    last_bias: float
    scale: float
    is_read: Bools

    def values(self, x: Floats) -> Floats:
        """Predicted recourse cost of every scenario in units of `scale`; x: (n_x,) -> (S,)."""
        hidden = np.maximum(self.first(x), 0.0)
        return np.asarray(np.maximum(self.second(hidden) + self.offsets, 0.0) @ self.last + self.last_bias)

    def predicted(self, x: Floats) -> Floats:
        """Predicted recourse cost of every scenario in the problem's unit; x: (n_x,) -> (S,)."""
        return self.scale * self.values(x)

    def worst(self, x: Floats, tie: float) -> Ints:
        """Scenarios that were read and whose value is within `tie` of the largest, ascending."""
        values = np.where(self.is_read, self.values(x), -np.inf)
        return np.flatnonzero(values >= values.max() - tie)


class ValueNetwork:
    """
    A trained network, ready to be folded.

    Parameters
    ----------
    config
        Its shape.
    weights
        Arrays by name, e.g. "items.first.weight" of shape (hidden, inputs), 32-bit as trained.
    """

    def __init__(self, config: NetworkConfig, weights: dict[str, np.ndarray]) -> None:
        self.config = config
        parts = {name: _layers(name, widths, weights) for name, widths in config.widths.items()}
        left = sorted(weights.keys() - {f"{name}.{key}" for name in parts for key in _KEYS})
        if left:
            raise CheckpointError(f"{left[0]} belongs to no part of the network")
        self._items, self._decision = parts["items"], parts["decision"]
        self._elements, self._scenario = parts["elements"], parts["scenario"]
        self._value = parts["value"]

    def folded(self, instance: Description, deadline: Deadline | None = None) -> FoldedNetwork:
        """
        The network of one instance; refuses an instance with other features than it was trained on.

        Scenarios are read in order, the first ones in any case, the others until the deadline.
        """
        told = (instance.item_inputs.shape[2], instance.scenario_items.shape[2])
        if told != (self.config.item_inputs, self.config.scenario_inputs):
            raise CheckpointError(
                f"the network reads {self.config.item_inputs} numbers an item and {self.config.scenario_inputs} an "
                f"element of a scenario, the instance has {told[0]} and {told[1]}; train it anew."
            )
        of_decision, of_scenario = np.split(self._value.first.weight, 2, axis=1)
        means, is_read = self._mean_of_elements(instance, deadline or Deadline())
        offsets = self._scenario(means) @ of_scenario.T + self._value.first.bias
        second = self._decision.second
        first, first_range = self._folded_items(instance)
        return FoldedNetwork(
            first=first,
            first_range=first_range,
            second=Affine(of_decision @ second.weight, of_decision @ second.bias),
            offsets=offsets,
            last=self._value.second.weight[0],
            last_bias=float(self._value.second.bias[0]),
            scale=instance.scale,
            is_read=is_read,
        )

    def _mean_of_elements(self, instance: Description, deadline: Deadline) -> tuple[Floats, Bools]:
        """Shape (S, member_outputs), zero for scenarios without elements or not read; and which were read, (S,)."""
        items = instance.scenario_items
        means, is_read = np.zeros((len(items), self.config.member_outputs)), np.zeros(len(items), dtype=bool)
        size = max(items.shape[1], 1)
        step = max(1, _ELEMENTS_AT_ONCE // size)
        for first in range(0, len(items), step):
            if first and deadline.passed:
                break
            part = slice(first, first + step)
            means[part], is_read[part] = self._elements(items[part]).sum(axis=1) / size, True
        return means, is_read

    def _folded_items(self, instance: Description) -> tuple[Affine, Floats]:
        """
        Hidden units after the mean over the items as functions of x, and their range.

        Shares of an item's corners sum to one, so an item adds between its smallest and its largest corner.
        """
        n, num_corners = len(instance.items), len(instance.corners)
        at_corners = self._items(instance.item_inputs) / max(n, 1)
        contributions = at_corners @ self._decision.first.weight.T
        flat = contributions.reshape(n * num_corners, -1)
        bias = self._decision.first.bias
        first = Affine((instance.shares.T @ flat).T, instance.shares_at_zero @ flat + bias)
        lowest, highest = contributions.min(axis=1).sum(axis=0), contributions.max(axis=1).sum(axis=0)
        return first, np.column_stack([lowest, highest]) + bias[:, None]


_KEYS = ("first.weight", "first.bias", "second.weight", "second.bias")


def _layers(name: str, widths: tuple[int, int, int], weights: dict[str, np.ndarray]) -> Layers:
    inputs, hidden, outputs = widths
    shapes = ((hidden, inputs), (hidden,), (outputs, hidden), (outputs,))
    arrays = []
    for key, shape in zip(_KEYS, shapes, strict=True):
        got = weights[f"{name}.{key}"].shape if f"{name}.{key}" in weights else None
        if got != shape:
            raise CheckpointError(f"{name}.{key} must have shape {shape}, got {got}")
        arrays.append(weights[f"{name}.{key}"].astype(np.float64))
    return Layers(Affine(arrays[0], arrays[1]), Affine(arrays[2], arrays[3]))
