"""Where work runs: what every pool of workers can do, and which one a caller's options mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from neurprise.errors import InputError
from neurprise.parallel.batches import Done


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
        if self.cluster is not None and self.jobs != 1:
            raise InputError(
                "jobs counts processes of this machine, and a cluster has workers of its own; "
                f"got jobs {self.jobs} and cluster {self.cluster!r}; leave one out."
            )

    def pool(self, work: Callable[[Any], Any]) -> Pool:
        """Workers that can do this work, which travels to each of them once or with each unit, so keep it small."""
        if self.cluster is not None:
            from neurprise.parallel.cluster import ClusterPool

            return ClusterPool(self.cluster, work)
        if self.jobs > 1 or self.apart:
            from neurprise.parallel.processes import ProcessPool

            return ProcessPool(self.jobs, work)
        from neurprise.parallel.in_process import InProcessPool

        return InProcessPool(work)
