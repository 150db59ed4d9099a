"""
What reading models costs beside building them: 1,000 scenarios of linopy models with 100,000 nonzeros.

"dimension" is one model that holds all scenarios, 100,000 nonzeros together. "one by one" are 1,000 models of 100,000
nonzeros each; `nr.from_models` keeps what differs, 50 numbers for each scenario. Its seconds include building the
models, "read s" does not. "kept" counts the numbers that the problem holds, "stated" those of all models.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

import neurprise as nr
from experiments.instances.published import tiny_problem
from experiments.instances.sets import Made
from experiments.methods.base import GAP, Method, Task
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec

_UNCERTAIN = 50


def build_model(num_scenarios: int, num_items: int, seed: int) -> Any:
    """
    Build items now, run them later, or go short; 4 nonzeros for each item and scenario.

    Without scenarios, a model of one: only the first 50 demands depend on the seed.
    """
    import linopy
    import pandas as pd
    import xarray as xr

    items = pd.RangeIndex(num_items, name="item")
    dimension = [pd.RangeIndex(num_scenarios, name="scenario")] if num_scenarios else []
    rng, shape = np.random.default_rng(seed), [len(index) for index in (*dimension, items)]
    demand = np.where(np.arange(num_items) < _UNCERTAIN, rng.uniform(1, 9, shape), 5.0)
    model = linopy.Model()
    build = model.add_variables(lower=0, upper=10, coords=[items], name="build")
    run = model.add_variables(lower=0, coords=[*dimension, items], name="run")
    short = model.add_variables(lower=0, coords=[*dimension, items], name="short")
    model.add_constraints(run - build <= 0, name="capacity")
    model.add_constraints(run + short >= xr.DataArray(demand, coords=[*dimension, items]), name="demand")
    model.add_objective((3 * build).sum() + (run + 20 * short).sum())
    return model


def _build_dimension(scenarios: int, items: int) -> Outcome:
    build_model(scenarios, items, 0)
    seconds, _ = _timed(lambda: build_model(scenarios, items, 0))
    return Outcome.timed(seconds)


def _read_dimension(scenarios: int, items: int) -> Outcome:
    model = build_model(scenarios, items, 0)
    nr.from_linopy(model)
    seconds, problem = _timed(lambda: nr.from_linopy(model))
    return Outcome.timed(seconds, measured={"kept": _numbers(problem), "stated": 4.0 * scenarios * items})


def _build_each(scenarios: int, items: int) -> Outcome:
    build_model(0, items, 0)
    return Outcome.timed(sum(_timed(lambda s=s: build_model(0, items, s))[0] for s in range(scenarios)))  # type: ignore[misc]


def _read_each(scenarios: int, items: int) -> Outcome:
    spent = [0.0]

    def build(name: str) -> Any:
        seconds, model = _timed(lambda: build_model(0, items, int(name)))
        spent[0] += seconds
        return model

    names = [str(s) for s in range(scenarios)]
    seconds, problem = _timed(lambda: nr.from_models(build, names, first_stage=["build"]))
    kept = {"read s": seconds - spent[0], "kept": _numbers(problem), "stated": 4.0 * scenarios * items}
    return Outcome.timed(seconds, measured=kept)


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def _numbers(problem: nr.TwoStageProblem) -> float:
    """Entries of both matrices and of what scenarios change."""
    recourse, changes = problem.recourse, problem.changes.values()
    return float(recourse.matrix.nnz + recourse.technology.nnz + sum(change.values.size for change in changes))


@dataclass(frozen=True)
class Door:
    """One way to build or read 1,000 scenarios."""

    title: str
    measure: Callable[[int, int], Outcome]
    items: int
    scenarios: int = 1000
    gap: float = GAP
    takes_budget = False

    def smaller(self) -> Self:
        return replace(self, items=60, scenarios=4)

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        logging.getLogger("linopy").setLevel(logging.ERROR)
        yield self.measure(self.scenarios, self.items)


_DIMENSION = {
    "linopy-dimension": Door("linopy builds, dimension", _build_dimension, 25),
    "from-linopy": Door("nr.from_linopy, dimension", _read_dimension, 25),
}
_EACH = {
    "linopy-each": Door("linopy builds, one by one", _build_each, 25_000),
    "from-models": Door("nr.from_models, one by one", _read_each, 25_000),
}
METHODS: dict[str, Method] = {**_DIMENSION, **_EACH}
DOORS = Spec(
    "doors",
    "Reading 1,000 scenarios of linopy models beside building them",
    (
        Panel(Made("dimension", tiny_problem, tiny_problem), 1, tuple(_DIMENSION), (), baseline="linopy-dimension"),
        Panel(Made("one by one", tiny_problem, tiny_problem), 1, tuple(_EACH), (), baseline="linopy-each"),
    ),
    view="speed",
)
SPECS = (DOORS,)
