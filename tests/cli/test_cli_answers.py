"""Answers on the command line: plans by scenario, tables in files, regret, and the user's sign."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pytest

import neurprise as nr
from neurprise.cli import main
from neurprise.report import tables
from tests.instances import exactly_two_of_four
from tests.read_only import read_only

PLAN = """\
model = "farm.lp"
scenarios = "years.csv"
first_stage = ["plant_*"]

[columns]
year = "name"
rain = { rhs = "water" }
"""

LP = """\
Maximize
 obj: - 2 plant_rye + 3 sell_rye
Subject To
 water: sell_rye <= 5
 harvest: sell_rye - plant_rye <= 0
Bounds
 plant_rye <= 10
 sell_rye <= 10
End
"""


@pytest.fixture
def sites(tmp_path: Path) -> Path:
    """Two sites and three named scenarios on disk."""
    problem = nr.FacilityLocation([10, 10], [1, 1], [9, 9], [[1, 5], [5, 1]], [[2, 3], [6, 1], [1, 7]])
    path = tmp_path / "sites.npz"
    problem.with_labels(scenario_names=("calm", "north", "south")).write(path)
    return path


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    """A maximisation: what is planted costs 2, what is sold brings 3, and the year's water limits it."""
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "farm.lp").write_text(LP)
    (tmp_path / "years.csv").write_text("year,rain\ndry,4\nwet,9\n")
    return tmp_path / "plan.toml"


def answer(capsys, *argv):
    """What a command prints under --json; it must succeed."""
    assert main([*map(str, argv), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def printed(capsys, *argv):
    """What a command prints; it must succeed."""
    assert main([*map(str, argv)]) == 0
    return capsys.readouterr().out


def column(path, name):
    """One column of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


class TestSolve:
    def test_json_has_decision_and_scenarios_by_name(self, capsys, sites):
        """Everything a program needs to go on without positions."""
        data = answer(capsys, "solve", sites)
        assert set(data["decision"]) == set(nr.read(sites).first_stage_names)
        assert data["worst_scenario_name"] in ("calm", "north", "south")
        assert data["scenario_names"] == [("calm", "north", "south")[s] for s in data["scenarios"]]
        assert data["absolute_gap"] == pytest.approx(data["worst_case"] - data["lower_bound"])

    def test_out_writes_three_tables(self, capsys, sites, tmp_path):
        """Decision, total costs of all scenarios, recourse of all scenarios."""
        data = answer(capsys, "solve", sites, "--out", tmp_path / "answer")
        assert column(tmp_path / "answer" / "decision.csv", "name") == list(data["decision"])
        costs = [float(cost) for cost in column(tmp_path / "answer" / "costs.csv", "cost")]
        assert max(costs) == pytest.approx(data["worst_case"])
        assert set(column(tmp_path / "answer" / "recourse.csv", "scenario")) == {"calm", "north", "south"}

    def test_regrets_are_solved_once(self, capsys, sites, tmp_path, monkeypatch):
        """The screen, the tables and the page show the same ones, and each is a solve for every scenario."""
        asked = []
        solved = tables.every_value
        monkeypatch.setattr(tables, "every_value", lambda session: asked.append(session) or solved(session))
        places = ["--out", tmp_path / "answer", "--report", tmp_path / "answer.html"]
        answer(capsys, "solve", sites, "--regret", *places)
        assert len(asked) == 1

    def test_a_time_limit_counts_for_regrets_too(self, capsys, tmp_path):
        """At most as long as the search; what is not known by then is empty, and the screen says how much is known."""
        nr.make_selection(10, 2_500, 0).write(tmp_path / "many.npz")
        argv = ["solve", tmp_path / "many.npz", "--regret", "--time-limit", "0", "--out", tmp_path / "answer"]
        assert main([*map(str, argv)]) == 1  # the decision is not checked on all scenarios either
        text = capsys.readouterr().out
        assert "in the 1,000 of 2,500 scenarios solved before the time limit, compared with the best decision" in text
        known = [value != "" for value in column(tmp_path / "answer" / "costs.csv", "regret")]
        assert known == [True] * 1_000 + [False] * 1_500

    def test_out_may_be_a_workbook(self, capsys, sites, tmp_path):
        """A name that ends in .xlsx."""
        printed(capsys, "solve", sites, "--out", tmp_path / "answer.xlsx", "--recourse", "worst", "--regret")
        book = openpyxl.load_workbook(tmp_path / "answer.xlsx")
        assert book.sheetnames == ["summary", "decision", "by index", "costs", "recourse"]
        assert [cell.value for cell in book["costs"][1]] == ["scenario", "cost", "best_cost", "regret"]

    def test_the_recourse_of_a_scenario_is_printed(self, capsys, sites):
        """Without a folder, on the screen: what is not zero."""
        text = printed(capsys, "solve", sites, "--recourse", "south")
        plan = nr.solve(nr.read(sites)).recourse("south")
        _, _, shown = text.partition("recourse in scenario south\n")
        assert {line.split()[0] for line in shown.splitlines()} == {name for name, value in plan.items() if value}

    def test_recourse_and_regret_in_json(self, capsys, sites):
        """By scenario and name; costs by column. The report in it still reads back."""
        data = answer(capsys, "solve", sites, "--recourse", "worst", "--recourse", "calm", "--regret")
        assert list(data["recourse"]) == list(dict.fromkeys([data["worst_scenario_name"], "calm"]))
        assert data["recourse"]["calm"] == nr.solve(nr.read(sites)).recourse("calm")
        assert [cost - best for cost, best in zip(data["costs"]["cost"], data["costs"]["best_cost"], strict=True)] == (
            pytest.approx(data["costs"]["regret"])
        )
        assert nr.Report.from_json(json.dumps(data)).decision == data["decision"]

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["--recourse", "soth"], "did you mean 'south'"),
            (["--out", "missing/answer"], "must be inside an existing folder"),
            (["--out", "missing/answer.xlsx"], "must exist"),
        ],
    )
    def test_what_cannot_be_told_is_refused_before_the_search(self, capsys, sites, monkeypatch, options, words):
        """Exit code 2 and a sentence; no time is spent."""
        monkeypatch.setattr(nr, "solve", lambda *_, **__: pytest.fail("the search began"))
        assert main(["solve", str(sites), *options]) == 2
        assert words in capsys.readouterr().err

    def test_a_workbook_that_cannot_be_written_is_refused_before_the_search(self, capsys, sites, monkeypatch):
        """The package for it is missing, and the sentence says how to install it."""
        monkeypatch.setattr(nr, "solve", lambda *_, **__: pytest.fail("the search began"))
        monkeypatch.setitem(sys.modules, "openpyxl", None)
        assert main(["solve", str(sites), "--out", "answer.xlsx"]) == 2
        assert "pip install 'neurprise[excel]'" in capsys.readouterr().err

    def test_a_folder_that_cannot_be_written_is_refused_before_the_search(self, sites, tmp_path):
        """Neither an old one nor a new one in it; nothing is on standard output yet."""
        (tmp_path / "shared" / "old").mkdir(parents=True)
        with read_only(tmp_path / "shared") as prefix:
            for place in ("shared/old", "shared/new"):
                argv = [*prefix, sys.executable, "-m", "neurprise", "solve", str(sites), "--out", place]
                done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
                assert (done.returncode, done.stdout) == (2, ""), done.stderr
                assert f"an output folder must be writeable, got '{place}'" in done.stderr

    def test_a_decision_that_fails_says_where(self, capsys, tmp_path):
        """It is shown all the same; the exit code is 1 and the sentence names the scenarios."""
        path = tmp_path / "two.npz"
        names = ("quiet", "busy")
        only_one_of_two = nr.TwoStageProblem.from_matrices(
            [1, 1], [[-1, -1]], [-1], [[0], [0]], [0, 0], np.eye(2), -np.eye(2), np.eye(2), [1],
            x_integer=True, y_integer=False, x_upper=1,
        )  # fmt: skip
        only_one_of_two.with_labels(scenario_names=names).write(path)
        words = ["--reducer", "maxsum", "--budget", "1"]
        assert main(["solve", str(path), *words]) == 1
        captured = capsys.readouterr()
        assert "no recourse in 1 of 2 scenarios (busy)" in captured.out
        assert "no recourse in some scenarios (busy), because" in captured.err
        assert captured.err.endswith("; raise --budget or add --refine.\n")

    def test_a_search_without_a_budget_is_not_told_to_raise_it(self, capsys, tmp_path):
        """Time was over while the best decision known had no recourse somewhere: more time is what helps."""
        path, start = tmp_path / "two.npz", tmp_path / "start.json"
        exactly_two_of_four().write(path)
        start.write_text("[1, 1, 0, 0]")
        assert main(["solve", str(path), "--start", str(start), "--time-limit", "0"]) == 1
        assert capsys.readouterr().err.endswith("; raise --time-limit.\n")

    def test_an_interrupt_among_the_tables_leaves_the_evaluation(self, capsys, sites, tmp_path, monkeypatch):
        """It is on the screen, and the sentence says that only the tables are missing."""

        def impatient(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("neurprise.cli.evaluate.write_tables", impatient)
        (tmp_path / "x.json").write_text("[1, 1, 9, 9]")
        argv = ["evaluate", str(sites), "--solution", str(tmp_path / "x.json"), "--out", str(tmp_path / "tables")]
        assert main(argv) == 130
        out, err = capsys.readouterr()
        assert "worst case" in out
        assert err.endswith(f"the answer above holds, only {tmp_path / 'tables'} could not be completed.\n")

    def test_a_scenario_without_recourse_is_not_passed_over(self, capsys, tmp_path):
        """Whoever asks for the plan of that scenario is told that there is none."""
        path, small = tmp_path / "two.npz", tmp_path / "small.json"
        nr.FacilityLocation([10, 10], [1, 1], [9, 9], [[1, 5], [5, 1]], [[9, 0], [9, 9]]).write(path)
        small.write_text("[1, 0, 9, 0]")
        text = printed(capsys, "evaluate", path, "--solution", small, "--recourse", "0", "--recourse", "1")
        assert "recourse in scenario 0\n  ship[" in text
        assert text.endswith("recourse in scenario 1\n  none: the decision has no optimal recourse there\n")


class TestProfit:
    def test_a_profit_is_guaranteed(self, capsys, farm):
        """The screen, in the words of who earns."""
        text = printed(capsys, "solve", farm)
        assert "guaranteed   at least 4 (scenario dry)" in text
        assert "upper bound  4 (proved): no decision can guarantee more" in text
        assert "plant_rye = 4" in text

    def test_json_costs_and_evaluation_are_profits(self, capsys, farm, tmp_path):
        """One sign everywhere, also in files."""
        data = answer(capsys, "solve", farm, "-o", tmp_path / "answer.json", "--out", tmp_path / "answer")
        assert (data["worst_case"], data["lower_bound"], data["maximize"]) == (4.0, 4.0, True)
        assert column(tmp_path / "answer" / "costs.csv", "profit") == ["4", "4"]
        again = answer(capsys, "evaluate", farm, "--solution", tmp_path / "answer.json")
        assert again["total_costs"] == [4.0, 4.0]
        assert again["recourse_costs"] == [12.0, 12.0]
        assert again["worst_case"] == 4.0

    def test_the_kept_scenarios_tell_profits(self, capsys, farm):
        """V(kept) is what could be guaranteed if only these came."""
        data = answer(capsys, "reduce", farm, "--method", "prise", "--budget", 2)
        assert data["objective"] == 4.0
        assert data["names"] == ["dry"]
        assert sum(data["gains"]) == pytest.approx(4.0)

    def test_the_page_tells_profits(self, capsys, farm, tmp_path):
        """The same words and numbers."""
        printed(capsys, "solve", farm, "--report", tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert "guarantees a profit of at least 4" in page
        told = page[: page.index("<script")].partition("</style>")[2]
        assert "-4" not in re.sub(r"\d{4}-\d\d-\d\d", "", told)  # the page's date apart


class TestEvaluate:
    def test_total_costs_and_names(self, capsys, sites, tmp_path):
        """First stage and recourse together, scenario by scenario, and who is worst."""
        report = nr.solve(nr.read(sites))
        (tmp_path / "x.json").write_text(json.dumps(report.decision))
        data = answer(capsys, "evaluate", sites, "--solution", tmp_path / "x.json")
        assert max(data["total_costs"]) == pytest.approx(data["worst_case"]) == pytest.approx(report.worst_case)
        assert data["worst_scenario_name"] == ("calm", "north", "south")[data["worst_scenario"]]
        assert data["infeasible_scenarios"] == []

    def test_scenarios_without_recourse_are_named(self, capsys, sites, tmp_path):
        """Which ones, on the screen and in the tables."""
        (tmp_path / "x.json").write_text("[1, 0, 6, 0]")
        text = printed(capsys, "evaluate", sites, "--solution", tmp_path / "x.json", "--out", tmp_path / "plan")
        assert "2 of 3 scenarios: north, south" in text
        assert column(tmp_path / "plan" / "costs.csv", "cost")[1:] == ["inf", "inf"]
        assert set(column(tmp_path / "plan" / "recourse.csv", "scenario")) == {"calm"}

    def test_regret_is_told(self, capsys, sites, tmp_path):
        """How much better the worst-regretted scenario could have ended."""
        (tmp_path / "x.json").write_text(json.dumps(nr.solve(nr.read(sites)).decision))
        assert "if the scenario were known in advance" in printed(
            capsys, "evaluate", sites, "--solution", tmp_path / "x.json", "--regret"
        )

    def test_an_interrupt_while_regrets_are_found_leaves_the_costs(self, capsys, sites, tmp_path, monkeypatch):
        """They are printed, and the sentence says what is missing."""

        def interrupted(session):
            raise KeyboardInterrupt

        monkeypatch.setattr(tables, "every_value", interrupted)
        (tmp_path / "x.json").write_text(json.dumps(nr.solve(nr.read(sites)).decision))
        code = main(["evaluate", str(sites), "--solution", str(tmp_path / "x.json"), "--regret"])
        shown = capsys.readouterr()
        assert code == 130
        assert "worst case" in shown.out
        assert shown.err == (
            "neurprise: error: interrupted; the answer above holds, only plans and regret could not be completed.\n"
        )
