"""Better decisions around the best one that a search has met, where the family evaluates them quickly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from neurprise.exact.local_search import FlipSearch
from neurprise.exact.session import SearchSession

#: Where masters took more than so many seconds, better decisions are looked for at random for this share of their time:
#: a good decision cuts off most of a hard master's tree.
LONG_MASTERS, WANDERING_SHARE = 1.0, 0.25


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
        self._master_seconds, self._wandering_seconds = 0.0, 0.0

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

    def wander(self, scenarios: Sequence[int]) -> None:
        """Look for a better decision around the best one while masters are slow."""
        pool, deadline = self._session.pool, self._session.deadline
        place, worst_case = pool.best()
        seconds = WANDERING_SHARE * self._master_seconds - self._wandering_seconds
        slow = self._master_seconds > LONG_MASTERS and seconds > 0.0
        if not (slow and self._flips.applies and math.isfinite(worst_case)):
            return
        before, judges = deadline.elapsed, [*scenarios, pool.worst_scenario(place)]
        part = deadline.part(WANDERING_SHARE, most=seconds)
        x, self._polished = self._flips.wander(pool.member(place), worst_case, judges, part)
        pool.add(x, deadline)
        self._wandering_seconds += deadline.elapsed - before
