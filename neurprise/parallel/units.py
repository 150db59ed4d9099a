"""
Doing many units: a bounded number at a time, results as they come, the units of dead workers again.

Short units travel in batches (batches.py); results do not depend on that.

When a worker dies, nobody knows which of the units under way was the reason. All of them are put aside, and at the end
each is tried alone: the innocent ones then succeed, and one that kills its worker even alone is reported.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from typing import Any, Generic, TypeVar

from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import WorkersError, counted
from neurprise.parallel.pools import BatchSize, Done, Pool, Workers

Unit = TypeVar("Unit")
Result = TypeVar("Result")

#: How often a unit may kill its worker while it is the only one under way.
ATTEMPTS_ALONE = 2
#: So many deaths without any result between them, and units are tried alone at once.
_BARREN_DEATHS = 3
#: So many units that kill their workers, and the rest is not tried: the workers themselves are broken.
_MOST_DEADLY = 8
_SECONDS_BETWEEN_CHECKS = 1.0


def completed(
    work: Callable[[Unit], Result],
    units: Iterable[Unit],
    workers: Workers,
    deadline: Deadline | None = None,
    *,
    name: Callable[[Unit], str] = "unit {}".format,
) -> Iterator[tuple[Unit, Result]]:
    """
    Every unit with `work(unit)`, in the order in which they finish.

    Leaving early, by an exception or by closing the iterator, stops the workers. What a unit raises is raised here.

    Parameters
    ----------
    work
        A function, or an object that can be called, that other processes can import; small, see `Workers.pool`.
    deadline
        Raises OutOfTimeError when it passes; what is under way then is dropped. One unit in this process is never cut.
    name
        What a report calls a unit.

    Raises
    ------
    WorkersError
        After all other units: some kill their worker each time they are tried. At once: the cluster is gone.
    """
    pool = workers.pool(work)
    finished = False
    try:
        yield from _Units(pool, units, deadline or Deadline(), name).run()
        finished = True
    finally:
        pool.close(at_once=not finished)


def completed_in(pool: Pool, units: Iterable[Unit], deadline: Deadline) -> Iterator[tuple[Unit, Any]]:
    """The same with workers that stay: for one who asks again and again, and closes the pool in the end."""
    yield from _Units(pool, units, deadline, "unit {}".format).run()


class _Units(Generic[Unit, Result]):
    """The units of one call and where each of them stands."""

    def __init__(self, pool: Pool, units: Iterable[Unit], deadline: Deadline, name: Callable[[Unit], str]) -> None:
        self._pool, self._deadline, self._name = pool, deadline, name
        self._waiting = deque(units)
        self._suspects: deque[tuple[Unit, int]] = deque()  # with how often each died alone
        self._under_way: dict[Future[Done], list[Unit]] = {}
        self._size = BatchSize(pool.batch_seconds)
        self._deadly: list[Unit] = []
        self._barren_deaths = 0

    def run(self) -> Iterator[tuple[Unit, Result]]:
        while self._waiting or self._suspects:
            if self._suspects and (not self._waiting or self._barren_deaths >= _BARREN_DEATHS):
                yield from self._try_alone()
            else:
                yield from self._until_a_death()
            if len(self._deadly) >= _MOST_DEADLY:
                break
        if self._deadly:
            names = [self._name(unit) for unit in self._deadly]
            raise WorkersError(_obituary(names, unfinished=len(self._waiting) + len(self._suspects)))

    def _until_a_death(self) -> Iterator[tuple[Unit, Result]]:
        """Units in company, until all are done or a worker dies; then the units under way become suspects."""
        died: list[Unit] = []
        while self._under_way or (self._waiting and not died):
            while self._waiting and not died and len(self._under_way) < self._pool.window:
                number = self._size.next(len(self._waiting), self._pool.window)
                died += self._submit([self._waiting.popleft() for _ in range(number)])
            for unit, result in self._wait():
                if isinstance(result, _Death):
                    died.append(unit)
                else:
                    self._barren_deaths = 0
                    yield unit, result
        if died:
            self._barren_deaths += 1
            self._suspects.extend((unit, 0) for unit in died)
            self._pool.renew()

    def _try_alone(self) -> Iterator[tuple[Unit, Result]]:
        """One suspect, with nothing else under way."""
        unit, deaths = self._suspects.popleft()
        died = bool(self._submit([unit]))
        while self._under_way:
            for _, result in self._wait():
                if isinstance(result, _Death):
                    died = True
                else:
                    self._barren_deaths = 0
                    yield unit, result
        if died:
            self._pool.renew()
            if deaths + 1 < ATTEMPTS_ALONE:
                self._suspects.append((unit, deaths + 1))
            else:
                self._deadly.append(unit)

    def _submit(self, units: list[Unit]) -> list[Unit]:
        """Start a batch; returns it when the workers turn out to be dead."""
        self._look_at_the_clock()
        try:
            self._under_way[self._pool.submit(units)] = units
        except self._pool.deaths:
            return units
        return []

    def _wait(self) -> Iterator[tuple[Unit, Result | _Death]]:
        """What has finished within a second; what a unit raised is raised after the results of others."""
        seconds = min(_SECONDS_BETWEEN_CHECKS, self._deadline.remaining)
        finished, _ = wait(self._under_way, seconds, FIRST_COMPLETED)
        failures: list[BaseException] = []
        for future in finished:
            units, error = self._under_way.pop(future), _error_of(future)
            if error is None:
                self._size.learn(future.result())
                yield from _results(units, future.result(), failures)
            elif isinstance(error, self._pool.deaths):
                yield from ((unit, _Death()) for unit in units)
            else:
                failures.append(error)
        if failures:
            raise failures[0]
        if not finished:
            self._look_at_the_clock()
            self._pool.check()

    def _look_at_the_clock(self) -> None:
        if self._deadline.passed:
            raise OutOfTimeError


class _Death:
    """In the place of a result: the worker died."""


def _results(units: list[Unit], done: Done, failures: list[BaseException]) -> Iterator[tuple[Unit, Any]]:
    """The results of a batch; what one of its units raised, which ended it, joins the failures."""
    for unit, outcome in zip(units, done.outcomes, strict=False):
        if outcome.error is None:
            yield unit, outcome.result
        else:
            failures.append(outcome.error)


def _error_of(future: Future[Any]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError:
        return WorkersError("the cluster has dropped the work; it was restarted or shut down.")


def _obituary(names: Sequence[str], unfinished: int) -> str:
    rest = f" Not tried any more: {counted(unfinished, 'other')}." if unfinished else ""
    return (
        f"{', '.join(names)} killed the worker each time, {ATTEMPTS_ALONE} times with nothing else under way "
        f"(memory? a crash of the engine?).{rest}"
    )
