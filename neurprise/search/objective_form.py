"""
The reduced problem of any objective as one model: copies of the recourse, cuts, and the dual of the envelope.

The largest mean over the envelope P = { p : l <= p <= u, A (p, w) <= r, w >= 0 } is, by linear duality, the least

    r'lambda + sum_s l_s z_s + sum_s (u_s - l_s) max(z_s, 0)      where z_s = theta_s - (A'lambda)_s

over multipliers lambda of the rows; z_s <= 0 where u_s is infinite. theta_s stands for Q(x, s).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.objectives import Envelope
from neurprise.problem import TwoStageProblem
from neurprise.search.cuts import DUAL_NOISE, ObjectiveCut
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.solvers import EngineModel


class ObjectiveForm(ExtensiveForm):
    """
    An extensive form in which every possible scenario has a column theta_s, whether it has a copy or not.

    Columns: x (n), one fixed at zero (eta of the worst case), y of each copy (m each), then theta of each possible
    scenario, lambda of each row of the envelope, and max(z_s, 0) of those with two finite bounds. Rows: those of the
    extensive form, with theta_s - q_s'x - b_s'y >= 0, then those of the envelope's dual.
    """

    def __init__(self, problem: TwoStageProblem, envelope: Envelope) -> None:
        super().__init__(problem)
        self.possible = np.flatnonzero(envelope.possible)
        self._place = np.full(problem.num_scenarios, -1)
        self._place[self.possible] = np.arange(len(self.possible))
        self._tail = _dual_of(envelope, self.possible)

    def model(self, scenarios: Sequence[int]) -> EngineModel:
        """The model with a copy of each of these scenarios."""
        copies, tail = super().model(scenarios), self._tail
        n, columns, rows = self.problem.num_first_stage, len(copies.costs), len(copies.row_lower)
        costs, lower, upper = copies.costs.copy(), copies.lower.copy(), copies.upper.copy()
        costs[n] = lower[n] = upper[n] = 0.0
        places, thetas = self.objective_rows(len(scenarios)), self._place[list(scenarios)]
        thetas_in_rows = sparse.csr_array((np.ones(len(places)), (places, thetas)), shape=(rows, len(tail.costs)))
        corner = sparse.csr_array((len(tail.row_lower), columns))
        matrix = sparse.vstack(
            [sparse.hstack([_without_column(copies.matrix, n), thetas_in_rows]), sparse.hstack([corner, tail.matrix])]
        )
        return EngineModel(
            costs=np.concatenate([costs, tail.costs]),
            matrix=sparse.csr_array(matrix),
            row_lower=np.concatenate([copies.row_lower, tail.row_lower]),
            row_upper=np.concatenate([copies.row_upper, tail.row_upper]),
            lower=np.concatenate([lower, tail.lower]),
            upper=np.concatenate([upper, tail.upper]),
            integer=np.concatenate([copies.integer, tail.integer]),
            offset=copies.offset,
        )

    def with_cuts(self, model: EngineModel, cuts: Sequence[ObjectiveCut], num_copies: int) -> EngineModel:
        """The model with a row theta_s - slope'x >= constant for each cut, or -slope'x >= constant of a rule."""
        if not cuts:
            return model
        n, first = self.problem.num_first_stage, self._first_tail_column(num_copies)
        of_cost = np.array([cut.of_cost for cut in cuts])
        units = np.where(of_cost, self.scale.unit, 1.0)
        slopes, constants = np.array([cut.slope for cut in cuts]), np.array([cut.constant for cut in cuts]) / units
        on_x = sparse.coo_array(-slopes / units[:, None])
        thetas = first + self._place[[cut.scenario for cut in cuts]]
        row = np.concatenate([on_x.coords[0], np.flatnonzero(of_cost)])
        column = np.concatenate([on_x.coords[1], thetas[of_cost]])
        entries = np.concatenate([on_x.data, np.ones(int(of_cost.sum()))])
        assert on_x.shape[1] == n
        rows = sparse.csr_array((entries, (row, column)), shape=(len(cuts), model.matrix.shape[1]))
        # A master keeps rows to a tolerance; a cut must not ask for more than was proved.
        lower = constants - DUAL_NOISE * (1.0 + np.abs(constants))
        return replace(
            model,
            matrix=sparse.csr_array(sparse.vstack([model.matrix, rows])),
            row_lower=np.concatenate([model.row_lower, lower]),
            row_upper=np.concatenate([model.row_upper, np.full(len(lower), np.inf)]),
        )

    def start(self, x: Floats, eta: float, decisions: Sequence[Floats]) -> Floats:
        """A partial assignment: the engine completes what follows from x and the recourse decisions."""
        return np.concatenate([super().start(x, 0.0, decisions), np.full(len(self._tail.costs), np.nan)])

    def split(self, values: Floats) -> tuple[Floats, list[Floats]]:
        """x and the recourse decision of each copy."""
        return super().split(values[: len(values) - len(self._tail.costs)])

    def attained_costs(self, model: EngineModel, scenarios: Sequence[int], values: Floats) -> Floats:
        """q_s'x + b_s'y of each copy; as in an extensive form."""
        columns = self._first_tail_column(len(scenarios))
        copies = replace(
            model,
            matrix=sparse.csr_array(model.matrix[:, :columns]),
            lower=model.lower[:columns],
            upper=model.upper[:columns],
        )
        return super().attained_costs(copies, scenarios, values[:columns])

    def _true_costs(self, scenarios: Sequence[int], values: Floats) -> Floats:
        return super()._true_costs(scenarios, np.concatenate([values, np.zeros(len(self._tail.costs))]))

    def _first_tail_column(self, num_copies: int) -> int:
        return self.problem.num_first_stage + 1 + num_copies * self.problem.num_recourse


def _without_column(matrix: sparse.csr_array, column: int) -> sparse.csr_array:
    """The matrix with zeros in one column."""
    data = np.where(matrix.indices == column, 0.0, matrix.data)
    kept = sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    kept.eliminate_zeros()
    return kept


def _dual_of(envelope: Envelope, possible: Ints) -> EngineModel:
    """Columns theta, lambda and max(z, 0), and the rows that bind them."""
    size, num_rows = len(possible), len(envelope.limits)
    lower, upper = envelope.lower[possible], envelope.upper[possible]
    on_p = sparse.csr_array(envelope.rows[:, possible])
    on_helpers = sparse.csr_array(envelope.rows[:, envelope.num_scenarios :])
    between, above = np.flatnonzero((lower < upper) & (upper < np.inf)), np.flatnonzero(upper == np.inf)
    one = sparse.eye_array(size, format="csr")
    # Rows: max(z_s, 0) - z_s >= 0;  -z_s >= 0 where p_s is not bounded;  A'lambda >= 0 of auxiliary variables.
    blocks = [
        [-one[between], on_p.T[between], sparse.eye_array(len(between))],
        [-one[above], on_p.T[above], sparse.csr_array((len(above), len(between)))],
        [sparse.csr_array((on_helpers.shape[1], size)), on_helpers.T, None],
    ]
    matrix = sparse.csr_array(sparse.vstack([_row_of(blocks_of_row, len(between)) for blocks_of_row in blocks]))
    free, nothing = np.full(size, -np.inf), np.zeros(len(between))
    return EngineModel(
        costs=np.concatenate([lower, envelope.limits - on_p @ lower, (upper - lower)[between]]),
        matrix=matrix,
        row_lower=np.zeros(matrix.shape[0]),
        row_upper=np.full(matrix.shape[0], np.inf),
        lower=np.concatenate([free, np.where(envelope.equal, -np.inf, 0.0), nothing]),
        upper=np.full(size + num_rows + len(between), np.inf),
        integer=np.zeros(size + num_rows + len(between), dtype=bool),
    )


def _row_of(blocks: list[sparse.csr_array | None], width: int) -> sparse.csr_array:
    first = blocks[0]
    assert first is not None
    return sparse.hstack([sparse.csr_array((first.shape[0], width)) if block is None else block for block in blocks])
