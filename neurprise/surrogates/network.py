"""
The value network of Neur2RO without PyTorch: its shape, and its form for one instance.

Two sets are embedded: the items with the decisions about them, and the elements of a scenario. Each set passes a small
network per member, the mean over the members (a mean instead of a sum keeps large sets in range), and a second
network. The value network reads both embeddings [Dumouchelle, Julien, Kurtz and Khalil 2024].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Bools, Floats, Ints
from neurprise.clock import Deadline
from neurprise.errors import CheckpointError, InputError
from neurprise.networks.checkpoints import SHIPPED, CheckpointStore
from neurprise.networks.scenario_graph import Floats32
from neurprise.networks.scoring import NamedWeights
from neurprise.networks.view import Description

#: Far above the widths of any network of this package.
_WIDEST = 4096
#: Elements of scenarios that pass through the network together; they take a few megabytes.
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
        Numbers that the network reads about an item (with its decision) and about an element of a scenario.
    member_hidden, member_outputs
        Widths of the network per member of a set.
    decision_hidden, scenario_hidden, set_outputs
        Widths of the networks after the mean. A hidden unit of the decision network needs a binary variable in the main
        problem. Neur2RO has 64 in both networks; 16 predict nearly as well and solve faster (docs/neur2ro.md).
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
    share it: its units need binary variables once, the units after it once per scenario.

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
        The value times this is the cost in the problem's unit.
    is_read
        Scenarios that were read in time, shape (S,); the values of others are meaningless.
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
    A trained network.

    Parameters
    ----------
    config
        Its shape.
    weights
        Arrays by name, e.g. "items.first.weight" of shape (hidden, inputs), 32-bit as trained.
    """

    def __init__(self, config: NetworkConfig, weights: dict[str, Floats32]) -> None:
        self.config = config
        named = NamedWeights(weights)
        parts = {name: _layers(named.part(name), *widths) for name, widths in config.widths.items()}
        named.check_that_all_are_taken()
        self._items, self._decision = parts["items"], parts["decision"]
        self._elements, self._scenario = parts["elements"], parts["scenario"]
        self._value = parts["value"]

    def folded(self, instance: Description, deadline: Deadline | None = None) -> FoldedNetwork:
        """
        The network of one instance; refuses an instance whose features have another width than in training.

        Scenarios are read in order until the deadline; the first ones are always read.
        """
        got = (instance.item_inputs.shape[2], instance.scenario_items.shape[2])
        if got != (self.config.item_inputs, self.config.scenario_inputs):
            raise CheckpointError(
                f"the network reads {self.config.item_inputs} numbers an item and {self.config.scenario_inputs} an "
                f"element of a scenario, the instance has {got[0]} and {got[1]}; train it anew."
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


def _layers(weights: NamedWeights, inputs: int, hidden: int, outputs: int) -> Layers:
    def affine(name: str, before: int, after: int) -> Affine:
        part = weights.part(name)
        arrays = part.array("weight", after, before), part.array("bias", after)
        return Affine(*(array.astype(np.float64) for array in arrays))

    return Layers(affine("first", inputs, hidden), affine("second", hidden, outputs))


#: Networks of Neur2RO; a shipped one has the name of its family.
SURROGATES = CheckpointStore("surrogate", "neurprise-surrogate-1", SHIPPED / "neur2ro", NetworkConfig, ValueNetwork)
