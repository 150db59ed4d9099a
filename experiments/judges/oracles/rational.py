"""
Linear programs in exact arithmetic: the simplex method on whole numbers, for programs of a few dozen entries.

Every float is a fraction, so no tolerance enters. Pivots are fraction-free [Edmonds 1967]: the tableau holds whole
numbers over one common denominator, the last pivot. Bland's rule keeps it from cycling.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from experiments.judges.oracles.program import Program

_Row = list[int]


_Rows = list[tuple[list[Fraction], Fraction]]


@dataclass(frozen=True)
class Minimum:
    """
    Parameters
    ----------
    value
        The least cost; inf if infeasible, -inf if it falls without limit.
    point
        A vertex where it is attained, one entry per column; empty without one.
    """

    value: Fraction | float
    point: tuple[Fraction, ...] = ()


def exact_minimum(program: Program) -> Minimum:
    """The minimum of a linear program; integrality is not looked at."""
    if (program.lower > program.upper).any() or (program.row_lower > program.row_upper).any():
        return Minimum(math.inf)
    columns = _Columns(program)
    tableau = _Tableau(columns.rows(), columns.costs)
    if not tableau.make_feasible():
        return Minimum(math.inf)
    if tableau.minimise():
        return Minimum(-math.inf)
    return Minimum(columns.base_cost + tableau.value, columns.point(tableau.values()))


def falls_without_limit(program: Program) -> bool:
    """
    Whether the cost of a feasible program has no minimum.

    With rational data the integer points go as far in every direction as the linear relaxation does [Meyer 1974].
    """
    if np.isfinite(program.lower).all() and np.isfinite(program.upper).all():
        return False
    return exact_minimum(program.directions()).value < 0


class _Columns:
    """The program in nonnegative variables: z = lower + v, z = upper - v, or z = v - w where z is free."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._terms: list[tuple[int, int]] = []  # (variable, sign) of each nonnegative column
        self._shift: list[Fraction] = []
        for k, (low, high) in enumerate(zip(program.lower.tolist(), program.upper.tolist(), strict=True)):
            from_below, free = math.isfinite(low), not (math.isfinite(low) or math.isfinite(high))
            self._shift.append(Fraction(0) if free else Fraction(low if from_below else high))
            self._terms += [(k, 1), (k, -1)] if free else [(k, 1 if from_below else -1)]
        costs = [Fraction(cost) for cost in program.costs.tolist()]
        self.costs = [sign * costs[k] for k, sign in self._terms]
        self.base_cost = Fraction(program.offset) + sum(map(_product, costs, self._shift), Fraction(0))

    def point(self, values: list[Fraction]) -> tuple[Fraction, ...]:
        """The program's variables from the nonnegative columns."""
        point = list(self._shift)
        for (k, sign), value in zip(self._terms, values, strict=True):
            point[k] += sign * value
        return tuple(point)

    def rows(self) -> _Rows:
        """Rows as (entries, limit) with entries'v <= limit."""
        program = self._program
        found = []
        limits = zip(program.row_lower.tolist(), program.row_upper.tolist(), strict=True)
        for entries, (low, high) in zip(program.matrix.tolist(), limits, strict=True):
            exact = [Fraction(entry) for entry in entries]
            shift = sum(map(_product, exact, self._shift), Fraction(0))
            spread = [sign * exact[k] for k, sign in self._terms]
            found += [(spread, Fraction(high) - shift)] if high < math.inf else []
            found += [([-entry for entry in spread], shift - Fraction(low))] if low > -math.inf else []
        return found + self._ranges()

    def _ranges(self) -> _Rows:
        """v <= upper - lower where both are finite."""
        found = []
        for place, (k, _) in enumerate(self._terms):
            low, high = float(self._program.lower[k]), float(self._program.upper[k])
            if math.isfinite(low) and math.isfinite(high):
                unit = [Fraction(int(j == place)) for j in range(len(self._terms))]
                found.append((unit, Fraction(high) - Fraction(low)))
        return found


class _Tableau:
    """
    Rows v_basic + entries'v_other = limit, in whole numbers over one common denominator.

    Cost rows have the same form; the last one is minimised, the others are carried along.
    """

    def __init__(self, rows: _Rows, costs: list[Fraction]) -> None:
        self._width = len(costs)
        self._rows: list[_Row] = []
        for k, (entries, limit) in enumerate(rows):
            # A multiple of a row measures its slack in other units, which changes nothing else.
            *whole, right = _whole([*entries, limit])
            self._rows.append([*whole, *(int(j == k) for j in range(len(rows))), right])
        self._basis = list(range(self._width, self._width + len(rows)))
        self._unit = math.lcm(*(cost.denominator for cost in costs))
        self._cost_rows: list[_Row] = [[int(cost * self._unit) for cost in costs] + [0] * (len(rows) + 1)]
        self._common = 1

    @property
    def value(self) -> Fraction:
        """Cost of the basic solution."""
        return Fraction(-self._cost_rows[-1][-1], self._common * self._unit)

    def values(self) -> list[Fraction]:
        """Values of the columns in the basic solution."""
        found = [Fraction(0)] * self._width
        for row, column in zip(self._rows, self._basis, strict=True):
            if column < self._width:
                found[column] = Fraction(row[-1], self._common)
        return found

    def make_feasible(self) -> bool:
        """
        Reach a basic solution with nonnegative values; False if there is none.

        Phase one with a single artificial column: it enters where a limit is most negative, and is then minimised.
        """
        if all(row[-1] >= 0 for row in self._rows):
            return True
        artificial = self._insert_artificial()
        leaving = min(range(len(self._rows)), key=lambda i: self._rows[i][-1])
        self._pivot(leaving, artificial)
        self.minimise()
        feasible = self._cost_rows.pop()[-1] == 0
        if feasible and artificial in self._basis:
            self._drive_out(artificial)
        for row in (*self._rows, *self._cost_rows):
            del row[artificial]
        return feasible

    def minimise(self) -> bool:
        """Pivot until no cost is negative; True if the cost falls without limit."""
        while True:
            costs = self._cost_rows[-1]
            entering = next((j for j, cost in enumerate(costs[:-1]) if cost < 0), None)
            if entering is None:
                return False
            leaving = self._leaving(entering)
            if leaving is None:
                return True
            self._pivot(leaving, entering)

    def _leaving(self, entering: int) -> int | None:
        """Bland: of the rows with the least ratio, the one whose basic variable comes first."""
        rows = [i for i, row in enumerate(self._rows) if row[entering] > 0]
        if not rows:
            return None
        return min(rows, key=lambda i: (Fraction(self._rows[i][-1], self._rows[i][entering]), self._basis[i]))

    def _pivot(self, leaving: int, entering: int) -> None:
        row = self._rows[leaving]
        if row[entering] < 0:  # only when the artificial column enters or leaves: keep the denominator positive
            row = self._rows[leaving] = [-entry for entry in row]
        pivot, common = row[entering], self._common
        for rows in (self._rows, self._cost_rows):
            for i, other in enumerate(rows):
                if other is not row:
                    rows[i] = _combined(other, row, entering, pivot, common)
        self._basis[leaving] = entering
        self._common = pivot

    def _insert_artificial(self) -> int:
        """A last column that every row can be repaired by, with a cost row of its own; its place."""
        for row in self._rows:
            row.insert(-1, -1)
        for row in self._cost_rows:
            row.insert(-1, 0)
        place = len(self._cost_rows[0]) - 2
        self._cost_rows.append([int(j == place) for j in range(place + 2)])
        return place

    def _drive_out(self, artificial: int) -> None:
        """The artificial column is basic at zero: exchange it for any other, or drop its empty row."""
        i = self._basis.index(artificial)
        entering = next((j for j, entry in enumerate(self._rows[i][:-1]) if entry and j != artificial), None)
        if entering is None:
            del self._rows[i], self._basis[i]
        else:
            self._pivot(i, entering)


def _combined(other: _Row, row: _Row, entering: int, pivot: int, common: int) -> _Row:
    factor = other[entering]
    if factor == 0 and pivot == common:
        return other
    return [(pivot * a - factor * b) // common for a, b in zip(other, row, strict=True)]  # Edmonds: no remainder


def _whole(values: Sequence[Fraction]) -> list[int]:
    """A positive multiple of the values in whole numbers."""
    unit = math.lcm(*(value.denominator for value in values))
    return [int(value * unit) for value in values]


def _product(a: Fraction, b: Fraction) -> Fraction:
    return a * b
