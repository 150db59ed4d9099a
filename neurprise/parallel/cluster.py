"""Workers of a Dask cluster, on any number of machines."""

from __future__ import annotations

import functools
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from importlib import metadata
from typing import Any
from weakref import WeakSet

from neurprise.errors import InputError, MissingDependencyError, WorkersError
from neurprise.parallel.workers import Done, do_batch

#: Names and versions, in a form that can be a key.
Versions = tuple[tuple[str, str], ...]

_PACKAGES = ("neurprise", "numpy", "scipy", "highspy", "numba", "scikit-learn")


def installed_versions() -> dict[str, str]:
    """Versions in this process by name; Python without its last number, "none" for packages that are not installed."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"python": python, **{name: _version(name) for name in _PACKAGES}}


def differing(here: Mapping[str, str], there: Mapping[str, str]) -> list[str]:
    """The names whose versions differ."""
    return [name for name, version in here.items() if there.get(name, "none") != version]


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"


try:
    import dask.config
    from distributed import Client
    from distributed.protocol.pickle import dumps, loads
    from distributed.scheduler import KilledWorker
except ImportError as error:
    raise MissingDependencyError(
        f"A cluster needs Dask ({error}); install it with: pip install 'neurprise[cluster]'."
    ) from None

SECONDS_TO_CONNECT = 10.0
#: How long a cluster may be without any worker before the work is given up.
SECONDS_WITHOUT_WORKERS = 60.0
_SECONDS_BETWEEN_LOOKS = 1.0
#: Work of more bytes does not travel with every batch; workers get it from each other and keep it.
_LARGE = 10_000


class ClusterPool:
    """
    All workers of one scheduler, also those that join later.

    Dask itself repeats the units of a dead worker on others, and gives up a unit whose workers died several times
    (`distributed.scheduler.allowed-failures`).
    """

    deaths: tuple[type[BaseException], ...] = (KilledWorker,)
    batch_seconds = 0.5  # a message takes about ten milliseconds

    def __init__(self, address: str, work: Callable[[Any], Any]) -> None:
        self._address = address
        self._client = connect(address)
        self._executor = self._client.get_executor(pure=False)
        self._versions = tuple(installed_versions().items())
        self._work = self._sent(work)
        self._submitted: WeakSet[Future[Done]] = WeakSet()
        self._looked = self._seen = time.monotonic()
        self._num_threads = self._count_threads()

    @property
    def window(self) -> int:
        self._look()
        return max(2 * self._num_threads, 1)

    def submit(self, units: Sequence[Any]) -> Future[Done]:
        future: Future[Done] = self._executor.submit(_do, self._versions, self._work, units)
        self._submitted.add(future)
        return future

    def _sent(self, work: Callable[[Any], Any]) -> Any:
        """The work itself, or of a large one the future of a task that any worker can repeat: Dask does when its last
        holder died, which it cannot for scattered data."""
        data = dumps(work)
        if len(data) <= _LARGE:
            return work
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": len(data) * 2 + _LARGE}):
            return self._client.submit(_unpacked, self._versions, data, pure=False)

    def renew(self) -> None:
        """Nannies start new workers."""

    def check(self) -> None:
        self._look()
        if self._client.status not in ("running", "connecting"):
            raise WorkersError(f"the cluster at {self._address} is gone.")
        if time.monotonic() - self._seen > SECONDS_WITHOUT_WORKERS:
            raise WorkersError(
                f"the cluster at {self._address} has had no worker for {SECONDS_WITHOUT_WORKERS:g} s; start one with: "
                f"dask worker {self._address} --nthreads 1."
            )

    def close(self, at_once: bool) -> None:
        if self._client.status == "running" and not all(future.done() for future in self._submitted):
            self._executor.shutdown(wait=not at_once)
        self._client.close()

    def _look(self) -> None:
        """Count the workers, once a second."""
        now = time.monotonic()
        if now - self._looked > _SECONDS_BETWEEN_LOOKS and self._client.status == "running":
            self._looked, self._num_threads = now, self._count_threads()
        if self._num_threads:
            self._seen = now

    def _count_threads(self) -> int:
        try:
            return sum(self._client.nthreads().values())
        except (OSError, CancelledError):
            raise WorkersError(f"the cluster at {self._address} is gone.") from None


def connect(address: str) -> Any:
    """A client of the scheduler at this address; raises InputError if there is none."""
    if address.startswith("tls://") and not dask.config.get("distributed.comm.tls.ca-file", None):
        raise InputError(
            f"{address} needs certificates; name them in Dask's configuration, e.g. "
            "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, __CLIENT__CERT and __CLIENT__KEY (docs/scaling.md)."
        )
    try:
        return Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            f"the cluster must be the address of a Dask scheduler, such as tcp://host:8786, got {address!r} ({error}); "
            "start one with: dask scheduler."
        ) from None


def _unpacked(expected: Versions, data: bytes) -> Any:
    """On a worker: work that it then keeps."""
    _prepare(expected)
    return loads(data)


def _do(expected: Versions, work: Callable[[Any], Any], units: Sequence[Any]) -> Done:
    """On a worker: some units, by the same software as everywhere."""
    _prepare(expected)
    return do_batch(work, units)


@functools.cache
def _prepare(expected: Versions) -> None:
    """Once a process: one thread for linear algebra, and no other versions than those of the caller."""
    import numpy as np  # noqa: F401 - its linear algebra must be loaded to be limited
    from threadpoolctl import threadpool_limits

    here, wanted = installed_versions(), dict(expected)
    if names := differing(wanted, here):
        others = ", ".join(f"{name} {here[name]} instead of {wanted[name]}" for name in names)
        raise WorkersError(
            f"a worker of the cluster has {others}; results would depend on the worker; install the same "
            "versions everywhere (neurprise info --cluster shows them)."
        )
    threadpool_limits(1)
