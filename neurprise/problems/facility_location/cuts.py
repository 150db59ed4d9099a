"""Rows that the relaxation of facility location breaks by opening a fraction of a site."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.problem.stages import RecourseRows

#: Cuts broken by less than this share are not worth a row.
_VIOLATION = 1e-4


@dataclass(frozen=True, eq=False)
class OpenSiteCuts:
    """
    y_ji <= min(demand_i, K_j) open_j: a closed site ships nothing, an open one no more than is asked for.

    Parameters
    ----------
    transport, max_capacities, demands
        Cost per unit, shape (m, n); K, shape (m,); demands, shape (S, n).
    """

    transport: Floats
    max_capacities: Floats
    demands: Floats

    def violated_rows(self, x: Floats, y: Floats, scenario: int) -> RecourseRows | None:
        """Those of the rows above that a fractional (x, y) breaks."""
        m, n = self.transport.shape
        most = np.minimum.outer(self.max_capacities, self.demands[scenario])
        # Where shipping earns money it may exceed the demand.
        most = np.where(self.transport >= 0, most, self.max_capacities[:, None])
        site, customer = np.nonzero(y.reshape(m, n) > most * x[:m, None] + _VIOLATION * (1 + most))
        if len(site) == 0:
            return None
        row = np.arange(len(site))
        return RecourseRows(
            technology=sparse.csr_array((most[site, customer], (row, site)), shape=(len(site), 2 * m)),
            matrix=sparse.csr_array((-np.ones(len(site)), (row, site * n + customer)), shape=(len(site), m * n)),
            lower=np.zeros(len(site)),
        )
