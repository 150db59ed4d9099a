"""Decisions around the best one that a search has met, where the family evaluates them quickly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from neurprise.arrays import Floats
from neurprise.search.local_search import FlipSearch
from neurprise.search.session import SearchSession

#: Where masters took more than so many seconds, scenarios to add are looked for by flips; in vain for no longer than
#: these seconds and this share of the masters' time.
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
        Scenarios that R lacks, found without a master; None where that is not worth its time.

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
            worst = session.adversary(place, [*scenarios, *added], within)
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
