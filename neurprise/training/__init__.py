"""Labels, the NeurPRISE network and its training; needs the extra [learn] where it trains."""

from neurprise.training.labels import label_problems as label

__all__ = ["label"]
