"""Where rows, checkpoints and labels of experiments are: in the checkout, or below the working directory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Places:
    """
    Three folders.

    Parameters
    ----------
    rows
        One file of rows per experiment, and the optima.
    checkpoints, labels
        Networks that experiments train or compare, and what they learn from.
    """

    rows: Path
    checkpoints: Path
    labels: Path

    @classmethod
    def below(cls, folder: Path) -> Places:
        """All three in one folder."""
        return cls(folder / "bench", folder / "checkpoints", folder / "labels")


def checkout() -> Path | None:
    """The repository that this package stands in; None for an installed package."""
    return _CHECKOUT if (_CHECKOUT / "pyproject.toml").is_file() else None


def default_places() -> Places:
    """In `results/` of the checkout, else in `neurprise-results/` here."""
    root = checkout()
    return Places.below(Path("neurprise-results") if root is None else root / "results")
