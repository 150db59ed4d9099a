"""The rules that data keep: shapes and changes of a problem, and the first stage of a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import InputError
from neurprise.problem.stages import KINDS
from neurprise.solvers.corner_cases import row_units
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

if TYPE_CHECKING:
    from neurprise.problem import TwoStageProblem


def check_shapes(problem: TwoStageProblem) -> None:
    first, recourse = problem.first_stage, problem.recourse
    n, m, r = len(first.costs), len(recourse.costs), recourse.matrix.shape[0]
    expected = {
        "first-stage matrix": (first.matrix.shape, (len(first.row_lower), n)),
        "first-stage bounds": (first.lower.shape + first.upper.shape + first.integer.shape, (n, n, n)),
        "technology": (recourse.technology.shape, (r, n)),
        "recourse matrix": (recourse.matrix.shape, (r, m)),
        "recourse row limits": (recourse.row_lower.shape + recourse.row_upper.shape, (r, r)),
        "recourse bounds": (recourse.lower.shape + recourse.upper.shape + recourse.integer.shape, (m, m, m)),
        "x_costs": (recourse.x_costs.shape, (n,)),
    }
    for name, (got, want) in expected.items():
        if got != want:
            raise InputError(f"{name} must have shape {want} to fit the other parts, got {got}.")


def check_changes(problem: TwoStageProblem) -> None:
    if problem.num_scenarios < 1:
        raise InputError("a problem needs at least one scenario, got 0; pass one row of data per scenario.")
    for kind, change in problem.changes.items():
        if kind not in KINDS:
            raise InputError(f"scenarios can change {', '.join(KINDS)}, got {kind!r}.")
        if change.values.shape != (problem.num_scenarios, len(change.positions)):
            raise InputError(
                f"changes of {kind} must have shape ({problem.num_scenarios}, {len(change.positions)}), "
                f"got {change.values.shape}."
            )
        size = len(problem.recourse.base(kind))
        if len(change.positions) and not (change.positions.min() >= 0 and change.positions.max() < size):
            raise InputError(f"positions of changed {kind} must be between 0 and {size - 1}.")
        if np.isnan(change.values).any():
            raise InputError(
                f"changes of {kind} must be numbers, got nan in scenario "
                f"{int(np.argwhere(np.isnan(change.values))[0][0])}; fill or drop it."
            )


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
