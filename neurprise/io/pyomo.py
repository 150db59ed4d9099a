"""
Pyomo models: one model per scenario, from a creator function as mpi-sppy defines it.

A creator takes a scenario's name and returns a concrete model. Its first-stage variables are named by the node that
mpi-sppy's `attach_root_node` leaves on the model, or by `first_stage` here; mpi-sppy itself is not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from neurprise.arrays import Floats, frozen, vector
from neurprise.errors import InputError, MissingDependencyError
from neurprise.io.linear import Place
from neurprise.io.pyomo_linear import PyomoLinear, compile_model
from neurprise.io.staging import check_size, two_stage
from neurprise.problem import TwoStageProblem
from neurprise.problem.names import checked_names
from neurprise.recourse.evaluator import Evaluator

Creator = Callable[..., Any]


class PyomoProblem(TwoStageProblem):
    """A two-stage problem that knows the Pyomo models it came from; build it with `from_pyomo`."""

    def __init__(self, general: TwoStageProblem, create: Callable[[str], Any], num_model_recourse: int) -> None:
        self._create = create
        # A constant that scenarios change adds a column that no Pyomo model has.
        self._num_model_recourse = num_model_recourse
        super().__init__(**general.general_form())

    def load(self, x: Any, scenario: int | str = 0, model: Any = None) -> Any:
        """
        Put a first-stage decision and its best recourse into a scenario's Pyomo model, and return the model.

        Parameters
        ----------
        x
            Shape (n,), such as a report's x, or by name.
        scenario
            Number or name.
        model
            The model to fill; created anew when not given.
        """
        index = self.scenario_index(scenario)
        decision = self.decision_vector(x)
        y = Evaluator(self).decision(decision, index)
        if y is None:
            name = self.scenario_names[index]
            raise InputError(f"no recourse is feasible for this x in scenario {name!r}; nothing was loaded.")
        target = self._create(self.scenario_names[index]) if model is None else model
        x_values = np.where(self.first_stage.integer, np.round(decision), decision)
        y_values = np.where(self.recourse.integer, np.round(y), y)
        y_names = self.y_names[: self._num_model_recourse]
        values = (*zip(self.x_names, x_values, strict=True), *zip(y_names, y_values, strict=False))
        _set_values(target, {name: float(value) for name, value in values})
        return target


def from_pyomo(
    scenario_creator: Creator,
    scenario_names: Sequence[str],
    *,
    first_stage: Iterable[str] | None = None,
    scenario_creator_kwargs: Mapping[str, Any] | None = None,
) -> PyomoProblem:
    """
    Build a problem from one Pyomo model per scenario; all must have the same variables and constraints.

    Parameters
    ----------
    scenario_creator
        Called with each name and `scenario_creator_kwargs`; returns a concrete, linear Pyomo model.
    first_stage
        Names of first-stage variables (a whole indexed variable, or single members such as "acres[wheat]"); needed
        only where the models carry no mpi-sppy node.
    """
    _check_installed()
    for argument, listing in (("scenario_names", scenario_names), ("first_stage", first_stage)):
        if isinstance(listing, str):  # would be read letter by letter
            raise InputError(f"{argument} must be a list of names, got {listing!r}; write [{listing!r}].")
    given = [str(name) for name in scenario_names]
    names = checked_names("scenario_names", given, "scenario", len(given))
    if not names:
        raise InputError("scenario_names must name at least one scenario, got none.")
    create = _Create(scenario_creator, dict(scenario_creator_kwargs or {}), dict(zip(names, given, strict=True)))
    models = _Models(names, list(first_stage) if first_stage is not None else None)
    for name in names:
        models.add(name, create(name))
    return models.problem(create)


class _Create:
    """Calls the user's creator for a scenario's name; `given` has the names as the user wrote them, with any blanks."""

    def __init__(self, creator: Creator, kwargs: dict[str, Any], given: Mapping[str, str]) -> None:
        self._creator = creator
        self._kwargs = kwargs
        self._given = given

    def __call__(self, name: str) -> Any:
        return self._creator(self._given.get(name, name), **self._kwargs)


class _Models:
    """The scenarios' models, kept as the first one and the numbers in which each differs from it."""

    def __init__(self, names: tuple[str, ...], first_stage: list[str] | None) -> None:
        self._names = names
        self._first_stage_names = first_stage
        self._base: PyomoLinear | None = None
        self._differences: list[dict[Place, float]] = []
        self._probabilities: list[Any] = []

    def add(self, name: str, model: Any) -> None:
        compiled = compile_model(name, model, self._first_stage_names, like=self._base)
        if self._base is None:
            self._base = compiled
        base = self._base.numbers
        changed = {place: value for place, value in compiled.numbers.items() if base.get(place, 0.0) != value}
        missing = {place: 0.0 for place in base if place not in compiled.numbers}
        self._differences.append(changed | missing)
        self._probabilities.append(compiled.probability)

    def problem(self, create: Callable[[str], Any]) -> PyomoProblem:
        base = self._base
        if base is None:
            raise InputError("from_pyomo needs at least one scenario.")
        places = list(dict.fromkeys(place for different in self._differences for place in different))
        check_size("from_pyomo", len(self._names), len(places), "use fewer scenarios")
        column = {place: k for k, place in enumerate(places)}
        values = np.tile([base.numbers.get(place, 0.0) for place in places], (len(self._names), 1))
        for s, different in enumerate(self._differences):
            for place, value in different.items():
                values[s, column[place]] = value
        generic = two_stage(
            base.model,
            base.first_stage,
            places,
            values.reshape(len(self._names), len(places)),
            scenario_names=self._names,
            probabilities=_probabilities(self._probabilities),
        )
        return PyomoProblem(generic, create, int((~base.first_stage).sum()))


def _set_values(model: Any, values: dict[str, float]) -> None:
    from pyomo.environ import Var

    variables = {variable.name: variable for variable in model.component_data_objects(Var)}
    for name, value in values.items():
        if name not in variables:
            raise InputError(f"the model has no variable {name!r}; pass one made by the same creator.")
        variables[name].set_value(value, skip_validation=True)


def _probabilities(given: list[Any]) -> Floats | None:
    """mpi-sppy's scenario probabilities: numbers, or the word "uniform"; None where any is missing."""
    if all(value == "uniform" for value in given):
        return frozen(np.full(len(given), 1.0 / len(given)))
    if any(isinstance(value, str) or value is None for value in given):
        return None
    return vector("probabilities", given, len(given))


def _check_installed() -> None:
    try:
        import pyomo.environ  # noqa: F401
    except ImportError:
        raise MissingDependencyError("from_pyomo needs Pyomo; run: pip install 'neurprise[pyomo]'.") from None
