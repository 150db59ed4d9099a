"""Which rule of the first stage a decision breaks, by name: rows, bounds and integrality."""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import InputError
from neurprise.problem import TwoStageProblem
from neurprise.tolerances import FEASIBILITY_TOLERANCE


def check_first_stage(problem: TwoStageProblem, x: Floats) -> None:
    """Refuse a decision, shape (n,), that the first stage forbids; the rule that is broken most is named."""
    scale = 1.0 + float(np.abs(x).max(initial=0.0))
    if problem.first_stage.violation(x) > FEASIBILITY_TOLERANCE * scale:
        raise InputError(
            f"x must satisfy the first-stage rows, bounds and integrality, but {_worst_breach(problem, x)}; solve() "
            "returns decisions that do."
        )


def _worst_breach(problem: TwoStageProblem, x: Floats) -> str:
    """The rule that is broken by the largest amount, and what came."""
    first, rows = problem.first_stage, problem.first_stage.matrix @ x
    variables, row_names = problem.first_stage_names, tuple(f"row {name}" for name in problem.first_stage_row_names)
    rules = (
        (first.row_lower - rows, row_names, "at least", first.row_lower, rows),
        (rows - first.row_upper, row_names, "at most", first.row_upper, rows),
        (first.lower - x, variables, "at least", first.lower, x),
        (x - first.upper, variables, "at most", first.upper, x),
        (np.where(first.integer, np.abs(x - np.round(x)), 0.0), variables, "a whole number near", np.round(x), x),
    )
    gaps, names, words, limits, values = max(rules, key=lambda rule: float(rule[0].max(initial=-np.inf)))
    k = int(gaps.argmax())
    return f"{names[k]!r} must be {words} {limits[k]:.6g}, got {values[k]:.6g}"
