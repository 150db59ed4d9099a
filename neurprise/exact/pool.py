"""First-stage decisions whose true cost under every scenario is known; each one bounds every V(R) from above."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.evaluate import Evaluator
from neurprise.exact.master import MasterResult

#: Of the decisions that an engine met before its last one, so many of the latest are evaluated.
MET_ON_THE_WAY = 3


class Pool:
    """
    Evaluated first-stage decisions of one problem.

    `totals[p, s] >= offset + c'x_p + Q(x_p, s)`, so that for any R, V(R) <= min_p max_{s in R} totals[p, s]. A member's
    largest entry is exact, its true worst case; the others too, except where integer recourse makes them dear.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._evaluates_cheaply = evaluator.has_oracle
        self._severity = evaluator.problem.severity
        self._place: dict[bytes, int] = {}
        self._x: list[Floats] = []
        self._totals = np.empty((16, evaluator.problem.num_scenarios))

    def __len__(self) -> int:
        return len(self._x)

    @property
    def totals(self) -> Floats:
        """Total cost of every member under every scenario, shape (len(self), S)."""
        return self._totals[: len(self._x)]

    def add(self, x: Floats, deadline: Deadline | None = None) -> int:
        """Evaluate x unless it is known, and return its place; may raise OutOfTimeError."""
        x = self._evaluator.rounded(x) + 0.0  # + 0.0 turns -0.0 into 0.0
        key = x.tobytes()
        if key not in self._place:
            costs = self._evaluator.upper_costs(x, self._likely_worst_first(), deadline or Deadline())
            self._append(x, self._evaluator.first_cost(x) + costs)
            self._place[key] = len(self._x) - 1
        return self._place[key]

    def admit(self, result: MasterResult, deadline: Deadline) -> list[int]:
        """Evaluate what a reduced problem found, the decisions met on the way too where that is cheap."""
        met = result.others[-MET_ON_THE_WAY:] if self._evaluates_cheaply else ()
        return [self.add(x, deadline) for x in (result.x, *met) if x is not None]

    def member(self, place: int) -> Floats:
        return self._x[place]

    def worst_scenario(self, place: int) -> int:
        """The scenario that costs this member most; of several that it cannot survive, the most severe one."""
        costs = self.totals[place]
        worst = np.flatnonzero(costs == costs.max())
        return int(worst[0] if np.isfinite(costs.max()) else worst[np.argmax(self._severity[worst])])

    def best(self, scenarios: Sequence[int] | None = None) -> tuple[int, float]:
        """Place and worst case of the member that is best over these scenarios (None: all); (-1, inf) if empty."""
        if not self._x:
            return -1, np.inf
        totals = self.totals if scenarios is None else self.totals[:, list(scenarios)]
        worst = totals.max(axis=1)
        place = int(np.argmin(worst))
        return place, float(worst[place])

    def _likely_worst_first(self) -> list[int]:
        """Scenarios that cost the members known so far most come first."""
        usual = self.totals[-1] if len(self) else self._severity
        return np.argsort(-usual, kind="stable").tolist()  # type: ignore[no-any-return]

    def _append(self, x: Floats, totals: Floats) -> None:
        if len(self._x) == len(self._totals):
            self._totals = np.concatenate([self._totals, np.empty_like(self._totals)])
        self._totals[len(self._x)] = totals
        self._x.append(x)
