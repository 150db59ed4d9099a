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
    """Rows without a label are numbered."""
    model = lp(MODEL)
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
    source.write_text(FULL.replace("         NOTE      9.0", "").replace(" N  NOTE\n", ""))
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
        ("+ 2 z", "+ 2 z ^ 2", r"line 5: quadratic terms \('\^'\) are not supported; only linear models"),
        (
            "Binaries",
            "Semi-continuous",
            "line 19: semi-continuous variables are not supported; only linear models are read",
        ),
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


FIXED_BINARIES = """\
Minimize
 obj: x + 2 y + 5 z + 10 s
Subject To
 c1: x + y + z + s >= 2
 c2: s - z >= 0
Bounds
 x <= 0
 y = 0
Binaries
 x y z
End
"""


def test_fixed_binaries_keep_their_bounds(lp):
    """Gurobi and SCIP write the bounds before Binaries."""
    model = lp(FIXED_BINARIES)
    assert model.lower.tolist() == [0, 0, 0, 0]
    assert model.upper.tolist() == [0, 0, 1, math.inf]
    assert model.integer.tolist() == [True, True, True, False]


def test_bounds_may_follow_binaries(lp):
    """The order of sections does not matter."""
    bounds = "Bounds\n x <= 0\n y = 0\n"
    text = FIXED_BINARIES.replace(bounds, "").replace("End", f"{bounds}End")
    assert lp(text).upper.tolist() == [0, 0, 1, math.inf]


def solved_as_plan(folder, model, row, needs, first_stage):
    """The report for this model, one scenario for each right-hand side of the row."""
    (folder / "table.csv").write_text("\n".join(["need", *map(str, needs)]) + "\n")
    (folder / "plan.toml").write_text(
        f'model = "{model}"\nscenarios = "table.csv"\nfirst_stage = {first_stage}\n'
        f'[columns]\nneed = {{ rhs = "{row}" }}\n'
    )
    return nr.solve(nr.read(folder / "plan.toml"))


def solved_and_written_by_highs(source, target):
    import highspy

    engine = highspy.Highs()
    engine.silent()
    engine.readModel(str(source))
    engine.run()
    engine.writeModel(str(target))
    return engine.getObjectiveValue()


def solved_and_written_by_scip(source, target):
    pyscipopt = pytest.importorskip("pyscipopt", reason="SCIP reads and writes here")
    engine = pyscipopt.Model()
    engine.hideOutput()
    engine.readProblem(str(source))
    engine.writeProblem(str(target), verbose=False)
    engine.optimize()
    return engine.getObjVal()


def solved_and_written_by_gurobi(source, target):
    gurobipy = pytest.importorskip("gurobipy", reason="Gurobi reads and writes here")
    with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.read(str(source), env=env) as engine:
        engine.optimize()
        engine.write(str(target))
        return engine.ObjVal


@pytest.mark.parametrize("suffix", ["lp", "mps"])
@pytest.mark.parametrize(
    "engine", [solved_and_written_by_highs, solved_and_written_by_scip, solved_and_written_by_gurobi]
)
def test_every_reader_finds_the_value_of_a_plan_with_fixed_binaries(tmp_path, engine, suffix):
    """15 by an engine, and by us from the file that this engine writes; with x and y set free it would be 3."""
    (tmp_path / "source.lp").write_text(FIXED_BINARIES)
    assert engine(tmp_path / "source.lp", tmp_path / f"model.{suffix}") == pytest.approx(15)
    assert solved_as_plan(tmp_path, f"model.{suffix}", "c1", [2, 1], ["x", "y"]).worst_case == pytest.approx(15)


@pytest.mark.parametrize("bounds", [" x <= 5\n", " x >= -1\n", " x free\n", " x <= 1e30\n"])
def test_a_binary_with_wider_bounds_is_refused(lp, bounds):
    """HiGHS keeps such bounds, SCIP and Gurobi cut them to 0 and 1."""
    with pytest.raises(nr.FormatError, match=r"'x' is binary, but its bounds are .* which engines read differently"):
        lp(FIXED_BINARIES.replace(" x <= 0\n", bounds))


@pytest.mark.parametrize("word", ["buy-1", "2left", "x+y", "3x", "1e5y", "x-"])
def test_names_that_only_gurobi_reads_as_names_are_refused(lp, word):
    """HiGHS reads them as sums and products, and drops the constants of rows."""
    with pytest.raises(nr.FormatError, match=r"line 2: Gurobi reads '.*' as one name, other readers as several"):
        lp(f"Minimize\n obj: x + {word}\nSubject To\n c1: x + {word} >= 2\nEnd\n")


def test_what_gurobi_writes_with_hyphens_is_refused_as_lp_and_read_as_mps(tmp_path):
    """The names are as the model has them."""
    gurobipy = pytest.importorskip("gurobipy", reason="Gurobi writes such names")
    with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as source:
        buy, left = source.addVar(obj=1, name="buy-1"), source.addVar(obj=1, name="2left")
        source.addConstr(buy + left >= 2, "need-1")
        source.write(str(tmp_path / "model.lp"))
        source.write(str(tmp_path / "model.mps"))
    with pytest.raises(nr.FormatError, match=r"Gurobi reads 'buy-1' as one name, .* or write the model as MPS"):
        read_lp(tmp_path / "model.lp")
    model = read_mps(tmp_path / "model.mps").model
    assert (model.columns, model.rows) == (("buy-1", "2left"), ("need-1",))


def test_names_with_hyphens_are_no_subtractions(tmp_path):
    """One of x for 1, two of buy-1 for 2 each and one of 2left for 3 cost 8; a constant and a factor made it 7.5."""
    gurobipy = pytest.importorskip("gurobipy", reason="Gurobi writes such names")
    with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as source:
        x, buy = source.addVar(ub=1, obj=1, name="x"), source.addVar(ub=2, obj=2, name="buy-1")
        source.addConstr(x + buy + source.addVar(obj=3, name="2left") >= 4, "need-1")
        source.write(str(tmp_path / "model.mps"))
    report = solved_as_plan(tmp_path, "model.mps", "need-1", [4, 1], ["buy-1"])
    assert report.worst_case == pytest.approx(8)
    assert report.decision == {"buy-1": pytest.approx(2)}


def test_integers_in_no_row_are_variables(lp):
    """Engines write them, in Generals as in Binaries."""
    model = lp(MODEL.replace(" x\nBinaries\n b\n", " x count\nBinaries\n b yes\n"))
    assert model.columns[-2:] == ("count", "yes")
    assert model.upper[-2:].tolist() == [math.inf, 1]
    assert model.integer[-2:].tolist() == [True, True]


@pytest.mark.parametrize(
    ("old", "new", "feature"),
    [
        (" c4: y - z = 1", " c4: b = 1 -> y - z = 1", "line 9: indicator constraints"),
        ("Maximize\n", "Maximize multi-objectives\n", "line 3: several objectives"),
        ("Subject To", "Minimize\n x\nSubject To", "line 4: several objectives"),
        ("End", "PWLObj\n x: (0, 0) (1, 2)\nEnd", "line 21: piecewise-linear objectives"),
        ("End", "General Constraints\n g: z = MAX ( x , y )\nEnd", r"line 21: general constraints \(such as MIN"),
        ("End", "SOS\n s0: S1 :: x:1 y:2\nEnd", "line 21: special ordered sets"),
        ("End", "Semi-continuous\n x\nEnd", "line 21: semi-continuous variables"),
        ("+ 10", "+ 10 + [ 2 x ^ 2 ] / 2", "line 3: quadratic terms"),
        ("Bounds", "Lazy Constraints\n c5: x >= 1\nBounds", "line 11: lazy constraints"),
        ("End", "Scenario 1\nBounds\n x <= 2\nEnd", "line 20: several scenarios in a model"),
    ],
)
def test_other_features_are_refused_by_name(lp, old, new, feature):
    """The sentence says which feature it is."""
    with pytest.raises(nr.FormatError, match=f"{feature}.* not supported"):
        lp(MODEL.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("x + y + 2 z\n", "x + y + 2 z - 3\n", "row 'c1' has a number among its terms; move it to the right-hand side"),
        ("3 x + 2 y", "3 x + 2 y + x", "'x' occurs twice in the objective; add its coefficients up"),
        (" -1 <= y <= 8", " 8 >= y >= -1", "two bounds in one line must both be <=, see 'y'"),
        (" w <= 5", " 2 <= New", "line 15: Gurobi reads 'New', which occurs here first, in lower case; put the name"),
        (" z free", " z >= 1\n z free", "the lower bound of 'z' is given twice, as 1 and as -inf; remove one"),
        (" z free", " z <= 1\n z <= 2", "the upper bound of 'z' is given twice, as 1 and as 2; remove one"),
        ("+ 2 y", "+ - + 2 y", "line 3: more than two signs stand before a term"),
        (" x <= 4", " 4 >x", "line 11: Gurobi reads '>x' as one name"),
        (" x <= 4", " x <! 4", "line 11: Gurobi reads '<!' as one name"),
        ("x - y >= -2", "x - y>= -2", "line 7: Gurobi reads 'y>=' as one name, other readers as several words"),
        (" c2:", " 2c:", "line 7: Gurobi reads '2c' as one name"),
        ("+ w", "+ nano", "HiGHS reads 'nano' as a number, not as a name; rename it"),
        ("+ w", "+ inflow", "HiGHS reads 'inflow' as a number, not as a name; rename it"),
        ("+ w", "+ bin", "line 3: 'bin' is a keyword of LP files"),
        (" b\nEnd", " b Generals y\nEnd", "line 19: 'Generals' is a keyword of LP files; put a section's title"),
        ("Maximize", "Maximise", "line 2: expected Minimize or Maximize"),
        ("+ w", "+ x\u00a0y", "line 3: cannot read"),
    ],
)
def test_what_engines_read_differently_is_refused(lp, old, new, sentence):
    """Each of these is read silently and differently by two of HiGHS, SCIP and Gurobi."""
    assert old in MODEL
    with pytest.raises(nr.FormatError, match=sentence):
        lp(MODEL.replace(old, new, 1))


def test_a_bare_number_in_a_file_of_gurobi_is_a_name(lp):
    """Gurobi writes constants as a variable that is fixed at 1, and a variable that is called 7 as 7."""
    comment = "\\ LP format - for model browsing. Use MPS format to capture full model detail.\n"
    with pytest.raises(nr.FormatError, match="a number without a variable is a variable's name to Gurobi"):
        lp(comment + MODEL)


def test_rows_without_terms_are_read(lp):
    """Engines write them so."""
    model = lp("Minimize\n obj: x\nSubject To\n c1: >= -2\n c2: x >= 1\nEnd\n")
    assert model.row_lower.tolist() == [-2, 1]
    assert model.matrix.toarray().tolist() == [[0], [1]]
