"""Recourse of facility location without an engine: cheapest shipments by a dual network simplex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats
from neurprise.problem.contract import EVERY
from neurprise.problems.facility_location import transport
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE


@dataclass(frozen=True, eq=False)
class TransportOracle:
    """
    Cheapest shipments from the capacities in x.

    Parameters
    ----------
    transport
        Cost per unit from site to customer, shape (m, n).
    demands
        Shape (S, n).
    """

    transport: Floats
    demands: Floats

    def recourse_costs(self, x: Floats, scenarios: slice = EVERY) -> Floats:
        """Q(x, s) = cheapest shipments; inf where capacities are short in total."""
        return self._ship(x, self.demands[scenarios])[0]

    def recourse_decision(self, x: Floats, scenario: int) -> Floats | None:
        """Cheapest shipments, y_ji at j*n + i, shape (m*n,); None where capacities are short."""
        costs, amounts = self._ship(x, self.demands[scenario : scenario + 1])
        return amounts.ravel() if np.isfinite(costs[0]) else None

    def _ship(self, x: Floats, demands: Floats) -> tuple[Floats, Floats]:
        """
        Costs under these demands (S, n), shape (S,), and the last row's shipments, shape (m, n).

        That a closed site has no capacity is the first stage's rule; shipments depend on the capacities alone.
        """
        capacities = np.array(x[len(self.transport) :])
        if capacities.min(initial=0.0) < -FEASIBILITY_TOLERANCE:
            return np.full(len(demands), np.inf), np.full(self.transport.shape, np.nan)
        answer: tuple[Floats, Floats] = transport.ship(self.transport, capacities, demands, FEASIBILITY_TOLERANCE)
        return answer
