"""
The two-stage robust problem: first stage, recourse, and a finite list of scenarios.

    min_x  offset + c'x + max_s Q(x, s),        Q(x, s) = min_y  q_s'x + b_s'y
           A-rows within their limits                     s.t.   limits_s on  T_s x + W_s y,  y within bounds_s

Everything is stored sparse, once; a scenario stores only the entries in which it differs.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self, overload

import numpy as np

from neurprise import arrays
from neurprise.arrays import Bools, Floats, Ints, frozen
from neurprise.errors import InputError, counted
from neurprise.problem import display
from neurprise.problem.contract import (
    CutSeparator,
    FirstStageList,
    NetworkView,
    RecourseOracle,
    SingleScenarios,
    SurrogateKnowledge,
)
from neurprise.problem.display import Picture
from neurprise.problem.matrix_form import parts_from_letters
from neurprise.problem.named import NAME_FIELDS, Named
from neurprise.problem.rules import check_changes, check_shapes
from neurprise.problem.scenario_table import TableReader, column_names, cost_columns, in_columns
from neurprise.problem.stages import KINDS, Changes, FirstStage, Recourse, Scenario, changes_of, made_finite, table_of
from neurprise.problem.values import Sealed, same

#: With larger costs, a difference of one is within the tolerances of engines.
LARGEST_WHOLE_COST = 1e6


@dataclass(frozen=True, eq=False, repr=False)
class TwoStageProblem(Named, Sealed):
    """
    A two-stage robust problem with a finite list of scenarios: a value, validated when built and never changed.

    Two problems are equal when class and data are; they can be hashed, and copies share their arrays. A class of your
    own assigns its attributes first and then calls `super().__init__`, which seals the object (docs/extending.md).

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
        Scenario probabilities, shape (S,), which sum to one; used by means and tails, not by the worst case.
    x_names, y_names, x_row_names, y_row_names, scenario_names
        Names of first-stage and recourse variables, of their rows and of scenarios, each list complete or empty;
        `first_stage_names` and its siblings always have some.
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
    y_names: tuple[str, ...] = ()
    x_row_names: tuple[str, ...] = ()
    y_row_names: tuple[str, ...] = ()
    family: ClassVar[str] = "generic"
    _table_reader: ClassVar[TableReader | None] = None

    def __post_init__(self) -> None:
        check_shapes(self)
        check_changes(self)
        names = self._checked_names({field: getattr(self, field) for field in NAME_FIELDS})
        whole = {"changes": self._with_whole_bounds(self.changes), "probabilities": self._checked_probabilities()}
        self._seal({**vars(self), **names, **whole})

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
        x_lower: Any = 0.0,
        y_lower: Any = 0.0,
        x_row_sense: Any = ">=",
        y_row_sense: Any = ">=",
        d_upper: Any = None,
        h_upper: Any = None,
        x_names: Iterable[Any] = (),
        y_names: Iterable[Any] = (),
        x_row_names: Iterable[Any] = (),
        y_row_names: Iterable[Any] = (),
        scenario_names: Iterable[Any] = (),
        probabilities: Any = None,
        offset: float = 0.0,
        maximize: bool = False,
    ) -> TwoStageProblem:
        """
        Build the problem from the letters of the paper's Eq. (1).

        Ax >= d;  Gy >= h - Ex - M xi_s;  x, y >= 0.  Shapes: c (n,), A (p, n), d (p,), G (r, m), h (r,), E (r, n),
        M (r, q), xi (S, q), b (m,) or (S, m).  A, d, M and xi may be None: no first-stage rows, or a right-hand
        side that no scenario changes (then b must be (S, m)).

        Series and DataFrames of pandas are aligned by their labels, which become names where none are given; arrays
        go by position.

        Parameters
        ----------
        x_integer, y_integer
            True or False for all, or shape (n,), (m,).
        x_lower, x_upper, y_lower, y_upper
            Bounds, for all or of shape (n,), (m,); -inf and inf mean none.
        x_row_sense, y_row_sense
            ">=", "<=" or "=", for all rows or one for each row: how Ax compares with d, and Gy with its right side.
        d_upper, h_upper
            Upper limits of two-sided rows: d <= Ax <= d_upper, and h likewise; -inf in d or inf here leave a side open.
        probabilities
            Of the scenarios, shape (S,).
        offset
            Constant added to every cost.
        maximize
            c, b and offset are profits.
        """
        letters = {
            "c": c, "A": A, "d": d, "G": G, "h": h, "E": E, "M": M, "xi": xi, "b": b, "x_integer": x_integer,
            "y_integer": y_integer, "x_lower": x_lower, "x_upper": x_upper, "y_lower": y_lower, "y_upper": y_upper,
            "x_row_sense": x_row_sense, "y_row_sense": y_row_sense, "d_upper": d_upper, "h_upper": h_upper,
            "probabilities": probabilities,
        }  # fmt: skip
        lists = (x_names, y_names, x_row_names, y_row_names, scenario_names)
        names = dict(zip(NAME_FIELDS.values(), lists, strict=True))
        return cls(**parts_from_letters(letters, names, arrays.number("offset", offset), maximize))

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
        return table_of(self.changes, self.num_scenarios)

    @property
    def scenario_columns(self) -> tuple[str, ...]:
        """What each column of `scenario_data` is about: the name of a variable or a row, or both with a comma."""
        names = {"x": self.first_stage_names, "y": self.recourse_names, "row": self.recourse_row_names}
        return column_names(self.changes, names, self.recourse)

    @property
    def finite_scenario_data(self) -> Floats:
        """`scenario_data` with infinite limits replaced by the column's nearest finite value, or 0 without one."""
        return made_finite(self.scenario_data)

    @cached_property
    def severity(self) -> Floats:
        """Sum of each scenario's uncertain coefficients, infinite limits made finite; shape (S,)."""
        return frozen(np.asarray(self.finite_scenario_data.sum(axis=1)))

    @cached_property
    def cost_sizes(self) -> Floats:
        """The largest |cost| of every variable that has any, over all scenarios; x may have one in both stages."""
        sizes = [np.abs(self.first_stage.costs)]
        for kind in ("costs", "x_costs"):
            base, change = np.abs(self.recourse.base(kind)), self.changes.get(kind)
            if change is not None:
                base[change.positions] = np.maximum(change.values.max(axis=0), -change.values.min(axis=0))
            sizes.append(base)
        together = np.concatenate(sizes)
        return frozen(together[together > 0.0])

    @cached_property
    def integral_objective(self) -> bool:
        """
        True when every cost is a whole number and falls on integer variables, so every value is one too.

        False where costs are so large that engines do not tell values apart by one.
        """
        if self.cost_sizes.max(initial=0.0) > LARGEST_WHOLE_COST:
            return False
        moving = {kind: self.changes[kind] for kind in ("costs", "x_costs") if kind in self.changes}
        fixed = {"costs": self.recourse.costs, "x_costs": self.recourse.x_costs}
        fixed |= {kind: self.recourse.without(kind, change.positions) for kind, change in moving.items()}
        tables = (self.first_stage.costs, *fixed.values(), *(change.values for change in moving.values()))
        whole = all(bool((values == np.round(values)).all()) for values in tables)
        return whole and self.offset == round(self.offset) and self._costs_fall_on_integers()

    @property
    def oracle(self) -> RecourseOracle | None:
        """Answers Q(x, s) faster than an engine; None where the family has no such thing."""
        return None

    @property
    def single_scenarios(self) -> SingleScenarios | None:
        """Knows V({s}) without an engine, and who attains it; None where the family does not."""
        return None

    @property
    def first_stage_list(self) -> FirstStageList | None:
        """Every first-stage decision with its costs, where listing them is quicker than an engine; else None."""
        return None

    @property
    def separator(self) -> CutSeparator | None:
        """Finds rows that tighten the linear relaxation of V(R); None where the family knows none."""
        return None

    @property
    def has_tight_rows(self) -> bool:
        """Whether the family wrote its rows so that none is worth adding (`neurprise.strengthening`)."""
        return False

    @property
    def monotone_costs(self) -> Floats | None:
        """
        Uncertain costs >= 0, shape (S, k), in which Q(x, .) is nondecreasing and homogeneous; None where not known.

        Methods that need such costs (SOR) then look whether the general form shows them.
        """
        return None

    @overload
    def in_users_sign(self, costs: float) -> float: ...
    @overload
    def in_users_sign(self, costs: Floats) -> Floats: ...
    def in_users_sign(self, costs: float | Floats) -> float | Floats:
        """
        Costs as they are, or as the profits of a maximisation; its own inverse.

        Everything inside the package is a cost; Report, Evaluation and a public `reduce` convert.
        """
        if not self.maximize:
            return costs
        return frozen(0.0 - costs) if isinstance(costs, np.ndarray) else 0.0 - costs  # not -costs: zero has no sign

    @property
    def has_knowledge(self) -> bool:
        """Whether the family answers questions about its rows without an engine, or sees them in a way of its own."""
        knowledge = (self.oracle, self.single_scenarios, self.first_stage_list, self.separator, self.learned)
        return any(known is not None for known in knowledge)

    @property
    def learned(self) -> NetworkView | None:
        """How a network sees problems of this family; None where it sees no more than variables and rows."""
        return None

    @property
    def surrogate(self) -> SurrogateKnowledge | None:
        """How a surrogate of the recourse cost sees problems of this family; None where it cannot."""
        return None

    @property
    def picture(self) -> Picture | None:
        """The problem as points and lines; None where there is nothing to draw."""
        return None

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

    def restrict(self, scenarios: Sequence[Any]) -> Self:
        """The same problem with only these scenarios, by name or number, in this order."""
        keep = arrays.scenario_indices(self._numbers_of(scenarios), self.num_scenarios)
        return self._rebuilt(self._kept(keep))

    def without(self, scenarios: Any) -> Self:
        """The same problem without a scenario, or without each of a list, by name or number."""
        listed = isinstance(scenarios, (list, tuple, set, np.ndarray)) and not isinstance(scenarios, str)
        dropped = set(self._numbers_of(list(scenarios) if listed else [scenarios]))
        keep = [index for index in range(self.num_scenarios) if index not in dropped]
        if not keep:
            raise InputError(f"a problem needs at least one scenario, got all {self.num_scenarios} to leave out.")
        return self.restrict(keep)

    def with_scenarios(self, data: Any, *, scenario_names: Iterable[Any] = (), probabilities: Any = None) -> Self:
        """
        The same problem with other scenarios.

        Parameters
        ----------
        data
            One row per scenario: an array with the columns of `scenario_data`, shape (any number >= 1, k), or a table
            of pandas or xarray with labels. Its columns go by their names: those of the plan that the problem was
            read from, else `scenario_columns`; numbers are then in the user's sign, profits where `maximize`.
        scenario_names, probabilities
            Of the new scenarios; those of the old ones are not kept. The labels of a table's rows are names, too.
        """
        if arrays.has_labels(arrays.as_pandas("data", data)):
            return self._with_labelled_scenarios(data, scenario_names, probabilities)
        table = arrays.scenarios("data", data, self.scenario_data.shape[1], finite=False)
        replaced = {"changes": self._with_whole_bounds(self.changes_from(table)), "num_scenarios": len(table)}
        blank = self._rebuilt({**replaced, "probabilities": None, "scenario_names": ()})
        return blank.with_labels(scenario_names=scenario_names, probabilities=probabilities)

    def in_other_sign(self, data: Floats) -> Floats:
        """`scenario_data` in the user's sign, or the reverse: profits for costs where `maximize`; shape (any, k)."""
        if not self.maximize:
            return data
        flipped: Floats = data * np.where(cost_columns(self.changes, data.shape[1]), -1.0, 1.0) + 0.0
        return flipped

    def changes_from(self, data: Floats) -> Mapping[str, Changes]:
        """What a table of `scenario_data`, shape (S, k), means in the general form; refuses what breaks a rule."""
        return changes_of(self.changes, data)

    def general_form(self) -> dict[str, Any]:
        """
        The arguments of `TwoStageProblem`: the problem's rows, without what its family knows.

        `TwoStageProblem(**problem.general_form())` is answered by engines only; a class of your own passes the general
        form of `from_matrices` on to `super().__init__`.
        """
        return {field.name: getattr(self, field.name) for field in fields(TwoStageProblem)}

    def write(self, path: str | Path) -> None:
        """Write a file that `read` understands, in the format of its suffix, or a folder; .npz holds every problem."""
        # By name: the room of formats stands on the room of problems, and nothing reaches back.
        importlib.import_module("neurprise.io").write(self, path)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False
        return self is other or same(self._compared(), other._compared())

    def __hash__(self) -> int:
        ends = [(kind, *self.changes[kind].values[[0, -1]].ravel().tolist()) for kind in sorted(self.changes)]
        return hash((type(self), self.num_scenarios, self.offset, *self.first_stage.costs.tolist(), *ends))

    def __repr__(self) -> str:
        first, recourse = self.first_stage, self.recourse
        return (
            f"{type(self).__name__}: {self.family}, {counted(self.num_scenarios, 'scenario')}\n"
            f"  x: {_sizes(first.integer)}, {counted(len(first.row_lower), 'row')}; "
            f"y: {_sizes(recourse.integer)}, {counted(len(recourse.row_lower), 'row')}\n"
            f"  uncertain: {self._uncertain()}"
        )

    def _repr_html_(self) -> str:
        """Sizes, and what scenarios change, for notebooks."""
        first, recourse = self.first_stage, self.recourse
        goal = "maximise profit" if self.maximize else "minimise cost"
        return display.facts(
            f"{self.family} problem: {goal} in the worst case",
            {
                "scenarios": f"{self.num_scenarios:,}",
                "first stage": f"{_sizes(first.integer)}, {counted(len(first.row_lower), 'row')}",
                "recourse": f"{_sizes(recourse.integer)}, {counted(len(recourse.row_lower), 'row')}",
                "uncertain": self._uncertain(),
            },
        )

    def _uncertain(self) -> str:
        """How many entries of each kind scenarios change."""
        kinds = [f"{len(self.changes[kind].positions)} {kind}" for kind in KINDS if kind in self.changes]
        return ", ".join(kinds) or "nothing"

    def _checked_probabilities(self) -> Floats | None:
        if self.probabilities is None:
            return None
        return arrays.probabilities("probabilities", self.probabilities, self.num_scenarios)

    def _with_whole_bounds(self, changes: Mapping[str, Changes]) -> dict[str, Changes]:
        return {kind: change.rounded_inward(kind, self.recourse.integer) for kind, change in changes.items()}

    def _kept(self, keep: Ints) -> dict[str, Any]:
        return {
            "changes": {k: Changes(c.positions, frozen(c.values[keep])) for k, c in self.changes.items()},
            "num_scenarios": len(keep),
            "probabilities": _conditional(self.probabilities, keep),
            "scenario_names": tuple(self.scenario_names[i] for i in keep) if self.scenario_names else (),
        }

    def with_table_reader(self, reader: TableReader) -> Self:
        """The same problem, whose `with_scenarios` asks this reader what a table of pandas or xarray means."""
        return self._rebuilt({"_table_reader": reader})

    def _with_labelled_scenarios(self, data: Any, scenario_names: Iterable[Any], probabilities: Any) -> Self:
        reader: Any = self._table_reader
        if reader is not None:
            found = reader.problem(data)
            kept = {field: getattr(self, field) for field in NAME_FIELDS if field != "scenario_names"}
            labels: dict[str, Any] = {**kept, "scenario_names": tuple(scenario_names) or found.scenario_names}
            return found.with_labels(**labels, probabilities=probabilities)  # type: ignore[no-any-return]
        table, names = in_columns(data, self.scenario_columns, tuple(scenario_names))
        return self.with_scenarios(self.in_other_sign(table), scenario_names=names, probabilities=probabilities)

    def _numbers_of(self, scenarios: Any) -> Any:
        """Numbers of scenarios that are given by name or number; what is no list is left to the checks of arrays."""
        if isinstance(scenarios, (str, bytes)):
            raise InputError(f"scenarios must be a list of names or numbers, got {scenarios!r}; write [{scenarios!r}].")
        if isinstance(scenarios, np.ndarray) and scenarios.dtype.kind in "iu":
            return scenarios
        if not isinstance(scenarios, Iterable):
            return scenarios
        listed = list(scenarios)
        numbers = all(isinstance(entry, (int, float, np.number)) for entry in listed)
        return listed if numbers else [self.scenario_index(entry) for entry in listed]

    def _rebuilt(self, replaced: Mapping[str, Any]) -> Self:
        """A copy of the same class with some data replaced; they were validated when first built."""
        copy = object.__new__(type(self))
        copy._seal(replaced, shared=self._data())
        return copy

    def _compared(self) -> dict[str, Any]:
        """What equality looks at: all public data; entries that every scenario replaces hold nothing."""
        data = {name: value for name, value in self._data().items() if not name.startswith("_")}
        blanks = {kind: self.recourse.without(kind, change.positions) for kind, change in self.changes.items()}
        return {**data, "recourse": {**vars(self.recourse), **blanks}}

    def _costs_fall_on_integers(self) -> bool:
        first, recourse = self.first_stage, self.recourse
        touched_y, touched_x = recourse.costs != 0, (first.costs != 0) | (recourse.x_costs != 0)
        for kind, touched in (("costs", touched_y), ("x_costs", touched_x)):
            if kind in self.changes:
                touched[self.changes[kind].positions] = True
        return bool(recourse.integer[touched_y].all() and first.integer[touched_x].all())


_ONE_MODEL_EACH = "nr.from_models({scenario: model, ...}, first_stage=[...]) reads one model per scenario"
#: Modelling tool or type -> the function that makes a problem of its models.
_READERS = {
    "linopy": f"nr.from_linopy(model) reads a model with a scenario dimension, {_ONE_MODEL_EACH}",
    "pypsa": "nr.from_linopy(network) reads a network with scenarios",
    "pyomo": f"{_ONE_MODEL_EACH}, nr.from_pyomo(scenario_creator, names) a scenario creator",
    **dict.fromkeys(("gurobipy", "pulp", "highspy"), _ONE_MODEL_EACH),
    "pandas": "nr.read('plan.toml', scenarios=table) joins a table with a model",
}


def checked_problem(caller: str, problem: Any) -> TwoStageProblem:
    """The problem itself; a path or anything else is refused with what to do instead, in words for `nr.caller`."""
    if isinstance(problem, TwoStageProblem):
        return problem
    if isinstance(problem, (str, Path)):
        remedy = f"read it first: nr.{caller}(nr.read({str(problem)!r}), ...)"
        raise InputError(f"{caller} takes a problem, got the path {str(problem)!r}; {remedy}.")
    tool = type(problem).__module__.partition(".")[0]
    function = _READERS.get(tool, "nr.read and nr.TwoStageProblem.from_matrices make one")
    kind = type(problem).__name__ if tool == "builtins" else f"{tool}'s {type(problem).__name__}"
    raise InputError(f"{caller} takes a problem, got {kind}; {function}.")


def _conditional(probabilities: Floats | None, keep: Ints) -> Floats | None:
    """Probabilities given that one of the kept scenarios happens; None where these have no weight at all."""
    if probabilities is None or probabilities[keep].sum() == 0:
        return None
    return frozen(probabilities[keep] / probabilities[keep].sum())


def _sizes(integer: Bools) -> str:
    """How many variables are integer and continuous, in words."""
    counts = {"integer": int(integer.sum()), "continuous": int((~integer).sum())}
    return " and ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "none"
