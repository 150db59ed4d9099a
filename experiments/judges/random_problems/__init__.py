"""
Small random two-stage problems with every feature the package knows, each determined by one seed.

    case = draw_case(17)              # case.kind, case.scale, case.problem, case.statement, case.decision
    case = draw_case(17, "big-M")     # another problem of that class; see scales.py
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from experiments.judges.random_problems import families, generic
from experiments.judges.random_problems.case import Case, with_repeated_scenarios
from experiments.judges.random_problems.decisions import draw_decision
from experiments.judges.random_problems.scale_classes import ORDINARY, SCALES, scale_of
from experiments.judges.random_problems.scales import draw_scaled
from experiments.judges.random_problems.statement import Statement
from neurprise.problem import TwoStageProblem

__all__ = ["KINDS", "ORDINARY", "SCALES", "Case", "Statement", "draw_case", "with_repeated_scenarios"]

_Draw = Callable[[np.random.Generator], tuple[TwoStageProblem, Statement]]

#: What is drawn, by seed modulo their number.
KINDS: dict[str, _Draw] = {**generic.KINDS, **families.KINDS}


def draw_case(seed: int, scale: str | None = None) -> Case:
    """The problem of this seed; kinds take turns, the class is the seed's own unless one is named."""
    scale = scale or scale_of(seed)
    kind = list(KINDS)[seed % len(KINDS)]
    rng = np.random.default_rng(seed if scale == ORDINARY else [seed, SCALES.index(scale)])
    drawn = draw_scaled(rng, scale, KINDS[kind])
    decision = draw_decision(rng, drawn.statement)
    return Case(seed, kind, drawn.problem, drawn.statement, decision, scale, drawn.money, drawn.exact)
