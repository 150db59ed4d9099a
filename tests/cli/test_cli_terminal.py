"""What people see: tables and colours on a terminal only, silence on request, completion in their shell."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import neurprise as nr
from neurprise.cli import COMMANDS, main
from neurprise.cli.completion import completion_script
from neurprise.cli.output import coloured

ROOT = Path(__file__).parents[2]
ESCAPE = "\x1b["


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("problem") / "sel.npz"
    nr.make_selection(6, 5, seed=1).with_labels(scenario_names=["[red]dry[/red]", "b", "c", "d", "e"]).write(path)
    return path


def in_terminal(*words: object, **environment: str) -> str:
    """What a command writes to a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "neurprise", *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **environment},
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert done.wait() == 0
    return b"".join(parts).decode()


def test_a_terminal_gets_ruled_tables_and_colours(file):
    """Names keep their brackets: they are no markup."""
    shown = in_terminal("reduce", file, "--method", "prise", "--budget", 2)
    assert "───" in shown
    assert ESCAPE in shown
    shown = in_terminal("compare", file, "--mean", "--nominal", "[red]dry[/red]")
    assert "scenario [red]dry[/red]" in shown


def test_colours_can_be_refused(file):
    """NO_COLOR is asked by convention (no-color.org)."""
    shown = in_terminal("solve", file, NO_COLOR="1")
    assert "worst case" in shown
    assert f"{ESCAPE}32m" not in shown


def test_a_pipe_gets_plain_text(capsys, file):
    """No escape sequences and no rules where another program reads."""
    for words in (["reduce", file, "--method", "prise", "--budget", "2"], ["compare", file, "--mean"], ["solve", file]):
        assert main([str(word) for word in words]) == 0
    shown = capsys.readouterr().out
    assert ESCAPE not in shown
    assert "─" not in shown


def test_words_that_matter_are_coloured():
    """What is proved is green, what was cut short yellow, labels are bold."""
    text = coloured("status       time limit, 3 solves\ngap          at most 0 % (proved)")
    styles = {text.plain[span.start : span.end]: span.style for span in text.spans}
    assert styles == {"status": "bold", "time limit": "yellow", "gap": "bold", "(proved)": "green"}


def test_quiet_leaves_the_answer_and_errors(capsys, file):
    """Warnings and progress go; what ends a command stays."""
    budget = ["solve", str(file), "--reducer", "maxsum", "--budget", "50"]
    assert main(budget) == 0
    assert "warning" in capsys.readouterr().err
    assert main([*budget, "--quiet", "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert json.loads(printed.out)["status"]
    assert main(["solve", "gone.npz", "-q"]) == 2
    assert "gone.npz" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_names(shell):
    """Every command, its options, and the names of methods and engines."""
    script = completion_script(shell)
    assert all(word in script for word in (*COMMANDS, "budget", "prise", "gurobi"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_completes_a_command(tmp_path):
    """The script works in the shell it is made for."""
    (tmp_path / "script").write_text(completion_script("bash"))
    ask = (
        f"source {tmp_path / 'script'}; COMP_WORDS=(neurprise solve x.npz --reducer pr); COMP_CWORD=4; "
        "$(complete -p neurprise | grep -oP '(?<=-F )\\S+'); echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["prise"]


_TALKATIVE = """
import os, sys
from neurprise.cli import main
from neurprise.solvers.highs import engine as highs
run = highs._run
def talk_and_run(*words):
    os.write(1, b"HighsPostsolveStack::DuplicateColumn::undo\\n")
    return run(*words)
highs._run = talk_and_run
sys.argv = ["neurprise", "evaluate", sys.argv[1], "--solution", sys.argv[2], "--json"]
sys.exit(main())
"""


def test_what_an_engine_prints_by_itself_does_not_spoil_the_answer(tmp_path):
    """HiGHS writes to standard output now and then although it was told to be silent."""
    matrices = {"c": [1], "A": None, "d": None, "G": [[1]], "h": [1.5], "E": [[1]], "M": None, "xi": None, "b": [[2]]}
    nr.TwoStageProblem.from_matrices(**matrices, x_integer=True, x_upper=1, y_integer=True).write(tmp_path / "own.npz")
    (tmp_path / "x.json").write_text("[0]")
    command = [sys.executable, "-c", _TALKATIVE, str(tmp_path / "own.npz"), str(tmp_path / "x.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["worst_case"] == 4.0
    assert "DuplicateColumn" in done.stderr


def test_a_command_without_standard_output_still_ends_well(file):
    """As a job whose output nobody wants."""
    command = f"exec {sys.executable} -m neurprise solve {file} --json >&-"
    assert subprocess.run(command, shell=True, cwd=ROOT, check=False, capture_output=True).returncode == 0
