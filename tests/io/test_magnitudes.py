"""Numbers that engines take for infinite: limits become infinite, everything else is refused by its name."""

import highspy
import numpy as np
import pytest

import neurprise as nr
from neurprise import arrays
from tests.io.tiny_smps import CORE, STOCH

LP = """\
Minimize
 obj: 2 x + 3 y
Subject To
 cap: x <= 10
 demand: x + y >= 4
Bounds
 y <= 50
End
"""
PLAN = 'model = "m.lp"\nscenarios = "t.csv"\nfirst_stage = ["x"]\n[columns]\nvalue = {meaning}\nday = "name"\n'


@pytest.fixture
def plan(tmp_path):
    """Reads a plan whose table has one column of values on two days."""

    def read(meaning, values, lp=LP):
        (tmp_path / "m.lp").write_text(lp)
        (tmp_path / "plan.toml").write_text(PLAN.replace("{meaning}", meaning))
        rows = (f"{value},{day}" for value, day in zip(values, ("mon", "tue"), strict=True))
        (tmp_path / "t.csv").write_text("\n".join(["value,day", *rows]))
        return nr.read(tmp_path / "plan.toml")

    return read


@pytest.mark.parametrize(
    ("meaning", "words"),
    [
        ('{ rhs = "demand" }', "the right-hand side of row 'demand'"),
        ('{ cost = "y" }', "the cost of 'y'"),
        ('{ lower = "y" }', "the lower bound of 'y'"),
        ('{ row = "demand", variable = "x" }', "the coefficient of 'x' in row 'demand'"),
    ],
)
@pytest.mark.parametrize("value", ["1e300", "1e15", "2e17"])
def test_a_huge_cell_is_refused_with_its_meaning_and_day(plan, meaning, words, value):
    """An infinite lower limit is as impossible as an infinite cost."""
    with pytest.raises(nr.FormatError, match=rf"{words} must stay below 1e15 .* in scenario 'tue'; rescale the units"):
        plan(meaning, (5, value))


def test_a_huge_upper_bound_means_none(plan):
    """As in the bounds of LP and MPS files."""
    problem = plan('{ upper = "y" }', (5, "1e300"))
    assert problem.changes["upper"].values.ravel().tolist() == [5, np.inf]
    assert nr.solve(problem).worst_case == pytest.approx(8)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("2 x", "2e18 x", r"the cost of 'x' must stay below 1e15 in absolute value, got 2e\+18; rescale"),
        ("x + y", "x + 1e15 y", r"the coefficient of 'y' in row 'demand' .* got 1e\+15"),
        ("<= 50", "<= 1e16", r"the upper bound of 'y' .* got 1e\+16"),
        (">= 4", ">= 3e15", r"the right-hand side of row 'demand' .* got 3e\+15"),
        ("3 y", "3 y + 1e17", r"the objective's constant .* got 1e\+17"),
    ],
)
def test_a_huge_number_in_a_model_is_refused_by_its_name(plan, old, new, words):
    """The same rule for every number of the model."""
    assert old in LP
    with pytest.raises(nr.FormatError, match=words):
        plan('{ cost = "y" }', (5, 6), LP.replace(old, new))


@pytest.mark.parametrize("infinity", ["1e20", "1e30", "inf"])
def test_infinities_of_lp_files_stay_infinite(plan, infinity):
    """Both spellings, and the limits of rows as well as of variables."""
    problem = plan('{ cost = "y" }', (5, 6), LP.replace("<= 50", f"<= {infinity}").replace("<= 10", "<= 1e30"))
    assert problem.recourse.upper.tolist() == [np.inf]
    assert problem.first_stage.row_upper.tolist() == [np.inf]


def test_infinities_of_smps_files_stay_infinite(read_smps):
    """A bound of 1e30 in the core, a random one of 1e31."""
    core = CORE.replace("ENDATA", "BOUNDS\n UP BND Y 1e30\nENDATA")
    problem = read_smps(core=core, stoch=STOCH.replace("    RHS       DEMAND    6.0", " UP BND  Y  1e31"))
    assert problem.recourse.upper.tolist() == [np.inf]
    assert "upper" not in problem.changes


def test_a_huge_random_number_of_an_smps_file_is_refused(read_smps):
    """The sentence names the row and the scenario."""
    with pytest.raises(nr.FormatError, match=r"row 'DEMAND' must stay below 1e15 .* in scenario 'HIGH'"):
        read_smps(stoch=STOCH.replace("6.0", "6e16"))


def test_right_hand_sides_of_matrices_are_checked_after_they_are_computed():
    """h - M xi may be large where neither M nor xi is."""
    with pytest.raises(nr.InputError, match=r"h - M xi must stay below 1e15 in absolute value, got 1e\+20"):
        nr.TwoStageProblem.from_matrices(
            [1], None, None, [[1]], [0], [[1]], [[-1e10]], [[1e10]], [1], x_integer=False, y_integer=False
        )


def test_the_limits_are_those_of_the_engine():
    """HiGHS's own options say where its infinities begin."""
    highs = highspy.Highs()
    assert highs.getOptionValue("infinite_bound")[1] == arrays.INFINITE
    assert highs.getOptionValue("infinite_cost")[1] == arrays.INFINITE
    assert highs.getOptionValue("large_matrix_value")[1] == arrays.TOO_LARGE
