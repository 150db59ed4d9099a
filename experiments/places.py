"""Where rows, checkpoints and labels of experiments are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

#: The repository.
ROOT = Path(__file__).resolve().parents[1]
#: Labels that the repository holds.
KEPT_FOLDER = ROOT / "experiments" / "labels"


@dataclass(frozen=True)
class Places:
    """
    Three folders.

    Parameters
    ----------
    rows
        One file of rows per experiment, and the optima.
    checkpoints, labels
        Networks that experiments train or compare, and what they learn from. A command makes them again, so the
        repository does not hold them.
    """

    rows: Path
    checkpoints: Path
    labels: Path

    @classmethod
    def below(cls, folder: Path) -> Places:
        """All three in one folder."""
        return cls(folder / "rows", folder / "made" / "checkpoints", folder / "made" / "labels")


def default_places() -> Places:
    """Those of the repository."""
    return Places.below(ROOT / "experiments")
