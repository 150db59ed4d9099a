"""
Many units of work in this process, in processes of this machine, or on a Dask cluster, with the same results.

`completed` hands out units, collects results, tries units of dead workers again, and stops in time. A search keeps
`LastingWorkers`, which hold its problem and answer many questions about it. Short units travel in batches; results do
not depend on that.

When a worker dies, any of the units under way may be the reason. All of them are put aside, and at the end each is
tried alone: the innocent ones then succeed, and a unit that kills its worker even alone is reported.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import InputError, WorkersError, counted

Unit = TypeVar("Unit")
Result = TypeVar("Result")

#: How often a unit may kill its worker while it is the only one under way.
ATTEMPTS_ALONE = 2
#: After this many deaths without a result between them, units are tried alone at once.
_MOST_DEATHS_WITHOUT_RESULT = 3
#: After this many units that kill their workers, the rest is not tried: the workers themselves are broken.
_MOST_FATAL = 8
_SECONDS_BETWEEN_CHECKS = 1.0
#: At most this many units travel together, however short they are: a worker that dies takes them all along.
MOST_UNITS = 64
#: Batches shrink near the end, but not below this share of the wanted seconds: smaller ones would gain less than they
#: cost.
_SMALLEST_SHARE = 0.2
#: Questions that a search asks a cluster at once, whatever its number of workers: so the answers are the same.
AT_ONCE_ON_A_CLUSTER = 8
#: Workers watch the time themselves; this many seconds later, the caller gives up waiting for missing answers.
SECONDS_OF_PATIENCE = 5.0


@dataclass(frozen=True)
class Outcome:
    """The result of one unit, or the exception that it raised."""

    result: Any = None
    error: Exception | None = None


@dataclass(frozen=True)
class Done:
    """The outcomes of a batch, in the order of its units, and the seconds that its worker took."""

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


class Pool(Protocol):
    """Workers for one function. All methods are called from one thread."""

    #: What the future of a batch raises when its worker died.
    deaths: tuple[type[BaseException], ...]
    #: How long a batch of units should take: long beside what it costs to send; 0 for single units.
    batch_seconds: float

    @property
    def window(self) -> int:
        """Batches that may be under way at once: enough to keep every worker busy, few enough to bound memory."""
        ...

    def submit(self, units: Sequence[Any]) -> Future[Done]:
        """Start the function on some units, one after the other."""
        ...

    def renew(self) -> None:
        """Replace workers that died; nothing is under way."""
        ...

    def check(self) -> None:
        """Raise WorkersError when no worker will ever answer; called about once a second."""
        ...

    def close(self, at_once: bool) -> None:
        """Release the workers; `at_once` drops what they are doing."""
        ...


@dataclass(frozen=True)
class Workers:
    """
    Where work is done.

    Parameters
    ----------
    jobs
        Processes on this machine; 1 means this process, unless `apart`.
    cluster
        Address of a Dask scheduler, such as tcp://host:8786, or Dask's Client or LocalCluster, which becomes its
        address; its workers do the work instead.
    apart
        Use another process even for one job, so that a unit that crashes it is reported.
    """

    jobs: int = 1
    cluster: str | None = None
    apart: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "cluster", address_of(self.cluster))
        if self.cluster is not None and self.jobs != 1:
            raise InputError(
                "jobs counts processes of this machine, and a cluster has workers of its own; "
                f"got jobs {self.jobs} and cluster {self.cluster!r}; leave one out."
            )

    @property
    def at_once(self) -> int:
        """Number of questions that a search asks at the same time; 1: this process answers itself."""
        return self.jobs if self.cluster is None else AT_ONCE_ON_A_CLUSTER

    def refuse_absent(self) -> None:
        """Raise InputError if no cluster answers at the address; called before a search begins."""
        if self.cluster is not None:
            from neurprise.parallel.cluster import connect

            connect(self.cluster).close()

    def pool(self, work: Callable[[Any], Any]) -> Pool:
        """Workers for this work. It travels to each of them once or, if it is small, with each batch."""
        if self.cluster is not None:
            from neurprise.parallel.cluster import ClusterPool

            return ClusterPool(self.cluster, work)
        if self.jobs > 1 or self.apart:
            from neurprise.parallel.processes import ProcessPool

            return ProcessPool(self.jobs, work)
        return InProcessPool(work)


def address_of(cluster: Any) -> str | None:
    """The address of a Dask scheduler, given as such or by Dask's Client or cluster."""
    if cluster is None or isinstance(cluster, str):
        return cluster
    address = getattr(cluster, "scheduler_address", None) or getattr(
        getattr(cluster, "scheduler", None), "address", None
    )
    if not isinstance(address, str) or not address:
        raise InputError(
            "cluster must be an address such as 'tcp://host:8786', or a Client or LocalCluster of Dask that runs, got "
            f"{cluster!r}."
        )
    return address


#: The default: no other process.
THIS_PROCESS = Workers()


class InProcessPool:
    """Units are done where they are submitted, with linear algebra on one thread as in every other pool."""

    deaths: tuple[type[BaseException], ...] = ()
    window = 1
    batch_seconds = 0.0

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self._work = work
        from threadpoolctl import threadpool_limits

        self._threads = threadpool_limits(1)

    def submit(self, units: Sequence[Any]) -> Future[Done]:
        future: Future[Done] = Future()
        future.set_result(do_batch(self._work, units))
        return future

    def renew(self) -> None:
        """Nothing to replace."""

    def check(self) -> None:
        """Nothing can be lost."""

    def close(self, at_once: bool) -> None:
        self._threads.restore_original_limits()


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

    An exception, or closing the iterator early, stops the workers. Exceptions of units are raised here.

    Parameters
    ----------
    work
        A small function or callable object that other processes can import.
    deadline
        When it passes, OutOfTimeError is raised and units under way are dropped. A unit in this process is never cut.
    name
        The name of a unit in messages.

    Raises
    ------
    WorkersError
        After all other units: some kill their worker each time they are tried. Or at once: the cluster is gone.
    """
    pool = workers.pool(work)
    finished = False
    try:
        yield from _Units(pool, units, deadline or Deadline(), name).run()
        finished = True
    finally:
        pool.close(at_once=not finished)


def completed_in(pool: Pool, units: Iterable[Unit], deadline: Deadline) -> Iterator[tuple[Unit, Any]]:
    """The same with a pool that the caller keeps and closes."""
    yield from _Units(pool, units, deadline, "unit {}".format).run()


class _Units(Generic[Unit, Result]):
    """The units of one call and the state of each."""

    def __init__(self, pool: Pool, units: Iterable[Unit], deadline: Deadline, name: Callable[[Unit], str]) -> None:
        self._pool, self._deadline, self._name = pool, deadline, name
        self._waiting = deque(units)
        self._suspects: deque[tuple[Unit, int]] = deque()  # with how often each died alone
        self._under_way: dict[Future[Done], list[Unit]] = {}
        self._size = BatchSize(pool.batch_seconds)
        self._fatal: list[Unit] = []
        self._deaths_without_result = 0

    def run(self) -> Iterator[tuple[Unit, Result]]:
        while self._waiting or self._suspects:
            if self._suspects and (not self._waiting or self._deaths_without_result >= _MOST_DEATHS_WITHOUT_RESULT):
                yield from self._try_alone()
            else:
                yield from self._until_a_death()
            if len(self._fatal) >= _MOST_FATAL:
                break
        if self._fatal:
            names = [self._name(unit) for unit in self._fatal]
            raise WorkersError(_fatal_units(names, unfinished=len(self._waiting) + len(self._suspects)))

    def _until_a_death(self) -> Iterator[tuple[Unit, Result]]:
        """Several units at a time, until all are done or a worker dies; then the units under way become suspects."""
        died: list[Unit] = []
        while self._under_way or (self._waiting and not died):
            while self._waiting and not died and len(self._under_way) < self._pool.window:
                number = self._size.next(len(self._waiting), self._pool.window)
                died += self._submit([self._waiting.popleft() for _ in range(number)])
            for unit, result in self._wait():
                if isinstance(result, _Death):
                    died.append(unit)
                else:
                    self._deaths_without_result = 0
                    yield unit, result
        if died:
            self._deaths_without_result += 1
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
                    self._deaths_without_result = 0
                    yield unit, result
        if died:
            self._pool.renew()
            if deaths + 1 < ATTEMPTS_ALONE:
                self._suspects.append((unit, deaths + 1))
            else:
                self._fatal.append(unit)

    def _submit(self, units: list[Unit]) -> list[Unit]:
        """Start a batch; returns its units if the workers are dead."""
        self._check_deadline()
        try:
            self._under_way[self._pool.submit(units)] = units
        except self._pool.deaths:
            return units
        return []

    def _wait(self) -> Iterator[tuple[Unit, Result | _Death]]:
        """The results that finish within a second; then raises the first error of a unit."""
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
            self._check_deadline()
            self._pool.check()

    def _check_deadline(self) -> None:
        if self._deadline.passed:
            raise OutOfTimeError


class _Death:
    """Takes the place of a result if the worker died."""


def _results(units: list[Unit], done: Done, failures: list[BaseException]) -> Iterator[tuple[Unit, Any]]:
    """The results of a batch; adds the error that ended it, if any, to the failures."""
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


def _fatal_units(names: Sequence[str], unfinished: int) -> str:
    rest = f" Not tried any more: {counted(unfinished, 'other')}." if unfinished else ""
    return (
        f"{', '.join(names)} killed the worker each time, {ATTEMPTS_ALONE} times with nothing else under way "
        f"(memory? a crash of the engine?).{rest}"
    )


class Numbered(Protocol):
    """A question with its place among those asked together: 0, 1, ..."""

    @property
    def place(self) -> int: ...


class LastingWorkers:
    """
    Workers that hold one problem and answer many questions about it.

    They are started at the first question, and again after one that was broken off.

    Parameters
    ----------
    work
        Answers a question; holds the problem.
    """

    def __init__(self, workers: Workers, work: Callable[[Any], Any]) -> None:
        self._workers, self._work = workers, work
        self._pool: Pool | None = None

    def answers(self, questions: Sequence[Numbered], seconds: float) -> list[Any]:
        """
        The answers in the order of the questions; None for those that come too late.

        After any exception, Ctrl-C included, the workers drop the questions.

        Parameters
        ----------
        seconds
            Until the deadline of the last question; inf for none.

        Raises
        ------
        WorkersError
            No worker could be started, or a question kills its worker each time.
        """
        found: dict[int, Any] = {}
        try:
            for question, answer in completed_in(self._opened(), questions, Deadline(seconds + SECONDS_OF_PATIENCE)):
                found[question.place] = answer
        except OutOfTimeError:
            self.close()
        except BaseException:
            self.close()
            raise
        return [found.get(question.place) for question in questions]

    def close(self) -> None:
        """End the workers, if there are any, or let go of a cluster's."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close(at_once=True)

    def _opened(self) -> Pool:
        if self._pool is None:
            try:
                self._pool = self._workers.pool(self._work)
            except InputError as error:  # the address was right when the search began
                raise WorkersError(str(error)) from None
        return self._pool
