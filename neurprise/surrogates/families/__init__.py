"""
What surrogates know about each problem family: one file per family and a line in `_FAMILIES`.

Each file offers `describe(problem)` and `decisions(problem, good, rng, count)`.
"""

from __future__ import annotations

import importlib
from typing import Protocol

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import NotApplicableError
from neurprise.problem import TwoStageProblem
from neurprise.surrogates.description import Description

_FAMILIES = {
    "selection": "selection",
    "vertex-cover": "vertex_cover",
    "facility-location": "facility_location",
}


class FamilyKnowledge(Protocol):
    """What a family's file offers."""

    def describe(self, problem: TwoStageProblem) -> Description:
        """The instance as a network sees it."""

    def decisions(self, problem: TwoStageProblem, good: Floats, rng: np.random.Generator, count: int) -> Floats:
        """Feasible decisions that vary the good ones, greedy ones and random ones, shape (count, n_x)."""


def known_families() -> list[str]:
    """Families that surrogates can be trained for."""
    return list(_FAMILIES)


def knowledge_of(problem: TwoStageProblem) -> FamilyKnowledge:
    """What surrogates know about the problem's family; imported only now."""
    if problem.family not in _FAMILIES:
        raise NotApplicableError(
            f"Neur2RO is defined for {', '.join(_FAMILIES)} problems, got a problem of family {problem.family!r}; use "
            "solve(problem), or a reducer such as 'prise'."
        )
    return importlib.import_module(f"{__name__}.{_FAMILIES[problem.family]}")
