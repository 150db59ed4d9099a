"""A mixed-integer program written densely, and the ones a statement consists of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from experiments.judges.random_problems.statement import Statement, moved
from neurprise.arrays import Bools, Floats

#: Integer bounds this close to a whole number are that number.
_WHOLE = 1e-9


@dataclass(frozen=True)
class Program:
    """
    min offset + costs'z with row_lower <= matrix z <= row_upper, lower <= z <= upper, z[integer] integer.

    Bounds of integers are rounded inward when built.
    """

    costs: Floats
    matrix: Floats
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", np.where(self.integer, np.ceil(self.lower - _WHOLE), self.lower))
        object.__setattr__(self, "upper", np.where(self.integer, np.floor(self.upper + _WHOLE), self.upper))

    def loosened(self, slack: float) -> Program:
        """Rows and bounds of continuous columns moved apart by `slack`; see `moved`."""
        row_lower, row_upper = moved(self.row_lower, self.row_upper, slack)
        lower, upper = moved(self.lower, self.upper, np.where(self.integer, 0.0, slack))
        return replace(self, row_lower=row_lower, row_upper=row_upper, lower=lower, upper=upper)

    def keeps(self, point: Floats, slack: float) -> bool:
        """Whether a point, shape (columns,), keeps all limits loosened by `slack`, and is whole where it must be."""
        loose, rows = self.loosened(slack), self.matrix @ point
        inside = (point >= loose.lower) & (point <= loose.upper) & (~self.integer | (point == np.round(point)))
        return bool(inside.all() and (rows >= loose.row_lower).all() and (rows <= loose.row_upper).all())

    def with_fixed(self, columns: Bools, values: Floats) -> Program:
        """The program in the other columns when these have the given values, shape (num fixed,)."""
        activity, left = self.matrix[:, columns] @ values, ~columns
        return Program(
            self.costs[left],
            self.matrix[:, left],
            self.row_lower - activity,
            self.row_upper - activity,
            self.lower[left],
            self.upper[left],
            self.integer[left],
            self.offset + float(self.costs[columns] @ values),
        )

    def directions(self) -> Program:
        """The linear program of directions in which one can go on for ever: every finite limit becomes zero."""
        limits = (self.row_lower, self.row_upper, self.lower, self.upper)
        cone = [np.where(np.isfinite(limit), 0.0, limit) for limit in limits]
        return Program(self.costs, self.matrix, *cone, np.zeros(len(self.integer), dtype=bool))


def recourse_program(statement: Statement, x: Floats, s: int) -> Program:
    """min_y q_s'x + b_s'y, the program behind Q(x, s)."""
    activity = statement.T[s] @ x
    return Program(
        statement.b[s],
        statement.W[s],
        statement.row_lower[s] - activity,
        statement.row_upper[s] - activity,
        statement.y_lower[s],
        statement.y_upper[s],
        statement.y_integer,
        float(statement.q[s] @ x),
    )


def whole_program(statement: Statement, scenarios: Sequence[int], slack: float = 0.0) -> Program:
    """V(R) as one program: columns x, the worst recourse cost, then y of each scenario; limits loosened by `slack`."""
    m, count = statement.b.shape[1], len(scenarios)
    matrix = [np.hstack([statement.A, np.zeros((len(statement.A), 1 + m * count))])]
    row_lower, row_upper = [statement.a_lower], [statement.a_upper]
    for place, s in enumerate(scenarios):
        mine = np.eye(1, count, place)
        matrix.append(np.hstack([-statement.q[s], [1.0], -np.kron(mine, statement.b[s])[0]])[None])
        no_cost = np.zeros((len(statement.row_lower[s]), 1))
        matrix.append(np.hstack([statement.T[s], no_cost, np.kron(mine, statement.W[s])]))
        row_lower += [[0.0], statement.row_lower[s]]
        row_upper += [[np.inf], statement.row_upper[s]]
    chosen = list(scenarios)
    return Program(
        np.concatenate([statement.c, [1.0], np.zeros(m * count)]),
        np.vstack(matrix),
        np.concatenate(row_lower),
        np.concatenate(row_upper),
        np.concatenate([statement.x_lower, [-np.inf], statement.y_lower[chosen].ravel()]),
        np.concatenate([statement.x_upper, [np.inf], statement.y_upper[chosen].ravel()]),
        np.concatenate([statement.x_integer, [False], np.tile(statement.y_integer, count)]),
        statement.offset,
    ).loosened(slack)
