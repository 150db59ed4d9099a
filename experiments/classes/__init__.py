"""
Generated classes of problems that the checkpoint `universal` learns from: one module each, `draw(seed)` its problem.

Adding one is a module here and a line in `CLASSES`. Sizes are small and vary with the seed, so that thousands can be
labelled; each class is there for a structure that the others lack.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from neurprise.problem import TwoStageProblem

#: module:function of every class within this folder.
CLASSES = (
    "families:selection",
    "families:vertex_cover",
    "families:facility_location",
    "covering:draw",
    "lot_sizing:draw",
    "unit_commitment:draw",
    "shift_scheduling:draw",
    "inventory_network:draw",
    "production:draw",
    "path:draw",
    "maintenance:draw",
)


def generator(name: str) -> Callable[[int], TwoStageProblem]:
    """The function that draws a problem of one of the CLASSES from a seed."""
    module, function = name.split(":")
    found: Callable[[int], TwoStageProblem] = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    return found
