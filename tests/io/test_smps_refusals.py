"""What an SMPS file may not say: each refusal names the line, the rule and the remedy."""

import pytest

import neurprise as nr
from neurprise.io import read
from tests.io.tiny_smps import CORE, STOCH, TIME, write_smps

THREE_PERIODS = TIME.replace("ENDATA", "    Z         LAST                     LATEST\nENDATA")

ROWS_SWAPPED = TIME.replace("CAP   ", "@     ").replace("DEMAND", "CAP   ").replace("@     ", "DEMAND")
COLUMNS_SWAPPED = TIME.replace(" X ", " @ ").replace(" Y ", " X ").replace(" @ ", " Y ")
Y_IN_CAP = CORE.replace("RHS\n", "    Y         CAP       1.0\nRHS\n")


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({"time": THREE_PERIODS}, r"tiny\.tim, line 5: only two periods .* join the later periods"),
        ({"time": TIME.replace("    Y         DEMAND                   LATER\n", "")}, "two periods are needed, got 1"),
        ({"time": TIME.replace("Y  ", "Q  ")}, r"line 4: the column 'Q' is not in the core file"),
        ({"time": ROWS_SWAPPED}, r"line 4: its first row must not come before the first period's"),
        ({"time": COLUMNS_SWAPPED}, r"line 4: its first column must come after the first period's"),
        ({"core": Y_IN_CAP}, "row 'CAP' belongs to the first period but uses column 'Y' of the second"),
        ({"stoch": STOCH.replace("DISCRETE", "UNIFORM")}, r"line 2: the distribution UNIFORM cannot be represented"),
        ({"stoch": STOCH.replace("SCENARIOS     DISCRETE", "CHANCE")}, r"line 2: chance constraints \(CHANCE\) cannot"),
        (
            {"stoch": STOCH.replace("SCENARIOS     DISCRETE", "ICC   DISCRETE")},
            r"line 2: integrated chance constraints",
        ),
        ({"stoch": STOCH.replace("SCENARIOS     DISCRETE", "NODES")}, r"line 2: trees of nodes"),
        ({"stoch": STOCH.replace("HIGH      ROOT", "HIGH      NEVER")}, r"line 5: the parent 'NEVER' must be ROOT or"),
        ({"stoch": STOCH.replace("HIGH", "LOW")}, r"line 5: the scenario 'LOW' is declared twice"),
        ({"stoch": STOCH.replace("0.75", "1.75")}, r"line 5: a probability must be between 0 and 1, got 1\.75"),
        ({"stoch": STOCH.replace("DEMAND    6.0", "SUPPLY    6.0")}, r"line 6: the row 'SUPPLY' is not in the core"),
        ({"stoch": STOCH.replace("RHS       DEMAND    6.0", "Z  DEMAND 6.0")}, r"line 6: 'Z' is neither a column"),
        ({"stoch": STOCH.replace("6.0", "six")}, r"line 6: expected a number, got 'six'"),
        ({"stoch": STOCH.replace("6.0", "nan")}, r"line 6: expected a number, got 'nan'"),
        (
            {"stoch": STOCH.replace("6.0\n", "6.0\n    RHS DEMAND 7.0\n")},
            r"line 7: .* given twice, as 6 and as 7",
        ),
        ({"time": TIME.replace("PERIODS", "PERIODS 3")}, r"line 2: two periods .* the section announces 3; join"),
        ({"stoch": "STOCH TINY\nENDATA\n"}, r"tiny\.sto has no scenario"),
        ({"stoch": STOCH.replace("ENDATA", "")}, r"tiny\.sto: ENDATA is missing"),
        ({"core": CORE.replace("ENDATA", "")}, r"tiny\.cor: ENDATA is missing"),
        (
            {"core": CORE.replace("RHS\n", "QUADOBJ\n")},
            r"tiny\.cor, line 10: quadratic terms .section 'QUADOBJ'. are not supported",
        ),
        ({"core": CORE.replace(" L  CAP", " X  CAP")}, r"line 4: a row is N, L, G or E"),
        ({"core": CORE.replace(" G  DEMAND", " G  CAP")}, r"line 5: the row 'CAP' is declared twice"),
        (
            {"core": CORE.replace("DEMAND    1.0\n    Y", "DEMAND    oops\n    Y")},
            r"line 8: expected a number, got 'oops'",
        ),
        ({"core": TIME}, r"line 1: expected the file's title line, got 'TIME'; is this the right kind of file"),
    ],
)
def test_refusal_names_the_line_and_the_rule(read_smps, texts, sentence):
    """One fault each."""
    with pytest.raises(nr.FormatError, match=sentence):
        read_smps(**texts)


def test_a_number_cannot_be_random_in_two_independent_parts(read_smps):
    """Their product would not say which one holds."""
    text = STOCH.replace("ENDATA", "INDEP DISCRETE\n    RHS DEMAND 1.0 0.5\n    RHS DEMAND 2.0 0.5\nENDATA")
    with pytest.raises(nr.FormatError, match=r"line 8: this number is already random in SCENARIOS"):
        read_smps(stoch=text)


def test_bounds_of_first_stage_variables_cannot_depend_on_the_scenario(read_smps):
    """They are decided before."""
    with pytest.raises(nr.FormatError, match="bounds of 'X', which is decided before"):
        read_smps(stoch=STOCH.replace("    RHS       DEMAND    6.0", " UP BND  X  6.0"))


def test_contradicting_bounds_in_a_scenario_are_refused(read_smps):
    """Lower 5 and upper 4."""
    core = CORE.replace("ENDATA", "BOUNDS\n LO BND Y 5.0\nENDATA")
    with pytest.raises(nr.FormatError, match=r"scenario 'HIGH' puts a lower limit above its upper .*'Y': 5 > 4"):
        read_smps(core=core, stoch=STOCH.replace("    RHS       DEMAND    6.0", " UP BND  Y  4.0"))


def test_a_missing_sibling_is_named(tmp_path):
    """With the suffixes that were looked for."""
    path = write_smps(tmp_path)
    (tmp_path / "tiny.tim").unlink()
    with pytest.raises(
        nr.FormatError, match=r"no time file stands beside tiny\.cor: expected tiny with \.tim or \.time"
    ):
        read(path)


def test_a_huge_table_is_refused_before_it_is_built(read_smps):
    """30,000 scenarios in which 3,000 costs change once each would be 90 million numbers."""
    core = CORE.replace(
        "    Y         COST      3.0            DEMAND    1.0", "\n".join(f"    Y{k} DEMAND 1.0" for k in range(3000))
    )
    lines = [f" SC S{k} ROOT 0.0\n    Y{k % 3000} COST {k}.0" for k in range(30000)]
    text = "\n".join(["STOCH T", "SCENARIOS", *lines, "ENDATA"])
    with pytest.raises(nr.FormatError, match="exceed the limit of 50,000,000 numbers"):
        read_smps(core=core, time=TIME.replace("Y ", "Y0"), stoch=text)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sample": 0}, "sample must be a whole number between 1 and 100000"),
        ({"sample": 5, "seed": -1}, "seed"),
        ({"max_scenarios": 0}, "max_scenarios must be a whole number at least 1"),
        ({"samples": 5}, r"the smps format has no option 'samples' \(did you mean 'sample'\?\)"),
        ({"gap": 5}, "no option 'gap' .known are 'time_file', 'stoch_file', 'sample', 'seed', 'max_scenarios'"),
    ],
)
def test_bad_options_are_refused(read_smps, options, sentence):
    """The seed matters only where something is drawn."""
    text = "STOCH T\nINDEP DISCRETE\n" + "".join(f"    RHS DEMAND {v}.0 0.1\n" for v in range(10)) + "ENDATA\n"
    with pytest.raises(nr.InputError, match=sentence):
        read_smps(stoch=text, **options)


def test_options_have_one_name_in_python_and_on_the_command_line(tmp_path):
    """--time-file is time_file; what is close is answered with it."""
    core = write_smps(tmp_path)
    (tmp_path / "tiny.tim").rename(tmp_path / "other.tim")
    assert nr.read(core, time_file=tmp_path / "other.tim", stoch_file=tmp_path / "tiny.sto").num_scenarios == 2
    with pytest.raises(nr.InputError, match=r"the smps format has no option 'time' \(did you mean 'time_file'\?\)"):
        nr.read(core, time=tmp_path / "other.tim")


def test_a_file_that_is_named_and_not_there_is_the_one_to_blame(tmp_path):
    """Not the core file, which can be read."""
    with pytest.raises(nr.InputError, match=r"the stoch file must exist, got 'nowhere\.sto'; check the path"):
        nr.read(write_smps(tmp_path), stoch_file="nowhere.sto")
