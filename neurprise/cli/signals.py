"""Ctrl-C and SIGTERM end a command with its results so far and one sentence, not with a traceback."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from sys import UnraisableHookArgs
    from threading import Timer
    from types import FrameType, TracebackType
    from typing import Any, Self

#: Python's default handlers; only these are replaced.
_USUAL: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}

#: Compilers call Python from C. An exception there is printed and lost, or crashes the process.
_CANNOT_RAISE = ("numba", "llvmlite")
_SECONDS_UNTIL_ASKED_AGAIN = 0.05

#: Not empty while `held_back`.
_holding: list[None] = []


@contextmanager
def held_back() -> Iterator[None]:
    """Delay a request to stop until the end of the block. For short work that must not be half done."""
    _holding.append(None)
    try:
        yield
    finally:
        _holding.pop()


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Send the block another request to stop after this many seconds, if this module's handler is active."""
    heard = [
        number for number in _USUAL if isinstance(getattr(signal.getsignal(number), "__self__", None), StopSignals)
    ]
    if not heard:
        yield
        return
    from threading import Timer

    timer = Timer(seconds, os.kill, (os.getpid(), heard[0]))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class StopRequest(KeyboardInterrupt):
    """
    The user or the system asked the command to stop.

    A class of its own, because Python ends a process by SIGINT, whatever exit code it asks for, once a plain
    KeyboardInterrupt has passed through `exec` (which dataclasses use).
    """


class StopSignals:
    """
    While active, SIGTERM raises KeyboardInterrupt like Ctrl-C. Signals that the caller ignores or handles stay so.

    Parameters
    ----------
    ends_process
        True if the process ends afterwards: a later signal then ends it silently. False restores the caller's
        handlers.
    """

    def __init__(self, ends_process: bool) -> None:
        self.received = False
        self._ends_process = ends_process
        self._replaced: list[int] = []
        self._timer: Timer | None = None
        self._hook = sys.unraisablehook

    def __enter__(self) -> Self:
        for number, usual in _USUAL.items():
            if signal.getsignal(number) == usual:
                try:
                    signal.signal(number, self._stop)
                except ValueError:  # Python sets handlers from the main thread only
                    break
                self._replaced.append(number)
        if self._replaced:
            sys.unraisablehook = self._not_raisable
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._replaced:
            sys.unraisablehook = self._hook
        for number in self._replaced:
            signal.signal(number, signal.SIG_DFL if self._ends_process else _USUAL[number])

    def raise_if_received(self) -> None:
        """Raise again a request that other code has caught."""
        if self.received:
            raise StopRequest(signal.SIGINT)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.received = True
        if not _holding and not _inside(frame, _CANNOT_RAISE):
            raise StopRequest(number)
        self._ask_again_soon(number)

    def _not_raisable(self, lost: UnraisableHookArgs) -> None:
        """Repeat a request that a finalizer or a weak reference could not raise; Python would only print it."""
        if isinstance(lost.exc_value, StopRequest):
            self._ask_again_soon(lost.exc_value.args[0])
        else:
            self._hook(lost)

    def _ask_again_soon(self, number: int) -> None:
        from threading import Timer

        if self._timer is None:
            self._timer = Timer(_SECONDS_UNTIL_ASKED_AGAIN, self._ask_again, (number,))
            self._timer.start()

    def _ask_again(self, number: int) -> None:
        self._timer = None
        os.kill(os.getpid(), number)


def _inside(frame: FrameType | None, packages: tuple[str, ...]) -> bool:
    """Whether code of one of these packages is running."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in packages:
            return True
        frame = frame.f_back
    return False
