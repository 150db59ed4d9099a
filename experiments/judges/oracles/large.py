"""
What a medium-sized problem is worth: SCIP on one program of all scenarios, decisions priced one scenario at a time.

A price of 1e9 for a unit of shortage makes an engine's tolerance of 1e-9 worth a whole unit of cost. So penalties are
eased first: what needs no shortage at a lower price needs none at a higher one, and costs the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments.judges.oracles import engines
from experiments.judges.oracles.extensive import extensive_minimum
from experiments.judges.oracles.program import recourse_program
from experiments.judges.random_problems.statement import Statement
from neurprise.arrays import Floats, Ints

#: Shortages below this come from an engine's tolerance.
NO_SHORTAGE = 1e-6


class LargeJudge:
    """
    Values of one statement, with the methods of `Judge`.

    Parameters
    ----------
    eased
        The statement with lower penalties; None where it has none that are high.
    """

    lists_decisions = False

    def __init__(self, statement: Statement, slack: float, eased: Statement | None = None) -> None:
        self.statement = statement
        self.slack = slack
        self._eased = eased
        self._values: dict[tuple[int, ...], float] = {}
        self._costs: dict[tuple[bytes, int], float] = {}

    def value(self, scenarios: Sequence[int] | None = None) -> float:
        """V(R); nan where SCIP does not finish."""
        key = tuple(sorted(set(range(self.statement.num_scenarios) if scenarios is None else scenarios)))
        if key not in self._values:
            self._values[key] = self._solved(key)
        return self._values[key]

    def recourse_cost(self, x: Floats, s: int) -> float:
        """Q(x, s)."""
        key = (x.tobytes(), s)
        if key not in self._costs:
            self._costs[key] = self._priced(x, s)
        return self._costs[key]

    def recourse_costs(self, x: Floats) -> Floats:
        """Q(x, s) of all scenarios, shape (S,)."""
        return np.array([self.recourse_cost(x, s) for s in range(self.statement.num_scenarios)])

    def first_cost(self, x: Floats) -> float:
        """offset + c'x."""
        return self.statement.offset + float(self.statement.c @ x)

    def worst_case(self, x: Floats) -> float:
        """Z(x)."""
        return self.first_cost(x) + float(self.recourse_costs(x).max())

    def _solved(self, scenarios: tuple[int, ...]) -> float:
        if self._eased is not None:
            answer = extensive_minimum(self._eased, scenarios, self.slack)
            if answer.point is None or not self._is_short(answer.point, len(scenarios)):
                return answer.value
        return extensive_minimum(self.statement, scenarios, self.slack).value

    def _is_short(self, point: Floats, count: int) -> bool:
        """Whether some scenario's recourse in this point of the whole program has a shortage."""
        m = self.statement.b.shape[1]
        later = point[len(self.statement.c) + 1 :].reshape(count, m)
        return bool((later[:, self._short] > NO_SHORTAGE).any())

    @property
    def _short(self) -> Ints:
        assert self._eased is not None
        return np.flatnonzero((self._eased.b != self.statement.b).any(axis=0))

    def _priced(self, x: Floats, s: int) -> float:
        if self._eased is not None:
            answer = engines.gurobi(recourse_program(self._eased, x, s).loosened(self.slack))
            if answer.point is None or not (answer.point[self._short] > NO_SHORTAGE).any():
                return answer.value
        return engines.gurobi(recourse_program(self.statement, x, s).loosened(self.slack)).value
