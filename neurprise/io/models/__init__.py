"""
One model per scenario, from any modelling tool; adding a tool is a file here and a line in `_READERS`.

A tool's file holds a `Reader` and imports the tool only inside it, if at all: whoever has a model has its tool loaded.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from neurprise import arrays
from neurprise.arrays import Bools, Floats
from neurprise.errors import InputError, MissingDependencyError, near_miss
from neurprise.io.linear import LinearModel
from neurprise.io.models.comparison import ComparedModels, bounds_as_rows, checked_model
from neurprise.io.models.first_stage import chosen_columns, listed_parts
from neurprise.io.models.labels import in_order_of_names
from neurprise.io.models.problem import ModelProblem
from neurprise.io.staging import two_stage
from neurprise.problem.names import checked_names, texts_of

if TYPE_CHECKING:
    from neurprise.io.models.linopy.dimension import LinopyProblem

#: The package that a model's class comes from -> the file here that reads it.
_READERS = {
    "linopy": "linopy",
    "gurobipy": "gurobipy",
    "pulp": "pulp",
    "pyomo": "pyomo",
    "highspy": "highspy",
}
_KNOWN = (
    "one of linopy, gurobipy, PuLP, Pyomo or highspy, a scipy tuple (c, constraints, bounds, integrality), or the "
    "path of an .lp or .mps file"
)


class Reader(Protocol):
    """What a tool's file offers; `first_stage(model)` and `probability(model)` where its models can say so."""

    def linear(self, model: Any) -> LinearModel:
        """The model in numbers and names, everything as the tool states it; InputError for what is not linear."""
        ...

    def names_of(self, part: Any) -> list[str] | None:
        """The names that an object of the tool stands for (a variable, or a whole indexed one); None for others."""
        ...

    def fill(self, model: Any, values: Mapping[str, float]) -> Any:
        """Put a value on every variable of the model, name -> value in the model's order, and return the model."""
        ...


def from_models(
    models: Mapping[Any, Any] | Callable[[Any], Any],
    scenario_names: Iterable[Any] | None = None,
    *,
    first_stage: Any = None,
    probabilities: Any = None,
) -> ModelProblem:
    """
    Build a problem from one deterministic model per scenario.

    A model is one of linopy, gurobipy, PuLP, Pyomo or highspy, a scipy tuple (c, constraints, bounds, integrality), or
    the path of an .lp or .mps file. Variables must be the same in all scenarios; any number may differ.

    Parameters
    ----------
    models
        Scenario's name -> its model; or a function that is called with each of `scenario_names` and builds the model,
        so that only one is in memory at a time.
    first_stage
        What is decided now: names, patterns such as "build_*", or the tool's own variables. Pyomo models that carry
        mpi-sppy's root node need none.
    probabilities
        Of the scenarios, in their order or by name; kept as information. None: what the models carry.
    """
    build, names = _scenarios(models, scenario_names)
    reading = _Reading(listed_parts(first_stage))
    for name in names:
        reading.add(name, build(name))
    return reading.problem(build, names, probabilities)


def from_pyomo(
    scenario_creator: Callable[..., Any],
    scenario_names: Sequence[str],
    *,
    first_stage: Iterable[Any] | None = None,
    scenario_creator_kwargs: Mapping[str, Any] | None = None,
    probabilities: Any = None,
) -> ModelProblem:
    """
    Build a problem from a scenario creator as mpi-sppy defines it; `from_models` with its arguments.

    Parameters
    ----------
    scenario_creator
        Called with each name and `scenario_creator_kwargs`; returns a concrete, linear Pyomo model.
    first_stage
        Names of first-stage variables (a whole indexed variable, or single members such as "acres[wheat]"); needed
        only where the models carry no mpi-sppy node.
    """
    try:
        importlib.import_module("pyomo.environ")
    except ImportError:
        raise MissingDependencyError("from_pyomo needs Pyomo; run: pip install 'neurprise[pyomo]'.") from None
    options = dict(scenario_creator_kwargs or {})
    return from_models(
        lambda name: scenario_creator(name, **options),
        scenario_names,
        first_stage=first_stage,
        probabilities=probabilities,
    )


def from_linopy(
    model: Any, scenario: Hashable = "scenario", first_stage: Any = None, *, probabilities: Any = None
) -> LinopyProblem:
    """
    Build a problem from one linopy model with a scenario dimension, or from a PyPSA network with `set_scenarios`.

    Variables and rows without the dimension are decided, or must hold, before the scenario is known. A scenario's cost
    is the objective's terms without the dimension, plus its own.

    Parameters
    ----------
    model
        A linopy.Model; or a pypsa.Network, whose model is made by `optimize.create_model()` and whose scenario weights
        are the probabilities.
    scenario
        The dimension's name. A row that has variables of several scenarios is refused.
    first_stage
        Names, patterns or linopy variables that are decided now; None: all without the dimension.
    probabilities
        Where the objective is the scenarios' mean: their weights in it, by name or in order. A scenario's own terms
        are then divided by its probability. None: the objective adds the scenarios up, and the terms count as they are.
    """
    return importlib.import_module(f"{__name__}.linopy.dimension").problem_of(  # type: ignore[no-any-return]
        model, scenario, first_stage, probabilities
    )


class _Reading:
    """Reads models one after the other, each by the reader of its tool."""

    def __init__(self, first_stage: list[Any] | None) -> None:
        self._given = first_stage
        self._readers: dict[str, Reader] = {}
        self._models = ComparedModels()
        self._first_stage: Bools | None = None
        self._probabilities: list[Any] = []

    def add(self, name: str, model: Any) -> None:
        try:
            reader = self.reader_of(model)
            linear = checked_model(reader.linear(model))
            self._models.add(linear)
            self._check_first_stage(self._named(reader, model), linear, reader)
        except InputError as error:
            raise type(error)(f"scenario {name!r}: {error}") from None
        self._probabilities.append(getattr(reader, "probability", lambda _: None)(model))

    def reader_of(self, model: Any) -> Reader:
        name = _tool_of(model)
        if name not in self._readers:
            self._readers[name] = importlib.import_module(f"{__name__}.{name}").Reader()
        return self._readers[name]

    def _named(self, reader: Reader, model: Any) -> list[Any]:
        """What was given as the first stage, else what the model says."""
        named = self._given
        if named is None:
            named = getattr(reader, "first_stage", lambda _: None)(model)
        if named is None:
            raise InputError(
                "the model does not say which variables are first stage; pass first_stage=[names, patterns or "
                "variables], or attach mpi-sppy's root node to a Pyomo model."
            )
        return named

    def _check_first_stage(self, named: list[Any], model: LinearModel, reader: Reader) -> None:
        """Models that name their first stage themselves must all name the same."""
        if self._first_stage is not None and self._given is not None:
            return
        base = self._models.base or model
        chosen = chosen_columns(named, base.columns, reader.names_of)
        if self._first_stage is not None and not np.array_equal(chosen, self._first_stage):
            raise InputError("the model names other first-stage variables than the first scenario.")
        self._first_stage = chosen

    def problem(self, build: Callable[[str], Any], names: tuple[str, ...], probabilities: Any) -> ModelProblem:
        places, values = self._models.places_and_values()
        model, first_stage = self._models.base, self._first_stage
        if model is None or first_stage is None:
            raise InputError("there must be a model for at least one scenario, got none.")
        wider, places = bounds_as_rows(model, first_stage, places, values)
        given = _carried(self._probabilities) if probabilities is None else in_order_of_names(probabilities, names)
        general = two_stage(wider, first_stage, places, values, scenario_names=names, probabilities=given)

        def fill(name: str, values: dict[str, float], model: Any) -> Any:
            target = build(name) if model is None else model
            return self.reader_of(target).fill(target, values)

        return ModelProblem(general, model.columns, fill)


def _tool_of(model: Any) -> str:
    """The file here that reads such a model; a class of the user's own counts as what it was derived from."""
    if isinstance(model, (str, Path)):
        return "files"
    if isinstance(model, tuple):
        return "scipy"
    packages = [kind.__module__.split(".")[0] for kind in type(model).__mro__]
    known = next((package for package in packages if package in _READERS), None)
    if known is None:
        raise InputError(f"a model must be {_KNOWN}, got {type(model).__name__}.")
    return _READERS[known]


def _scenarios(models: Any, scenario_names: Any) -> tuple[Callable[[str], Any], tuple[str, ...]]:
    """What makes a scenario's model from its name, and the names as texts."""
    if isinstance(models, Mapping):
        if scenario_names is not None:
            raise InputError("models by name need no scenario_names; leave them out, or pass a function as models.")
        given, build = list(models), models.__getitem__
    elif callable(models):
        if scenario_names is None:
            raise InputError("a function that builds models needs scenario_names=[...], got none.")
        if isinstance(scenario_names, str):  # would be read letter by letter
            raise InputError(
                f"scenario_names must be a list of names, got {scenario_names!r}; write [{scenario_names!r}]."
            )
        given, build = list(scenario_names), models
    else:
        raise InputError(
            f"models must be a dict (scenario's name: model) or a function that builds a scenario's model, got "
            f"{type(models).__name__}."
        )
    if not given:
        raise InputError("scenario_names must name at least one scenario, got none.")
    names = checked_names("scenario_names", texts_of(given), "scenario", len(given))
    original = dict(zip(names, given, strict=True))

    def built(name: str) -> Any:
        if name not in original:  # a problem whose scenarios were renamed
            raise InputError(f"there is no model for scenario {name!r} ({near_miss(name, names)}); pass model=.")
        return build(original[name])

    return built, names


def _carried(given: list[Any]) -> Floats | None:
    """What the models carry as their probabilities: numbers, or mpi-sppy's word "uniform"; None where any lacks it."""
    if all(isinstance(value, str) and value == "uniform" for value in given):
        return arrays.frozen(np.full(len(given), 1.0 / len(given)))
    if any(isinstance(value, str) or value is None for value in given):
        return None
    return arrays.vector("probabilities", given, len(given))
