"""Losses between logits and what labels say, PRISE gains or shares in traces; both of shape (instances, scenarios)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from neurprise.errors import InputError

Loss = Callable[[Tensor, Tensor], Tensor]


def swkl(logits: Tensor, gains: Tensor, temperature: float = 5.0) -> Tensor:
    """Score-weighted KL (the paper's default): KL(softmax(log(1 + g) / temperature) || softmax(logits))."""
    target = functional.softmax(torch.log1p(gains) / temperature, dim=-1)
    return functional.kl_div(functional.log_softmax(logits, dim=-1), target, reduction="batchmean")


def bce(logits: Tensor, gains: Tensor) -> Tensor:
    """Binary cross-entropy: was the scenario chosen at all."""
    return functional.binary_cross_entropy_with_logits(logits, (gains > 0).to(logits.dtype))


def mse(logits: Tensor, gains: Tensor) -> Tensor:
    """Mean squared error against the compressed gains log(1 + g)."""
    return functional.mse_loss(logits, torch.log1p(gains))


def ranking(logits: Tensor, gains: Tensor) -> Tensor:
    """
    Pairwise logistic loss over pairs with different gains, weighted by the difference of compressed gains.

    The paper names a loss "R2R" without defining it; this is our reading of it.
    """
    compressed = torch.log1p(gains)
    wanted = compressed[..., :, None] - compressed[..., None, :]
    got = logits[..., :, None] - logits[..., None, :]
    weight = wanted.clamp_min(0.0)
    return (weight * functional.softplus(-got)).sum() / weight.sum().clamp_min(1e-8)


def traces(logits: Tensor, shares: Tensor) -> Tensor:
    """Cross-entropy to the shares of scenarios in the traces, which no unit of the objective changes."""
    return -(shares * functional.log_softmax(logits, dim=-1)).sum(dim=-1).mean()


LOSSES = ("swkl", "bce", "mse", "ranking", "traces")


def get_loss(name: str, temperature: float = 5.0) -> Loss:
    """The loss of that name; only "swkl" has a temperature."""
    if name == "swkl":
        return lambda logits, gains: swkl(logits, gains, temperature)
    known: dict[str, Loss] = {"bce": bce, "mse": mse, "ranking": ranking, "traces": traces}
    if name not in known:
        raise InputError(f"loss must be one of {', '.join(LOSSES)}, got {name!r}.")
    return known[name]
