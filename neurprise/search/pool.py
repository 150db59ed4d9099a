"""First-stage decisions whose true cost under every scenario is known; each one bounds every V(R) from above."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Bools, Floats, Ints, frozen
from neurprise.clock import Deadline
from neurprise.recourse.engine import PartialEvaluationError, cost_scale
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.master import MasterResult
from neurprise.solvers.tolerances import ENGINE_PRECISION, FEASIBILITY_TOLERANCE

#: Of the decisions that an engine met before its last one, this many of the latest are evaluated.
MET_ON_THE_WAY = 3


@dataclass(frozen=True)
class Unfinished:
    """A decision that was not evaluated on every scenario in time, and on how many it was."""

    x: Floats
    num_checked: int


@dataclass(frozen=True)
class Suspect:
    """
    The scenario that costs a member most as far as is known.

    Parameters
    ----------
    total
        Proved: the member's total cost there is at least this.
    is_worst
        True: the member was evaluated on every scenario, and this is its worst case.
    is_certain
        True: and no warm linear program was trusted to find that.
    """

    scenario: int
    total: float
    is_worst: bool
    is_certain: bool = False


class DecisionPool:
    """
    Evaluated first-stage decisions of one problem.

    `totals[p, s] >= offset + c'x_p + Q(x_p, s)`, so that for any R, V(R) <= min_p max_{s in R} totals[p, s]. The
    largest entry of a complete member is exact, its true worst case; the others too, except where that would be
    expensive. The pool remembers which entries are exact. A member that is not complete costs so much in one scenario
    that it is not worth more time; its unknown entries are inf. `longest_admission` is in seconds.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._evaluates_cheaply = evaluator.has_oracle
        self._severity = evaluator.problem.severity
        self.unit = cost_scale(evaluator.problem).unit
        self._place: dict[bytes, int] = {}
        self._x: list[Floats] = []
        self._suspects: list[Suspect] = []
        self._undominated = evaluator.dominators == np.arange(evaluator.problem.num_scenarios)
        self._totals = np.empty((16, evaluator.problem.num_scenarios))
        self._exact = np.zeros(self._totals.shape, dtype=bool)
        self._all_exact = np.ones(evaluator.problem.num_scenarios, dtype=bool)
        self.unfinished: Unfinished | None = None
        self.longest_admission = 0.0

    def __len__(self) -> int:
        return len(self._x)

    @property
    def totals(self) -> Floats:
        """Total cost of every member under every scenario, shape (len(self), S)."""
        return self._totals[: len(self._x)]

    def add(
        self,
        x: Floats,
        deadline: Deadline | None = None,
        known: Mapping[int, float] | None = None,
        *,
        suspected: Sequence[int] = (),
        enough: float | None = None,
    ) -> int:
        """
        Evaluate x unless that was done before, and return its place; may raise OutOfTimeError.

        Parameters
        ----------
        known
            Cost of a recourse that is feasible for x, by scenario.
        suspected
            Scenarios to look at first.
        enough
            A scenario with at least this total cost ends the evaluation, and bounds may replace exact costs that do
            not matter for the worst case; None evaluates as exactly as `Evaluator.upper_costs` does.
        """
        x = self._evaluator.rounded(x) + 0.0  # + 0.0 turns -0.0 into 0.0
        key = x.tobytes()
        if key not in self._place or not self._is_known(self._place[key], enough):
            try:
                totals, exact, suspect = self._evaluated(x, deadline or Deadline(), known, suspected, enough)
            except PartialEvaluationError as partial:
                self.unfinished = Unfinished(x, int(np.count_nonzero(~np.isnan(partial.costs))))
                raise
            if key in self._place:  # what was known of single scenarios is not forgotten
                before = self._place[key]
                totals, exact = np.minimum(totals, self._totals[before]), exact | self._exact[before]
            self._store(key, x, totals, exact, suspect)
        return self._place[key]

    def add_evaluated(self, x: Floats, recourse_costs: Floats) -> None:
        """Keep x, whose costs under every scenario, shape (S,), are known without an engine."""
        x = self._evaluator.rounded(x) + 0.0
        totals = self._evaluator.first_cost(x) + recourse_costs
        self._store(x.tobytes(), x, totals, self._all_exact, worst_of_all(totals, is_certain=True))

    def admit(self, result: MasterResult, deadline: Deadline, enough: float | None = None) -> list[int]:
        """Evaluate what a reduced problem found, the decisions met on the way too where that is cheap."""
        before = deadline.elapsed
        places = self._added(result, deadline, enough)
        self.longest_admission = max(self.longest_admission, deadline.elapsed - before)
        return places

    def _added(self, result: MasterResult, deadline: Deadline, enough: float | None) -> list[int]:
        if result.x is None:
            return [self.add(x, deadline, enough=enough) for x in result.others[-1:]]
        met = result.others[-MET_ON_THE_WAY:] if self._evaluates_cheaply else ()
        first = self.add(result.x, deadline, result.attained, suspected=result.binding, enough=enough)
        return [first, *(self.add(x, deadline, enough=enough) for x in met)]

    def half_evaluated(self) -> Unfinished | None:
        """The latest decision that was evaluated in part only; None if there is none."""
        if self.unfinished is not None or not self._x:
            return self.unfinished
        return Unfinished(self._x[-1], int(np.count_nonzero(self.totals[-1] < np.inf)))

    def suspect(self, place: int) -> Suspect:
        """What is known about this member's worst case."""
        return self._suspects[place]

    def complete(self, place: int, deadline: Deadline) -> None:
        """Evaluate a member to the end."""
        self.add(self._x[place], deadline, enough=math.inf)

    def worst_of(self, place: int, scenarios: Sequence[int], deadline: Deadline) -> float:
        """This member's worst total cost over some scenarios, exactly; may raise OutOfTimeError."""
        totals, asked = self._totals[place], np.asarray(scenarios, dtype=np.int64)
        worst = self.most_over(place, scenarios)
        if len(asked) == 0 or self._exact[place, asked[totals[asked] == worst]].any():
            return worst
        # The largest bound may be too high, and then so is every other.
        x = self._x[place]
        first = self._evaluator.first_cost(x)
        known = {s: float(totals[s]) - first for s in asked.tolist() if totals[s] < np.inf}
        found = self._evaluator.bounds_of(x, asked.tolist(), deadline, known)
        totals[asked] = first + found.upper[asked]
        self._exact[place, found.scenario] = True
        return first + found.lower

    def missing(
        self, place: int, scenarios: Sequence[int], deadline: Deadline, among: Sequence[int] | None = None
    ) -> int | None:
        """
        The scenario outside R that costs this member more than all of R does; None if there is none.

        Of several that leave it without recourse, the most severe one. A member that was not evaluated on every
        scenario is evaluated as far as the answer needs; may raise OutOfTimeError.

        Parameters
        ----------
        scenarios
            R.
        among
            The scenarios that count; None for all.
        """
        counting = np.arange(len(self._severity)) if among is None else np.asarray(among, dtype=np.int64)
        others = np.setdiff1d(counting, scenarios)
        if len(others) == 0:
            return None
        suspect = self.suspect(place)
        if suspect.is_worst and among is None and suspect.scenario in others:
            # An upper bound of what R costs often shows already that this scenario costs more.
            known = self.most_over(place, scenarios)
            if suspect.total > known + self.margin(known):
                return self.most_expensive(place, others)
        known = self.worst_of(place, scenarios, deadline)
        if not suspect.is_worst and suspect.scenario in others and suspect.total > known + self.margin(known):
            return suspect.scenario  # there may be a worse one, but this decision is not worth the search
        if among is None:
            self.complete(place, deadline)
        worst_of_others = self.worst_of(place, others.tolist(), deadline)
        return self.most_expensive(place, others) if worst_of_others > known + self.margin(known) else None

    def margin(self, cost: float) -> float:
        """By how much another cost must exceed this one to count as larger."""
        return FEASIBILITY_TOLERANCE * max(self.unit, abs(cost)) if math.isfinite(cost) else 0.0

    def most_over(self, place: int, scenarios: Sequence[int]) -> float:
        """An upper bound on this member's worst total cost over some scenarios, from what is known."""
        return float(self._totals[place, list(scenarios)].max(initial=-np.inf))

    def confirm(self, place: int, deadline: Deadline) -> None:
        """
        Solve a member's worst scenario again from scratch, and price it in plain arithmetic.

        If the answer differs by more than the tolerance, every scenario is.
        """
        x, scenario = self._x[place], self.worst_scenario(place)
        worst = float(self.totals[place, scenario])
        again = self._evaluator.first_cost(x) + self._evaluator.confirmed_cost(x, scenario, deadline)
        if not math.isclose(again, worst, rel_tol=FEASIBILITY_TOLERANCE, abs_tol=FEASIBILITY_TOLERANCE * self.unit):
            self._evaluator.forget()
            costs = [self._evaluator.confirmed_cost(x, s, deadline) for s in range(len(self.totals[place]))]
            totals = self._evaluator.first_cost(x) + np.array(costs)
            self._store(x.tobytes(), x, totals, self._all_exact, worst_of_all(totals, is_certain=True))
        else:
            self._totals[place, scenario] = max(again, worst)

    def exact_totals(self, x: Floats) -> Floats | None:
        """Total cost of a member under every scenario, shape (S,), where each of them is known exactly."""
        place = self._place.get((self._evaluator.rounded(x) + 0.0).tobytes(), -1)
        return frozen(self._totals[place].copy()) if place >= 0 and self._exact[place].all() else None

    def member(self, place: int) -> Floats:
        return self._x[place]

    def worst_scenario(self, place: int) -> int:
        """The first scenario that costs this member most; of several that it cannot survive, the most severe one."""
        suspect = self._suspects[place]
        if math.isfinite(suspect.total) or not suspect.is_worst:
            return suspect.scenario
        return self.most_expensive(place, np.arange(len(self.totals[place])))

    def most_expensive(self, place: int, scenarios: Ints) -> int:
        """Of these scenarios the one that costs this member most; ties go to the most severe, then to the first."""
        costs = self.totals[place, scenarios]
        worst = scenarios[costs == costs.max()]
        # A dominated scenario has its dominator's bound, which may be too high for it.
        own = worst[self._undominated[worst]]
        worst = own if len(own) else worst
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
        complete = [place for place, suspect in enumerate(self._suspects) if suspect.is_worst]
        usual = self.totals[complete[-1]] if complete else self._severity
        return np.argsort(-usual, kind="stable").tolist()  # type: ignore[no-any-return]

    def _is_known(self, place: int, enough: float | None) -> bool:
        """Whether this member's evaluation went as far as is asked for."""
        suspect = self._suspects[place]
        return suspect.is_worst or (enough is not None and suspect.total >= enough)

    def _evaluated(
        self,
        x: Floats,
        deadline: Deadline,
        known: Mapping[int, float] | None,
        suspected: Sequence[int],
        enough: float | None,
    ) -> tuple[Floats, Bools, Suspect]:
        """Total costs, which of them are exact, each of shape (S,), and the worst of them."""
        first, order = self._evaluator.first_cost(x), self._likely_worst_first()
        order = list(dict.fromkeys([*suspected, *order])) if suspected else order
        exact = np.full(len(self._severity), self._evaluator.knows_every_cost(enough))
        if enough is None:
            totals = first + self._evaluator.upper_costs(x, order, deadline, known)
            suspect = worst_of_all(np.where(self._undominated, totals, -np.inf))
        else:
            found = self._evaluator.bounds(x, order, deadline, known, enough - first)
            totals = first + found.upper
            suspect = Suspect(found.scenario, first + found.lower, found.complete, found.certain)
        exact[suspect.scenario] |= suspect.is_worst
        return totals, exact, suspect

    def _store(self, key: bytes, x: Floats, totals: Floats, exact: Bools, suspect: Suspect) -> None:
        place = self._place.setdefault(key, len(self._x))
        if place == len(self._x):
            self._x.append(x)
            self._suspects.append(suspect)
        if place == len(self._totals):
            self._totals = np.concatenate([self._totals, np.empty_like(self._totals)])
            self._exact = np.concatenate([self._exact, np.zeros_like(self._exact)])
        self._totals[place], self._exact[place] = totals, exact
        self._suspects[place] = suspect


def worst_of_all(totals: Floats, *, is_certain: bool = False) -> Suspect:
    """The first scenario of largest cost, by the exact costs of all."""
    scenario = int(np.argmax(totals))
    return Suspect(scenario, float(totals[scenario]), is_worst=True, is_certain=is_certain)


class ProvedBounds:
    """
    Bounds of V(R), each larger than those before.

    `refuted` says whether one of them was found wrong.

    Parameters
    ----------
    pool
        The decisions that are known.
    """

    def __init__(self, pool: DecisionPool) -> None:
        self._pool = pool
        self._proved: list[tuple[float, tuple[int, ...]]] = []
        self.refuted = False

    @property
    def best(self) -> tuple[float, tuple[int, ...]]:
        """The largest bound, and the scenarios whose V it bounds; -inf and none before the first."""
        return self._proved[-1] if self._proved else (-math.inf, ())

    def add(self, bound: float, scenarios: Sequence[int]) -> None:
        """Keep a proved bound V(scenarios) >= bound."""
        if self.best[0] < bound < math.inf:
            self._proved.append((bound, tuple(sorted(set(scenarios)))))

    def drop_refuted(self) -> None:
        """Forget bounds that a known decision refutes."""
        kept = [proved for proved in self._proved if not self._is_refuted(*proved)]
        self.refuted |= len(kept) < len(self._proved)
        self._proved = kept

    def _is_refuted(self, bound: float, scenarios: tuple[int, ...]) -> bool:
        _, attained = self._pool.best(scenarios or None)
        return bound > attained + ENGINE_PRECISION * max(self._pool.unit, abs(attained))
