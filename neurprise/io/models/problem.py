"""A two-stage problem that knows the models it came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import InputError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator

#: Puts the values of all variables (name -> value) into a scenario's model (or the one given) and returns it.
Fill = Callable[[str, dict[str, float], Any], Any]


class ProblemOfModels(TwoStageProblem):
    """A problem that came from models in memory; worker processes get it without them."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _itself, (TwoStageProblem(**self.general_form()),)


def _itself(problem: TwoStageProblem) -> TwoStageProblem:
    return problem


class ModelProblem(ProblemOfModels):
    """A two-stage problem that can put a decision into its models; `from_models` and `from_pyomo` build it."""

    def __init__(self, general: TwoStageProblem, columns: tuple[str, ...], fill: Fill) -> None:
        self._columns = columns
        self._fill = fill
        super().__init__(**general.general_form())

    def load(self, x: Any, scenario: int | str = 0, model: Any = None) -> Any:
        """
        Put a first-stage decision and its best recourse into a scenario's model, and return the model.

        Parameters
        ----------
        x
            Shape (n,), such as a report's x, or by name.
        scenario
            Number or name.
        model
            The model to fill, made as the scenario's own; without it the scenario's own.
        """
        index = self.scenario_index(scenario)
        return self._fill(self.scenario_name(index), self._values(self.decision_vector(x), index), model)

    def _values(self, decision: Floats, index: int) -> dict[str, float]:
        """Name of the model's variable -> its value under one scenario, in the model's order; integers are whole."""
        y = best_recourse(self, Evaluator(self), decision, index)
        x_values = np.where(self.first_stage.integer, np.round(decision), decision)
        named = dict(zip(self.first_stage_names, x_values.tolist(), strict=True)) | self.named_recourse(y)
        return {name: named[name] for name in self._columns}


def best_recourse(problem: TwoStageProblem, evaluator: Evaluator, decision: Floats, index: int) -> Floats:
    """The best recourse under one scenario, shape (m,), integers whole; InputError where there is none."""
    y = evaluator.decision(decision, index)
    if y is None:
        name = problem.scenario_labels[index]
        raise InputError(f"no recourse is feasible for this x in scenario {name!r}; nothing was loaded.")
    return np.where(problem.recourse.integer, np.round(y), y)
