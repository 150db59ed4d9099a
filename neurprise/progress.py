"""A live line on standard error for work that takes long; silent where that is neither a terminal nor a notebook."""

from __future__ import annotations

import importlib.util
import logging
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING

from neurprise.clock import Deadline
from neurprise.errors import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

#: Shorter work shows nothing.
SECONDS_BEFORE_SHOWING = 1.0
#: Activities change by the millisecond; so often one is logged.
SECONDS_BETWEEN_LOGGED_ACTIVITIES = 1.0

_log = logging.getLogger("neurprise")
_log.addHandler(logging.NullHandler())

#: The line of the work that is going on in this thread; what it calls joins in.
_active: ContextVar[ProgressLine | None] = ContextVar("neurprise_progress_line", default=None)


class ProgressLine:
    """What is known and what is being done, as one line of text; everything is logged under `neurprise` as well."""

    def __init__(self) -> None:
        self._clock = Deadline()
        self._logged = 0.0
        self._known = ""
        self._activity = ""

    def update(self, known: str, seconds: float) -> None:
        """What is known now, in words, so many seconds after the search began."""
        self._known, self._activity = known, ""
        _log.info("%7.2f s  %s", seconds, known)

    def say(self, activity: str) -> None:
        """What is being done now, in a few words; called as often as one likes."""
        self._activity = activity = visible(activity)
        now = self._clock.elapsed
        if now - self._logged >= SECONDS_BETWEEN_LOGGED_ACTIVITIES:
            self._logged = now
            _log.info("%7.2f s  %s", now, activity)

    def text(self) -> Text:
        """The line as it is shown now; empty in the first second."""
        from rich.text import Text

        elapsed = self._clock.elapsed
        parts = [part for part in (self._known, self._activity) if part] or ["nothing proved yet"]
        return Text(f"{elapsed:6.1f} s  {'  |  '.join(parts)}" if elapsed >= SECONDS_BEFORE_SHOWING else "")


@contextmanager
def progress_line(console: Console | None = None) -> Iterator[ProgressLine]:
    """
    A line that is logged, and shown in a terminal or a notebook while the block runs; inside another, that one.

    Parameters
    ----------
    console
        Where the line goes; standard error by default.
    """
    outer = _active.get()
    if outer is not None:
        yield outer
        return
    line = ProgressLine()
    token = _active.set(line)
    try:
        with _shown(line, console):
            yield line
    finally:
        _active.reset(token)


def _shown(line: ProgressLine, console: Console | None) -> AbstractContextManager[object]:
    """The line on the screen while the block runs, where there is one."""
    if console is None and not _somebody_looks():
        return nullcontext()
    # Imported here: where nobody looks, nothing is drawn.
    from rich.console import Console
    from rich.live import Live

    console = console or Console(stderr=True)
    if not _shows_live(console):
        return nullcontext()
    return Live(
        get_renderable=line.text,
        console=console,
        refresh_per_second=4,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def _somebody_looks() -> bool:
    """A terminal, or the kernel of a notebook."""
    return (sys.stderr is not None and sys.stderr.isatty()) or "ipykernel" in sys.modules


def _shows_live(console: Console) -> bool:
    """A terminal, or a notebook with the widgets that rich draws in; without them it would print a warning instead."""
    if console.is_jupyter:
        return importlib.util.find_spec("ipywidgets") is not None
    return console.is_terminal and not console.is_dumb_terminal


def tell(sentence: str, level: int = logging.INFO) -> None:
    """To the log, and on a terminal to standard error, where it takes the place of a progress line."""
    _log.log(level, sentence)
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r\033[Kneurprise: {sentence}", file=sys.stderr, flush=True)
