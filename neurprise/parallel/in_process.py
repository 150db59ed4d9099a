"""One worker: this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from threadpoolctl import threadpool_limits

from neurprise.parallel.batches import Done, do_batch


class InProcessPool:
    """Units are done where they are submitted, with linear algebra on one thread as in every other pool."""

    deaths: tuple[type[BaseException], ...] = ()
    window = 1
    batch_seconds = 0.0

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self._work = work
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
