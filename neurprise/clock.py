"""Wall-clock time that is left."""

from __future__ import annotations

import math
import time


class OutOfTimeError(Exception):
    """The deadline passed; callers keep what they had before."""


class Deadline:
    """
    Counts wall-clock seconds from its creation.

    Parameters
    ----------
    time_limit
        Seconds until the deadline; None or inf for none.
    """

    def __init__(self, time_limit: float | None = None) -> None:
        self._start = time.perf_counter()
        self._limit = math.inf if time_limit is None else time_limit

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start

    @property
    def remaining(self) -> float:
        """Seconds left, at least 0; inf without a limit."""
        return max(self._limit - self.elapsed, 0.0)

    def part(self, share: float, most: float | None = None) -> Deadline:
        """A deadline with the same start after that share of the remaining seconds, and at most `most` of them."""
        seconds = min(share * self.remaining, math.inf if most is None else most)
        sooner = Deadline(self.elapsed + seconds)
        sooner._start = self._start
        return sooner

    @property
    def overdue(self) -> float:
        """Seconds since the deadline, at least 0."""
        return max(self.elapsed - self._limit, 0.0)

    @property
    def passed(self) -> bool:
        return self.remaining <= 0.0
