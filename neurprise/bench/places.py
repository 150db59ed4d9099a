"""Where rows, optima and checkpoints of experiments are: in the checkout, or below the working directory."""

from __future__ import annotations

from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[2]


def checkout() -> Path | None:
    """The repository that this package stands in; None for an installed package."""
    return _CHECKOUT if (_CHECKOUT / "pyproject.toml").is_file() else None


def results() -> Path:
    """`results/` of the checkout, else `neurprise-results/` here."""
    root = checkout()
    return Path("neurprise-results") if root is None else root / "results"


def rows() -> Path:
    """The folder of the rows of all experiments."""
    return results() / "bench"


def checkpoints() -> Path:
    """The folder of checkpoints that experiments train or compare."""
    return results() / "checkpoints"
