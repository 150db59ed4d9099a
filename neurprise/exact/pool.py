"""First-stage decisions whose true cost under every scenario is known; each one bounds every V(R) from above."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline
from neurprise.evaluate import Evaluator, PartialEvaluationError
from neurprise.exact.master import MasterResult
from neurprise.tolerances import FEASIBILITY_TOLERANCE

#: Of the decisions that an engine met before its last one, so many of the latest are evaluated.
MET_ON_THE_WAY = 3


@dataclass(frozen=True)
class Unfinished:
    """A decision that time did not suffice to evaluate on every scenario, and on how many it was."""

    x: Floats
    num_checked: int


class Pool:
    """
    Evaluated first-stage decisions of one problem.

    `totals[p, s] >= offset + c'x_p + Q(x_p, s)`, so that for any R, V(R) <= min_p max_{s in R} totals[p, s]. A member's
    largest entry is exact, its true worst case; the others too, except where integer recourse makes them expensive.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._evaluates_cheaply = evaluator.has_oracle
        self._severity = evaluator.problem.severity
        self._place: dict[bytes, int] = {}
        self._x: list[Floats] = []
        self._totals = np.empty((16, evaluator.problem.num_scenarios))
        self.unfinished: Unfinished | None = None

    def __len__(self) -> int:
        return len(self._x)

    @property
    def totals(self) -> Floats:
        """Total cost of every member under every scenario, shape (len(self), S)."""
        return self._totals[: len(self._x)]

    def add(self, x: Floats, deadline: Deadline | None = None, known: Mapping[int, float] | None = None) -> int:
        """
        Evaluate x unless it is a member, and return its place; may raise OutOfTimeError.

        Parameters
        ----------
        known
            Cost of a recourse that is feasible for x, by scenario.
        """
        x = self._evaluator.rounded(x) + 0.0  # + 0.0 turns -0.0 into 0.0
        key = x.tobytes()
        if key not in self._place:
            order = self._likely_worst_first()
            try:
                costs = self._evaluator.upper_costs(x, order, deadline or Deadline(), known)
            except PartialEvaluationError as partial:
                self.unfinished = Unfinished(x, int(np.count_nonzero(~np.isnan(partial.costs))))
                raise
            self._append(x, self._evaluator.first_cost(x) + costs)
            self._place[key] = len(self._x) - 1
        return self._place[key]

    def admit(self, result: MasterResult, deadline: Deadline) -> list[int]:
        """Evaluate what a reduced problem found, the decisions met on the way too where that is cheap."""
        if result.x is None:
            return [self.add(x, deadline) for x in result.others[-1:]]
        known = {s: self._evaluator.attained_cost(result.x, y, s) for s, y in result.recourse.items()}
        met = result.others[-MET_ON_THE_WAY:] if self._evaluates_cheaply else ()
        return [self.add(result.x, deadline, known), *(self.add(x, deadline) for x in met)]

    def confirm(self, place: int, deadline: Deadline) -> None:
        """Solve a member's worst scenario again from scratch; if the answer differs, evaluate the member anew."""
        x, scenario = self._x[place], self.worst_scenario(place)
        worst = float(self.totals[place, scenario])
        again = self._evaluator.first_cost(x) + self._evaluator.confirmed_cost(x, scenario, deadline)
        if not math.isclose(again, worst, rel_tol=FEASIBILITY_TOLERANCE, abs_tol=FEASIBILITY_TOLERANCE):
            self._evaluator.forget()
            costs = self._evaluator.evaluate(x, deadline).recourse_costs
            self._totals[place] = self._evaluator.first_cost(x) + costs

    def member(self, place: int) -> Floats:
        return self._x[place]

    def worst_scenario(self, place: int) -> int:
        """The first scenario that costs this member most; of several that it cannot survive, the most severe one."""
        costs = self.totals[place]
        return int(np.argmax(costs)) if np.isfinite(costs.max()) else self.most_expensive(place, np.arange(len(costs)))

    def most_expensive(self, place: int, scenarios: Ints) -> int:
        """Of these scenarios the one that costs this member most; ties go to the most severe, then to the first."""
        costs = self.totals[place, scenarios]
        worst = scenarios[costs == costs.max()]
        return int(worst[np.argmax(self._severity[worst])])

    def infeasible_scenarios(self, place: int) -> Ints:
        """Scenarios in which this member has no recourse, ascending."""
        return np.flatnonzero(self.totals[place] == np.inf)

    def best(self, scenarios: Sequence[int] | None = None) -> tuple[int, float]:
        """
        Place and worst case of the member that is best over these scenarios (None: all); (-1, inf) if empty.

        If none survives all of them, it is the member that fails in the fewest.
        """
        if not self._x:
            return -1, np.inf
        totals = self.totals if scenarios is None else self.totals[:, list(scenarios)]
        worst = totals.max(axis=1)
        place = int(np.argmin(worst))
        if worst[place] == np.inf:
            place = int(np.argmin((totals == np.inf).sum(axis=1)))
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
