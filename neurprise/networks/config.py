"""What a network is made of; shared by training (PyTorch) and scoring (numpy)."""

from __future__ import annotations

from dataclasses import dataclass

from neurprise import arrays
from neurprise.errors import InputError
from neurprise.networks.encodings import ENCODINGS

#: The family of networks that score any problem.
ANY_FAMILY = "any"

CHOICES = {
    "encoding": ENCODINGS,
    "encoder": ("gnn", "deepsets"),
    "fusion": ("pooled", "late", "early"),
}
SIZES = (
    "num_features", "hidden", "embedding", "num_layers", "attention_layers", "attention_heads", "feedforward",
    "scoring_heads", "head_width",
)  # fmt: skip


@dataclass(frozen=True)
class ModelConfig:
    """
    The model's shape; defaults are the paper's.

    Parameters
    ----------
    family
        Family it is trained on; ANY_FAMILY for one that scores every problem.
    num_features
        Width of the node features.
    encoding, encoder, fusion
        Graph ("cv", "ps", "sv", "lp"), scenario encoder ("gnn", "deepsets"), and where the instance context comes
        from and meets the scenarios: "pooled" (mean of the scenario embeddings, met in the decoder), "late" (an encoder
        of its own, met in the decoder) or "early" (an encoder of its own, one more token among the scenarios).
    hidden, embedding, num_layers
        GINE widths 128 and d_s, and its number of layers.
    """

    family: str
    num_features: int
    encoding: str = "cv"
    encoder: str = "gnn"
    fusion: str = "pooled"
    hidden: int = 128
    embedding: int = 64
    num_layers: int = 2
    attention_layers: int = 2
    attention_heads: int = 8
    feedforward: int = 128
    scoring_heads: int = 4
    head_width: int = 32
    dropout: float = 0.0

    def __post_init__(self) -> None:
        for field, known in CHOICES.items():
            if getattr(self, field) not in known:
                raise InputError(f"{field} must be one of {', '.join(known)}, got {getattr(self, field)!r}.")
        if not isinstance(self.family, str):
            raise InputError(f"family must be a name, got {self.family!r}.")
        for field in SIZES:
            arrays.whole_number(field, getattr(self, field), 1, 4096)
        if not arrays.nonnegative_number("dropout", self.dropout) < 1:
            raise InputError(f"dropout must be at least 0 and below 1, got {self.dropout!r}.")
        if self.embedding % self.attention_heads:
            raise InputError(
                f"embedding must be a multiple of attention_heads, got {self.embedding} and {self.attention_heads}."
            )
