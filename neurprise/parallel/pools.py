"""Where work runs: batches of units, what every pool of workers can do, and which pool a caller's options mean."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from neurprise.errors import InputError

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


#: So many questions a search asks a cluster at once; however many workers there are, so that answers are the same.
AT_ONCE_ON_A_CLUSTER = 8


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
    Who does the work.

    Parameters
    ----------
    jobs
        Processes on this machine; 1 is this process itself, unless `apart`.
    cluster
        Address of a Dask scheduler, such as tcp://host:8786; its workers do the work instead.
    apart
        One job is not this process but one of its own: a unit that crashes it is then reported.
    """

    jobs: int = 1
    cluster: str | None = None
    apart: bool = False

    def __post_init__(self) -> None:
        if not (self.cluster is None or isinstance(self.cluster, str)):
            raise InputError(f"cluster must be an address such as 'tcp://host:8786', got {self.cluster!r}.")
        if self.cluster is not None and self.jobs != 1:
            raise InputError(
                "jobs counts processes of this machine, and a cluster has workers of its own; "
                f"got jobs {self.jobs} and cluster {self.cluster!r}; leave one out."
            )

    @property
    def at_once(self) -> int:
        """How many questions of one search they are asked at the same time; 1: this process answers itself."""
        return self.jobs if self.cluster is None else AT_ONCE_ON_A_CLUSTER

    def refuse_absent(self) -> None:
        """Raise InputError where nobody answers at the cluster's address: before a search begins, not in its midst."""
        if self.cluster is not None:
            from neurprise.parallel.cluster import connect

            connect(self.cluster).close()

    def pool(self, work: Callable[[Any], Any]) -> Pool:
        """Workers that can do this work, which travels to each of them once, or, if it is small, with each batch."""
        if self.cluster is not None:
            from neurprise.parallel.cluster import ClusterPool

            return ClusterPool(self.cluster, work)
        if self.jobs > 1 or self.apart:
            from neurprise.parallel.processes import ProcessPool

            return ProcessPool(self.jobs, work)
        from neurprise.parallel.pools import InProcessPool

        return InProcessPool(work)


#: Nobody but this process.
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
        """This process is not dead."""

    def check(self) -> None:
        """This process answers."""

    def close(self, at_once: bool) -> None:
        self._threads.restore_original_limits()
