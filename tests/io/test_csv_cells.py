"""Cells of CSV files are not executed by spreadsheets, and every text comes back."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurprise as nr
from neurprise.cli import main
from neurprise.io.csv_cells import cell_of, text_of

FORMULA = "=HYPERLINK(1)"


@pytest.mark.parametrize(
    "text", [FORMULA, "+x", "-x", "@SUM(1)", "\tx", "\r=1", "\uff1d1", "-1+1", "+1|x", "'=1", "''=1"]
)
def test_what_would_be_executed_becomes_a_text(text):
    """By an apostrophe; one that stands there already gets another."""
    assert cell_of(text) == f"'{text}"


@pytest.mark.parametrize("text", ["x", "-1", "+2.5e3", "x=1", "", "'x", "2024-03-01", "a-b", "'"])
def test_everything_else_stays(text):
    """Numbers with a sign are numbers."""
    assert cell_of(text) == text


@given(text=st.text(st.sampled_from("'=+-@1ex \t"), max_size=6) | st.text(max_size=5), neutral=st.booleans())
def test_every_text_comes_back(text, neutral):
    """Whether it was made neutral or not."""
    assert text_of(cell_of(text, neutral)) == text


@pytest.fixture
def problem():
    names = [FORMULA, "-a", "'@b", "plain"]
    return nr.make_selection(4, 2, seed=1).with_labels(x_names=names, scenario_names=["=1", "@2"])


@pytest.mark.parametrize("options", [[], ["--plain-csv"]])
def test_a_decision_is_read_back_by_its_names(problem, options, tmp_path, monkeypatch, capsys):
    """`solve --out`, then `evaluate` and `--start` with its decision.csv."""
    monkeypatch.chdir(tmp_path)
    problem.write("p.npz")
    assert main(["solve", "p.npz", "--out", "answer", *options]) == 0
    with open("answer/decision.csv", encoding="utf-8", newline="") as file:
        names = [row[0] for row in csv.reader(file)][1:]
    assert names[0] == (FORMULA if options else f"'{FORMULA}")
    assert names[3] == "plain"
    assert main(["evaluate", "p.npz", "--solution", "answer/decision.csv"]) == 0
    assert main(["solve", "p.npz", "--start", "answer/decision.csv"]) == 0
    assert capsys.readouterr().err == ""


def test_names_of_scenarios_are_neutral_too(problem, tmp_path):
    """In costs.csv and recourse.csv."""
    nr.solve(problem).to_csv(tmp_path)
    for name in ("costs.csv", "recourse.csv"):
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            assert {row[0] for row in csv.reader(file)} - {"scenario"} == {"'=1", "'@2"}
