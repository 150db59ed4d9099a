"""Solves the reduced problem of any objective: some scenarios have a copy, the others cuts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.objectives import Envelope
from neurprise.recourse.engine import ORDINARY
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.cuts import SeparatedCuts
from neurprise.search.extensive_form import Master, OpenLinearProgram
from neurprise.search.master import MasterResult
from neurprise.search.objective_form import ObjectiveForm
from neurprise.solvers import Engine, EngineModel, Limits, sessions_grow
from neurprise.strengthening import further_rows


class ObjectiveMaster(Master):
    """
    A master whose scenarios count by an envelope; its values and bounds are those of the objective.

    Parameters
    ----------
    envelope
        Of the objective on the evaluator's problem.
    """

    def __init__(self, evaluator: Evaluator, engine: Engine, envelope: Envelope) -> None:
        separator = evaluator.problem.separator or further_rows(evaluator.problem)
        super().__init__(evaluator, engine, separator)
        self._objective_form = ObjectiveForm(evaluator.problem, envelope)
        self._form = self._objective_form
        self._cuts = SeparatedCuts(self._form, engine, separator)
        self._integral = False  # a mean of whole numbers need not be whole
        self._open = None
        self._program: tuple[tuple[int, ...], OpenLinearProgram] | None = None

    def solve(self, scenarios: Sequence[int], limits: Limits, start: Floats | None = None) -> MasterResult:
        """The least value of the objective over copies of these scenarios and all cuts."""
        if self._discrete or not self._is_plain_linear:
            return super().solve(scenarios, limits, start)
        return self.solve_relaxed(scenarios, limits)

    def solve_relaxed(self, scenarios: Sequence[int], limits: Limits) -> MasterResult:
        """The same with every variable continuous; its bound holds for whole numbers, its decision need not."""
        self.num_solves += 1
        deadline = Deadline(limits.time_limit)
        whole = self._model(scenarios, deadline)
        model = replace(whole, integer=np.zeros_like(whole.integer))
        if not self._is_plain_linear:
            result = self._form.scale.read(self._engine.solve(model, limits.until(deadline)))
        else:
            result = self._opened(scenarios).solve(model, scenarios, limits.until(deadline))
        x = None if result.values is None else result.values[: self._evaluator.problem.num_first_stage]
        return MasterResult(result.status, result.objective, result.bound, x)

    def floor(self, x: Floats) -> Floats:
        """What the cuts say that Q(x, s) costs at least, shape (S,); -inf where there is no cut."""
        lowest = np.full(self._evaluator.problem.num_scenarios, -np.inf)
        cuts = [cut for cut in self._objective_cuts if cut.of_cost]
        if cuts:
            values = np.array([cut.constant for cut in cuts]) + np.array([cut.slope for cut in cuts]) @ x
            np.maximum.at(lowest, [cut.scenario for cut in cuts], values)
        return lowest

    def broken(self, x: Floats) -> set[int]:
        """Scenarios for which a rule says that x has no recourse."""
        return {cut.scenario for cut in self._objective_cuts if not cut.of_cost and cut.value(x) > 0}

    @property
    def _is_plain_linear(self) -> bool:
        """Whether linear models go into one program that stays open."""
        return self._form.scale is ORDINARY and sessions_grow(self._engine)

    def _opened(self, scenarios: Sequence[int]) -> OpenLinearProgram:
        """The program of these copies: cuts stand behind everything else, so that it may grow."""
        if self._program is None or self._program[0] != tuple(scenarios):
            self._program = tuple(scenarios), OpenLinearProgram(self._engine)
        return self._program[1]

    def _model(self, scenarios: Sequence[int], deadline: Deadline) -> EngineModel:
        model = self._cuts.tightened(scenarios, deadline)
        return self._objective_form.with_cuts(model, self._objective_cuts, len(scenarios))

    def _priced(self, found: MasterResult, scenarios: Sequence[int], deadline: Deadline) -> float:
        """What the model says; who asked prices the decision on all scenarios."""
        return found.value
