"""Flags of `solve` and `evaluate` for targets, starts, engine settings, and why nothing is feasible."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import neurprise as nr
from neurprise.cli import main

TIGHT = nr.FacilityLocation([5, 5], [1, 1], [10, 10], [[1, 2], [2, 1]], [[5, 5], [15, 15], [9, 3]])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a problem, and one that no decision serves."""
    monkeypatch.chdir(tmp_path)
    nr.make_facility_location(5, 5, 10, 2).write("sites.npz")
    TIGHT.with_labels(scenario_names=["monday", "tuesday", "friday"]).write("tight.npz")
    return tmp_path


def test_a_budget_in_percent_is_a_target(folder: Path, capsys: pytest.CaptureFixture[str]):
    """The answer is as good as asked."""
    assert main(["solve", "sites.npz", "--reducer", "maxsum", "--budget", "1%", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["regret_bound"] <= 1


def test_an_earlier_answer_is_a_start(folder: Path, capsys: pytest.CaptureFixture[str]):
    """With no time to search, it is the answer."""
    assert main(["solve", "sites.npz", "-o", "first.json"]) == 0
    capsys.readouterr()
    main(["solve", "sites.npz", "--start", "first.json", "--time-limit", "0", "--json"])
    assert json.loads(capsys.readouterr().out)["x"] == json.loads(Path("first.json").read_text())["x"]


def test_engine_settings_reach_the_engine(folder: Path, capsys: pytest.CaptureFixture[str]):
    """Its log says so."""
    options = ["--threads", "2", "--log-file", "engine.log", "--engine-option", "presolve=off"]
    assert main(["solve", "sites.npz", *options]) == 0
    log = Path("engine.log").read_text()
    assert "Running HiGHS" in log
    assert "Presolve is switched off" in log


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--budget", "1%"], "--reducer and --budget belong together"),
        (["--reducer", "prise", "--budget", "some"], "whole number of scenarios or a gap in percent"),
        (["--start", "gone.json"], "path of a JSON or CSV file"),
        (["--threads", "0"], "threads must be"),
        (["--log-file", "no/folder/log"], "directory that exists"),
        (["--engine-option", "presolve"], "must be NAME=VALUE"),
        (["--engine-option", "prseolve=off"], "has no option 'prseolve'"),
        (["--engine-option", "time_limit=5"], "is set by solve"),
    ],
)
def test_bad_options_are_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
):
    """And exit code 2."""
    try:
        code = main(["solve", "sites.npz", *options])
    except SystemExit as ended:  # argparse's own end
        code = ended.code
    assert code == 2
    assert sentence in capsys.readouterr().err


def test_an_infeasible_problem_is_explained_by_name(folder: Path, capsys: pytest.CaptureFixture[str]):
    """Scenario, rows and bounds."""
    assert main(["solve", "tight.npz"]) == 2
    sentence = capsys.readouterr().err
    assert "scenario 'tuesday' alone" in sentence
    assert "row 'demand[0]' >= 15 in scenario 'tuesday'" in sentence


def test_a_decision_without_recourse_is_explained_by_name(folder: Path, capsys: pytest.CaptureFixture[str]):
    """As text, and as data for other programs."""
    Path("plan.json").write_text("[1, 0, 10, 0]")
    assert main(["evaluate", "tight.npz", "--solution", "plan.json"]) == 0
    assert "row 'demand[0]' >= 15 in scenario 'tuesday'" in capsys.readouterr().out
    assert main(["evaluate", "tight.npz", "--solution", "plan.json", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["infeasible_scenarios"] == [1, 2]
    assert {rule["scenario"] for rule in data["conflict"]["rules"]} == {"tuesday"}
