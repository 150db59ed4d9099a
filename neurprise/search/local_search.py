"""Improve a binary decision by single flips, and use flips to find scenarios that R lacks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.problem import TwoStageProblem
from neurprise.problem.contract import EVERY
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.session import SearchSession

#: Entries that a kick flips: from, and below.
KICKED = (2, 6)


class FlipSearch:
    """
    First-improvement descent over single flips, on the true worst case Z(x) or on that over a few scenarios.

    Parameters
    ----------
    evaluator
        Of the whole problem; `applies` says whether its family has what the search needs.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._problem = evaluator.problem
        self._random = np.random.default_rng(0)
        self.applies = self._is_binary() and evaluator.has_oracle

    def improve(
        self, x: Floats, worst_case: float, scenarios: Sequence[int], deadline: Deadline
    ) -> tuple[Floats, float]:
        """
        The end of the descent from x and its worst case; no better than given when the time is over at once.

        A flip is first judged on these scenarios; only if it survives, on all of them.
        """
        few = self._problem.restrict(sorted(set(scenarios)))
        best, value = x, worst_case
        untried = list(range(len(x)))
        while untried and not deadline.passed:
            flipped = _flip(best, untried.pop())
            if self._breaks_a_row(flipped) or _total_costs(few, flipped).max() >= value:
                continue
            found = self._evaluator.evaluate(flipped).worst_case
            if found < value:
                best, value = flipped, found
                untried = list(range(len(x)))
        return best, value

    def below(self, target: float, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Floats | None:
        """
        A decision that costs less than `target` under each of these scenarios; None if none was found in time.

        The end of one of many descents, each from the best one so far with some entries flipped at random: iterated
        local search [Lourenco, Martin and Stuetzle 2003].
        """
        few = self._problem.restrict(sorted(set(scenarios)))
        best, value = self._descended(few, x, deadline)
        while value >= target:
            if deadline.passed:
                return None
            places = self._random.choice(len(x), size=min(len(x), int(self._random.integers(*KICKED))), replace=False)
            kicked = np.array(best)
            kicked[places] = 1 - kicked[places]
            if self._breaks_a_row(kicked):
                continue
            found, cost = self._descended(few, kicked, deadline)
            if cost <= value:
                best, value = found, cost
        return best

    def _descended(self, few: TwoStageProblem, x: Floats, deadline: Deadline) -> tuple[Floats, float]:
        """
        The end of a descent on the worst case over all scenarios of `few`, or where the time was over; its cost.

        A flip is first judged on the scenario that costs the present decision most.
        """
        best, costs = x, _total_costs(few, x)
        untried = self._random.permutation(len(x)).tolist()
        while untried and not deadline.passed:
            flipped, worst = _flip(best, untried.pop()), int(np.argmax(costs))
            if self._breaks_a_row(flipped) or not _total_costs(few, flipped, slice(worst, worst + 1))[0] < costs[worst]:
                continue
            found = _total_costs(few, flipped)
            if found.max() < costs[worst]:
                best, costs = flipped, found
                untried = self._random.permutation(len(x)).tolist()
        return best, float(costs.max())

    def _breaks_a_row(self, x: Floats) -> bool:
        first = self._problem.first_stage
        if len(first.row_lower) == 0:
            return False
        rows = first.matrix @ x
        return bool((rows < first.row_lower).any() or (rows > first.row_upper).any())

    def _is_binary(self) -> bool:
        first = self._problem.first_stage
        return bool(first.integer.all() and (first.lower == 0).all() and (first.upper == 1).all())


def _total_costs(problem: TwoStageProblem, x: Floats, scenarios: slice = EVERY) -> Floats:
    """Total costs of x by the family's oracle; nan, which is below nothing and above nothing, where it gives up."""
    assert problem.oracle is not None
    costs: Floats = problem.offset + problem.first_stage.costs @ x + problem.oracle.recourse_costs(x, scenarios)
    return costs


def _flip(x: Floats, place: int) -> Floats:
    flipped = np.array(x)
    flipped[place] = 1 - flipped[place]
    return flipped


#: After this many seconds in masters, flips look for scenarios to add. Looking without success may take the second
#: number of seconds and this share of the masters' time.
LONG_MASTERS, FRUITLESS_SECONDS, FRUITLESS_SHARE = 1.0, 1.5, 0.25


class Polish:
    """
    Flips around the best decision of a session's pool.

    Parameters
    ----------
    session
        Its pool is improved, its deadline is kept.
    """

    def __init__(self, session: SearchSession) -> None:
        self._session = session
        self._flips = FlipSearch(session.evaluator)
        self._polished = math.inf
        self._master_seconds, self._fruitless_seconds = 0.0, 0.0

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Inside, a master is solved."""
        before = self._session.deadline.elapsed
        yield
        self._master_seconds += self._session.deadline.elapsed - before

    def descend(self, scenarios: Sequence[int]) -> None:
        """Descend from the best decision whenever there is a new one, judged on these scenarios first."""
        pool, deadline = self._session.pool, self._session.deadline
        place, worst_case = pool.best()
        if self._flips.applies and math.isfinite(worst_case) and worst_case < self._polished:
            judges = [*scenarios, pool.worst_scenario(place)]
            x, self._polished = self._flips.improve(pool.member(place), worst_case, judges, deadline)
            pool.add(x, deadline)

    def scenarios_to_add(
        self, scenarios: Sequence[int], target: float, within: Sequence[int] | None
    ) -> list[int] | None:
        """
        Scenarios that R lacks, found without a master; None if that is not worth its time.

        A decision whose cost over R is below that of the best one known is better under every scenario, or shows one
        that R lacks, as a master's own would. Flips find such decisions in milliseconds while there are many.

        Parameters
        ----------
        target
            What must be undercut; decisions that are better everywhere lower it by as much as they are better.
        within
            The scenarios that count; None for all.
        """
        slow = self._master_seconds > LONG_MASTERS and self._seconds_left > 0.0
        if not (slow and self._flips.applies and math.isfinite(target)):
            return None
        session, added = self._session, list[int]()
        margin = session.pool.best(within)[1] - target
        while (x := self._below(target, [*scenarios, *added], within)) is not None:
            place = session.pool.add(x, session.deadline)
            self.descend(scenarios)
            worst = session.pool.missing(place, [*scenarios, *added], session.deadline, within)
            best = session.pool.best(within)[1]
            if worst is None and best >= target:  # by less than tolerances tell
                break
            target = min(target, best - margin)
            added += [] if worst is None else [worst]
        return added

    @property
    def _seconds_left(self) -> float:
        return FRUITLESS_SECONDS + FRUITLESS_SHARE * self._master_seconds - self._fruitless_seconds

    def _below(self, target: float, scenarios: Sequence[int], within: Sequence[int] | None) -> Floats | None:
        pool, deadline = self._session.pool, self._session.deadline
        before, part = deadline.elapsed, deadline.part(FRUITLESS_SHARE, most=self._seconds_left)
        found = self._flips.below(target, pool.member(pool.best(within)[0]), scenarios, part)
        if found is None:
            self._fruitless_seconds += deadline.elapsed - before
        return found
