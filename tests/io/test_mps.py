"""MPS files: every section and bound type, against HiGHS's reader where the two agree on the dialect."""

import math

import numpy as np
import pytest

import neurprise as nr
from neurprise.io.mps import read_mps
from tests.io.highs_reader import assert_same_model, read_with_highs

FULL = """\
NAME          FULL
OBJSENSE
    MAX
ROWS
 N  PROFIT
 L  LESS
 G  MORE
 E  EQUAL
 E  LIFTED
 N  NOTE
COLUMNS
    A         PROFIT    1.0            LESS      2.0
    A         MORE      -1.5D0         NOTE      9.0
    M1        'MARKER'                 'INTORG'
    B         PROFIT    -3.0           EQUAL     1.0
    C         LESS      1.0            LIFTED    4.0
    M2        'MARKER'                 'INTEND'
    D         MORE      1.0
    E         MORE      1.0
    F         EQUAL     1.0
    G         EQUAL     1.0
    H         LESS      1.0
    I         LESS      1.0
RHS
    B         LESS      7.0            MORE      -2.0
    B         EQUAL     3.0            PROFIT    -12.0
RANGES
    R         LESS      4.0            MORE      5.0
    R         EQUAL     2.0            LIFTED    -2.0
BOUNDS
 UP BND       A         9.0
 LO BND       A         1.0
 LI BND       B         -2
 FX BND       D         2.5
 FR BND       E
 MI BND       F
 BV BND       G
 UI BND       H         6
 UP BND       I         1e30
 PL BND       C
ENDATA
"""


@pytest.fixture
def mps(tmp_path):
    """Reads MPS text."""

    def read_text(text):
        path = tmp_path / "model.mps"
        path.write_text(text)
        return read_mps(path).model

    return read_text


def test_every_section_means_what_it_says(mps):
    """Row limits follow from sense, right-hand side and range; a free row that is not the objective is dropped."""
    model = mps(FULL)
    assert model.maximize
    assert model.offset == 12
    assert model.rows == ("LESS", "MORE", "EQUAL", "LIFTED")
    assert model.row_lower.tolist() == [3, -2, 3, -2]
    assert model.row_upper.tolist() == [7, 3, 5, 0]
    limits = dict(zip(model.columns, zip(model.lower.tolist(), model.upper.tolist(), strict=True), strict=True))
    assert limits == {
        "A": (1, 9),
        "B": (-2, math.inf),
        "C": (0, math.inf),
        "D": (2.5, 2.5),
        "E": (-math.inf, math.inf),
        "F": (-math.inf, math.inf),
        "G": (0, 1),
        "H": (0, 6),
        "I": (0, math.inf),
    }
    assert [name for name, whole in zip(model.columns, model.integer, strict=True) if whole] == ["B", "C", "G", "H"]
    assert model.matrix.toarray()[1, 0] == -1.5


def test_highs_reads_the_same_model(mps, tmp_path):
    """Without the Fortran exponent and the second free row, which it treats otherwise."""
    text = FULL.replace("-1.5D0", "-1.5").replace("         NOTE      9.0", "").replace(" N  NOTE\n", "")
    assert_same_model(mps(text), read_with_highs(tmp_path / "model.mps"))


@pytest.mark.parametrize("name", ["farmer", "sizes3", "smkp_1", "sslp_15_45_5", "drdcap_233_10_20", "LandS", "baa99"])
def test_highs_reads_the_same_core_files(shared_data, tmp_path, name):
    """Real files in both formats."""
    source = shared_data / "smps" / name / f"{name}.cor"
    copy = tmp_path / f"{name}.mps"
    copy.write_bytes(source.read_bytes())
    assert_same_model(read_mps(source).model, read_with_highs(copy))


def test_an_integer_column_without_bounds_is_binary(mps):
    """The old convention, as HiGHS, CPLEX and SAS read it."""
    model = mps(FULL.replace(" PL BND       C\n", ""))
    assert model.upper[model.columns.index("C")] == 1


def test_a_negative_upper_bound_lifts_the_lower_one(mps):
    """Most readers take the lower bound as minus infinity then."""
    model = mps(FULL.replace(" UP BND       I         1e30", " UP BND       I         -5"))
    assert (model.lower[-1], model.upper[-1]) == (-math.inf, -5)


@pytest.mark.parametrize("line", ["OBJSENSE MAX", "OBJSENSE\n    MAXIMIZE", "OBJSENSE\n    MAXIMISE"])
def test_the_sense_has_many_spellings(mps, line):
    """On the header's line or the next."""
    assert mps(FULL.replace("OBJSENSE\n    MAX", line)).maximize


def test_a_row_may_be_called_marker(mps):
    """Only the quoted word, or INTORG and INTEND at the end, make a marker."""
    model = mps("NAME\nROWS\n N O\n L MARKER\nCOLUMNS\n M MARKER INTORG\n X O 1 MARKER 1\n X2 MARKER 2\nENDATA\n")
    assert model.columns == ("X", "X2")
    assert model.integer.tolist() == [True, True]


def test_set_names_may_be_left_out(mps):
    """Free format without names of right-hand side, ranges and bounds."""
    text = "NAME\nROWS\n N O\n L R\nCOLUMNS\n X O 1 R 1\nRHS\n R 5\nRANGES\n R 2\nBOUNDS\n UP X 4\n FR X\nENDATA\n"
    model = mps(text)
    assert (model.row_lower[0], model.row_upper[0]) == (3, 5)
    assert (model.lower[0], model.upper[0]) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("    R         EQUAL", "    Q         EQUAL", "line 29: the file has two range sets, 'R' and 'Q'"),
        (" FR BND       E", " SC BND       E   4", "line 35: the bound type 'SC' is not supported"),
        (" FR BND       E", " FR BND       Z", "line 35: the bound names no known column"),
        (" LO BND       A         1.0", " LO BND       A         10.0", "column 'A' must lie between 10.0 and 9.0"),
        ("'INTORG'", "'SOSORG'", "line 14: a marker must be INTORG or INTEND"),
        (
            "    D         MORE      1.0",
            "    A         MORE      1.0",
            "entry of column 'A' in row 'MORE' is given twice",
        ),
        ("    D         MORE      1.0", "    D         MORES     1.0", "line 18: the row 'MORES' is not declared"),
        ("    MAX", "    BEST", "line 3: the objective's sense must be MAX or MIN"),
        (" N  PROFIT\n", "", "line|objective"),
        ("1e30", "-inf", "column 'I' must lie between -inf and -inf"),
    ],
)
def test_faults_are_named(mps, old, new, sentence):
    """One fault each."""
    assert old in FULL
    with pytest.raises(nr.FormatError, match=sentence):
        mps(FULL.replace(old, new))


def test_a_binary_file_is_not_text(tmp_path):
    """A compressed core, for example."""
    path = tmp_path / "model.mps"
    path.write_bytes(b"\x1f\x8b\0\0" + bytes(20))
    with pytest.raises(nr.FormatError, match="is not a text file; check that it is not compressed"):
        read_mps(path)


def test_explicit_zeros_are_kept_out_of_nothing(mps):
    """A stored zero is an entry like any other; scenarios may replace it."""
    model = mps("NAME\nROWS\n N O\n L R\nCOLUMNS\n X O 1 R 0\n Y R 1\nENDATA\n")
    assert np.array_equal(model.matrix.toarray(), [[0, 1]])
