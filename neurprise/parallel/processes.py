"""Processes on this machine, by loky: fresh ones, because engines must not be forked after a solve."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from loky import ProcessPoolExecutor
from loky.process_executor import BrokenProcessPool, ShutdownExecutorError

from neurprise.parallel.workers import Done, do_batch

#: Workers compute on one core, whatever the libraries' defaults.
_THREAD_COUNTS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)
_SECONDS_BETWEEN_LOOKS = 1.0
_SECONDS_TO_HAND_OUT = 2.0

#: In a worker: the function for its units.
_work: list[Callable[[Any], Any]] = []


class ProcessPool:
    """Some processes; each gets the function once, when it starts."""

    deaths: tuple[type[BaseException], ...] = (BrokenProcessPool, ShutdownExecutorError)
    batch_seconds = 0.05  # a message takes about a millisecond

    def __init__(self, jobs: int, work: Callable[[Any], Any]) -> None:
        self._jobs, self._of_worker = jobs, work
        self._hook_before = threading.excepthook
        threading.excepthook = self._report_unless_ended
        self._executor = self._new_executor()
        self._submitted: WeakSet[Future[Any]] = WeakSet()

    @property
    def window(self) -> int:
        return 2 * self._jobs  # one at work and one waiting for each

    def submit(self, units: Sequence[Any]) -> Future[Done]:
        with _interrupts_held_back():
            future: Future[Done] = self._executor.submit(_do, units)
        self._submitted.add(future)
        return future

    def renew(self) -> None:
        self._executor.shutdown(wait=True, kill_workers=True)
        self._executor = self._new_executor()

    def check(self) -> None:
        """Nothing to do: a dead worker breaks its futures."""

    def close(self, at_once: bool) -> None:
        # loky's own thread fails if it must stop between submitting a unit and giving it to a worker.
        patience = time.monotonic() + _SECONDS_TO_HAND_OUT
        while any(not (future.running() or future.done()) for future in self._submitted):
            if not at_once or time.monotonic() > patience:
                break
            time.sleep(0.001)
        self._executor.shutdown(wait=True, kill_workers=at_once)
        threading.excepthook = self._hook_before

    def _report_unless_ended(self, failure: Any) -> None:
        """If Ctrl-C ends the workers too, loky's own thread may look for a unit that was given up."""
        if not (failure.exc_type is KeyError and getattr(failure.thread, "name", "") == "ExecutorManagerThread"):
            self._hook_before(failure)

    def _new_executor(self) -> Any:
        return ProcessPoolExecutor(
            self._jobs,
            initializer=_start,
            initargs=(self._of_worker, os.getpid()),
            env=dict.fromkeys(_THREAD_COUNTS, "1"),
        )


def _start(work: Callable[[Any], Any], parent: int) -> None:
    """The first thing that a worker does."""
    _work[:] = [work]
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this worker after its parent process."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)


def _do(units: Sequence[Any]) -> Done:
    return do_batch(_work[0], units)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """
    Workers start inside, and inherit that Ctrl-C does not reach them: a terminal sends it to them as well.

    This process receives it when the block ends, and then ends its workers.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
