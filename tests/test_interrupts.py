"""Ctrl-C and SIGTERM at any moment: exit code 130, a sentence or the best proven answer, and never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

import neurprise as nr
from neurprise.cli import main
from neurprise.cli import solve as cli_solve
from neurprise.cli.signals import StopSignals
from neurprise.solvers import get_engine
from neurprise.solvers.base import run_interruptibly
from tests.instances import market_split

#: `python -m neurprise`, after a word that tells when the interpreter itself is up.
COMMAND = (
    "import runpy, sys; print('up', flush=True); runpy.run_module('neurprise', run_name='__main__', alter_sys=True)"
)
#: The same, stopped by its own signal when it first imports a module of that name.
WHILE_IMPORTING = """
import importlib.abc, os, runpy, sys
class Stop(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Stop())
runpy.run_module("neurprise", run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="module")
def hard_file(tmp_path_factory):
    """A vertex cover that takes longer than the test waits."""
    path = tmp_path_factory.mktemp("hard") / "hard.npz"
    nr.make_vertex_cover(45, 45, seed=0).write(path)
    return path


def assert_ended_by_request(code, out, err):
    """130, and either a sentence about the interrupt or the report of what was proved."""
    assert code == 130
    assert "Traceback" not in err
    assert "interrupted" in out + err
    assert err.count("\n") <= 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("delay", [0.05, 0.2, 0.5, 1.0])
def test_a_signal_in_the_first_second_ends_with_a_sentence(hard_file, number, delay):
    """While the program loads, reads, compiles or searches."""
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "solve", str(hard_file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "up\n"
    time.sleep(delay)
    process.send_signal(number)
    assert_ended_by_request(process.wait(timeout=120), *process.communicate())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", ["numpy", "scipy", "highspy", "neurprise.problem", "neurprise.api"])
def test_a_signal_during_an_import_ends_with_a_sentence(hard_file, module, number):
    """The moment is exact: when the module is looked for."""
    code = WHILE_IMPORTING.format(module=module, number=int(number))
    argv = [sys.executable, "-c", code, "solve", str(hard_file)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert_ended_by_request(done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""


def test_an_interrupted_compiled_module_is_not_called_missing(monkeypatch):
    """pybind11 turns what interrupts the loading of a module into an ImportError."""

    def interrupted(name):
        raise ImportError("initialization failed") from KeyboardInterrupt()

    monkeypatch.setattr("neurprise.solvers.importlib.import_module", interrupted)
    with pytest.raises(KeyboardInterrupt):
        get_engine("highs")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_page_is_made_leaves_the_answer(tmp_path, number):
    """It is on the screen, and the sentence says that only the page is missing."""
    market_split().write(tmp_path / "split.npz")
    argv = [sys.executable, "-m", "neurprise", "solve", "split.npz", "--time-limit", "2", "--report", "page.html"]
    process = subprocess.Popen(argv, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    answer = ""
    while "runtime" not in answer:
        answer += process.stdout.readline()
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "worst case" in answer
    assert err == (
        "neurprise: error: interrupted; the answer above is proved, only page.html could not be completed.\n"
    )
    assert not (tmp_path / "page.html").exists()


@pytest.fixture
def interrupted_search(monkeypatch):
    """A search that an interrupt ends when it has an answer."""
    solve = cli_solve._solved
    interrupted = {"status": nr.Status.INTERRUPTED}
    monkeypatch.setattr(cli_solve, "_solved", lambda *args: replace(solve(*args), **interrupted))


def test_after_an_interrupted_search_regret_is_left_out(interrupted_search, tmp_path, capsys, monkeypatch):
    """It would take a solve for every scenario; the files are written, for they take a moment."""
    monkeypatch.setattr("neurprise.report.tables.every_value", lambda session: pytest.fail("nobody waits for that"))
    nr.make_selection(5, 4, seed=0).write(tmp_path / "small.npz")
    code = main(["solve", str(tmp_path / "small.npz"), "--regret", "--out", str(tmp_path / "answer")])
    shown = capsys.readouterr()
    assert code == 130
    assert "worst case" in shown.out
    assert shown.err == (
        "neurprise: error: interrupted; the answer above is proved, only plans and regret could not be completed.\n"
    )
    assert (tmp_path / "answer" / "costs.csv").read_text().startswith("scenario,cost\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("target", ["answer", "answer.xlsx"])
def test_the_first_signal_ends_the_search_for_regret(tmp_path, capsys, monkeypatch, number, target):
    """It went on for minutes; the answer is on the screen by then."""

    def every_value(session):
        os.kill(os.getpid(), number)
        time.sleep(60)
        pytest.fail("the signal was not heard")

    monkeypatch.setattr("neurprise.report.tables.every_value", every_value)
    nr.make_selection(5, 4, seed=0).write(tmp_path / "small.npz")
    code = main(["solve", str(tmp_path / "small.npz"), "--regret", "--out", str(tmp_path / target)])
    shown = capsys.readouterr()
    assert code == 130
    assert "worst case" in shown.out
    assert "interrupted; the answer above is proved, only plans and regret" in shown.err


def test_after_an_interrupted_search_files_that_take_long_are_left_out(
    interrupted_search, tmp_path, capsys, monkeypatch
):
    """Whoever asked once need not ask again."""
    monkeypatch.setattr(cli_solve, "SECONDS_TO_WRITE", 0.1)
    monkeypatch.setattr(cli_solve, "write_tables", lambda *_: time.sleep(60))
    nr.make_selection(5, 4, seed=0).write(tmp_path / "small.npz")
    assert main(["solve", str(tmp_path / "small.npz"), "--out", str(tmp_path / "answer")]) == 130
    assert "only " + str(tmp_path / "answer") + " could not be completed" in capsys.readouterr().err


def test_an_interrupt_leaves_the_second_engine_out(monkeypatch):
    """What the first one proved stands."""
    problem = nr.make_selection(5, 4, seed=0)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("neurprise.api.verify_answer", interrupted)
    report = nr.solve(problem, verify="highs")
    assert report.status == "interrupted"
    assert report.verification is None
    assert report.worst_case == nr.solve(problem).worst_case


def test_a_comparison_that_is_interrupted_is_not_finished():
    """The search for the mean scenario's decision keeps its best answer; the comparison does not go on with it."""
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        nr.compare(market_split(), {}, mean=True, time_limit=20)


def test_an_interrupt_that_a_library_swallows_still_counts(monkeypatch, capsys):
    """Some packages try imports and catch everything."""

    def careless(words):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        except BaseException:
            raise ImportError("optional speedups are missing") from None

    monkeypatch.setattr("neurprise.cli.parser.build_parser", careless)
    assert main(["info"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_an_interrupt_waits_until_the_compiler_is_done():
    """numba calls Python back from C, where an exception is lost or brings the process down; nobody raises there."""
    compiler = {"__name__": "numba.core.caching", "os": os, "signal": signal, "time": time}
    exec("def compile_it():\n os.kill(os.getpid(), signal.SIGTERM)\n time.sleep(0.01)\n return 'compiled'", compiler)
    with StopSignals(ends_process=False):
        assert compiler["compile_it"]() == "compiled"
        with pytest.raises(KeyboardInterrupt):
            time.sleep(5)


def test_an_interrupt_inside_a_finalizer_is_not_lost(capsys):
    """Python prints and forgets what a finalizer raises."""

    class Finalized:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.01)

    with StopSignals(ends_process=False):
        Finalized()
        with pytest.raises(KeyboardInterrupt):
            time.sleep(5)
    assert capsys.readouterr().err == ""


def test_the_callers_handlers_come_back(capsys):
    """A program that calls `main` keeps its own way of dealing with signals."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert main(["info"]) == 0
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_signals_that_are_ignored_stay_ignored():
    """`nohup` and background jobs ignore Ctrl-C for their children."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with StopSignals(ends_process=False):
            os.kill(os.getpid(), signal.SIGTERM)
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_another_thread_may_call_the_command_line():
    """Python lets only the main thread set handlers; others do without."""
    codes = []
    thread = threading.Thread(target=lambda: codes.append(main(["info"])))
    thread.start()
    thread.join()
    assert codes == [0]


class _OwnLimitError(Exception):
    """What a caller raises from an alarm of its own."""


def test_an_exception_from_the_callers_alarm_stops_the_engine_too():
    """Else the call would go on for ever behind it."""
    stopped = threading.Event()

    def ring(*_):
        raise _OwnLimitError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(_OwnLimitError):
            run_interruptibly(stopped.wait, stopped.set)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert stopped.is_set()
