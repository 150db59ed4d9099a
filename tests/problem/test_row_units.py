"""Rows in odd units reach engines with ordinary entries, and nothing but their unit changes."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.problem.row_units import in_ordinary_rows
from neurprise.problem.stages import Changes


def problem(unit, first_unit=1.0, entries=(2.0, 3.0)):
    """x + y entries[s] >= 6 in rows of one unit and 0.5 x >= 0.5 in another; y is integer, scenarios change W."""
    base = nr.TwoStageProblem.from_matrices(
        c=[4.0], A=[[0.5 * first_unit]], d=[0.5 * first_unit], G=[[77.0]], h=[6.0 * unit], E=[[unit]], M=None, xi=None,
        b=[[1.0], [1.0]], x_integer=True, y_integer=True, x_upper=5, y_upper=9,
    )  # fmt: skip
    changes = {**base.changes, "matrix": Changes(np.array([0]), unit * np.array(entries)[:, None])}
    return nr.TwoStageProblem(**{**base.general_form(), "changes": changes})


def test_ordinary_rows_stay_as_they_are():
    """Most problems: the very same object."""
    given = problem(1.0)
    assert in_ordinary_rows(given) is given
    cover = nr.make_vertex_cover(4, 3, 0)
    assert in_ordinary_rows(cover) is cover


@pytest.mark.parametrize("unit", [1e-7, 1e-6, 1e5, 1e8])
def test_rows_are_multiplied_by_a_power_of_two(unit):
    """Entries become ordinary in all scenarios, limits go along, and no digit is lost."""
    given = problem(unit, unit)
    other = in_ordinary_rows(given)
    for s in range(2):
        before, after = given.scenario(s), other.scenario(s)
        factor = after.matrix[0] / before.matrix[0]
        assert np.log2(factor) == np.round(np.log2(factor))
        assert 0.1 < after.matrix[0] < 10
        assert after.row_lower[0] == factor * before.row_lower[0]
        assert after.technology[0] == factor * before.technology[0]
    assert 0.1 < other.first_stage.matrix.data[0] < 10


@pytest.mark.parametrize("unit", [1e-7, 1e-6, 1e5, 1e8])
def test_recourse_that_breaks_a_row_of_a_small_unit_costs_nothing_less(unit, engine):
    """At x = 1 five are missing: three units of y at 2 each, two at 3; zero missed the row by less than a tolerance."""
    evaluation = nr.evaluate(problem(unit, unit), [1.0], solver=engine)
    assert evaluation.recourse_costs.tolist() == [3.0, 2.0]
    report = nr.solve(problem(unit, unit), solver=engine)
    assert (report.worst_case, report.lower_bound, report.x.tolist()) == (pytest.approx(7.0), pytest.approx(7.0), [1.0])


def test_a_row_that_is_small_but_for_one_scenario_is_multiplied_too():
    """Beside an entry of 1e-3 those of 1e-7 were within the tolerance."""
    assert nr.evaluate(problem(1e-7, entries=(2.0, 1e4)), [1.0]).recourse_costs.tolist() == [3.0, 1.0]


@pytest.mark.parametrize("unit", [1e-8, 1e-7, 1.0, 1e8])
def test_prise_proves_no_decision_whose_recourse_misses_a_row_of_a_small_unit(unit, engine):
    """y is -1 or 0, x from -2 to 0 as low as the rows allow; a master let y = 0 go with x = -2, which misses by 0.4."""
    entries, limit = np.array([20.0, 2.75]), -3.0625
    base = nr.TwoStageProblem.from_matrices(
        c=[14.0], A=None, d=None, G=[[77.0]], h=[limit * unit], E=[[1.75 * unit]], M=None, xi=None, b=[[8.0], [7.0]],
        x_integer=False, y_integer=True, x_lower=-2.0, x_upper=0.0, y_lower=-1.0, y_upper=0.7,
    )  # fmt: skip
    changes = {**base.changes, "matrix": Changes(np.array([0]), unit * entries[:, None])}
    given = nr.TwoStageProblem(**{**base.general_form(), "changes": changes})
    pairs = [np.array(pair) - 1 for pair in np.ndindex(2, 2)]
    needed = [(max(-2.0, *((limit - entries * y) / 1.75)), y) for y in pairs]
    optimum = min(14.0 * x + max(8.0 * y[0], 7.0 * y[1]) for x, y in needed if x <= 0.0)
    report = nr.solve(given, "prise", 2, refine=True, solver=engine)
    assert (report.status, report.worst_case) == ("optimal", pytest.approx(optimum))
    assert nr.evaluate(given, [-2.0], solver=engine).worst_case == np.inf


def test_a_big_m_is_no_unit():
    """A row is divided only where all of its entries are large: the others would lose their tolerance."""
    given = problem(1.0, entries=(2.0, 1e9))
    assert in_ordinary_rows(given) is given


def test_reports_carry_the_problem_as_it_was_given():
    """Plans, pages and explanations speak of the user's rows."""
    given = problem(1e-6)
    assert nr.solve(given).problem is given


@pytest.mark.parametrize("unit", [1e-7, 1e8])
def test_reducers_of_ones_own_see_the_problem_as_it_was_given(unit):
    """What they say of it, such as the limit of a row that cannot be kept, is in the user's unit."""

    class First:
        name = "first"

        def reduce(self, seen, budget, seed=0):
            assert seen is given
            return nr.reducers.Reduction((0,))

    given = problem(unit, unit)
    assert nr.solve(given, First(), 1).scenarios == (0,)
