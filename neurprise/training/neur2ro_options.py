"""What the training of a surrogate may be told."""

from __future__ import annotations

import math
from dataclasses import dataclass

from neurprise import arrays
from neurprise.errors import InputError


@dataclass(frozen=True)
class SurrogateOptions:
    """
    Parameters
    ----------
    learning_rate, schedule
        Of Adam; "cosine": it falls to zero at `max_epochs`, "constant": it does not.
    batch_size, scenarios
        Instances in a step, each with all its decisions, and how many random scenarios of each.
    decision_hidden
        See `NetworkConfig`.
    max_epochs, patience
        Training ends after so many epochs, or so many without a smaller validation loss.
    limit
        Use at most so many training instances.
    threads
        CPU threads.
    """

    learning_rate: float = 1e-3
    schedule: str = "cosine"
    batch_size: int = 8
    scenarios: int = 16
    decision_hidden: int = 16
    max_epochs: int = 60
    patience: int = 60
    seed: int = 0
    limit: int | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("batch_size", "scenarios", "decision_hidden", "max_epochs", "patience", "threads"):
            arrays.whole_number(name, getattr(self, name), 1)
        arrays.whole_number("seed", self.seed, 0)
        if not self.learning_rate > 0:
            raise InputError(f"learning_rate must be positive, got {self.learning_rate!r}.")
        if self.schedule not in ("constant", "cosine"):
            raise InputError(f"schedule must be constant or cosine, got {self.schedule!r}.")

    def rate(self, epoch: int) -> float:
        """The learning rate of an epoch, counted from 1."""
        if self.schedule == "constant":
            return self.learning_rate
        return self.learning_rate * 0.5 * (1 + math.cos(math.pi * (epoch - 1) / self.max_epochs))
