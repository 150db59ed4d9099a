"""What must hold for the parts of a problem to fit together, checked once, when it is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neurprise.errors import InputError
from neurprise.problem.stages import KINDS

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
