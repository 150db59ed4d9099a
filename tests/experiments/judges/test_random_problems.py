"""Random problems with every feature: all answers are right. `python -m experiments run crosscheck` runs more."""

import json

import numpy as np
import pytest

pytest.importorskip("pyscipopt", reason="SCIP judges")
pytest.importorskip("gurobipy", reason="Gurobi judges")

import neurprise as nr
from experiments.judges import crosscheck
from experiments.judges.examining.questions import examine, examine_medium, warm_up
from experiments.judges.oracles.truth import truth_of_case
from experiments.judges.random_problems import KINDS, ORDINARY, SCALES, draw_case
from experiments.judges.random_problems.medium import draw_medium

AT_ONCE = 15
MUST_NOT_HAPPEN = ("wrong", "exception", "undecided")  # how long a call took is not a test's business


@pytest.mark.parametrize("first", range(0, 300, AT_ONCE))
def test_no_answer_is_wrong(first):
    """Solve, evaluate, reduce, refine, verify and cut short; brute force or two other engines know the truth."""
    warm_up()
    found = [(seed, finding) for seed in range(first, first + AT_ONCE) for finding in examine(seed, ORDINARY).findings]
    assert [(seed, finding) for seed, finding in found if finding.sort in MUST_NOT_HAPPEN] == []


@pytest.mark.parametrize("seed", [408, 2543, 3010, 3189, 3276, 3471, 3842, 4060, 4972, 5425, 5695, 5980, 7930, 8694])
def test_what_was_once_wrong_stays_right(seed):
    """A crash, false optima, false infeasibility and endless searches, most of them an engine's own doing."""
    assert [finding for finding in examine(seed, ORDINARY).findings if finding.sort in MUST_NOT_HAPPEN] == []


@pytest.mark.parametrize(
    "seed, scale",
    [
        pytest.param(20006, "row units", id="recourse that breaks a row of millionths"),
        pytest.param(20038, "row units", id="decisions called infeasible by rounding, and an endless search"),
        pytest.param(50119, "row units", id="a row that is large in one scenario only"),
        pytest.param(40060, "penalty", id="a tolerance that SCIP cannot keep"),
        pytest.param(1075, "penalty", id="a shortage below zero"),
        pytest.param(20092, "costs", id="a reduction that raised"),
        pytest.param(50049, "costs", id="a trace of values that were not proved"),
    ],
)
def test_what_was_once_wrong_at_unusual_scales_stays_right(seed, scale):
    """Rows in odd units, penalties and wide costs; the search may say that it cannot prove more."""
    assert [finding for finding in examine(seed, scale).findings if finding.sort in MUST_NOT_HAPPEN] == []


@pytest.mark.parametrize("scale", [scale for scale in SCALES if scale != ORDINARY])
def test_no_answer_is_wrong_at_any_scale(scale):
    """A few of each class; the command examines more."""
    found = [(seed, finding) for seed in range(6) for finding in examine(seed, scale).findings]
    assert [(seed, finding) for seed, finding in found if finding.sort in MUST_NOT_HAPPEN] == []


@pytest.mark.parametrize("engine", ["highs", "gurobi"])
def test_a_cost_that_is_large_because_variables_are_is_right(engine):
    """Q(x, 2) is -4.2e10 at costs of a few units of money: in a unit of that size every recourse cost the same."""
    case, x = draw_case(50016, "costs"), np.array([3.25])
    costs = nr.evaluate(case.problem, x, solver=engine).recourse_costs / case.money
    assert costs == pytest.approx(truth_of_case(case).judge.recourse_costs(x))


def test_gurobis_infeasible_or_unbounded_under_a_cutoff_is_a_proof():
    """A search that nothing below the cutoff is left for is over."""
    report = nr.solve(draw_case(1545, ORDINARY).problem, "relaxation", 5, refine=True, solver="gurobi")
    assert (report.status, report.worst_case, report.lower_bound) == ("optimal", 58.0, 58.0)


def test_a_corridor_of_integers_without_bounds_is_searched_to_its_end():
    """HiGHS went along it for ever; a box around the relaxation's optimum that surely holds one is enough."""
    case = draw_case(3921, ORDINARY)
    assert nr.evaluate(case.problem, case.decision).recourse_costs == pytest.approx([-36.5, 79.0])


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_seed_always_draws_the_same_problem(kind):
    """A failure can be looked at again."""
    seed = 28 * len(KINDS) + list(KINDS).index(kind)
    one, other = draw_case(seed, ORDINARY), draw_case(seed, ORDINARY)
    assert one.kind == kind
    assert {k: str(v) for k, v in vars(one.statement).items()} == {k: str(v) for k, v in vars(other.statement).items()}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("draw", [draw_case, draw_medium])
def test_a_class_of_numbers_is_drawn_on_request(draw, scale):
    """A seed and a class give one problem; judges read it with the same scenarios."""
    one, other = draw(10, scale), draw(10, scale)
    assert one.scale == scale
    assert one.problem == other.problem
    assert one.statement.num_scenarios == one.problem.num_scenarios


def test_unusual_numbers_are_in_the_problem():
    """Small or large costs, penalties, a big M, rows in other units."""
    given = {scale: [draw_case(seed, scale).problem for seed in range(40)] for scale in SCALES}
    costs = [np.abs(problem.first_stage.costs) for problem in given["costs"]]
    assert min(cost[cost > 0].min(initial=1.0) for cost in costs) < 1e-7
    assert max(cost.max(initial=0.0) for cost in costs) > 1e9
    assert all(problem.recourse.costs.max(initial=1e5) >= 1e5 for problem in given["penalty"])
    assert max(abs(problem.recourse.technology.data).max(initial=0.0) for problem in given["big-M"]) > 1e9
    entries = [abs(problem.recourse.matrix.data) for problem in given["row units"]]
    assert min(data[data > 0].min(initial=1.0) for data in entries) < 1e-5


@pytest.mark.parametrize("seed", [12, 7, 8, 3, 10, 23])
def test_no_answer_about_a_structured_problem_is_wrong(seed):
    """One of each kind; `--medium 1500` examines more."""
    findings = examine_medium(seed, ORDINARY).findings
    assert [finding for finding in findings if finding.sort in MUST_NOT_HAPPEN] == []


def test_the_command_prints_a_row_per_class_one_per_kind_and_one_for_all(capsys):
    """Rows count problems; nothing is kept when not asked for."""
    assert crosscheck.main(["--class", "ordinary", "--count", "3", "--seed", "12", "--json", "--no-save"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["class"], row["kind"], row["count"]) for row in rows] == [
        ("ordinary", "all", 3),
        ("ordinary", "selection", 1),
        ("ordinary", "vertex cover", 1),
        ("ordinary", "facility location", 1),
        ("all", "all", 3),
    ]


def test_a_run_that_was_stopped_goes_on_where_it_was(capsys, monkeypatch, tmp_path):
    """Every problem is examined once, and rows, of each kind and of all, are written when all of them were."""
    examined, kept = [], []
    monkeypatch.setattr(crosscheck, "UNFINISHED", tmp_path / "unfinished")
    monkeypatch.setattr(crosscheck, "save", lambda name, rows: kept.extend(rows))

    def examine_few(seeds, until, scale, medium):
        few = list(seeds)[: 2 - len(examined)] if len(examined) < 2 else list(seeds)
        examined.extend(few)
        return [examine(seed, scale) for seed in few]

    monkeypatch.setattr(crosscheck, "examine_chunk", examine_few)
    assert crosscheck.main(["--class", "ordinary", "--count", "3", "--seed", "12"]) == 0
    assert "1 problems are left: the same command goes on" in capsys.readouterr().out
    assert not kept
    assert crosscheck.main(["--class", "ordinary", "--count", "3", "--seed", "12"]) == 0
    assert examined == [12, 13, 14]
    assert [row["count"] for row in kept] == [3, 1, 1, 1, 3]
    assert not (tmp_path / "unfinished").exists()
