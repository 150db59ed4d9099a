"""Ctrl-C during an engine call."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

_SECONDS_BETWEEN_REQUESTS = 0.1


def run_interruptibly(search: Callable[[], object], stop: Callable[[], object]) -> None:
    """
    Run the search in a second thread, so that Ctrl-C reaches Python at once; then `stop` it and raise.

    The search must release the interpreter lock. Only the main thread receives Ctrl-C; others search directly.
    It waits on a future: an interrupted Thread.join() of Python 3.11 takes the running thread for finished.
    """
    if threading.current_thread() is not threading.main_thread():
        search()
        return
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(search)
        try:
            future.result()
        except BaseException:  # also what a signal handler of the caller raises, such as its own time limit
            while not future.done():  # a request that comes before the search has begun is lost
                stop()
                wait([future], timeout=_SECONDS_BETWEEN_REQUESTS)
            raise
