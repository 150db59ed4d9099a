"""Tables of an answer: CSV, Excel, pandas; names and numbers arrive whole, whatever they are."""

from __future__ import annotations

import csv
import gc
import sys
from contextlib import nullcontext
from itertools import product

import numpy as np
import openpyxl
import pytest
from hypothesis import given, settings

import neurprise as nr
from neurprise.io.csv_cells import text_of
from neurprise.report import tables
from tests.extensive import PAPER
from tests.instances import random_selection, seeds
from tests.name_strategies import distinct


@pytest.fixture(scope="module")
def sites():
    """Two sites, three named scenarios."""
    problem = nr.FacilityLocation([10, 10], [1, 1], [9, 9], [[1, 5], [5, 1]], [[2, 3], [6, 1], [1, 7]])
    return problem.with_labels(scenario_names=("calm", "north", "south"))


@pytest.fixture(scope="module")
def report(sites):
    return nr.solve(sites)


def read(path):
    """Header and rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def test_the_folder_holds_decision_costs_and_recourse(report, sites, tmp_path):
    """Everything by name, every scenario with its total cost and its plan."""
    report.to_csv(tmp_path / "answer")
    assert sorted(path.name for path in (tmp_path / "answer").iterdir()) == [
        "costs.csv",
        "decision.csv",
        "recourse.csv",
    ]
    header, rows = read(tmp_path / "answer" / "decision.csv")
    assert header == ["name", "value"]
    assert {name: float(value) for name, value in rows} == report.decision
    header, rows = read(tmp_path / "answer" / "costs.csv")
    assert header == ["scenario", "cost"]
    assert max(float(cost) for _, cost in rows) == pytest.approx(report.worst_case)
    assert [name for name, _ in rows] == ["calm", "north", "south"]
    header, rows = read(tmp_path / "answer" / "recourse.csv")
    assert header == ["scenario", "name", "value"]
    assert [tuple(row[:2]) for row in rows] == list(product(sites.scenario_names, sites.recourse_names))
    assert {row[1]: float(row[2]) for row in rows if row[0] == "south"} == report.recourse("south")


@pytest.mark.parametrize(
    ("which", "names"),
    [
        ("worst", lambda report: [report.worst_scenario_name]),
        ("kept", lambda report: [report.scenario_name(s) for s in report.scenarios]),
        ("north", lambda report: ["north"]),
        (2, lambda report: ["south"]),
        (["south", 0, "worst"], lambda report: ["south", "calm", report.worst_scenario_name]),
        ([], lambda report: []),
    ],
)
def test_the_recourse_of_chosen_scenarios(report, tmp_path, which, names):
    """By word, by name, by number, or several; each once and in the order asked for."""
    report.to_csv(tmp_path, recourse=which)
    _, rows = read(tmp_path / "recourse.csv")
    assert list(dict.fromkeys(row[0] for row in rows)) == list(dict.fromkeys(names(report)))


def test_many_scenarios_are_not_written_unasked(report, tmp_path, monkeypatch):
    """Beyond a million entries the scenarios that decide are enough; all of them on request."""
    monkeypatch.setattr(tables, "RECOURSE_ROWS", 5)
    report.to_csv(tmp_path)
    assert {row[0] for row in read(tmp_path / "recourse.csv")[1]} <= {report.scenario_name(s) for s in report.scenarios}
    report.to_csv(tmp_path, recourse="all")
    assert {row[0] for row in read(tmp_path / "recourse.csv")[1]} == {"calm", "north", "south"}


@settings(max_examples=20, deadline=None)
@given(names=distinct(4), days=distinct(3))
def test_any_name_survives_csv_excel_and_json(names, days, tmp_path_factory):
    """Commas, quotes, emoji and formulas are names like others."""
    folder = tmp_path_factory.mktemp("answer")
    problem = nr.make_selection(4, 3, seed=1).with_labels(x_names=names, scenario_names=days)
    report = nr.solve(problem)
    report.to_csv(folder)
    report.to_excel(folder / "answer.xlsx")
    assert [text_of(row[0]) for row in read(folder / "decision.csv")[1]] == names
    assert [text_of(row[0]) for row in read(folder / "costs.csv")[1]] == days
    book = openpyxl.load_workbook(folder / "answer.xlsx")
    assert [row[0] for row in book["decision"].iter_rows(min_row=2, values_only=True)] == names
    assert all(cell.data_type == "s" for (cell,) in book["costs"].iter_rows(min_row=2, max_col=1))
    again = nr.Report.from_json(report.to_json())
    assert tuple(again.decision) == tuple(names)
    assert again.worst_scenario_name == report.worst_scenario_name == days[report.worst_scenario]


@settings(max_examples=20, deadline=None)
@given(days=distinct(5))
def test_names_survive_restriction(days):
    """A scenario keeps its name, and its cost, among fewer and in another order."""
    problem = nr.make_selection(4, 5, seed=1).with_labels(scenario_names=days)
    some = problem.restrict([4, 0, 2])
    x = nr.solve(problem).x
    whole, part = nr.evaluate(problem, x), nr.evaluate(some, x)
    costs = dict(zip(days, whole.total_costs.tolist(), strict=True))
    assert dict(zip(some.scenario_labels, part.total_costs.tolist(), strict=True)) == {
        days[s]: costs[days[s]] for s in (4, 0, 2)
    }
    assert part.worst_scenario_name in days
    assert part.recourse(days[4]) == whole.recourse(days[4])


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_regret_is_the_cost_beyond_the_best_in_hindsight(seed):
    """V({s}) by the paper's own model and scipy; the regret of a decision is never negative."""
    problem = random_selection(seed)
    frame = nr.solve(problem).to_frame(regret=True)
    best = [PAPER["selection"](problem).value([s]) for s in range(problem.num_scenarios)]
    assert frame["best_cost"].to_numpy() == pytest.approx(best)
    assert frame["regret"].to_numpy() == pytest.approx(frame["cost"].to_numpy() - best)


def test_a_decision_that_fails_regrets_without_limit(sites):
    """The others are compared all the same."""
    evaluation = nr.evaluate(sites, [1, 0, 6, 0])
    costs = tables.AnswerTables(evaluation.plan).costs(regret=True)
    assert np.isfinite(costs["regret"]).tolist() == [True, False, False]
    assert costs["regret"][1] == np.inf


def test_regret_gets_columns_of_its_own(report, tmp_path):
    """Where it is asked for."""
    report.to_csv(tmp_path, regret=True)
    header, rows = read(tmp_path / "costs.csv")
    assert header == ["scenario", "cost", "best_cost", "regret"]
    assert all(float(cost) - float(best) == pytest.approx(float(regret)) for _, cost, best, regret in rows)


def test_the_search_for_regret_shows_how_far_it_is(sites, monkeypatch):
    """It takes a solve for every scenario, and was silent."""
    shown = []

    class Line:
        update = staticmethod(lambda known, seconds: None)
        say = staticmethod(shown.append)

    monkeypatch.setattr(tables, "progress_line", lambda: nullcontext(Line()))
    nr.solve(nr.TwoStageProblem(**sites.general_form())).to_frame(regret=True)
    assert "V({s}) known in 0 of 3 scenarios" in shown


def test_profits_are_called_profits_in_files(tmp_path):
    """Whoever opens the table of a maximisation reads what it holds."""
    report = nr.solve(
        nr.TwoStageProblem.from_matrices(
            [0.0], None, None, [[-1.0]], [0.0], [[1.0]], None, None, [[3.0], [2.0]],
            x_integer=True, y_integer=False, x_upper=4, maximize=True,
        )
    )  # fmt: skip
    report.to_csv(tmp_path, regret=True)
    header, rows = read(tmp_path / "costs.csv")
    assert header == ["scenario", "profit", "best_profit", "regret"]
    assert rows == [["0", "12", "12", "0"], ["1", "8", "8", "0"]]
    frame = report.to_frame(regret=True)
    assert list(frame.columns) == ["profit", "best_profit", "regret", "recourse_profit", "kept"]


def test_a_workbook_is_ready_to_read(tmp_path):
    """A summary first, bold headers that stay, columns as wide as their names, and a grid of units by hours."""
    names = [f"on/off[{unit}, {hour}]" for unit in ("coal", "gas") for hour in (1, 2)]
    problem = nr.make_selection(4, 3, seed=1).with_labels(x_names=names, scenario_names=["a" * 30, "b", "c"])
    report = nr.solve(problem)
    report.to_excel(tmp_path / "answer.xlsx")
    book = openpyxl.load_workbook(tmp_path / "answer.xlsx")
    assert book.sheetnames == ["summary", "decision", "on_off", "costs", "recourse"]
    summary = dict(book["summary"].iter_rows(values_only=True))
    assert (summary["worst case"], summary["status"]) == (report.worst_case, "optimal")
    assert book["costs"].freeze_panes == "B2"
    assert all(cell.font.bold for cell in book["costs"][1])
    assert book["costs"].column_dimensions["A"].width >= 30
    head, *rows = book["on_off"].iter_rows(values_only=True)
    assert head == ("on/off", "1", "2")
    assert [row[0] for row in rows] == ["coal", "gas"]
    assert [value for row in rows for value in row[1:]] == list(report.x)


def test_a_workbook_ends_in_xlsx(report, tmp_path):
    """Excel would not open another one."""
    with pytest.raises(nr.InputError, match=r"must end in .xlsx, got .*answer.csv"):
        report.to_excel(tmp_path / "answer.csv")


def test_a_frame_has_a_row_per_scenario(report):
    """Costs, the recourse's share of them, and whether the scenario was kept."""
    frame = report.to_frame()
    assert list(frame.columns) == ["cost", "recourse_cost", "kept"]
    assert list(frame.index) == ["calm", "north", "south"]
    assert frame["cost"].max() == pytest.approx(report.worst_case)
    assert frame["kept"].tolist() == [s in report.scenarios for s in range(3)]


@pytest.mark.parametrize(
    ("package", "write"),
    [
        ("pandas", lambda report, path: report.to_frame()),
        ("openpyxl", lambda report, path: report.to_excel(path / "answer.xlsx")),
    ],
)
def test_a_missing_package_is_named(report, tmp_path, monkeypatch, package, write):
    """The sentence says what to install."""
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(nr.MissingDependencyError, match="pip install"):
        write(report, tmp_path)


def test_a_sheet_that_excel_cannot_hold_is_refused(report, tmp_path, monkeypatch):
    """Rows are never dropped silently, and no half a workbook stays behind."""
    monkeypatch.setattr("neurprise.report.workbook._ROWS", 3)
    with pytest.raises(nr.InputError, match="write CSV"):
        report.to_excel(tmp_path / "answer.xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["file", "nowhere/answer"])
def test_a_folder_that_cannot_be_is_refused(report, tmp_path, place):
    """A file of that name, or a folder in no folder."""
    (tmp_path / "file").write_text("")
    with pytest.raises(nr.InputError, match="an output folder must"):
        report.to_csv(tmp_path / place)


def test_an_interrupted_workbook_leaves_nothing_behind(report, tmp_path, monkeypatch):
    """Neither a file nor an archive that a finalizer closes after its file and complains."""
    complaints = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)

    def interrupted(self, *_):
        raise KeyboardInterrupt

    monkeypatch.setattr("openpyxl.writer.excel.ExcelWriter.write_worksheet", interrupted)
    with pytest.raises(KeyboardInterrupt):
        report.to_excel(tmp_path / "answer.xlsx")
    gc.collect()
    assert complaints == []
    assert list(tmp_path.iterdir()) == []
