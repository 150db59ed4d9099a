"""
Rows eta >= constant + slope'x that a scenario's relaxed recourse proves for every x [Benders 1962].

They stand in a master beside the full copies of a few scenarios, for all scenarios that have none (partial Benders
decomposition, Crainic et al. 2021), so that its decision is sensible everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.problem import TwoStageProblem
from neurprise.recourse.engine import cost_scale
from neurprise.solvers import Model

#: Dual values smaller than this, relative to the largest, are rounding errors.
DUAL_NOISE = 1e-9


@dataclass(frozen=True)
class ObjectiveCut:
    """Q(x, scenario) >= constant + slope @ x for every x; slope has shape (n,)."""

    scenario: int
    constant: float
    slope: Floats

    def value(self, x: Floats) -> float:
        """The bound on Q(x, scenario) at this x."""
        return self.constant + float(self.slope @ x)


def cut_from_duals(problem: TwoStageProblem, scenario: int, duals: Floats) -> ObjectiveCut | None:
    """
    The cut that these duals of the scenario's recourse rows prove, shape (r,); None where they prove nothing.

    For any duals, b'y = duals'(W y) + (b - W'duals)'y, and W y lies within its limits less T x, y within its bounds. So
    the cut holds however an engine came by the duals; optimal ones make it tight.
    """
    block, recourse = problem.scenario(scenario), problem.recourse
    unit = cost_scale(problem).unit
    small = DUAL_NOISE * max(unit, float(np.abs(duals).max(initial=0.0)))
    at_limit = np.where(duals > 0, block.row_lower, block.row_upper)
    duals = np.where((np.abs(duals) > small) & np.isfinite(at_limit), duals, 0.0)
    matrix = sparse.csr_array((block.matrix, recourse.matrix.indices, recourse.matrix.indptr), recourse.matrix.shape)
    technology = sparse.csr_array(
        (block.technology, recourse.technology.indices, recourse.technology.indptr), recourse.technology.shape
    )
    reduced = block.costs - matrix.T @ duals
    reduced[np.abs(reduced) <= DUAL_NOISE * (unit + np.abs(block.costs))] = 0.0
    at_bound = np.where(reduced > 0, block.lower, block.upper)
    terms = [duals[duals != 0] * at_limit[duals != 0], reduced[reduced != 0] * at_bound[reduced != 0]]
    constant = float(sum(part.sum() for part in terms))
    if not math.isfinite(constant):
        return None
    return ObjectiveCut(scenario, constant, np.asarray(block.x_costs - technology.T @ duals))


class ObjectiveCuts:
    """
    Cuts of one problem, newest last.

    Parameters
    ----------
    num_first_stage
        n, the number of first-stage variables.
    """

    def __init__(self, num_first_stage: int) -> None:
        self._n = num_first_stage
        self._cuts: list[ObjectiveCut] = []

    def __len__(self) -> int:
        return len(self._cuts)

    def add(self, cut: ObjectiveCut) -> None:
        self._cuts.append(cut)

    def added_to(self, model: Model, unit: float = 1.0) -> Model:
        """
        The model, whose columns begin with x and eta, with one row eta - slope'x >= constant per cut.

        Parameters
        ----------
        unit
            In which the model has eta.
        """
        if not self._cuts:
            return model
        slopes = np.array([cut.slope for cut in self._cuts]) / unit
        rows = sparse.csr_array(np.hstack([-slopes, np.ones((len(slopes), 1))]))
        rows = sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(len(slopes), model.matrix.shape[1]))
        constants = np.array([cut.constant for cut in self._cuts]) / unit
        # A master keeps rows to a tolerance; a cut must not ask for more than was proved.
        lower = constants - DUAL_NOISE * (1.0 + np.abs(constants))
        return replace(
            model,
            matrix=sparse.csr_array(sparse.vstack([model.matrix, rows])),
            row_lower=np.concatenate([model.row_lower, lower]),
            row_upper=np.concatenate([model.row_upper, np.full(len(lower), np.inf)]),
        )
