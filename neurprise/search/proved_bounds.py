"""
The bounds that a search has proved, held against the decisions that it knows.

A decision whose cost over R is below a proved bound of V(R) shows that an engine was wrong. Such a bound is dropped,
and the search claims no proof any more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from neurprise.search.pool import Pool
from neurprise.solvers.tolerances import ENGINE_PRECISION


class ProvedBounds:
    """
    Bounds of V(R), each larger than those before.

    `refuted` says whether one of them was found wrong.

    Parameters
    ----------
    pool
        The decisions that are known.
    unit
        Of the problem's costs: around zero, precision is measured in it.
    """

    def __init__(self, pool: Pool, unit: float) -> None:
        self._pool = pool
        self._unit = unit
        self._proved: list[tuple[float, tuple[int, ...]]] = []
        self.refuted = False

    @property
    def best(self) -> tuple[float, tuple[int, ...]]:
        """The largest bound, and the scenarios whose V it bounds; -inf and none before the first."""
        return self._proved[-1] if self._proved else (-math.inf, ())

    def add(self, bound: float, scenarios: Sequence[int]) -> None:
        """Somebody proved that V(scenarios) >= bound."""
        if self.best[0] < bound < math.inf:
            self._proved.append((bound, tuple(sorted(set(scenarios)))))

    def drop_refuted(self) -> None:
        """Forget bounds that a known decision refutes."""
        kept = [proved for proved in self._proved if not self._is_refuted(*proved)]
        self.refuted |= len(kept) < len(self._proved)
        self._proved = kept

    def _is_refuted(self, bound: float, scenarios: tuple[int, ...]) -> bool:
        _, attained = self._pool.best(scenarios or None)
        return bound > attained + ENGINE_PRECISION * max(self._unit, abs(attained))
