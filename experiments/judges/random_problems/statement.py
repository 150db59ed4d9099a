"""
A two-stage problem written out densely, scenario by scenario: what the judges read and the package is built from.

Judges read only this, so that an error in how the package stores scenarios shows as a wrong answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats, Ints
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import Changes, FirstStage, Recourse

#: Field of Statement -> what the package calls it.
_KINDS = {
    "b": "costs",
    "q": "x_costs",
    "row_lower": "row_lower",
    "row_upper": "row_upper",
    "y_lower": "lower",
    "y_upper": "upper",
    "T": "technology",
    "W": "matrix",
}
_MATRICES = ("T", "W")


@dataclass(frozen=True)
class Statement:
    """
    min_x offset + c'x + max_s min_y q_s'x + b_s'y,  limits on A x, and in scenario s on T_s x + W_s y and on y.

    Shapes: c, x_lower, x_upper, x_integer (n,); A (p, n); a_lower, a_upper (p,); b, y_lower, y_upper (S, m);
    y_integer (m,); q (S, n); T (S, r, n); W (S, r, m); row_lower, row_upper (S, r).
    """

    c: Floats
    A: Floats
    a_lower: Floats
    a_upper: Floats
    x_lower: Floats
    x_upper: Floats
    x_integer: Bools
    b: Floats
    q: Floats
    T: Floats
    W: Floats
    row_lower: Floats
    row_upper: Floats
    y_lower: Floats
    y_upper: Floats
    y_integer: Bools
    offset: float = 0.0
    maximize: bool = False

    @property
    def num_scenarios(self) -> int:
        return len(self.b)

    def restricted(self, scenarios: Sequence[int]) -> Statement:
        """The same statement with only these scenarios, in this order; a scenario may be repeated."""
        return replace(self, **{name: getattr(self, name)[list(scenarios)] for name in _KINDS})

    def problem(self) -> TwoStageProblem:
        """The package's problem: entries in which scenarios differ become `Changes`, all others are stored once."""
        patterns = {name: (getattr(self, name) != 0).any(axis=0) for name in _MATRICES}
        tables = {name: self._table(name, patterns) for name in _KINDS}
        differing = {name: np.flatnonzero((table != table[0]).any(axis=0)) for name, table in tables.items()}
        changes = {
            _KINDS[name]: Changes(places, tables[name][:, places]) for name, places in differing.items() if len(places)
        }
        return TwoStageProblem(
            self._first_stage(),
            self._recourse(patterns, {name: _base(tables[name], differing[name]) for name in _KINDS}),
            changes,
            self.num_scenarios,
            offset=self.offset,
            maximize=self.maximize,
        )

    def _table(self, name: str, patterns: dict[str, Bools]) -> Floats:
        """One row per scenario; of matrices the entries that are not zero everywhere, in row order."""
        values: Floats = getattr(self, name)
        return values[:, patterns[name]] if name in patterns else values

    def _first_stage(self) -> FirstStage:
        return FirstStage(
            self.c, sparse.csr_array(self.A), self.a_lower, self.a_upper, self.x_lower, self.x_upper, self.x_integer
        )

    def _recourse(self, patterns: dict[str, Bools], base: dict[str, Floats]) -> Recourse:
        return Recourse(
            costs=base["b"],
            x_costs=base["q"],
            technology=_sparse(patterns["T"], base["T"]),
            matrix=_sparse(patterns["W"], base["W"]),
            row_lower=base["row_lower"],
            row_upper=base["row_upper"],
            lower=base["y_lower"],
            upper=base["y_upper"],
            integer=self.y_integer,
        )


def moved(lower: Floats, upper: Floats, slack: float | Floats) -> tuple[Floats, Floats]:
    """Limits moved apart by `slack`, relative to limits larger than 1."""
    low, high = (slack * np.maximum(1.0, np.abs(np.where(np.isfinite(side), side, 0.0))) for side in (lower, upper))
    return lower - low, upper + high


def _base(table: Floats, differing: Ints) -> Floats:
    """The first scenario's values, and a number that belongs to no scenario wherever scenarios replace it."""
    base = table[0].copy()
    base[differing] = 77.0
    return base


def _sparse(pattern: Bools, entries: Floats) -> sparse.csr_array:
    """The matrix of this pattern, explicit zeros kept: scenarios may replace them."""
    starts = np.concatenate([[0], np.cumsum(pattern.sum(axis=1))]).astype(np.int32)
    columns = np.nonzero(pattern)[1].astype(np.int32)
    return sparse.csr_array((entries, columns, starts), shape=pattern.shape)
