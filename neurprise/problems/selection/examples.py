"""Small selections that between them go every way through the family's code."""

from __future__ import annotations

from neurprise.problems.selection.formulation import Selection
from neurprise.problems.selection.generator import make_selection


def examples() -> list[Selection]:
    """Few items are listed, many are not."""
    return [make_selection(8, 5, seed=0), make_selection(21, 2, seed=0)]
