"""The convergence line: logged always, shown only on a terminal."""

from __future__ import annotations

import io
import logging
import math

import pytest
from rich.console import Console

from neurprise import progress
from neurprise.convergence import Iteration
from neurprise.progress import convergence_line, describe

STEP = Iteration(num_scenarios=7, lower_bound=500.0, worst_case=510.0, seconds=3.0)


def test_a_line_names_scenarios_bounds_and_gap():
    """A reader sees both bounds and how far apart they are."""
    assert describe(STEP) == "7 scenarios  bound 500  worst case 510  gap 2 %"


def test_an_unknown_worst_case_leaves_the_gap_open():
    """No gap is claimed before a decision is known."""
    assert describe(Iteration(1, 500.0, math.inf, 0.1)).endswith("worst case inf  gap open")


def test_nothing_is_written_when_it_is_not_a_terminal():
    """Output that goes to a file or a pipe stays clean."""
    stream = io.StringIO()
    with convergence_line(Console(file=stream, force_terminal=False)) as show:
        show(STEP)
    assert stream.getvalue() == ""


def test_a_long_solve_shows_its_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    """After the first second the last iteration is on screen."""
    monkeypatch.setattr(progress, "SECONDS_BEFORE_SHOWING", 0.0)
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120, _environ={"TERM": "xterm"})
    with convergence_line(console) as show:
        show(STEP)
    assert "7 scenarios  bound 500" in stream.getvalue()


def test_every_iteration_is_logged(caplog: pytest.LogCaptureFixture):
    """Programs that embed the solver can listen to the logger 'neurprise'."""
    with caplog.at_level(logging.INFO, logger="neurprise"), convergence_line() as show:
        show(STEP)
    assert "worst case 510" in caplog.text
