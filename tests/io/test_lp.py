"""LP files: the algebraic form, against HiGHS's reader and writer."""

import math

import pytest

import neurprise as nr
from neurprise.io.lp import read_lp
from neurprise.io.mps import read_mps
from tests.io.highs_reader import assert_same_model, read_with_highs
from tests.io.test_mps import FULL

MODEL = r"""\ a comment
Maximize
 obj: 3 x + 2 y - z + b + w + 10
Subject To
 c1: x + y + 2 z
     <= 4
 c2: x - y >= -2
 x + 3 z <= 8
 c4: y - z = 1
Bounds
 x <= 4
 -1 <= y <= 8
 z free
 w >= -1e30
 w <= 5
Generals
 x
Binaries
 b
End
"""


@pytest.fixture
def lp(tmp_path):
    """Reads LP text."""

    def read_text(text):
        path = tmp_path / "model.lp"
        path.write_text(text)
        return read_lp(path)

    return read_text


def test_every_section_means_what_it_says(lp):
    """Rows without a label are numbered; a term may be spelled without a blank."""
    model = lp(MODEL.replace("2 y", "2y"))
    assert model.columns == ("x", "y", "z", "b", "w")
    assert model.rows == ("c1", "c2", "R3", "c4")
    assert (model.maximize, model.offset) == (True, 10)
    assert model.costs.tolist() == [3, 2, -1, 1, 1]
    assert model.row_lower.tolist() == [-math.inf, -2, -math.inf, 1]
    assert model.row_upper.tolist() == [4, math.inf, 8, 1]
    assert model.lower.tolist() == [0, -1, -math.inf, 0, -math.inf]
    assert model.upper.tolist() == [4, 8, math.inf, 1, 5]
    assert model.integer.tolist() == [True, False, False, True, False]


def test_highs_reads_the_same_model(lp, tmp_path):
    """Its reader wants the row's label."""
    assert_same_model(lp(MODEL.replace(" x + 3 z", " c3: x + 3 z")), read_with_highs(tmp_path / "model.lp"))


def test_what_highs_writes_is_read_back(lp, tmp_path):
    """The model of the MPS test, written by HiGHS as LP."""
    import highspy

    source, target = tmp_path / "full.mps", tmp_path / "model.lp"
    source.write_text(FULL.replace("-1.5D0", "-1.5").replace("         NOTE      9.0", "").replace(" N  NOTE\n", ""))
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(source))
    highs.writeModel(str(target))
    model, original = read_lp(target), read_mps(source).model
    order = [model.columns.index(name) for name in original.columns]
    assert model.lower[order].tolist() == original.lower.tolist()
    assert model.upper[order].tolist() == original.upper.tolist()
    assert model.costs[order].tolist() == original.costs.tolist()
    assert model.offset == original.offset


def test_blanks_and_comments_may_follow_the_end(lp):
    """Nothing is lost with them."""
    assert lp(MODEL + "\n  \n\\ written by hand\n").columns == lp(MODEL).columns


def test_double_inequalities_have_two_limits(lp):
    """In rows as in bounds."""
    model = lp("min\n x\nst\n r: -3 <= x + y <= 8\n s: 5 >= x - y\nend\n")
    assert (model.row_lower[0], model.row_upper[0]) == (-3, 8)
    assert (model.row_lower[1], model.row_upper[1]) == (-math.inf, 5)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("+ 2 z", "+ 2 z ^ 2", r"line 5: cannot read .* products, powers and brackets are not linear"),
        ("Binaries", "Semi-continuous", "line 19: the section 'Semi-continuous' is not supported"),
        (" b\nEnd", " q\nEnd", "line 19: the variable 'q' is used nowhere"),
        ("End\n", "", "'End' is missing"),
        ("End\n", "End\nBounds\n x <= 1\n", "line 21: text stands behind 'End'; remove it, or move 'End' to the last"),
        ("Maximize\n", "", "line 2: expected Minimize or Maximize"),
        (">= -2", ">= y", "line 7: expected a number; variables stand on the left, got 'y'"),
        (" x <= 4", " x <= -4", "'x' must lie between 0.0 and -4.0"),
        ("3 x + 2 y", "3 x 2 y", "line 3: expected a sign between the objective's terms"),
        ("c4: y", "c1: y", "rows need different names, got 'c1' twice"),
        ("= 1\n", "\n", "expected <=, >= or ="),
    ],
)
def test_faults_are_named(lp, old, new, sentence):
    """One fault each."""
    assert old in MODEL
    with pytest.raises(nr.FormatError, match=sentence):
        lp(MODEL.replace(old, new))
