"""
Variable upper bounds that rows imply, one for each recourse variable and row: `y_j <= B + sum_k g_k (v_k - l_k)`.

A row a'y + t'x <= b, such as `sum_j y_j <= capacity x`, says of one variable alone that

    a_j y_j <= (b - what all other columns add at least) - sum over its switches v_k of |a_k| (v_k - where v_k shuts).

A switch is an integer column that lets the row grow by one step. If y_j is never more than U, a step of a switch need
not let it grow beyond U, so |a_k| may shrink to g = a_j U - (what y_j has with all switches shut) [Savelsbergh 1994].
The row itself cannot be tightened like that, because its other variables need what remains. With U the demand,
`sum_j y_j <= capacity x` gives `y_j <= demand_j x`: the disaggregated rows of facility location, which close most of
its linear gap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Bools, Floats, Ints
from neurprise.problem import TwoStageProblem
from neurprise.recourse.model import ScenarioTable
from neurprise.solvers.big_m import ROUNDING
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE
from neurprise.strengthening.bounds import ColumnBounds, DistinctScenarios

#: A row is worth its place where it shrinks a switch to at most this share.
WORTHWHILE = 0.9
#: Entries of rows that are read, and of rows that are written: outside, tolerances of engines are no longer small.
SMALLEST, LARGEST = 1e-4, 1e6
#: Switches of one row.
MOST_SWITCHES = 8
#: Rows that are added, by size of the problem.
MOST_ROWS = 4_000


@dataclass(frozen=True)
class ImpliedRow:
    """
    y_variable - sum_k steps[:, k] v_k <= limits under each distinct scenario; v_k are columns of (x, y).

    Parameters
    ----------
    variable
        Its column among the y.
    switches
        Columns of (x, y), shape (k,).
    steps
        Shape (number, k).
    limits
        Shape (number,); inf where the row says nothing.
    """

    variable: int
    switches: Ints
    steps: Floats
    limits: Floats

    @property
    def columns(self) -> tuple[int, ...]:
        """The variable and its switches, in one order for all rows that have them."""
        return self.variable, *sorted(self.switches.tolist())

    def follows_from(self, other: ImpliedRow) -> bool:
        """Whether a row with the same columns says as much already, to the tolerance, under every scenario."""
        mine, theirs = np.argsort(self.switches), np.argsort(other.switches)
        close = FEASIBILITY_TOLERANCE * (2.0 + np.abs(self.steps[:, mine]))
        same = (np.abs(self.steps[:, mine] - other.steps[:, theirs]) <= 2 * close).all(axis=1)
        looser = self.limits >= other.limits - FEASIBILITY_TOLERANCE
        return bool((np.isposinf(self.limits) | (same & looser)).all())


def implied_rows(
    problem: TwoStageProblem, scenarios: DistinctScenarios, bounds: ColumnBounds
) -> list[ImpliedRow] | None:
    """The variable upper bounds that tighten something; None where there are none, or too many to be a help."""
    found: dict[tuple[int, ...], list[ImpliedRow]] = {}
    known: dict[tuple[int, ...], list[ImpliedRow]] = {}
    for row in _one_sided_rows(problem, scenarios):
        for own in row.as_bounds():
            known.setdefault(own.columns, []).append(own)
        for new in row.projections(bounds):
            found.setdefault(new.columns, []).append(new)
        if len(found) > MOST_ROWS:
            return None
    return [
        row for columns, rows in found.items() for row in rows if not any(map(row.follows_from, known.get(columns, ())))
    ] or None


@dataclass(frozen=True)
class _Row:
    """
    A recourse row as sum of entries <= limit, under each distinct scenario.

    Parameters
    ----------
    columns
        Columns of (x, y), shape (k,).
    entries
        Shape (number, k).
    limits
        Shape (number,).
    integer
        Of the columns, shape (k,).
    num_first_stage
        n.
    """

    columns: Ints
    entries: Floats
    limits: Floats
    integer: Bools
    num_first_stage: int

    def as_bounds(self) -> Iterator[ImpliedRow]:
        """The row itself, where it bounds a single recourse variable."""
        (places,) = np.nonzero(self.columns >= self.num_first_stage)
        if len(places) == 1 and (self.entries[:, places[0]] > 0).all():
            switches = np.delete(np.arange(len(self.columns)), places)
            entry = self.entries[:, places[0]]
            steps = -self.entries[:, switches] / entry[:, None]
            variable = int(self.columns[places[0]]) - self.num_first_stage
            yield ImpliedRow(variable, self.columns[switches], steps, self.limits / entry)

    def projections(self, bounds: ColumnBounds) -> Iterator[ImpliedRow]:
        """A row for each variable whose own bound shrinks a switch."""
        if not self._is_ordinary():
            return
        lower, upper = bounds.lower[:, self.columns], bounds.upper[:, self.columns]
        with np.errstate(invalid="ignore"):
            least = np.where(self.entries > 0, self.entries * lower, self.entries * upper)
        least = np.where(self.entries == 0, 0.0, least)
        is_y = self.columns >= self.num_first_stage
        variables = np.flatnonzero(is_y & (self.entries >= 0).all(axis=0) & (self.entries > 0).any(axis=0))
        # Recourse that takes from a row leaves room for other recourse; only the first stage switches that off.
        rises, falls = (self.entries <= 0).all(axis=0), (self.entries >= 0).all(axis=0) & ~is_y
        shut = np.where(rises, lower, upper)
        switches = np.flatnonzero(self.integer & (rises | falls) & np.isfinite(shut).all(axis=0))
        if not 0 < len(switches) <= MOST_SWITCHES:
            return
        others = np.ones(len(self.columns), dtype=bool)
        others[switches] = False
        for j in variables.tolist():
            others[j] = False
            yield from self._projection(j, switches, least[:, others], shut[:, switches], upper[:, j])
            others[j] = True

    def _projection(self, j: int, switches: Ints, others: Floats, shut: Floats, upper: Floats) -> Iterator[ImpliedRow]:
        """
        The row of one variable, if it is worth its place.

        Parameters
        ----------
        others
            What each other column adds at least, shape (number, any).
        shut
            Where each switch is shut, shape (number, switches).
        upper
            What the variable is at most, shape (number,).
        """
        entry, openings = self.entries[:, j], -self.entries[:, switches]
        sizes = np.abs(np.column_stack([self.limits, others, openings * shut])).max(axis=1)
        with np.errstate(invalid="ignore"):
            room = self.limits - others.sum(axis=1) + (openings * shut).sum(axis=1) + ROUNDING * sizes
        room = room + FEASIBILITY_TOLERANCE
        with np.errstate(invalid="ignore", divide="ignore"):
            base = np.where(entry > 0, room / entry, np.inf)
            largest = openings / entry[:, None]
        if self.integer[j]:
            upper = np.floor(upper + FEASIBILITY_TOLERANCE)
            base = _rounded_down(base, upper, largest)
        known = np.isfinite(base) & np.isfinite(upper)
        step = np.where(known, upper, np.inf) - np.where(known, base, 0.0)
        ordinary = known & (step >= SMALLEST) & (step <= LARGEST) & (np.abs(base) <= LARGEST)
        speaks = ordinary & (step < WORTHWHILE * np.abs(largest).max(axis=1, where=np.isfinite(largest), initial=0.0))
        if not speaks.any():
            return
        most = np.where(speaks, step, 0.0)[:, None]
        steps = np.where(speaks[:, None], np.clip(largest, -most, most), 0.0)
        limits = np.where(speaks, base - (steps * shut).sum(axis=1), np.inf)
        place = int(self.columns[j]) - self.num_first_stage
        yield ImpliedRow(place, self.columns[switches], steps, limits)

    def _is_ordinary(self) -> bool:
        sizes = np.abs(self.entries[self.entries != 0])
        return bool(len(sizes) and sizes.min() >= SMALLEST and sizes.max() <= LARGEST)


def _rounded_down(base: Floats, upper: Floats, largest: Floats) -> Floats:
    """
    What a whole y has with all switches shut, where one step of any switch gives it all it can use; shape (number,).

    Where a step gives less, fractions of both may add up to one.
    """
    whole = np.floor(base + FEASIBILITY_TOLERANCE)
    with np.errstate(invalid="ignore"):
        opens_wholly = ((largest == 0.0) | (np.abs(largest) >= (upper - whole)[:, None])).all(axis=1)
    return np.where(opens_wholly, whole, base)


def _one_sided_rows(problem: TwoStageProblem, scenarios: DistinctScenarios) -> Iterator[_Row]:
    """Recourse rows with x and y in them, each as an upper limit; both ways round where they have two limits."""
    recourse, table, first = problem.recourse, ScenarioTable(problem), scenarios.first
    technology, matrix = table.of("technology", first), table.of("matrix", first)
    lower, upper = table.of("row_lower", first), table.of("row_upper", first)
    integer = np.concatenate([problem.first_stage.integer, recourse.integer])
    for r in range(recourse.matrix.shape[0]):
        of_x = slice(*recourse.technology.indptr[r : r + 2])
        of_y = slice(*recourse.matrix.indptr[r : r + 2])
        columns = np.concatenate(
            [recourse.technology.indices[of_x], problem.num_first_stage + recourse.matrix.indices[of_y]]
        )
        if not integer[columns].any() or len(np.unique(columns)) < max(2, len(columns)):
            continue
        entries = np.hstack([technology[:, of_x], matrix[:, of_y]])
        for sign, limits in ((1.0, upper[:, r]), (-1.0, -lower[:, r])):
            if np.isfinite(limits).any():
                yield _Row(columns, sign * entries, limits, integer[columns], problem.num_first_stage)
