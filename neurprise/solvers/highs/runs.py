"""Runs of HiGHS that end when they should: at Ctrl-C, at their deadline, and where they would go on for ever."""

from __future__ import annotations

import math
import threading
from typing import Any

from neurprise.clock import Deadline
from neurprise.errors import EngineError
from neurprise.solvers.interrupt import run_interruptibly

#: HiGHS may overrun its own limit (upstream issue 2226); so many seconds later it is interrupted.
_GRACE = 0.2


class LostError(EngineError):
    """HiGHS would go on for ever along integers without bounds, or is wrong there."""


def run_until(
    handle: Any, callback: Any, deadline: Deadline, fruitless: Deadline, longest_dive: float = math.inf
) -> None:
    """
    Run until Ctrl-C, the end, or a little after the deadline, which HiGHS does not always keep.

    Parameters
    ----------
    fruitless
        When a search ends that has no solution yet.
    longest_dive
        How often a dive without a solution at hand may ask whether to go on.
    """
    stop, endless, dive = threading.Event(), threading.Event(), _Dive()

    def interrupt_when_due(event: Any) -> None:
        if dive.questions_up_to(event.data_out) > longest_dive and math.isinf(event.data_out.mip_primal_bound):
            endless.set()
        due = fruitless if math.isinf(event.data_out.mip_primal_bound) else deadline
        if stop.is_set() or endless.is_set() or due.overdue > _GRACE:
            event.interrupt()

    callback.subscribe(interrupt_when_due)
    try:
        run_interruptibly(handle.run, stop.set)
    finally:
        callback.unsubscribe(interrupt_when_due)
    if endless.is_set():
        raise LostError(
            "HiGHS searches for ever along integers without bounds; give them finite bounds, or install scip."
        )


class _Dive:
    """Counts the questions of one dive; HiGHS counts the nodes of a dive when it ends."""

    def __init__(self) -> None:
        self._nodes_before, self._questions = -1, 0

    def questions_up_to(self, now: Any) -> int:
        """How often this dive has asked whether to go on, now included."""
        if now.mip_node_count != self._nodes_before:
            self._nodes_before, self._questions = now.mip_node_count, 0
        self._questions += 1
        return self._questions
