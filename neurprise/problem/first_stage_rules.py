"""Which rule of the first stage a decision breaks, by name: rows, bounds and integrality."""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import InputError
from neurprise.problem import TwoStageProblem
from neurprise.solvers.row_scale import row_units
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE


def check_first_stage(problem: TwoStageProblem, x: Floats) -> None:
    """Refuse a decision, shape (n,), that the first stage forbids; the rule that is broken most is named."""
    first, rows = problem.first_stage, problem.first_stage.matrix @ x
    variables, row_names = problem.first_stage_names, tuple(f"row {name}" for name in problem.first_stage_row_names)
    # Every rule is kept to the tolerance of its own numbers: a large variable excuses no other one.
    of_rows, of_variables = row_units(first.matrix) + abs(first.matrix) @ np.abs(x), 1.0 + np.abs(x)
    rules = (
        ((first.row_lower - rows) / of_rows, row_names, "at least", first.row_lower, rows),
        ((rows - first.row_upper) / of_rows, row_names, "at most", first.row_upper, rows),
        ((first.lower - x) / of_variables, variables, "at least", first.lower, x),
        ((x - first.upper) / of_variables, variables, "at most", first.upper, x),
        (np.where(first.integer, np.abs(x - np.round(x)), 0.0), variables, "a whole number near", np.round(x), x),
    )
    breaches, names, words, limits, values = max(rules, key=lambda rule: float(rule[0].max(initial=-np.inf)))
    if breaches.max(initial=-np.inf) > FEASIBILITY_TOLERANCE:
        k = int(breaches.argmax())
        raise InputError(
            f"x must satisfy the first-stage rows, bounds and integrality, but {names[k]!r} must be {words} "
            f"{limits[k]:.6g}, got {values[k]:.6g}; solve() returns decisions that do."
        )
