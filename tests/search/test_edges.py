"""Extreme problems: one scenario, equal scenarios, nothing to pay, nothing to cover, no solution, no bottom."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.errors import InfeasibleProblemError, UnboundedProblemError
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.session import SearchSession
from tests.extensive import PAPER
from tests.instances import FAMILIES, from_letters

# min x + max_s y  with  y >= xi_s - x,  0 <= x, y <= 10: paying now or later costs the same
BUY = {
    "c": [1.0], "A": None, "d": None, "G": [[1.0]], "h": [0.0], "E": [[1.0]], "M": [[-1.0]], "xi": [[2.0], [5.0]],
    "b": [1.0], "x_integer": True, "y_integer": False, "x_upper": 10.0, "y_upper": 10.0,
}  # fmt: skip


def search(problem, engine):
    """Column-and-constraint generation until the gap is closed completely."""
    with SearchSession(problem, engine) as session:
        return ColumnAndConstraintGeneration(session, gap=0.0).run()


@pytest.mark.parametrize("family", FAMILIES)
def test_one_scenario(engine, family):
    """The problem is deterministic, and one master settles it."""
    problem = FAMILIES[family](4).restrict([0])
    found = search(problem, engine)
    assert found.worst_case == pytest.approx(PAPER[family](problem).value())
    assert found.scenarios == (0,)


@pytest.mark.parametrize("family", FAMILIES)
def test_equal_scenarios_need_one(engine, family):
    """Fifty copies of a scenario cost what one costs, and one is enough for the proof."""
    single = FAMILIES[family](4).restrict([0])
    repeated = single.with_scenarios(np.repeat(single.scenario_data, 50, axis=0))
    found = search(repeated, engine)
    assert found.worst_case == pytest.approx(search(single, engine).worst_case)
    assert len(found.scenarios) == 1


def test_zero_costs_are_worth_zero(engine):
    """The gap closes although nothing can be divided by the bound."""
    problems = [
        nr.Selection(np.zeros(4), np.zeros((3, 4)), 2),
        nr.VertexCover(np.zeros(3), np.zeros((3, 3)), [[0, 1], [1, 2]]),
        nr.FacilityLocation(np.zeros(2), np.zeros(2), [9, 9], np.zeros((2, 2)), [[1, 2], [3, 4]]),
    ]
    for problem in problems:
        found = search(problem, engine)
        assert (found.worst_case, found.lower_bound, found.status) == (0.0, 0.0, "optimal")


def test_empty_graph_needs_no_cover(engine):
    """Without edges nothing is taken."""
    found = search(nr.VertexCover([1, 2, 3], [[1, 1, 1], [2, 2, 2]], []), engine)
    assert found.worst_case == 0.0
    assert found.x.tolist() == [0, 0, 0]


def test_nothing_or_everything_to_select(engine):
    """p = 0 costs nothing; p = n takes every item at its cheaper price in the worst case."""
    assert search(nr.Selection([1, 2], [[3, 1]], 0), engine).worst_case == 0.0
    assert search(nr.Selection([1, 2], [[3, 1]], 2), engine).worst_case == 2.0


def test_infeasible_scenario_is_added_and_repaired(engine):
    """x = 0 is best for the first scenario but leaves the second without recourse."""
    problem = from_letters(BUY | {"y_upper": 2.0, "b": [0.5]})
    found = search(problem, engine)
    assert found.worst_case == pytest.approx(4.0)  # x = 3 leaves y = 2
    assert found.x.tolist() == [3.0]


def test_infeasible_problem_is_refused(engine):
    """No x serves the second scenario."""
    with pytest.raises(InfeasibleProblemError, match="no first-stage decision is feasible"):
        search(from_letters(BUY | {"x_upper": 1.0, "y_upper": 1.0}), engine)


def test_infeasible_first_stage_is_refused(engine):
    """x >= 11 and x <= 10."""
    with pytest.raises(InfeasibleProblemError, match="relax a constraint"):
        search(from_letters(BUY | {"A": [[1.0]], "d": [11.0]}), engine)


def test_unbounded_recourse_is_refused(engine):
    """Every unit of y earns money and there is no end of it."""
    with pytest.raises(UnboundedProblemError, match="falls without limit"):
        search(from_letters(BUY | {"b": [-1.0], "y_upper": np.inf}), engine)


def test_an_unbounded_maximisation_is_told_in_profits(engine):
    """Its user knows no costs."""
    with pytest.raises(UnboundedProblemError, match="the total profit rises without limit"):
        search(from_letters(BUY | {"c": [1.0], "x_upper": np.inf, "maximize": True}), engine)


def test_unbounded_first_stage_is_refused(engine):
    """Every unit of x earns money and there is no end of it."""
    with pytest.raises(UnboundedProblemError, match="falls without limit"):
        search(from_letters(BUY | {"c": [-1.0], "x_upper": np.inf}), engine)


def test_scenario_that_bounds_what_another_leaves_open(engine):
    """x earns 1 and needs y >= x, which is free in the first scenario and costs 2 in the second."""
    letters = BUY | {"c": [-1.0], "x_upper": np.inf, "x_integer": False, "y_upper": np.inf, "E": [[-1.0]]}
    problem = from_letters(letters | {"M": None, "xi": None, "b": [[0.0], [2.0]]})
    found = ColumnAndConstraintGeneration(SearchSession(problem, engine), gap=0.0).run(start=[0])
    assert found.worst_case == pytest.approx(0.0)
    assert found.scenarios == (0, 1)


def test_negative_values_are_handled(engine):
    """A plan that earns money: bound and worst case are negative and meet."""
    found = search(from_letters(BUY | {"c": [-3.0], "b": [1.0]}), engine)
    assert found.worst_case == pytest.approx(-30.0)
    assert found.lower_bound == pytest.approx(-30.0)
