"""Wall-clock time that is left, and the seconds of compiling that no time limit counts."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType


class CompileClock:
    """
    Wall-clock seconds in which compiled code was made or loaded, by any thread; a context that may be nested.

    Where several threads compile at once their seconds count once, so that what is left never runs backwards.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._since = 0.0
        self._before = 0.0

    def __enter__(self) -> None:
        with self._lock:
            if self._running == 0:
                self._since = time.perf_counter()
            self._running += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._lock:
            if self._running == 1:
                self._before += time.perf_counter() - self._since
            self._running = max(self._running - 1, 0)  # an interrupt may end what it kept from starting

    @property
    def seconds(self) -> float:
        """Since the process started, what is under way included."""
        with self._lock:
            return self._seconds_at(time.perf_counter())

    def counted_time(self) -> float:
        """Wall-clock seconds from some fixed moment on that stand still while code is compiled or loaded."""
        with self._lock:
            now = time.perf_counter()
            return now - self._seconds_at(now)

    def _seconds_at(self, now: float) -> float:
        return self._before + (now - self._since if self._running else 0.0)


#: Of this process; `neurprise.compiled` runs it.
compiling = CompileClock()


class OutOfTimeError(Exception):
    """The deadline passed; callers keep what they had before."""


class Deadline:
    """
    Counts wall-clock seconds from its creation, but not those spent compiling or loading compiled code.

    A time limit buys the same search whether or not this is the first run after an installation.

    Parameters
    ----------
    time_limit
        Seconds until the deadline; None or inf for none.
    """

    def __init__(self, time_limit: float | None = None) -> None:
        self._start = compiling.counted_time()
        self._limit = math.inf if time_limit is None else time_limit

    @property
    def elapsed(self) -> float:
        """Seconds since the start, without compiling."""
        return compiling.counted_time() - self._start

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

    @contextmanager
    def share(self, share: float, most: float | None = None) -> Iterator[None]:
        """Inside the block, this deadline is `part(share, most)`."""
        whole, self._limit = self._limit, self.part(share, most)._limit
        try:
            yield
        finally:
            self._limit = whole

    @property
    def overdue(self) -> float:
        """Seconds since the deadline, at least 0."""
        return max(self.elapsed - self._limit, 0.0)

    @property
    def passed(self) -> bool:
        return self.remaining <= 0.0
