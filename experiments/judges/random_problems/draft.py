"""A two-stage problem written row by row, which remembers its big-M entries and its penalties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from experiments.judges.random_problems.scale_classes import BIG_M, PENALTY
from experiments.judges.random_problems.statement import Statement
from neurprise.arrays import Floats

Number = float | Floats
_Entries = Mapping[int, float]


@dataclass
class Draft:
    """
    Variables are numbered as they come; costs and limits of the recourse are one number or one per scenario.

    Parameters
    ----------
    size
        Number of scenarios.
    """

    size: int
    _x: list[tuple[float, float, bool]] = field(default_factory=list)
    _y: list[tuple[Number, float, bool]] = field(default_factory=list)
    _first_rows: list[tuple[_Entries, float, float]] = field(default_factory=list)
    _rows: list[tuple[_Entries, _Entries, Number, Number]] = field(default_factory=list)
    _switches: list[tuple[int, str, int]] = field(default_factory=list)  # row, "T" or "W", column
    _penalties: list[int] = field(default_factory=list)

    def x(self, cost: float, upper: float = 1.0, integer: bool = True) -> int:
        """A first-stage variable between 0 and `upper`."""
        self._x.append((cost, upper, integer))
        return len(self._x) - 1

    def y(self, cost: Number, upper: float = np.inf, integer: bool = False) -> int:
        """A recourse variable between 0 and `upper`."""
        self._y.append((cost, upper, integer))
        return len(self._y) - 1

    def shortage(self, cost: Number, upper: float = np.inf) -> int:
        """A recourse variable whose cost is a penalty."""
        self._penalties.append(len(self._y))
        return self.y(cost, upper)

    def first_row(self, x: _Entries, low: float = -np.inf, high: float = np.inf) -> None:
        self._first_rows.append((x, low, high))

    def row(self, x: _Entries, y: _Entries, low: Number = -np.inf, high: Number = np.inf) -> None:
        self._rows.append((x, y, low, high))

    def switch_by_x(self, k: int, y: int, reach: float) -> None:
        """y <= reach x_k, where any larger number than reach says the same, for x_k is an integer."""
        self._switches.append((len(self._rows), "T", k))
        self.row({k: -reach}, {y: 1.0}, high=0.0)

    def switch_by_y(self, z: int, y: int, reach: float) -> None:
        """y <= reach z, where z is an integer recourse variable."""
        self._switches.append((len(self._rows), "W", z))
        self.row({}, {z: -reach, y: 1.0}, high=0.0)

    def statement(self) -> Statement:
        size, n, m = self.size, len(self._x), len(self._y)
        costs, upper, integer = (np.array(part) for part in zip(*self._x, strict=True))
        later = [np.broadcast_to(cost, size) for cost, _, _ in self._y]
        most, whole = (np.array([entry[k] for entry in self._y]) for k in (1, 2))
        limits = [[np.broadcast_to(row[side], size) for row in self._rows] for side in (2, 3)]
        low, high = (np.array([row[side] for row in self._first_rows], dtype=float) for side in (1, 2))
        return Statement(
            c=costs,
            A=_dense([row[0] for row in self._first_rows], n),
            a_lower=low,
            a_upper=high,
            x_lower=np.zeros(n),
            x_upper=upper,
            x_integer=integer.astype(bool),
            b=np.stack(later, axis=1).astype(float),
            q=np.zeros((size, n)),
            T=np.tile(_dense([row[0] for row in self._rows], n), (size, 1, 1)),
            W=np.tile(_dense([row[1] for row in self._rows], m), (size, 1, 1)),
            row_lower=np.stack(limits[0], axis=1).astype(float),
            row_upper=np.stack(limits[1], axis=1).astype(float),
            y_lower=np.zeros((size, m)),
            y_upper=np.tile(most.astype(float), (size, 1)),
            y_integer=whole.astype(bool),
        )

    def with_big_m(self, statement: Statement, big: float) -> Statement:
        """The same problem with `big` in every switch."""
        matrices = {"T": statement.T.copy(), "W": statement.W.copy()}
        for row, name, column in self._switches:
            matrices[name][:, row, column] = -big
        return replace(statement, **matrices)

    def with_penalty(self, statement: Statement, price: float) -> Statement:
        """The same problem with this price for every unit of shortage."""
        b = statement.b.copy()
        b[:, self._penalties] = price
        return replace(statement, b=b)

    def can_have(self, scale: str) -> bool:
        """Whether there is something of this class in the problem."""
        return bool(self._penalties) if scale == PENALTY else bool(self._switches) if scale == BIG_M else True


def _dense(rows: list[_Entries], width: int) -> Floats:
    matrix = np.zeros((len(rows), width))
    for k, entries in enumerate(rows):
        for column, value in entries.items():
            matrix[k, column] = value
    return matrix
