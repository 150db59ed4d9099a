"""A problem's variables, rows and scenarios by name, and decisions as vectors or by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from neurprise import arrays
from neurprise.arrays import Bools, Floats, as_pandas, is_pandas
from neurprise.errors import InputError, listed, near_miss
from neurprise.problem.alignment import by_label
from neurprise.problem.names import checked_names, position_of, texts_of

if TYPE_CHECKING:
    from neurprise.problem.stages import Changes, FirstStage, Recourse

#: The range of an index: a count of numbers from 0 on, or labels.
Extent = int | tuple[str, ...]
#: A stem and the extents of its index: ("ship", (2, 3)) stands for ship[0,0] to ship[1,2].
Stem = tuple[str, tuple[Extent, ...]]

#: The fields that hold names, and the part that each is about.
NAME_FIELDS = {
    "x_names": "x",
    "y_names": "y",
    "x_row_names": "x_row",
    "y_row_names": "y_row",
    "scenario_names": "scenario",
}

#: What the variable is called that carries a constant; a number is put behind where the name is taken.
CONSTANT = "constant"


class Named:
    """
    The names of a problem's parts. Fields are empty if no names were given; properties never are.

    A name is a printable text of one line, blanks around it dropped; the names of one list differ.
    """

    first_stage: FirstStage
    recourse: Recourse
    changes: Mapping[str, Changes]
    num_scenarios: int
    x_names: tuple[str, ...]
    y_names: tuple[str, ...]
    x_row_names: tuple[str, ...]
    y_row_names: tuple[str, ...]
    scenario_names: tuple[str, ...]

    @property
    def first_stage_names(self) -> tuple[str, ...]:
        """Names of the first-stage variables, length n; the family's own, or `x[0]`, ..., where none were given."""
        return self.x_names or self._default_names("x")

    @property
    def recourse_names(self) -> tuple[str, ...]:
        """Names of the recourse variables, length m."""
        return self.y_names or self._default_names("y")

    @property
    def first_stage_row_names(self) -> tuple[str, ...]:
        """Names of the first-stage rows, length p."""
        return self.x_row_names or self._default_names("x_row")

    @property
    def recourse_row_names(self) -> tuple[str, ...]:
        """Names of the recourse rows, length r."""
        return self.y_row_names or self._default_names("y_row")

    @property
    def scenario_labels(self) -> tuple[str, ...]:
        """Names of the scenarios, length S; their numbers as text where none were given."""
        return self.scenario_names or tuple(map(str, range(self.num_scenarios)))

    def scenario_name(self, index: int) -> str:
        """Name of one scenario, its number as text where none were given."""
        return self.scenario_names[index] if self.scenario_names else str(index)

    def name_stems(self) -> dict[str, list[Stem]]:
        """How the parts "x", "y", "x_row" and "y_row" are named where no names were given; families have their own."""
        return {part: [(part, (count,))] for part, count in self._part_sizes().items() if part != "scenario"}

    def with_labels(
        self,
        *,
        x_names: Iterable[Any] | None = None,
        y_names: Iterable[Any] | None = None,
        x_row_names: Iterable[Any] | None = None,
        y_row_names: Iterable[Any] | None = None,
        scenario_names: Iterable[Any] | None = None,
        probabilities: Any = None,
    ) -> Self:
        """The same problem with these labels; what is left out stays as it is, an empty list takes names away."""
        lists = (x_names, y_names, x_row_names, y_row_names, scenario_names)
        names = {field: listing for field, listing in zip(NAME_FIELDS, lists, strict=True) if listing is not None}
        labels: dict[str, Any] = {**self._checked_names(names)}
        if probabilities is not None:
            labels["probabilities"] = arrays.probabilities("probabilities", probabilities, self.num_scenarios)
        return self._rebuilt(labels)

    def scenario_index(self, scenario: Any) -> int:
        """The number of a scenario that is given by its name or its number."""
        return position_of("scenario", scenario, self.scenario_labels)

    def first_stage_index(self, variable: Any) -> int:
        """The number of a first-stage variable that is given by its name or its number."""
        return position_of("a first-stage variable", variable, self.first_stage_names)

    def decision_vector(self, x: Any) -> Floats:
        """
        A first-stage decision as a read-only vector of shape (n,).

        Parameters
        ----------
        x
            Numbers in the order of the variables, or a dict, Series or DataArray by name. By name, every variable must
            be there: one that is left out might be meant as zero or might be forgotten. Numbers of variables serve as
            names only where the variables have none of their own.
        """
        if x is None:
            raise InputError("x must be a decision, got None, which a report holds where none was found in time.")
        x = as_pandas("x", x)
        if isinstance(x, Mapping):
            x = self._in_order(x)
        elif is_pandas(x) and x.ndim == 1:
            x = self._in_order(by_label(x))
        return arrays.vector("x", x, len(self.first_stage.costs))

    def named_decision(self, x: Any) -> dict[str, float]:
        """Name of the first-stage variable -> value, in the order of the variables."""
        return dict(zip(self.first_stage_names, self.decision_vector(x).tolist(), strict=True))

    def named_recourse(self, y: Any) -> dict[str, float]:
        """Name of the recourse variable -> value for y of shape (m,)."""
        values = arrays.vector("y", y, len(self.recourse.costs))
        named = zip(self.recourse_names, values.tolist(), self.recourse_decisions.tolist(), strict=True)
        return {name: value for name, value, decides in named if decides}

    @property
    def recourse_decisions(self) -> Bools:
        """
        Which recourse variables decide something, shape (m,).

        A constant that scenarios change is the cost of a variable `constant` that is 1 in all of them and stands in no
        row; it is in no answer.
        """
        recourse, decides = self.recourse, np.ones(len(self.recourse.costs), dtype=bool)
        named = [j for j, name in enumerate(self.y_names) if name.split("_")[0] == CONSTANT]
        for j in named:
            fixed = recourse.lower[j] == recourse.upper[j] == 1 and j not in recourse.matrix.indices
            moving = any(kind in self.changes and j in self.changes[kind].positions for kind in ("lower", "upper"))
            decides[j] = not fixed or moving
        return decides

    def _checked_names(self, names: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        """These fields of names as tuples that fit the problem."""
        sizes = self._part_sizes()
        return {
            argument: checked_names(argument, listing, NAME_FIELDS[argument], sizes[NAME_FIELDS[argument]])
            for argument, listing in names.items()
        }

    def _part_sizes(self) -> dict[str, int]:
        """How many things there are to name, by part."""
        return {
            "x": len(self.first_stage.costs),
            "y": len(self.recourse.costs),
            "x_row": len(self.first_stage.row_lower),
            "y_row": len(self.recourse.row_lower),
            "scenario": self.num_scenarios,
        }

    def _in_order(self, decision: Mapping[Any, Any]) -> list[Any]:
        names = self.first_stage_names
        given = dict(zip(self._variables(decision, names), decision.values(), strict=True))
        if len(given) != len(decision):
            raise InputError(f"x must name every first-stage variable once, got {listed(map(str, decision))}.")
        known = set(names)
        unknown = [key for key in given if key not in known]
        if unknown:
            raise InputError(
                f"x must go by the names of first-stage variables, got {unknown[0]!r} "
                f"({near_miss(unknown[0], names)}); for values in their order pass an array."
            )
        missing = [name for name in names if name not in given]
        if missing:
            raise InputError(
                f"x must give every first-stage variable a value, got none for {listed(missing)}; where you mean "
                "zero, say it: {**dict.fromkeys(problem.first_stage_names, 0), **x}."
            )
        return [given[name] for name in names]

    def _variables(self, keys: Iterable[Any], names: tuple[str, ...]) -> tuple[str, ...]:
        """The names that keys mean; numbers count only where the variables have no names of their own."""
        listing = list(keys)
        numbers = [key for key in listing if isinstance(key, (int, np.integer)) and 0 <= key < len(names)]
        if self.x_names or len(numbers) != len(listing):
            return texts_of(listing)
        return tuple(names[number] for number in numbers)

    def _default_names(self, part: str) -> tuple[str, ...]:
        return tuple(name for stem, extents in self.name_stems()[part] for name in numbered(stem, extents))

    def _rebuilt(self, replaced: dict[str, Any]) -> Self:
        raise NotImplementedError


def numbered(stem: str, extents: Sequence[Extent]) -> tuple[str, ...]:
    """`stem[0]`, `stem[1]`, ... over all indices, the last one fastest; the stem alone without extents."""
    if not extents:
        return (stem,)
    ranges = [range(extent) if isinstance(extent, int) else extent for extent in extents]
    return tuple(f"{stem}[{','.join(map(str, index))}]" for index in product(*ranges))
