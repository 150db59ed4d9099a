"""
The two-stage robust problem: first stage, recourse, and a finite list of scenarios.

    min_x  offset + c'x + max_s Q(x, s),        Q(x, s) = min_y  q_s'x + b_s'y
           A-rows within their limits                     s.t.   limits_s on  T_s x + W_s y,  y within bounds_s

Everything is stored sparse, once; a scenario stores only the entries in which it differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import sparse

from neurprise import arrays
from neurprise.arrays import Bools, Floats, Ints, frozen
from neurprise.errors import InputError

#: What a scenario may change, in the order in which `scenario_data` lists it.
KINDS = ("costs", "x_costs", "row_lower", "row_upper", "lower", "upper", "technology", "matrix")


@dataclass(frozen=True)
class FirstStage:
    """
    What is decided now.

    Parameters
    ----------
    costs
        c, shape (n,).
    matrix, row_lower, row_upper
        row_lower <= matrix @ x <= row_upper; matrix is (p, n).
    lower, upper
        Bounds of x, shape (n,).
    integer
        Which x are integer, shape (n,).
    """

    costs: Floats
    matrix: sparse.csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools

    def __post_init__(self) -> None:
        _check_limits("first-stage rows", self.row_lower, self.row_upper)
        _check_limits("first-stage bounds", self.lower, self.upper)

    def violation(self, x: Floats) -> float:
        """Largest amount by which x breaks a row, a bound or integrality; 0 for a feasible x."""
        rows = self.matrix @ x
        gaps = [self.row_lower - rows, rows - self.row_upper, self.lower - x, x - self.upper]
        gaps.append(np.abs(x - np.round(x))[self.integer])
        return max((float(gap.max()) for gap in gaps if gap.size), default=0.0)


@dataclass(frozen=True)
class Recourse:
    """
    What is decided after the scenario is seen; entries that scenarios change hold a base value here.

    Parameters
    ----------
    costs
        b, shape (m,).
    x_costs
        q, shape (n,): recourse cost that depends on x directly (zero for most models).
    technology, matrix, row_lower, row_upper
        row_lower <= technology @ x + matrix @ y <= row_upper; shapes (r, n), (r, m), (r,), (r,).
    lower, upper, integer
        Bounds and integrality of y, shape (m,).
    """

    costs: Floats
    x_costs: Floats
    technology: sparse.csr_array
    matrix: sparse.csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools

    def base(self, kind: str) -> Floats:
        """The array that changes of this kind replace entries of; matrices as their stored entries in row order."""
        value = getattr(self, kind)
        return value.data if sparse.issparse(value) else value  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Changes:
    """
    Entries that scenarios replace: `values[s, k]` goes to `positions[k]` of the base array.

    Parameters
    ----------
    positions
        Shape (k,); for matrices, positions in the stored entries.
    values
        Shape (S, k).
    """

    positions: Ints
    values: Floats


@dataclass(frozen=True)
class Scenario:
    """All recourse data under one scenario; fields as in Recourse, matrices as their stored entries."""

    costs: Floats
    x_costs: Floats
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    technology: Floats
    matrix: Floats


@dataclass(frozen=True)
class RecourseRows:
    """Rows technology @ x + matrix @ y >= lower of one scenario; shapes (k, n), (k, m), (k,)."""

    technology: sparse.csr_array
    matrix: sparse.csr_array
    lower: Floats


@dataclass(frozen=True)
class TwoStageProblem:
    """
    A two-stage robust problem with a finite list of scenarios; validated when built, then frozen.

    Parameters
    ----------
    first_stage, recourse
        What is decided now, and after the scenario is seen.
    changes
        What scenarios replace, by kind (see KINDS); every values array has one row per scenario.
    num_scenarios
        S, at least 1.
    offset
        Constant added to every cost.
    probabilities
        Scenario probabilities, shape (S,), kept as information; no method here uses them.
    x_names, scenario_names
        Labels for reports; may be empty.
    maximize
        True when the source was a maximisation; costs here are then its negated profits.
    """

    first_stage: FirstStage
    recourse: Recourse
    changes: Mapping[str, Changes]
    num_scenarios: int
    offset: float = 0.0
    probabilities: Floats | None = None
    x_names: tuple[str, ...] = ()
    scenario_names: tuple[str, ...] = ()
    maximize: bool = False
    family: str = field(default="generic", init=False)

    def __post_init__(self) -> None:
        _check_shapes(self)
        _check_changes(self)

    @classmethod
    def from_matrices(
        cls,
        c: Any,
        A: Any,
        d: Any,
        G: Any,
        h: Any,
        E: Any,
        M: Any,
        xi: Any,
        b: Any,
        *,
        x_integer: Any,
        y_integer: Any,
        x_upper: Any = np.inf,
        y_upper: Any = np.inf,
    ) -> TwoStageProblem:
        """
        Build the problem from the letters of the paper's Eq. (1).

        Ax >= d;  Gy >= h - Ex - M xi_s;  x, y >= 0.  Shapes: c (n,), A (p, n), d (p,), G (r, m), h (r,), E (r, n),
        M (r, q), xi (S, q), b (m,) or (S, m).  A, d, M and xi may be None: no first-stage rows, or a right-hand
        side that no scenario changes (then b must be (S, m)).
        """
        costs = arrays.vector("c", c)
        recourse_matrix = arrays.matrix("G", G, (None, None))
        (rows, width), n = recourse_matrix.shape, len(costs)
        first_matrix = arrays.matrix("A", np.zeros((0, n)) if A is None else A, (None, n))
        first_lower = arrays.vector("d", np.zeros(0) if d is None else d, first_matrix.shape[0])
        base_rhs = arrays.vector("h", h, rows)
        changes, num_scenarios, base_costs = _changes_from_letters(M, xi, b, base_rhs, width)
        recourse = Recourse(
            costs=base_costs,
            x_costs=frozen(np.zeros(n)),
            technology=arrays.matrix("E", E, (rows, n)),
            matrix=recourse_matrix,
            row_lower=base_rhs,
            row_upper=frozen(np.full(rows, np.inf)),
            lower=frozen(np.zeros(width)),
            upper=arrays.vector("y_upper", y_upper, width, finite=False),
            integer=arrays.mask("y_integer", y_integer, width),
        )
        first_stage = FirstStage(
            costs=costs,
            matrix=first_matrix,
            row_lower=first_lower,
            row_upper=frozen(np.full(len(first_lower), np.inf)),
            lower=frozen(np.zeros(n)),
            upper=arrays.vector("x_upper", x_upper, n, finite=False),
            integer=arrays.mask("x_integer", x_integer, n),
        )
        return cls(first_stage, recourse, changes, num_scenarios)

    @property
    def num_first_stage(self) -> int:
        """n, the number of first-stage variables."""
        return len(self.first_stage.costs)

    @property
    def num_recourse(self) -> int:
        """m, the number of recourse variables."""
        return len(self.recourse.costs)

    @property
    def scenario_data(self) -> Floats:
        """The uncertain coefficients, shape (S, k): what K-means, MaxSum and SOR look at."""
        columns = [change.values for kind, change in self._ordered_changes() if not self._repeats(kind, change)]
        return np.hstack(columns) if columns else np.zeros((self.num_scenarios, 0))

    @property
    def severity(self) -> Floats:
        """Sum of each scenario's uncertain coefficients, infinite limits left out; shape (S,)."""
        data = self.scenario_data
        return np.asarray(np.where(np.isfinite(data), data, 0.0).sum(axis=1))

    @property
    def integral_objective(self) -> bool:
        """True when every cost is a whole number and falls on integer variables, so every value is one too."""
        x_costs, b, q = self.first_stage.costs, self.recourse.costs, self.recourse.x_costs
        moving = [self.changes[kind].values for kind in ("costs", "x_costs") if kind in self.changes]
        whole = all(bool((values == np.round(values)).all()) for values in (x_costs, b, q, *moving))
        return whole and self.offset == round(self.offset) and self._costs_fall_on_integers()

    def scenario(self, index: int) -> Scenario:
        """All recourse data under one scenario."""
        data = {}
        for kind in KINDS:
            base = self.recourse.base(kind)
            change = self.changes.get(kind)
            if change is not None:
                base = base.copy()
                base[change.positions] = change.values[index]
            data[kind] = base
        return Scenario(**data)

    def restrict(self, indices: Sequence[int]) -> Self:
        """The same problem with only these scenarios, in this order."""
        keep = arrays.scenario_indices(indices, self.num_scenarios)
        return self._rebuilt(self._kept(keep))

    def with_scenarios(self, **values: Any) -> TwoStageProblem:
        """The same problem with other scenarios: one (S, k) table for every kind in `changes`."""
        if set(values) != set(self.changes):
            raise InputError(f"with_scenarios needs a table for each of {sorted(self.changes)}, got {sorted(values)}.")
        tables = {
            kind: Changes(change.positions, arrays.table(kind, values[kind], (None, len(change.positions))))
            for kind, change in self.changes.items()
        }
        counts = {len(change.values) for change in tables.values()}
        if len(counts) != 1 or counts == {0}:
            raise InputError(f"every table needs one row per scenario, at least one, got {sorted(counts)} rows.")
        return self._rebuilt(
            {"changes": tables, "num_scenarios": counts.pop(), "probabilities": None, "scenario_names": ()}
        )

    def write(self, path: str | Path) -> None:
        """Write to a file that `read` understands; the suffix names the format (.npz)."""
        from neurprise.io import write

        write(self, path)

    def recourse_costs(self, x: Floats) -> Floats | None:
        """Q(x, s) for all s, shape (S,), where the family has its own oracle; None sends the question to an engine."""
        return None

    def recourse_decision(self, x: Floats, scenario: int) -> Floats | None:
        """An optimal y for (x, scenario), shape (m,), where the family has its own oracle."""
        return None

    def single_scenario_values(self) -> Floats | None:
        """V({s}) for all s, shape (S,), where the family knows a shortcut."""
        return None

    def single_scenario_decisions(self) -> Floats | None:
        """A first-stage decision that attains V({s}) for each s, shape (S, n), where the family knows a shortcut."""
        return None

    @property
    def lists_first_stage(self) -> bool:
        """True where `all_first_stage_costs` answers."""
        return False

    def all_first_stage_costs(self, scenario: int) -> Floats:
        """
        offset + c'x + Q(x, scenario) of every first-stage decision, shape (number of decisions,).

        Only for families whose first stage is small enough to list; `first_stage_decision` names the entries.
        """
        raise NotImplementedError(f"the family {self.family!r} does not list its first-stage decisions.")

    def first_stage_decision(self, number: int) -> Floats:
        """The decision behind an entry of `all_first_stage_costs`, shape (n,)."""
        raise NotImplementedError(f"the family {self.family!r} does not list its first-stage decisions.")

    @property
    def has_violated_rows(self) -> bool:
        """True where `violated_rows` may find something."""
        return False

    def violated_rows(self, x: Floats, y: Floats, scenario: int) -> RecourseRows | None:
        """Rows that hold for every feasible (x, y) under the scenario but not for this fractional one; None if none."""
        return None

    def _kept(self, keep: Ints) -> dict[str, Any]:
        return {
            "changes": {k: Changes(c.positions, frozen(c.values[keep])) for k, c in self.changes.items()},
            "num_scenarios": len(keep),
            "probabilities": None if self.probabilities is None else frozen(self.probabilities[keep]),
            "scenario_names": tuple(self.scenario_names[i] for i in keep) if self.scenario_names else (),
        }

    def _rebuilt(self, replaced: dict[str, Any]) -> Self:
        """A copy of the same class with some fields replaced; the data were validated when first built."""
        copy = object.__new__(type(self))
        copy.__dict__.update({**self.__dict__, **replaced})
        return copy

    def _ordered_changes(self) -> list[tuple[str, Changes]]:
        return [(kind, self.changes[kind]) for kind in KINDS if kind in self.changes]

    def _repeats(self, kind: str, change: Changes) -> bool:
        """Equality rows change both limits alike; they count once."""
        twin = self.changes.get("row_lower")
        if kind != "row_upper" or twin is None or not np.array_equal(twin.positions, change.positions):
            return False
        return np.array_equal(twin.values, change.values)

    def _costs_fall_on_integers(self) -> bool:
        first, recourse = self.first_stage, self.recourse
        touched_y, touched_x = recourse.costs != 0, (first.costs != 0) | (recourse.x_costs != 0)
        for kind, touched in (("costs", touched_y), ("x_costs", touched_x)):
            if kind in self.changes:
                touched[self.changes[kind].positions] = True
        return bool(recourse.integer[touched_y].all() and first.integer[touched_x].all())


def _changes_from_letters(
    M: Any, xi: Any, b: Any, base_rhs: Floats, width: int
) -> tuple[dict[str, Changes], int, Floats]:
    """Scenario changes, their number and the base costs from the letters M, xi and b."""
    changes: dict[str, Changes] = {}
    counts = set()
    if (M is None) != (xi is None):
        raise InputError("M and xi come together: the right-hand side is h - E x - M xi_s; pass both or neither.")
    if xi is not None:
        points = arrays.table("xi", xi, (None, None))
        spread = arrays.matrix("M", M, (len(base_rhs), points.shape[1]))
        counts.add(len(points))
        moved = np.flatnonzero(np.diff(spread.indptr)).astype(np.int64)
        if len(moved):
            changes["row_lower"] = Changes(moved, frozen(base_rhs[moved] - np.asarray(points @ spread[moved].T)))
    costs = np.asarray(b, dtype=object)
    if costs.ndim == 2:
        rows = arrays.table("b", b, (None, width))
        counts.add(len(rows))
        changes["costs"] = Changes(frozen(np.arange(width)), rows)
        base_costs = frozen(rows[0].copy() if len(rows) else np.zeros(width))
    else:
        base_costs = arrays.vector("b", b, width)
    if len(counts) != 1:
        raise InputError(
            f"b of shape (S, m) and xi of shape (S, q) must name the same number of scenarios, got {sorted(counts)};"
            " pass xi, or b with one row per scenario."
        )
    return changes, counts.pop(), base_costs


def _check_limits(name: str, lower: Floats, upper: Floats) -> None:
    bad = np.flatnonzero(lower > upper)
    if bad.size:
        k = bad[0]
        raise InputError(f"{name}: lower must not exceed upper, got [{lower[k]}, {upper[k]}] at position {k}.")


def _check_shapes(problem: TwoStageProblem) -> None:
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


def _check_changes(problem: TwoStageProblem) -> None:
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
