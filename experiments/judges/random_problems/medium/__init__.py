"""
Structured problems of 10 to 60 first-stage and 10 to 80 recourse variables under 5 to 60 scenarios.

    case = draw_medium(17)                # a Case, as draw_case gives one
    case = draw_medium(17, "penalty")
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from experiments.judges.random_problems.case import Case
from experiments.judges.random_problems.decisions import draw_decision
from experiments.judges.random_problems.draft import Draft
from experiments.judges.random_problems.medium.networks import draw_fixed_charge, draw_network_flow, draw_set_cover
from experiments.judges.random_problems.medium.production import draw_assignment, draw_lot_sizing, draw_unit_commitment
from experiments.judges.random_problems.scale_classes import (
    BIG_M,
    COSTS,
    ORDINARY,
    PENALTY,
    ROW_UNITS,
    SCALES,
    Scaled,
    scale_of,
)
from experiments.judges.random_problems.scales import in_other_money, in_other_rows

#: What is drawn, by seed modulo their number.
MEDIUM_KINDS: dict[str, Callable[[np.random.Generator], Draft]] = {
    "lot sizing": draw_lot_sizing,
    "assignment": draw_assignment,
    "set cover": draw_set_cover,
    "unit commitment": draw_unit_commitment,
    "network flow": draw_network_flow,
    "fixed charge": draw_fixed_charge,
}
#: A price of shortage at which engines are precise; what needs no shortage then needs none at any higher price.
EASED_PENALTY = 1e4


def draw_medium(seed: int, scale: str | None = None) -> Case:
    """
    The medium-sized problem of this seed; kinds take turns, the class is the seed's own unless one is named.

    A kind without shortages or switches has no penalties or big-M: then the problem is ordinary.
    """
    scale = scale or scale_of(seed)
    kind = list(MEDIUM_KINDS)[seed % len(MEDIUM_KINDS)]
    rng = np.random.default_rng([seed, SCALES.index(scale), 3])
    draft = MEDIUM_KINDS[kind](rng)
    scale = scale if draft.can_have(scale) else ORDINARY
    drawn = _scaled(rng, scale, draft)
    decision = draw_decision(rng, drawn.statement)
    return Case(
        seed, kind, drawn.problem, drawn.statement, decision, scale, drawn.money, medium=True, eased=drawn.eased
    )


def _scaled(rng: np.random.Generator, scale: str, draft: Draft) -> Scaled:
    statement = draft.statement()
    if scale == COSTS:
        return in_other_money(rng, statement.problem(), statement)
    if scale == ROW_UNITS:
        return in_other_rows(rng, statement)
    if scale == BIG_M:
        return Scaled(draft.with_big_m(statement, float(10.0 ** rng.integers(4, 11))).problem(), statement)
    if scale == PENALTY:
        dear = draft.with_penalty(statement, float(10.0 ** rng.integers(5, 10)))
        return Scaled(dear.problem(), dear, eased=draft.with_penalty(statement, EASED_PENALTY))
    return Scaled(statement.problem(), statement)
