"""`evaluate --scenarios`: a decision on data that came later."""

import json
from pathlib import Path

import numpy as np
import pytest

import neurprise as nr
from neurprise.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A selection problem, its answer, and two later scenarios by name."""
    monkeypatch.chdir(tmp_path)
    problem = nr.make_selection(4, 3, 1)
    problem.write("items.npz")
    Path("plan.json").write_text(nr.solve(problem).to_json())
    Path("later.csv").write_text(",a,b,c,d\nmon,1,2,3,4\ntue,9,9,9,9\n")
    return problem


def test_later_scenarios_replace_those_of_the_problem(folder, capsys):
    """By name; their costs are what the same scenarios cost in Python."""
    assert main(["evaluate", "items.npz", "--solution", "plan.json", "--scenarios", "later.csv", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    x = json.loads(Path("plan.json").read_text())["x"]
    later = nr.evaluate(folder, x, scenarios=[[1, 2, 3, 4], [9, 9, 9, 9]])
    assert data["total_costs"] == later.total_costs.tolist()
    assert data["worst_scenario_name"] == "tue"
    assert later.total_costs[1] == pytest.approx(
        folder.first_stage.costs @ np.array(x) + 9 * (folder.num_select - sum(x))
    )


def test_later_scenarios_need_every_uncertain_number(folder, capsys):
    """Tables of another width, without numbers, or that do not exist are refused with a sentence."""
    Path("narrow.csv").write_text("a,b\n1,2\n")
    Path("words.csv").write_text("a,b,c,d\n1,2,many,4\n")
    for name, sentence in (
        ("narrow.csv", "must have shape"),
        ("words.csv", "must hold numbers"),
        ("gone.csv", "not a"),
    ):
        assert main(["evaluate", "items.npz", "--solution", "plan.json", "--scenarios", name]) == 2
        assert sentence in capsys.readouterr().err


def test_later_scenarios_are_not_overwritten(folder, capsys):
    """By the tables of --out."""
    Path("out").mkdir()
    Path("out/costs.csv").write_bytes(Path("later.csv").read_bytes())
    command = ["evaluate", "items.npz", "--solution", "plan.json", "--scenarios", "out/costs.csv", "--out", "out"]
    assert main(command) == 2
    assert "would overwrite" in capsys.readouterr().err


def test_evaluate_refuses_later_scenarios_that_do_not_fit(folder):
    """As `with_scenarios` does."""
    with pytest.raises(nr.InputError, match="must have shape"):
        nr.evaluate(folder, np.zeros(4), scenarios=[[1, 2]])
