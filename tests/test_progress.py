"""The progress line: logged always, shown only in a terminal or a notebook."""

from __future__ import annotations

import io
import logging
import math
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest
from rich.console import Console

import neurprise as nr
from neurprise import progress
from neurprise.progress import progress_line
from neurprise.search.session import Iteration, describe
from tests.instances import from_letters, random_letters

STEP = Iteration(num_scenarios=7, lower_bound=500.0, worst_case=510.0, seconds=3.0)
COSTS = nr.make_selection(4, 3, 0)


def test_a_line_names_scenarios_bounds_and_gap():
    """A reader sees both bounds and how far apart they are."""
    assert describe(STEP, COSTS) == "7 scenarios  bound 500  worst case 510  gap 2 %"


def test_an_unknown_worst_case_leaves_the_gap_open():
    """No gap is claimed before a decision is known."""
    assert describe(Iteration(1, 500.0, math.inf, 0.1), COSTS).endswith("worst case none yet  gap open")


def test_nothing_is_written_when_it_is_not_a_terminal():
    """Output that goes to a file or a pipe stays clean."""
    stream = io.StringIO()
    with progress_line(Console(file=stream, force_terminal=False)) as line:
        line.update(describe(STEP, COSTS), STEP.seconds)
    assert stream.getvalue() == ""


def test_a_long_solve_shows_its_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    """After the first second the last iteration is on screen."""
    monkeypatch.setattr(progress, "SECONDS_BEFORE_SHOWING", 0.0)
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120, _environ={"TERM": "xterm"})
    with progress_line(console) as line:
        line.update(describe(STEP, COSTS), STEP.seconds)
    assert "7 scenarios  bound 500" in stream.getvalue()


def test_every_iteration_is_logged(caplog: pytest.LogCaptureFixture):
    """Programs that embed the solver can listen to the logger 'neurprise'."""
    with caplog.at_level(logging.INFO, logger="neurprise"), progress_line() as line:
        line.update(describe(STEP, COSTS), STEP.seconds)
    assert "worst case 510" in caplog.text


@pytest.fixture
def activities(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Everything that long work says, however quick it is here."""
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LOGGED_ACTIVITIES", 0.0)
    caplog.set_level(logging.INFO, logger="neurprise")
    return caplog


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("prise", r"prise step 2: trying scenario \d+, \d+ candidates left, V\(R\) [\d,.]+"),
        ("ccg", r"ccg step 2: solving on 2 scenarios, V\(R\) [\d,.]+"),
        ("singlevalue", r"V\({s}\) of 2 scenarios known, at most \d+ more to solve"),
    ],
)
def test_reducers_say_how_far_they_are(activities: pytest.LogCaptureFixture, method: str, words: str):
    """Step, candidate and value, in a solve and alone."""
    problem = nr.make_facility_location(8, 6, 20, 3)
    for work in (lambda: nr.solve(problem, method, 3), lambda: nr.reducers.get_reducer(method).reduce(problem, 3)):
        activities.clear()
        work()
        assert re.search(words, activities.text)


def test_sor_says_how_many_it_chooses(activities: pytest.LogCaptureFixture):
    """One model, which may take minutes."""
    nr.solve(nr.make_selection(6, 9, 0), "sor", 3)
    assert "sor: choosing 3 of 9 scenarios together" in activities.text


def test_evaluating_reading_and_solving_are_told(activities: pytest.LogCaptureFixture, tmp_path: Path):
    """Scenarios by the engine, a file by its name, a master by its size."""
    letters = random_letters(3, complete=True)
    problem = from_letters(letters)
    problem.write(tmp_path / "mine.npz")
    report = nr.solve(nr.read(tmp_path / "mine.npz"))
    nr.evaluate(problem, report.x)
    nr.compare(problem, {"robust": report}, mean=True)
    for words in (
        "reading mine.npz",
        "solving on 1 scenario\n",
        "evaluating a decision: 0 of",
        "looking for the decision: best for the mean",
    ):
        assert words in activities.text


def test_activities_are_not_logged_more_than_once_a_second(caplog: pytest.LogCaptureFixture):
    """A million scenarios do not fill the log."""
    with caplog.at_level(logging.INFO, logger="neurprise"), progress_line() as line:
        for k in range(1000):
            line.say(f"scenario {k}")
    assert len(caplog.records) <= 2


def test_the_live_line_shows_both_bounds_and_the_activity(monkeypatch: pytest.MonkeyPatch):
    """What is known, and what is being done."""
    monkeypatch.setattr(progress, "SECONDS_BEFORE_SHOWING", 0.0)
    with progress_line(Console(file=io.StringIO())) as line:
        assert line.text().plain.endswith("nothing proved yet")
        line.update(describe(STEP, COSTS), STEP.seconds)
        line.say("evaluating")
        assert line.text().plain.endswith("gap 2 %  |  evaluating")


def test_work_inside_other_work_shares_its_line():
    """compare solves; two live displays would fight for the terminal."""
    with progress_line() as outer, progress_line() as inner:
        assert inner is outer
    with progress_line() as later:
        assert later is not outer


def test_a_notebook_is_drawn_in_through_widgets(monkeypatch: pytest.MonkeyPatch):
    """rich draws with ipywidgets; where they are missing it would print a warning, so nothing is shown."""
    notebook = Console(force_jupyter=True)
    monkeypatch.setattr(progress.importlib.util, "find_spec", lambda name: None)
    assert not progress._shows_live(notebook)
    monkeypatch.setattr(progress.importlib.util, "find_spec", lambda name: types.SimpleNamespace(name=name))
    assert progress._shows_live(notebook)


def test_a_program_that_does_not_listen_stays_silent():
    """Nothing on either stream, though a warning without a handler would be printed by Python itself."""
    program = "import neurprise as nr; nr.solve(nr.make_selection(6, 9, 0), 'prise', 3)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""
