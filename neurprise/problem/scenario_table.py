"""The uncertain coefficients of a problem as one table, a row per scenario, and back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neurprise.arrays import Floats, frozen
from neurprise.errors import InputError
from neurprise.problem.stages import KINDS, Changes

#: Limits may be infinite, costs and matrix entries may not.
_FINITE = ("costs", "x_costs", "technology", "matrix")


def table_of(changes: Mapping[str, Changes], num_scenarios: int) -> Floats:
    """All changed values side by side in the order of KINDS, shape (S, k); twin limits of equality rows once."""
    columns = [changes[kind].values for kind in _told_kinds(changes)]
    return np.hstack(columns) if columns else np.zeros((num_scenarios, 0))


def changes_of(changes: Mapping[str, Changes], table: Floats) -> dict[str, Changes]:
    """The same changes with the values of another table (S, k): the inverse of `table_of`."""
    told = _told_kinds(changes)
    ends = np.cumsum([len(changes[kind].positions) for kind in told])
    parts = dict(zip(told, np.split(table, ends[:-1], axis=1), strict=True)) if told else {}
    twins = {kind: parts["row_lower"] for kind in changes if kind not in parts}
    for kind, values in parts.items():
        _check_finite(kind, values)
    return {kind: Changes(changes[kind].positions, frozen(v.copy())) for kind, v in {**parts, **twins}.items()}


def made_finite(table: Floats) -> Floats:
    """The table with infinite limits replaced by the column's nearest finite value, or 0 without one."""
    finite = np.isfinite(table)
    if finite.all():
        return table
    known = finite.any(axis=0)
    lowest = np.where(known, np.where(finite, table, np.inf).min(axis=0), 0.0)
    highest = np.where(known, np.where(finite, table, -np.inf).max(axis=0), 0.0)
    return np.clip(table, lowest, highest)


def _told_kinds(changes: Mapping[str, Changes]) -> list[str]:
    return [kind for kind in KINDS if kind in changes and not _repeats_lower_limits(kind, changes)]


def _repeats_lower_limits(kind: str, changes: Mapping[str, Changes]) -> bool:
    """Equality rows change both limits alike; they count once."""
    twin, change = changes.get("row_lower"), changes[kind]
    if kind != "row_upper" or twin is None or not np.array_equal(twin.positions, change.positions):
        return False
    return np.array_equal(twin.values, change.values)


def _check_finite(kind: str, values: Floats) -> None:
    bad = ~np.isfinite(values) if kind in _FINITE else np.isnan(values)
    if bad.any():
        scenario, column = np.argwhere(bad)[0].tolist()
        raise InputError(
            f"the {kind} of every scenario must be numbers{' and finite' if kind in _FINITE else ''}, got "
            f"{values[scenario, column]} in scenario {scenario}; fill or drop it."
        )
