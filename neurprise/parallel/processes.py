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

#: Whatever a library asks for, a worker computes on one core.
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

#: What this process does with a unit, if it is a worker.
_work: list[Callable[[Any], Any]] = []


class ProcessPool:
    """As many processes as asked for; the function reaches each of them once, when it starts."""

    deaths: tuple[type[BaseException], ...] = (BrokenProcessPool, ShutdownExecutorError)
    batch_seconds = 0.05  # a message takes about a millisecond

    def __init__(self, jobs: int, work: Callable[[Any], Any]) -> None:
        self._jobs, self._of_worker = jobs, work
        self._hook_before = threading.excepthook
        threading.excepthook = self._tell_unless_ended
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
        """A worker that is gone breaks its futures."""

    def close(self, at_once: bool) -> None:
        # loky's own thread fails on a unit that was submitted but not yet handed to a worker when it is told to stop.
        patience = time.monotonic() + _SECONDS_TO_HAND_OUT
        while any(not (future.running() or future.done()) for future in self._submitted):
            if not at_once or time.monotonic() > patience:
                break
            time.sleep(0.001)
        self._executor.shutdown(wait=True, kill_workers=at_once)
        threading.excepthook = self._hook_before

    def _tell_unless_ended(self, failure: Any) -> None:
        """Where Ctrl-C ends the workers too, loky's own thread may look for a unit that is given up already."""
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
    """Nobody waits for what the worker of a killed process computes."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)


def _do(units: Sequence[Any]) -> Done:
    return do_batch(_work[0], units)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """
    Workers start inside, and inherit that Ctrl-C does not reach them: a terminal sends it to them as well.

    Here it arrives when the block ends; this process then ends its workers.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
