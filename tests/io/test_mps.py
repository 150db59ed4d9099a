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
    A         MORE      -1.5           NOTE      9.0
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
    """Without the second free row, which it treats otherwise."""
    text = FULL.replace("         NOTE      9.0", "").replace(" N  NOTE\n", "")
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


def test_a_negative_upper_bound_needs_a_lower_one(mps):
    """Without it Gurobi reads minus infinity, HiGHS and SCIP read zero."""
    text = FULL.replace(" UP BND       I         1e30", " UP BND       I         -5")
    with pytest.raises(
        nr.FormatError, match=r"'I' has the upper bound -5 and no lower bound, .* give it an LO or MI bound"
    ):
        mps(text)
    model = mps(text.replace(" PL BND", " MI BND       I\n PL BND"))
    assert (model.lower[-1], model.upper[-1]) == (-math.inf, -5)


@pytest.mark.parametrize("value", [0, 1])
def test_fixed_binaries_keep_their_bounds(mps, value):
    """Gurobi writes FX before BV."""
    model = mps(FULL.replace(" BV BND       G", f" FX BND       G         {value}\n BV BND       G"))
    j = model.columns.index("G")
    assert (model.lower[j], model.upper[j], model.integer[j]) == (value, value, True)


@pytest.mark.parametrize(
    "bounds",
    [" BV BND G\n FX BND G 0", " BV BND G\n UP BND G 5", " LO BND G 1\n BV BND G", " UP BND G 5\n BV BND G"],
)
def test_other_bounds_of_binaries_are_refused(mps, bounds):
    """HiGHS and Gurobi keep the first bound, SCIP the last one."""
    with pytest.raises(nr.FormatError, match=r"column 'G' is binary .* another bound, which engines read differently"):
        mps(FULL.replace(" BV BND       G", bounds))


@pytest.mark.parametrize("line", ["OBJSENSE MAX", "OBJSENSE\n    MAXIMIZE", "OBJSENSE\n    MAXIMISE"])
def test_the_sense_has_many_spellings(mps, line):
    """On the header's line or the next."""
    assert mps(FULL.replace("OBJSENSE\n    MAX", line)).maximize


def test_a_row_may_be_called_marker(mps):
    """Only the quoted word makes a marker."""
    model = mps("NAME\nROWS\n N O\n L MARKER\nCOLUMNS\n X O 1 MARKER 1\n X2 MARKER 2\nENDATA\n")
    assert model.columns == ("X", "X2")
    assert not model.integer.any()


def test_row_names_that_begin_with_a_quote_are_refused(mps):
    """Gurobi reads a second column 'binary_o' from the first line of the column binary_one."""
    text = "NAME\nROWS\n N obj\n L 'x'\nCOLUMNS\n binary_one 'x' 1 obj 1\nRHS\n RHS 'x' 1\nENDATA\n"
    with pytest.raises(nr.FormatError, match=r"row names that begin with a quote \('x'\) differently; rename"):
        mps(text)


def test_names_with_blanks_are_refused(mps):
    """HiGHS and Gurobi read them in fixed format, SCIP puts an underscore there."""
    text = FULL.replace("    D         MORE", "    MY D      MORE").replace("FX BND       D   ", "FX BND       MY D")
    with pytest.raises(nr.FormatError, match="engines read names with blanks, such as 'MY D', differently; rename"):
        mps(text)


def test_set_names_may_be_left_out(mps):
    """Free format without names of right-hand side, ranges and bounds."""
    text = "NAME\nROWS\n N O\n L R\nCOLUMNS\n X O 1 R 1\nRHS\n R 5\nRANGES\n R 2\nBOUNDS\n FR X\nENDATA\n"
    model = mps(text)
    assert (model.row_lower[0], model.row_upper[0]) == (3, 5)
    assert (model.lower[0], model.upper[0]) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("    R         EQUAL", "    Q         EQUAL", "line 29: the file has two range sets, 'R' and 'Q'"),
        (
            " FR BND       E",
            " SC BND       E   4",
            r"line 35: semi-continuous variables \(bound type 'SC'\) are not supported",
        ),
        (" FR BND       E", " FR BND       Z", "line 35: the bound names no known column"),
        (" LO BND       A         1.0", " LO BND       A         10.0", "column 'A' must lie between 10.0 and 9.0"),
        ("'INTORG'", "'SOSORG'", "line 14: a marker must be 'INTORG' or 'INTEND', got 'SOSORG'"),
        (
            "    I         LESS      1.0",
            "    H         LESS      1.0",
            "entry of column 'H' in row 'LESS' is given twice",
        ),
        ("    D         MORE      1.0", "    D         MORES     1.0", "line 18: the row 'MORES' is not declared"),
        ("    MAX", "    BEST", "line 3: the objective's sense must be MAX or MIN"),
        (" N  PROFIT\n", "", "line|objective"),
        ("1e30", "-inf", "column 'I' has the upper bound -inf and no lower bound"),
    ],
)
def test_faults_are_named(mps, old, new, sentence):
    """One fault each."""
    assert old in FULL
    with pytest.raises(nr.FormatError, match=sentence):
        mps(FULL.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            " FR BND       E",
            " FR BND       E\n UP BND       E         4",
            "line 36: a bound of column 'E' is given twice",
        ),
        ("-1.5  ", "-1.5D0", "line 13: expected a number, got '-1.5D0'"),
        (
            "ROWS\n",
            "OBJNAME\n    NOTE\nROWS\n",
            "the objective is 'NOTE', but 'PROFIT' is the first free row; put it first",
        ),
        ("PROFIT    -12.0", "NOTE      -12.0", "line 26: the free row 'NOTE' has a right-hand side"),
        ("OBJSENSE\n    MAX\n", "OBJSENSE MAXIMIZE\n", "behind OBJSENSE stands MAX or MIN, got 'MAXIMIZE'"),
        (" BND ", " A   ", "the bound set has the name 'A', as has a column; rename the set"),
        ("    R         LESS", "    MORE      LESS", "the range set has the name 'MORE', as has a row; rename the set"),
        (
            "    D         MORE      1.0",
            "    D         MORE      1.0\n    D         MORE      1.0",
            "line 19: .* twice",
        ),
    ],
)
def test_what_engines_read_differently_is_refused(mps, old, new, sentence):
    """Each of these is read silently and differently by two of HiGHS, SCIP and Gurobi."""
    assert old in FULL
    with pytest.raises(nr.FormatError, match=sentence):
        mps(FULL.replace(old, new))


def test_right_hand_sides_come_before_ranges(mps):
    """In the other order HiGHS reads the range of a row from zero."""
    text = "NAME\nROWS\n N O\n G R\nCOLUMNS\n X O 1 R 1\nRANGES\n G R 4\nRHS\n B R 2\nENDATA\n"
    with pytest.raises(nr.FormatError, match="line 10: RHS must come before RANGES"):
        mps(text)


@pytest.mark.parametrize(
    ("section", "feature"),
    [
        ("QUADOBJ\n    A A 2\n", "quadratic terms"),
        ("QCMATRIX LESS\n    A A 2\n", "quadratic terms"),
        ("SOS\n S1 s0\n    A 1\n", "special ordered sets"),
        ("INDICATORS\n IF LESS G 1\n", "indicator constraints"),
        ("GENCONS\n MAX g\n    A\n", "general constraints"),
        ("PWLOBJ\n    A 0 0\n", "piecewise-linear objectives"),
        ("SCENARIOS 2\n NAME 0\n", "several scenarios in a model"),
    ],
)
def test_other_features_are_refused_by_name(mps, section, feature):
    """The sentence says which feature it is."""
    with pytest.raises(nr.FormatError, match=f"line 41: {feature}.* not supported; only linear models are read"):
        mps(FULL.replace("ENDATA", f"{section}ENDATA"))


def test_lazy_constraints_are_refused_by_name(mps):
    """They stand between ROWS and COLUMNS."""
    with pytest.raises(nr.FormatError, match=r"line 11: lazy constraints .* not supported"):
        mps(FULL.replace("COLUMNS", "LAZYCONS\n L LZ\nCOLUMNS"))


def test_several_objectives_are_refused_by_name(mps):
    """Gurobi writes priority, weight and tolerances behind each."""
    with pytest.raises(nr.FormatError, match="line 5: several objectives are not supported"):
        mps(FULL.replace(" N  PROFIT", " N  PROFIT  2  1  1e-06  0"))


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
