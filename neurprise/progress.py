"""A live convergence line on standard error for solves that take long; silent when that is not a terminal."""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from neurprise.clock import Deadline
from neurprise.convergence import Iteration, relative_gap

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

#: Shorter solves show nothing.
SECONDS_BEFORE_SHOWING = 1.0

_log = logging.getLogger("neurprise")
_log.addHandler(logging.NullHandler())


@contextmanager
def convergence_line(console: Console | None = None) -> Iterator[Callable[[Iteration], None]]:
    """
    Yields a function to call after every reduced problem; each call is logged, and shown on a terminal.

    Parameters
    ----------
    console
        Where the line goes; standard error by default.
    """
    line = _Line()
    if console is None and (sys.stderr is None or not sys.stderr.isatty()):
        yield line.update
        return
    # Imported here: where nobody looks, nothing is drawn.
    from rich.console import Console
    from rich.live import Live

    console = console or Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:
        yield line.update
        return
    with Live(
        get_renderable=line.text,
        console=console,
        refresh_per_second=4,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ):
        yield line.update


class _Line:
    """The last iteration and the seconds since the start, as one line of text."""

    def __init__(self) -> None:
        self._clock = Deadline()
        self._last = "nothing proved yet"

    def update(self, step: Iteration) -> None:
        self._last = describe(step)
        _log.info("%6.1f s  %s", step.seconds, self._last)

    def text(self) -> Text:
        from rich.text import Text

        elapsed = self._clock.elapsed
        return Text(f"{elapsed:6.1f} s  {self._last}" if elapsed >= SECONDS_BEFORE_SHOWING else "")


def describe(step: Iteration) -> str:
    """One iteration in words, e.g. '7 scenarios  bound 512  worst case 519  gap 1.37 %'."""
    gap = 100 * relative_gap(step.worst_case, step.lower_bound)
    shown = f"{gap:.3g} %" if math.isfinite(gap) else "open"
    return (
        f"{step.num_scenarios} scenarios  bound {step.lower_bound:,.6g}  worst case {step.worst_case:,.6g}  gap {shown}"
    )
