"""What a training run may be told; the defaults are the paper's."""

from __future__ import annotations

from dataclasses import dataclass

from neurprise import arrays
from neurprise.errors import InputError


@dataclass(frozen=True)
class TrainingOptions:
    """
    Parameters
    ----------
    encoding
        "cv", "ps", "sv" or "lp"; None takes the family's default, as the paper does, and "lp" for problems of no family
        or of several.
    encoder, fusion, dropout, hidden, num_layers, embedding, attention_layers, attention_heads
        See `ModelConfig`; the attention layers' small network is twice as wide as the embedding.
    loss, temperature
        See `losses`; None takes "traces" for the encoding "lp" and the paper's "swkl" for others.
    start
        A checkpoint, by name or directory, whose weights training begins with; its encoding and sizes then hold.
    schedule
        "constant", or "cosine": the learning rate falls to zero at `max_epochs`.
    batch_size, micro_batch
        Instances per step, and how many of them pass through the network at once (bounds memory, not the result).
    patience
        Epochs without a better validation loss after which training ends.
    limit
        Use at most so many training instances.
    regret_instances
        Validation instances whose regret at k = 4 is measured after every epoch; 0 for none.
    threads
        CPU threads.
    device
        "auto" takes a GPU where there is one.
    """

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
    learning_rate: float = 6e-4
    schedule: str = "constant"
    weight_decay: float = 1e-2
    batch_size: int = 32
    micro_batch: int = 4
    max_epochs: int = 200
    patience: int = 10
    seed: int = 0
    limit: int | None = None
    regret_instances: int = 20
    threads: int = 1
    device: str = "auto"
    start: str | None = None

    def __post_init__(self) -> None:
        for name in ("batch_size", "micro_batch", "max_epochs", "patience", "threads"):
            arrays.whole_number(name, getattr(self, name), 1)
        for name in ("seed", "regret_instances"):
            arrays.whole_number(name, getattr(self, name), 0)
        for name in ("learning_rate", "temperature"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} must be positive, got {getattr(self, name)!r}.")
        if self.schedule not in ("constant", "cosine"):
            raise InputError(f"schedule must be constant or cosine, got {self.schedule!r}.")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout must be at least 0 and below 1, got {self.dropout!r}.")
        arrays.nonnegative_number("weight_decay", self.weight_decay)
