"""What the columns of a table replace in a plan's model: patterns, places, and the numbers that go there."""

from __future__ import annotations

import json
import math
import re
import reprlib
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import FormatError, InputWarning, near_miss
from neurprise.io.linear import Place, value_at
from neurprise.io.staging import check_size
from neurprise.io.tables import Table

if TYPE_CHECKING:
    from neurprise.io.plan import Plan

_LABELS = ("name", "probability")
_MOST_STARS = 3


class _Target(NamedTuple):
    """A number of the model and what it becomes: scale times the cell, plus add."""

    place: Place
    scale: float
    add: float


@dataclass
class PlanColumns:
    """What the columns of a table mean in a plan."""

    plan: Plan
    table: Table

    def __post_init__(self) -> None:
        self._at = {
            "row": {name: i for i, name in enumerate(self.plan.model.rows)},
            "variable": {name: j for j, name in enumerate(self.plan.model.columns)},
        }
        self._ignored = self._matched(self.plan.ignore)
        self._meanings = self._explained()
        titles = self._titles()
        if titles is not None:
            self.table = self.table.without_sums(titles, self.plan.skip, self.plan.keep)

    def values(self) -> tuple[list[Place], Floats]:
        """Places and their values, shape (S, k)."""
        targets = [(name, target) for name in self._meanings for target in self._targets(name)]
        places = [target.place for _, target in targets]
        if len(set(places)) != len(places):
            raise self._error("two columns replace the same number of the model; keep one")
        check_size(self.plan.name, self.table.num_rows, len(places), "keep fewer rows of the table")
        numbers = {name: self.table.numbers(name) for name, _ in targets}
        columns = [target.scale * numbers[name] + target.add for name, target in targets]
        self._warn_of_idle_columns(targets, columns)
        return places, np.column_stack(columns) if columns else np.zeros((self.table.num_rows, 0))

    def names(self) -> tuple[str, ...]:
        """Scenario names, from the column that means "name", else from the table's own row labels."""
        column = self._label_column("name") or self.table.row_labels
        return () if column is None else self.table.names(column)

    def probabilities(self) -> Floats | None:
        column = self._label_column("probability")
        return None if column is None else self.table.probabilities(column)

    def _matched(self, patterns: tuple[str, ...]) -> set[str]:
        """The columns that names or patterns stand for."""
        found: set[str] = set()
        for pattern in patterns:
            columns = {column for column in self.table.column_names if self._groups(pattern, column) is not None}
            if not columns:
                names = self.table.column_names
                raise self._error(
                    f"the table {self.table.name} has no column {pattern!r} ({near_miss(pattern, names)})"
                )
            found |= columns
        return found

    def _explained(self) -> dict[str, Any]:
        """Column -> what it means; patterns are applied to the columns that are not named themselves."""
        meanings = self.plan.meanings
        self._matched(tuple(meanings))
        found: dict[str, Any] = {}
        for column in self.table.column_names:
            keys = (
                [column] if column in meanings else [key for key in meanings if self._groups(key, column) is not None]
            )
            if len(keys) > 1:
                raise self._error(f"the column {column!r} matches {keys[0]!r} and {keys[1]!r}; name it on its own")
            if keys and (column in meanings or column not in self._ignored):
                found[column] = _filled(meanings[keys[0]], self._groups(keys[0], column) or ())
            elif column not in self._ignored and column != self.table.row_labels:
                raise self._error(
                    f"the column {column!r} is neither in [columns] nor in ignore; say what it means, such as "
                    f'{_key(column)} = "name" where it labels the scenarios'
                )
        return {column: found[column] for column in sorted(found, key=self._position)}

    def _position(self, column: str) -> int:
        """Where a column's meaning stands in the plan."""
        keys = list(self.plan.meanings)
        return (
            keys.index(column)
            if column in keys
            else next(k for k, key in enumerate(keys) if self._groups(key, column) is not None)
        )

    def _groups(self, pattern: str, column: str) -> tuple[str, ...] | None:
        """What the stars of a pattern stand for in a column's name; None where it does not match."""
        if pattern == column:
            return ()
        if "*" not in pattern or pattern in self.table.column_names:
            return None
        if pattern.count("*") > _MOST_STARS:
            raise self._error(f"a pattern has at most {_MOST_STARS} stars, got {pattern!r}")
        match = re.fullmatch("(.*)".join(map(re.escape, pattern.split("*"))), column, re.DOTALL)
        return None if match is None else match.groups()

    def _titles(self) -> str | None:
        """The column that tells what a row is: the scenario's name, the row label, or an ignored column of texts."""
        named = self._label_column("name") or self.table.row_labels
        if named is not None:
            return named
        return next(
            (name for name in self.table.column_names if name in self._ignored and self.table.holds_texts(name)), None
        )

    def _label_column(self, label: str) -> str | None:
        found = [name for name, meaning in self._meanings.items() if meaning == label]
        if len(found) > 1:
            raise self._error(f"only one column can be the {label}, got {', '.join(found)}")
        return found[0] if found else None

    def _targets(self, column: str) -> list[_Target]:
        meaning = self._meanings[column]
        if meaning in _LABELS:
            return []
        return [
            _Target(place, *self._scaling(column, target))
            for target in (meaning if isinstance(meaning, list) else [meaning])
            for place in self._places(column, target)
        ]

    def _scaling(self, column: str, target: Any) -> tuple[float, float]:
        scaling = [target.get("scale", 1.0), target.get("add", 0.0)] if isinstance(target, dict) else [1.0, 0.0]
        if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in scaling):
            raise self._error(f"scale and add of the column {column!r} must be numbers, got {reprlib.repr(scaling)}")
        return float(scaling[0]), float(scaling[1])

    def _places(self, column: str, target: Any) -> list[Place]:
        bare = (
            {key: value for key, value in target.items() if key not in ("scale", "add")}
            if isinstance(target, dict)
            else target
        )
        match bare:
            case "offset":
                return [Place("offset")]
            case {"rhs": str(row), **rest} if not rest:
                return self._right_hand_side(row)
            case {"cost": str(variable), **rest} if not rest:
                return [Place("costs", column=self._index("variable", variable))]
            case {"lower": str(variable), **rest} if not rest:
                return [Place("lower", column=self._index("variable", variable))]
            case {"upper": str(variable), **rest} if not rest:
                return [Place("upper", column=self._index("variable", variable))]
            case {"row": str(row), "variable": str(variable), **rest} if not rest:
                return [Place("matrix", self._index("row", row), self._index("variable", variable))]
            case _:
                raise self._error(
                    f"the column {column!r} must mean {{rhs = row}}, {{cost = variable}}, {{lower = variable}}, "
                    "{upper = variable}, {row = row, variable = variable}, with scale and add if needed, 'offset', "
                    f"'name' or 'probability', got {reprlib.repr(target)}"
                )

    def _right_hand_side(self, name: str) -> list[Place]:
        row = self._index("row", name)
        low, high = self.plan.model.row_lower[row], self.plan.model.row_upper[row]
        if low != high and math.isfinite(low) and math.isfinite(high):
            raise self._error(f"the row {name!r} has two limits, {low} and {high}; split it into two rows")
        if not math.isfinite(low) and not math.isfinite(high):
            raise self._error(
                f"the row {name!r} has no finite limit, which would tell the side that the column replaces; write any "
                "finite right-hand side into the model"
            )
        sides = (("row_lower", low), ("row_upper", high))
        return [Place(side, row=row) for side, limit in sides if math.isfinite(limit)]

    def _index(self, what: str, name: str) -> int:
        if name not in self._at[what]:
            raise self._error(f"the model has no {what} {name!r} ({near_miss(name, self._at[what])})")
        return self._at[what][name]

    def _warn_of_idle_columns(self, targets: list[tuple[str, _Target]], columns: list[Floats]) -> None:
        """A column that puts into every scenario what the model has anyway was probably meant for another number."""
        working = {
            name
            for (name, target), values in zip(targets, columns, strict=True)
            if (values != value_at(self.plan.model, target.place)).any()
        }
        for name in dict.fromkeys(name for name, _ in targets):
            if name not in working and self.table.num_rows > 1:
                where = self.plan.meanings.get(name, "its pattern")
                warnings.warn(
                    f"{self.plan.name}: the column {name!r} changes nothing: every scenario has the number that the "
                    f"model has; check what it means ({where}).",
                    InputWarning,
                    stacklevel=2,
                )

    def _error(self, problem: str) -> FormatError:
        return FormatError(f"{self.plan.name}: {problem}.")


def _filled(meaning: Any, groups: tuple[str, ...]) -> Any:
    """The meaning of a pattern with what its stars stand for."""
    if isinstance(meaning, dict):
        return {key: _filled(value, groups) for key, value in meaning.items()}
    if isinstance(meaning, list):
        return [_filled(value, groups) for value in meaning]
    if not isinstance(meaning, str) or not groups:
        return meaning
    parts = meaning.split("*")
    stars = [*groups[: len(parts) - 1], *["*"] * (len(parts) - 1 - len(groups)), ""]
    return "".join(part + star for part, star in zip(parts, stars, strict=True))


def _key(name: str) -> str:
    """The name as a TOML file spells it as a key: in quotes where it has blanks or is empty."""
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name, ensure_ascii=False)
