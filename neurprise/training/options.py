"""Options of a training run; no PyTorch is needed to read or check them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from neurprise import arrays
from neurprise.errors import InputError

SCHEDULES = ("constant", "cosine")


@dataclass(frozen=True, kw_only=True)
class LoopOptions:
    """
    Options that the training loop reads, whatever network it trains.

    Parameters
    ----------
    learning_rate, schedule
        With "cosine" the rate falls to zero at `max_epochs`; with "constant" it stays.
    batch_size
        Instances per optimizer step.
    max_epochs, patience
        Training ends after `max_epochs`, or after `patience` epochs without a smaller validation loss.
    seed
        Of the first weights, the order of the instances and everything else that is random.
    limit
        Use at most this many training instances.
    threads
        CPU threads of PyTorch.
    """

    learning_rate: float
    schedule: str
    batch_size: int
    max_epochs: int
    patience: int
    seed: int = 0
    limit: int | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("batch_size", "max_epochs", "patience", "threads"):
            arrays.whole_number(name, getattr(self, name), 1)
        arrays.whole_number("seed", self.seed, 0)
        if not self.learning_rate > 0:
            raise InputError(f"learning_rate must be positive, got {self.learning_rate!r}.")
        if self.schedule not in SCHEDULES:
            raise InputError(f"schedule must be {' or '.join(SCHEDULES)}, got {self.schedule!r}.")

    def rate(self, epoch: int) -> float:
        """The learning rate of an epoch, counted from 1."""
        if self.schedule == "constant":
            return self.learning_rate
        return self.learning_rate * 0.5 * (1 + math.cos(math.pi * (epoch - 1) / self.max_epochs))

    def identity(self) -> dict[str, Any]:
        """The options that determine the weights of each epoch. The others only say when to stop."""
        length = {"patience"} if self.schedule == "cosine" else {"patience", "max_epochs"}
        return {name: value for name, value in asdict(self).items() if name not in length}


@dataclass(frozen=True, kw_only=True)
class TrainingOptions(LoopOptions):
    """
    Options for NeurPRISE; the defaults are the paper's.

    Parameters
    ----------
    encoding
        "cv", "ps", "sv" or "lp". None: the default of the family, or "lp" for general problems and several families.
    encoder, fusion, dropout, hidden, num_layers, embedding, attention_layers, attention_heads
        See `ModelConfig`. The feed-forward network of an attention layer is twice as wide as the embedding.
    loss, temperature
        A name in `LOSSES` and the temperature of "swkl". None: "traces" for the encoding "lp", else the paper's "swkl".
    weight_decay
        Of AdamW.
    micro_batch
        Instances that pass through the network together; smaller numbers need less memory.
    regret_instances
        Validation instances whose regret at k = 4 is measured after every epoch.
    device
        "cpu", "cuda", or "auto" for a GPU if there is one.
    start
        A checkpoint, by name or directory. Training begins with its weights and keeps its encoding and sizes.
    """

    learning_rate: float = 6e-4
    schedule: str = "constant"
    batch_size: int = 32
    max_epochs: int = 200
    patience: int = 10
    encoding: str | None = None
    encoder: str = "gnn"
    fusion: str = "pooled"
    dropout: float = 0.0
    hidden: int = 128
    num_layers: int = 2
    embedding: int = 64
    attention_layers: int = 2
    attention_heads: int = 8
    loss: str | None = None
    temperature: float = 5.0
    weight_decay: float = 1e-2
    micro_batch: int = 4
    regret_instances: int = 20
    device: str = "auto"
    start: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        arrays.whole_number("micro_batch", self.micro_batch, 1)
        arrays.whole_number("regret_instances", self.regret_instances, 0)
        if not self.temperature > 0:
            raise InputError(f"temperature must be positive, got {self.temperature!r}.")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout must be at least 0 and below 1, got {self.dropout!r}.")
        arrays.nonnegative_number("weight_decay", self.weight_decay)


@dataclass(frozen=True, kw_only=True)
class SurrogateOptions(LoopOptions):
    """
    Options for Neur2RO.

    Parameters
    ----------
    scenarios
        Random scenarios of each instance in an optimizer step; an instance enters with all its decisions.
    decision_hidden
        See `NetworkConfig`.
    """

    learning_rate: float = 1e-3
    schedule: str = "cosine"
    batch_size: int = 8
    max_epochs: int = 60
    patience: int = 60
    scenarios: int = 16
    decision_hidden: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        arrays.whole_number("scenarios", self.scenarios, 1)
        arrays.whole_number("decision_hidden", self.decision_hidden, 1)
