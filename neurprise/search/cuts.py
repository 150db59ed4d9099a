"""
Rows that every feasible (x, y) satisfies but the linear relaxation breaks, found by solving the relaxation.

They never change V(R), only how fast an engine proves it. A family names them (`TwoStageProblem.separator`); a cut
belongs to a scenario, so what one reduced problem found serves all later ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.clock import Deadline
from neurprise.problem.stages import RecourseRows
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.solvers import Engine, EngineStatus, Limits, Model

#: Rounds of relaxation and separation before an engine gets the model.
MAX_ROUNDS = 3


class CutPool:
    """
    Tightens the models of V(R) for one problem.

    Parameters
    ----------
    form
        Builds the models.
    engine
        Solves the linear relaxations.
    """

    def __init__(self, form: ExtensiveForm, engine: Engine) -> None:
        self._form = form
        self._engine = engine
        self._rows: dict[int, list[RecourseRows]] = {}

    def tightened(self, scenarios: Sequence[int], deadline: Deadline) -> Model:
        """The model of V(R) for R = scenarios, with every cut known for it."""
        plain = self._form.model(scenarios)
        model = self._with_cuts(plain, scenarios)
        # One scenario alone is quicker solved than tightened.
        worthwhile = self._form.problem.separator is not None and len(scenarios) > 1
        for _ in range(MAX_ROUNDS if worthwhile else 0):
            if not self._separate(model, scenarios, deadline):
                break
            model = self._with_cuts(plain, scenarios)
        return model

    def _separate(self, model: Model, scenarios: Sequence[int], deadline: Deadline) -> bool:
        """Add the cuts that the relaxation's optimum breaks; False when there are none."""
        relaxation = replace(model, integer=np.zeros_like(model.integer))
        result = self._engine.solve(relaxation, Limits(time_limit=deadline.remaining))
        separator = self._form.problem.separator
        if separator is None or result.status is not EngineStatus.OPTIMAL or result.values is None:
            return False
        found = False
        x, decisions = self._form.split(result.values)
        for scenario, y in zip(scenarios, decisions, strict=True):
            rows = separator.violated_rows(x, y, scenario)
            if rows is not None:
                self._rows.setdefault(scenario, []).append(rows)
                found = True
        return found

    def _with_cuts(self, model: Model, scenarios: Sequence[int]) -> Model:
        blocks = [(k, rows) for k, s in enumerate(scenarios) for rows in self._rows.get(s, [])]
        if not blocks:
            return model
        lower = np.concatenate([rows.lower for _, rows in blocks])
        cuts = sparse.vstack([self._form.spread(rows, k, model.matrix.shape[1]) for k, rows in blocks])
        return replace(
            model,
            matrix=sparse.csr_array(sparse.vstack([model.matrix, cuts])),
            row_lower=np.concatenate([model.row_lower, lower]),
            row_upper=np.concatenate([model.row_upper, np.full(len(lower), np.inf)]),
        )
