"""First-stage decisions judged by an objective other than the worst case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from neurprise.arrays import Bools, Floats
from neurprise.clock import Deadline
from neurprise.objectives import Envelope
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.pool import DecisionPool, Suspect, worst_of_all
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE


class ObjectivePool(DecisionPool):
    """
    A pool whose best member has the smallest value of an objective; every cost in it is exact.

    Parameters
    ----------
    envelope
        Of the objective on the evaluator's problem.
    """

    def __init__(self, evaluator: Evaluator, envelope: Envelope) -> None:
        super().__init__(evaluator)
        self._envelope = envelope
        self._values: list[float] = []

    def best(self, scenarios: Sequence[int] | None = None) -> tuple[int, float]:
        """
        Place and value of the best member, whatever `scenarios` says: all of them count; (-1, inf) if empty.

        If all values are infinite, it is the member that fails in the fewest scenarios.
        """
        if not self._x:
            return -1, math.inf
        place = int(np.argmin(self._values))
        if self._values[place] == math.inf:
            place = int(np.argmin((self.totals == np.inf).sum(axis=1)))
        return place, self._values[place]

    def confirm(self, place: int, deadline: Deadline) -> None:
        """Solve every scenario on which the value rests again from scratch; where one differs, all of them."""
        x, totals = self._x[place], np.array(self.totals[place])
        weights = self._envelope.worst_probabilities(totals)
        for s in np.flatnonzero(weights).tolist():
            again = self._evaluator.first_cost(x) + self._evaluator.confirmed_cost(x, s, deadline)
            noise = FEASIBILITY_TOLERANCE * self.unit
            if not math.isclose(again, totals[s], rel_tol=FEASIBILITY_TOLERANCE, abs_tol=noise):
                self._confirm_all(place, deadline)
                return
            totals[s] = max(again, totals[s])
        self._store(x.tobytes(), x, totals, self._all_exact, worst_of_all(totals, is_certain=True))

    def _confirm_all(self, place: int, deadline: Deadline) -> None:
        self._evaluator.forget()
        x = self._x[place]
        costs = [self._evaluator.confirmed_cost(x, s, deadline) for s in range(len(self.totals[place]))]
        totals = self._evaluator.first_cost(x) + np.array(costs)
        self._store(x.tobytes(), x, totals, self._all_exact, worst_of_all(totals, is_certain=True))

    def _evaluated(
        self,
        x: Floats,
        deadline: Deadline,
        known: Mapping[int, float] | None,
        suspected: Sequence[int],
        enough: float | None,
    ) -> tuple[Floats, Bools, Suspect]:
        """Exact total costs: all of them count, so that no bound can stand for one."""
        totals = self._evaluator.first_cost(x) + self._evaluator.evaluate(x, deadline).recourse_costs
        return totals, self._all_exact, worst_of_all(totals)

    def _store(self, key: bytes, x: Floats, totals: Floats, exact: Bools, suspect: Suspect) -> None:
        super()._store(key, x, totals, exact, suspect)
        value, place = self._envelope.value(totals), self._place[key]
        self._values[place : place + 1] = [value]
