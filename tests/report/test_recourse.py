"""report.recourse: a plan for every scenario that keeps the paper's rows and attains the paper's cost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import neurprise as nr
from tests.extensive import paper_letters
from tests.instances import KINDS, exactly_two_of_four, from_letters, instance, random_letters, seeds

ENGINES = ["highs", "scip", "gurobi"]


def drawn(kind, seed):
    """A problem and the paper's statement of it; "linear" has no integer recourse and no family."""
    if kind != "linear":
        return instance(kind, seed)
    letters = random_letters(seed, complete=True)
    letters["y_integer"] = np.zeros_like(letters["y_integer"])
    return from_letters(letters), paper_letters(letters)


def assert_plan(paper, x, y, scenario):
    """y keeps the rows, bounds and integrality of the paper, and costs what scipy says is least."""
    rows = paper.T @ x + paper.W @ y
    assert (rows >= paper.low[scenario] - 1e-5).all()
    assert (rows <= paper.high[scenario] + 1e-5).all()
    assert (y >= -1e-6).all()
    assert (y <= paper.y_upper + 1e-6).all()
    whole = y[paper.y_integer.astype(bool)]
    assert whole == pytest.approx(np.round(whole), abs=1e-6)
    assert paper.b[scenario] @ y == pytest.approx(paper.recourse_cost(x, scenario), rel=1e-5, abs=1e-5)


def paper_recourse(problem, x, named):
    """The paper's y; vertex cover's recourse variable is the whole cover x + y."""
    y = np.array(list(named.values()))
    return y - x if problem.family == "vertex-cover" else y


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", [*KINDS, "linear"])
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_every_scenario_has_a_plan_that_is_feasible_and_attains_q(kind, engine, seed):
    """On all families and on generic problems, by oracle or engine, also in scenarios that were not kept."""
    problem, paper = drawn(kind, seed)
    try:
        report = nr.solve(problem, solver=engine)
    except nr.InfeasibleProblemError:
        return
    evaluation = nr.evaluate(problem, report.x, solver=engine)
    for s in range(problem.num_scenarios):
        plan = report.recourse(s)
        assert tuple(plan) == problem.recourse_names
        assert_plan(paper, report.x, paper_recourse(problem, report.x, plan), s)
        assert_plan(paper, report.x, paper_recourse(problem, report.x, evaluation.recourse(s)), s)
    expected = paper.c @ report.x + np.array([paper.recourse_cost(report.x, s) for s in range(len(paper.b))])
    assert evaluation.total_costs == pytest.approx(expected, rel=1e-5, abs=1e-5)


@pytest.fixture(scope="module")
def sites():
    """Two sites and three scenarios with names."""
    problem = nr.FacilityLocation([10, 10], [1, 1], [9, 9], [[1, 5], [5, 1]], [[2, 3], [6, 1], [1, 7]])
    return problem.with_labels(scenario_names=("calm", "north", "south"))


def test_a_scenario_goes_by_name_or_number(sites):
    """Both lead to the same plan."""
    report = nr.solve(sites)
    assert report.recourse("south") == report.recourse(2)
    assert nr.evaluate(sites, report.x).recourse("south") == report.recourse(2)


def test_an_unknown_scenario_is_met_with_the_nearest_name(sites):
    """A slip of the pen is recognised."""
    with pytest.raises(nr.InputError, match="did you mean 'north'"):
        nr.solve(sites).recourse("nort")


def test_a_scenario_without_recourse_has_no_plan(sites):
    """Nothing is invented where nothing can be done."""
    evaluation = nr.evaluate(sites, [0, 0, 0, 0])
    assert evaluation.infeasible_scenarios == (0, 1, 2)
    with pytest.raises(nr.InputError, match="x has no recourse in scenario 'calm'"):
        evaluation.recourse("calm")


def test_a_recourse_without_a_best_answer_has_no_plan():
    """A profit that grows without limit is said to, by the scenario's name."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[1.0], A=None, d=None, G=[[1.0]], h=[0.0], E=[[1.0]], M=None, xi=None, b=[[1.0], [-1.0]],
        x_integer=True, y_integer=False, x_upper=1, scenario_names=("market", "miracle"),
    )  # fmt: skip
    evaluation = nr.evaluate(problem, [0])
    assert evaluation.recourse("market") == {"y[0]": 0.0}
    with pytest.raises(nr.InputError, match="scenario 'miracle' gets better without limit"):
        evaluation.recourse("miracle")


def test_a_report_from_json_needs_its_problem_for_plans(sites):
    """JSON does not carry the problem; with it, the plan is the same."""
    report = nr.solve(sites)
    again = nr.Report.from_json(report.to_json())
    with pytest.raises(nr.InputError, match=r"report.recourse\(scenario, problem="):
        again.recourse("north")
    assert again.recourse("north", problem=sites) == report.recourse("north")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda problem: problem.restrict([0, 1]), id="fewer scenarios"),
        pytest.param(lambda problem: problem.restrict([2, 1, 0]), id="other order"),
        pytest.param(lambda problem: nr.make_selection(4, 3, 0), id="other problem"),
    ],
)
def test_another_problem_is_refused(sites, change):
    """A plan for the wrong problem would look right."""
    report = nr.Report.from_json(nr.solve(sites).to_json())
    with pytest.raises(nr.InputError, match="must be the problem of the report"):
        report.recourse(0, problem=change(sites))


def test_without_a_decision_there_is_no_plan():
    """No time, no decision, no recourse."""
    report = nr.solve(exactly_two_of_four(), time_limit=0)
    assert report.decision is None
    with pytest.raises(nr.InputError, match="no decision was found"):
        report.recourse(0)
