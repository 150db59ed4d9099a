"""nr.compare and `neurprise compare`: decisions beside each other over all scenarios."""

import json

import numpy as np
import pytest

import neurprise as nr
from neurprise.cli import main
from neurprise.report.comparison import mean_problem


@pytest.fixture
def problem():
    """Select two of four items; three weeks."""
    return nr.Selection([5, 4, 6, 3], [[1, 9, 2, 8], [7, 2, 9, 3], [4, 4, 4, 4]], 2).with_labels(
        scenario_names=["wet", "dry", "mild"], probabilities=[0.5, 0.25, 0.25]
    )


def test_every_total_is_what_evaluate_says(problem):
    """First stage included; by scenario, worst, mean and expected."""
    robust = nr.solve(problem)
    comparison = nr.compare(problem, {"robust": robust, "nothing now": [0, 0, 0, 0]})
    for name, x in (("robust", robust.x), ("nothing now", np.zeros(4))):
        evaluation, row = nr.evaluate(problem, x), comparison.summary()[name]
        totals = problem.first_stage.costs @ x + evaluation.recourse_costs
        assert list(comparison.to_dict()["totals"][name].values()) == totals.tolist()
        assert row["worst_case"] == evaluation.worst_case == totals.max()
        assert row["mean"] == pytest.approx(totals.mean())
        assert row["expected"] == pytest.approx(totals @ problem.probabilities)
        assert row["worst_scenario"] == problem.scenario_labels[evaluation.worst_scenario]


def test_decisions_come_in_every_form(problem, tmp_path):
    """Report, list, names and the file of an answer are one decision."""
    pandas = pytest.importorskip("pandas")
    report = nr.solve(problem)
    file = tmp_path / "answer.json"
    file.write_text(report.to_json())
    named = problem.named_decision(report.x)
    forms = {"report": report, "list": report.x.tolist(), "dict": named, "series": pandas.Series(named), "file": file}
    assert len(np.unique(nr.compare(problem, forms).totals, axis=0)) == 1


def test_nobody_beats_the_robust_decision_in_the_worst_case():
    """Nor the decision for the mean scenario in that scenario, nor a nominal one in its own."""
    for seed in range(5):
        problem = nr.make_facility_location(4, 4, 6, seed)
        comparison = nr.compare(problem, {"robust": nr.solve(problem, gap=0)}, mean=True, nominal=2)
        assert comparison.worst_case[0] <= comparison.worst_case.min() * (1 + 1e-4)
        assert comparison.totals[2, 2] <= comparison.totals[:, 2].min() * (1 + 1e-4)
        mean = mean_problem(problem, np.full(6, 1 / 6))
        in_the_mean = [nr.evaluate(mean, x).worst_case for x in comparison.decisions]
        assert in_the_mean[1] <= min(in_the_mean) * (1 + 1e-4)


def test_probabilities_add_the_expected_scenario(problem):
    """The mean of all scenarios, each as likely as any other, and the one of their expectation."""
    assert nr.compare(problem, {}, mean=True).names == (
        "best for the mean of the data",
        "best for the expectation of the data",
    )


def test_the_mean_scenario_is_the_mean(problem):
    """Costs of the only scenario of the mean problem."""
    assert mean_problem(problem, np.array([0.5, 0.25, 0.25])).scenario(0).costs.tolist() == [3.25, 6.0, 4.25, 5.75]


def test_scenarios_without_recourse_are_counted_and_nothing_infinite_is_best():
    """One small depot serves only the first day."""
    problem = nr.FacilityLocation([5, 5], [1, 1], [10, 10], [[1, 2], [2, 1]], [[5, 5], [8, 6], [9, 3]])
    comparison = nr.compare(problem, {"one": [1, 0, 10, 0], "both": [1, 1, 10, 10]})
    assert comparison.num_infeasible == (2, 0)
    assert np.isinf(comparison.mean[0])
    assert "2 scenarios" in str(comparison).splitlines()[1]
    assert "*" not in str(comparison).splitlines()[1]


def test_a_maximisation_compares_profits():
    """Sell what was bought, at most what is asked for: the worst is the smallest profit."""
    problem = nr.TwoStageProblem.from_matrices(
        [-2], None, None, [[1], [1]], [0, 0], [[-1], [0]], [[0], [-1]], [[5], [9]], [3],
        x_integer=True, y_integer=False, x_upper=9, maximize=True, y_row_sense="<=", scenario_names=["low", "high"],
    )  # fmt: skip
    comparison = nr.compare(problem, {"five": [5], "nine": [9], "none": [0]})
    assert comparison.totals.tolist() == [[5, 5], [-3, 9], [0, 0]]
    assert not np.signbit(comparison.totals[2]).any()  # a profit of 0 is not printed as -0
    assert comparison.worst_case.tolist() == [5, -3, 0]
    assert comparison.worst_scenario_names[1] == "low"
    assert "worst profit" in str(comparison)


def test_the_frame_has_scenarios_as_rows(problem):
    """And decisions as columns, both by name."""
    pytest.importorskip("pandas")
    frame = nr.compare(problem, {"none": [0, 0, 0, 0]}, nominal="wet").to_frame()
    assert list(frame.index) == ["wet", "dry", "mild"]
    assert list(frame.columns) == ["none", "best for scenario wet"]


def test_the_table_marks_the_best_of_each_column(problem):
    """A reader's eye needs one star a column."""
    text = str(nr.compare(problem, {"ours": nr.solve(problem).x, "nothing now": [0, 0, 0, 0]}))
    assert text.count("*") >= 3
    assert text.splitlines()[0].split() == ["worst", "case", "mean", "expected", "worst", "in", "no", "recourse", "in"]


def test_an_answer_is_starred_in_the_column_it_was_meant_for_alone(problem, tmp_path):
    """The best guarantee is not said to be the best mean, though it has the best of this table; nor from a file."""
    robust = nr.solve(problem)
    (tmp_path / "robust.json").write_text(robust.to_json())
    for answer in (robust, tmp_path / "robust.json", str(tmp_path / "robust.json")):
        comparison = nr.compare(problem, {"robust": answer, "everything now": [1, 0, 1, 0]})
        assert comparison.best("worst_case") == [True, False]
        assert comparison.mean.argmin() == 0
        assert comparison.best("mean") == comparison.best("expected") == [False, False]


def test_an_answer_for_the_mean_is_starred_there(problem):
    """With probabilities the column is "expected", without them it is "mean"; other objectives have no column."""
    equal = problem.with_scenarios(problem.scenario_data)
    for given, column in ((problem, "expected"), (equal, "mean")):
        decisions = {"robust": nr.solve(given), "average": nr.solve(given, objective="expected", gap=0), "tail": None}
        decisions["tail"] = nr.solve(given, objective="cvar:0.5")
        comparison = nr.compare(given, decisions)
        assert comparison.meant_for == {"robust": ("worst_case",), "average": (column,), "tail": ()}
        assert comparison.best(column)[0] is comparison.best(column)[2] is False


def test_a_decision_for_one_scenario_alone_is_never_starred():
    """Whatever it costs: best for the mean of the data is not best in the mean. Nor is a dearer one starred then."""
    problem = nr.Selection([10.0, 10.0], [[1.0, 30.0], [9.0, 9.0]], 1)
    comparison = nr.compare(problem, {"ours": [0, 1], "theirs": [1, 0]}, mean=True)
    assert comparison.mean.argmin() == 2
    header, ours, theirs, mean, note = str(comparison).splitlines()
    assert header.split() == ["worst", "case", "mean", "worst", "in", "no", "recourse", "in"]
    assert "*" not in mean
    assert "10 " in ours
    assert "10 " in theirs
    assert note == "no star, because meant for none of these columns: best for the mean of the data"


@pytest.mark.parametrize(
    ("decisions", "options", "sentence"),
    [
        ([[0, 0, 0, 0]], {}, "decisions by name"),
        ({}, {}, "at least one decision"),
        ({"": [0, 0, 0, 0]}, {}, "must be texts"),
        ({"ours": [0, 0]}, {}, "decision 'ours': x must be of shape"),
        ({"ours": [0, 0, 0, 0.5]}, {}, "decision 'ours': .*whole number"),
        ({}, {"nominal": "damp"}, "scenario must be a known name"),
        (
            {"best for the mean of the data": [0, 0, 0, 0]},
            {"mean": True},
            "'best for the mean of the data' is the name of a decision that compare adds",
        ),
        (
            {"best for scenario dry": [0, 0, 0, 0]},
            {"nominal": 1},
            "'best for scenario dry' is the name of a decision that compare adds",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(problem, decisions, options, sentence):
    """With the name of the decision that is wrong."""
    with pytest.raises(nr.InputError, match=sentence):
        nr.compare(problem, decisions, **options)


@pytest.mark.parametrize("seconds", [-1, float("nan"), "a"])
def test_a_time_limit_that_is_none_is_refused(problem, seconds):
    """As `solve` refuses it."""
    with pytest.raises(nr.InputError, match="time_limit must be"):
        nr.compare(problem, {"all": [1, 1, 0, 0]}, mean=True, time_limit=seconds)


def test_a_mean_without_a_decision_is_refused():
    """Two half-open intervals meet nowhere in the middle."""
    problem = nr.TwoStageProblem.from_matrices(
        [1.0], None, None, [[0.0]], [0.0], [[1.0]], [[-1.0]], [[0.0], [4.0]], [1.0],
        x_integer=False, y_integer=False, x_upper=1.0, y_upper=1.0,
    )  # fmt: skip
    with pytest.raises(nr.InputError, match="no decision is feasible, let alone best for the mean of the data"):
        nr.compare(problem, {}, mean=True)


class TestCommand:
    @pytest.fixture
    def folder(self, problem, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        problem.write("p.npz")
        (tmp_path / "robust.json").write_text(nr.solve(problem).to_json())
        (tmp_path / "today.json").write_text("[0, 0, 1, 1]")

    def test_files_are_named_after_themselves_or_as_told(self, folder, capsys):
        """--solution PATH, or --solution NAME=PATH."""
        command = ["compare", "p.npz", "--solution", "robust.json", "--solution", "ours=today.json", "--mean"]
        assert main(command) == 0
        lines = capsys.readouterr().out.splitlines()
        starts = [line.split("  ")[0] for line in lines[1:]]
        certain = ["best for the mean of the data", "best for the expectation of the data"]
        assert starts[:4] == ["robust", "ours", *certain]
        assert starts[4] == f"no star, because meant for none of these columns: {'; '.join(certain)}"

    def test_json_holds_summary_and_totals(self, folder, capsys):
        """By name of decision and scenario."""
        assert main(["compare", "p.npz", "--solution", "today.json", "--nominal", "dry", "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert list(data["totals"]["today"]) == ["wet", "dry", "mild"]
        assert set(data["decisions"]["best for scenario dry"]) == {
            "worst_case",
            "worst_scenario",
            "mean",
            "infeasible",
            "expected",
        }

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["--solution", "robust.json", "--solution", "./robust.json"], "different names"),
            (["--solution", "gone.json"], "gone.json"),
            ([], "at least one decision"),
            (["--mean", "--nominal", "damp"], "scenario must be a known name"),
        ],
    )
    def test_bad_input_is_one_sentence(self, folder, capsys, arguments, sentence):
        """And exit code 2."""
        assert main(["compare", "p.npz", *arguments]) == 2
        assert sentence in capsys.readouterr().err
