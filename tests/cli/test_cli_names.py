"""Names on the command line: `info --names`, and options that are called as in Python."""

import inspect
import json

import pytest

import neurprise as nr
from neurprise.cli import main
from neurprise.io import plan as plans
from neurprise.io import smps

PLAN = """\
model = "shop.lp"
scenarios = "days.csv"
first_stage = ["bake"]

[columns]
day = "name"
customers = { rhs = "demand" }
"""
MODEL = "Minimize\n 2 bake + 5 buy\nSubject To\n oven: bake <= 10\n demand: bake + buy >= 4\nEnd\n"


@pytest.fixture
def plan(tmp_path):
    """A bakery: one variable and one row each stage, two days."""
    (tmp_path / "shop.lp").write_text(MODEL)
    (tmp_path / "days.csv").write_text("day,customers\n2024-03-01,3\n2024-03-02,9\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def test_info_lists_names(capsys, plan):
    """One a line, behind what it names, so that grep finds them."""
    assert main(["info", str(plan), "--names"]) == 0
    text = capsys.readouterr().out
    _, *groups = text.rstrip("\n").split("\n\n")
    assert [group.splitlines() for group in groups] == [
        ["first stage       bake"],
        ["first stage rows  oven"],
        ["recourse          buy"],
        ["recourse rows     demand"],
        ["scenarios         2024-03-01", "scenarios         2024-03-02"],
    ]


def test_info_lists_names_as_json(capsys, plan):
    """Under one key; without --names there is none."""
    assert main(["info", str(plan), "--names", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["names"] == {
        "first_stage": ["bake"],
        "first_stage_rows": ["oven"],
        "recourse": ["buy"],
        "recourse_rows": ["demand"],
        "scenarios": ["2024-03-01", "2024-03-02"],
    }
    assert main(["info", str(plan), "--json"]) == 0
    assert "names" not in json.loads(capsys.readouterr().out)


def test_a_family_is_listed_with_its_own_names(capsys, tmp_path):
    """A graph has no first-stage rows, and none are listed."""
    nr.make_vertex_cover(3, 2, seed=0).write(tmp_path / "cover.npz")
    assert main(["info", str(tmp_path / "cover.npz"), "--names"]) == 0
    text = capsys.readouterr().out
    assert "first stage       cover[2]\n" in text
    assert "\nfirst stage rows  " not in text
    assert "scenarios         1\n" in text


def test_names_need_a_file(capsys):
    """An installation has none."""
    assert main(["info", "--names"]) == 2
    assert "--names lists the names in a problem; add its FILE" in capsys.readouterr().err


@pytest.mark.parametrize(
    "solution", [[5], {"x": [5]}, {"bake": 5}, {"decision": {"bake": 5}, "x": [7], "status": "optimal"}]
)
def test_evaluate_reads_decisions_in_order_or_by_name(capsys, plan, tmp_path, solution):
    """A list, a report's x, an object by name, and a report's decision, which wins; the worst day is named."""
    (tmp_path / "x.json").write_text(json.dumps(solution))
    assert main(["evaluate", str(plan), "--solution", str(tmp_path / "x.json")]) == 0
    assert "30 (scenario 2024-03-02)" in capsys.readouterr().out


@pytest.mark.parametrize(
    "solution, sentence",
    [
        ({"baek": 5}, "got 'baek' (did you mean 'bake'?)"),
        ({"bake": 50}, "'row oven' must be at most 10, got 50"),
        ({"x": None}, "got no decision in"),
        ({}, "got no decision in"),
    ],
)
def test_evaluate_refuses_other_decisions(capsys, plan, tmp_path, solution, sentence):
    """A slip in the name, a broken row, a report without a decision, nothing."""
    (tmp_path / "x.json").write_text(json.dumps(solution))
    assert main(["evaluate", str(plan), "--solution", str(tmp_path / "x.json")]) == 2
    assert sentence in capsys.readouterr().err


def test_options_of_readers_are_called_as_in_python(capsys):
    """Every parameter of the readers is a flag of that name, and the other way round."""
    assert main(["info", "--help"]) == 0
    text = capsys.readouterr().out
    for reader in (smps.read, plans.read):
        for name in list(inspect.signature(reader).parameters)[1:]:
            assert f"--{name.replace('_', '-')} " in text


def test_a_plan_reads_another_table(capsys, plan, tmp_path):
    """--scenarios, as nr.read(plan, scenarios=...)."""
    (tmp_path / "next.csv").write_text("day,customers\n2025-03-01,5\n")
    assert main(["info", str(plan), "--scenarios", str(tmp_path / "next.csv"), "--names", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["names"]["scenarios"] == ["2025-03-01"]
