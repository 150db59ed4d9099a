"""Where work runs: what every pool of workers can do, and which one a caller's options mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from neurprise.errors import InputError
from neurprise.parallel.batches import Done

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
        from neurprise.parallel.in_process import InProcessPool

        return InProcessPool(work)


#: Nobody but this process.
THIS_PROCESS = Workers()
