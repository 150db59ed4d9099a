"""The same network in PyTorch, for training: many decisions and all scenarios of a few instances at once."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from neurprise.surrogates.network import NetworkConfig


class TrainableNetwork(nn.Module):
    """
    Set networks for decisions and scenarios and the value network on top.

    Parameters
    ----------
    config
        The shape.
    mean, spread
        Of the targets. The network learns (target - mean) / spread; its exported weights undo that.
    """

    def __init__(self, config: NetworkConfig, mean: float = 0.0, spread: float = 1.0) -> None:
        super().__init__()
        self.config, self._mean, self._spread = config, mean, spread
        parts = {name: _Layers(*widths) for name, widths in config.widths.items()}
        self.items, self.decision = parts["items"], parts["decision"]
        self.elements, self.scenario = parts["elements"], parts["scenario"]
        self.value = parts["value"]

    def forward(self, items: torch.Tensor, shares: torch.Tensor, elements: torch.Tensor) -> torch.Tensor:
        """
        Predicted recourse costs in units of each instance's scale, minus their mean, over their spread.

        Parameters
        ----------
        items
            Items at their corners, shape (B, n, C, item_inputs).
        shares
            Shares of the corners under every decision, shape (B, N, n, C).
        elements
            Elements of every scenario, shape (B, S, k, scenario_inputs).

        Returns
        -------
        Shape (B, N, S).
        """
        mixed = torch.einsum("bdnc,bnch->bdh", shares, self.items(items)) / items.shape[1]
        decision, scenario = self.decision(mixed), self.scenario(self.elements(elements).mean(dim=2))
        of_decision, of_scenario = self.value.first.weight.chunk(2, dim=1)
        hidden = (decision @ of_decision.T)[:, :, None] + (scenario @ of_scenario.T)[:, None] + self.value.first.bias
        values: torch.Tensor = self.value.second(torch.relu(hidden)).squeeze(-1)
        return values

    def weights(self) -> dict[str, np.ndarray]:
        """All weights by name, as `ValueNetwork` takes them: of the network whose output is the cost itself."""
        weights = {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}
        weights["value.second.weight"] *= np.float32(self._spread)
        weights["value.second.bias"] = (weights["value.second.bias"] * self._spread + self._mean).astype(np.float32)
        return weights


class _Layers(nn.Module):
    """Two linear layers with a ReLU between them."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(inputs, hidden), nn.Linear(hidden, outputs)

    def forward(self, v: torch.Tensor) -> torch.Tensor:
        """v: (..., inputs) -> (..., outputs)."""
        out: torch.Tensor = self.second(torch.relu(self.first(v)))
        return out
