"""Several short units in one message: what a message costs is then small beside the work that it carries."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

#: However short units are, so many travel together at most: a worker that dies takes them all along.
MOST_UNITS = 64
#: Batches shrink near the end, but not below this share of the wanted seconds: what could still be gained is less.
_SMALLEST_SHARE = 0.2


@dataclass(frozen=True)
class Outcome:
    """
    What became of one unit.

    Parameters
    ----------
    result
        What the work returned, or
    error
        what it raised.
    """

    result: Any = None
    error: Exception | None = None


@dataclass(frozen=True)
class Done:
    """The outcomes of a batch, in the order of its units, and the seconds that it took its worker."""

    outcomes: list[Outcome]
    seconds: float


def do_batch(work: Callable[[Any], Any], units: Sequence[Any]) -> Done:
    """On a worker: one unit after the other, up to one that raises."""
    start, outcomes = time.perf_counter(), []
    for unit in units:
        try:
            outcomes.append(Outcome(work(unit)))
        except Exception as error:
            outcomes.append(Outcome(error=error))
            break
    return Done(outcomes, time.perf_counter() - start)


class BatchSize:
    """
    How many units the next message carries: as many as fill the wanted seconds, judged by those done so far.

    Parameters
    ----------
    seconds
        That a batch should take its worker; 0 for one unit at a time.
    """

    def __init__(self, seconds: float) -> None:
        self._wanted = seconds
        self._spent, self._done = 0.0, 0

    def learn(self, done: Done) -> None:
        """Take the time of one more batch into account."""
        self._spent += done.seconds
        self._done += len(done.outcomes)

    def next(self, num_waiting: int, num_at_once: int) -> int:
        """At least 1; near the end fewer, so that no worker idles for long while another has many."""
        if self._done == 0 or self._wanted == 0.0:
            return 1
        fill = self._wanted * self._done / max(self._spent, 1e-9)
        fair = num_waiting / (2 * num_at_once)
        return max(1, int(min(fill, max(fair, _SMALLEST_SHARE * fill), MOST_UNITS, num_waiting)))
