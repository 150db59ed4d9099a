"""Plans: a TOML file that joins a model with a table of scenarios."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.io import read
from neurprise.io.parquet import parquet_columns
from neurprise.io.table_files import read_table

MODEL = """\
Minimize
 cost: 2 bake + 5 buy_0 + 3 waste
Subject To
 oven: bake <= 10
 demand: bake + buy_0 - waste = 4
 shelf: waste + buy_0 <= 50
 open: waste <= 1e30
End
"""

PLAN = """\
model = "shop.lp"
scenarios = "days.csv"
first_stage = ["bake"]
ignore = ["weather"]

[columns]
day = "name"
chance = "probability"
customers = { rhs = "demand" }
price = { cost = "buy_0" }
"""

TABLE = "day,weather,customers,price,chance\nMon,rain,3,5,0.5\nTue,sun,9,6,0.5\n"


@pytest.fixture
def plan(tmp_path):
    """Writes a plan with its model and table; keyword arguments replace a file's text. Returns the plan's path."""

    def write(plan=PLAN, model=MODEL, table=TABLE, table_name="days.csv"):
        (tmp_path / "shop.lp").write_text(model)
        (tmp_path / table_name).write_text(table)
        path = tmp_path / "plan.toml"
        path.write_text(plan)
        return path

    return write


def test_columns_replace_numbers_of_the_model(plan):
    """Both limits of an equality row, and a cost."""
    problem = read(plan())
    assert problem.scenario_names == ("Mon", "Tue")
    assert problem.probabilities.tolist() == [0.5, 0.5]
    assert problem.x_names == ("bake",)
    assert problem.changes["row_lower"].values.ravel().tolist() == [3, 9]
    assert problem.changes["row_upper"].values.ravel().tolist() == [3, 9]
    assert problem.changes["costs"].values.ravel().tolist() == [5, 6]
    report = nr.solve(problem)
    assert report.x == pytest.approx([7])  # 14 and four to throw away at 3 on Monday, or two to buy at 6 on Tuesday
    assert report.worst_case == pytest.approx(26)


def test_one_column_can_replace_several_numbers_of_any_kind(plan):
    """Bounds and coefficients too."""
    text = PLAN.replace(
        'price = { cost = "buy_0" }',
        'price = [{ upper = "waste" }, { lower = "buy_0" }, { row = "shelf", variable = "buy_0" }]',
    )
    problem = read(plan(text))
    assert {kind: change.values[1].tolist() for kind, change in problem.changes.items()} == {
        "row_lower": [9],
        "row_upper": [9],
        "upper": [6],
        "lower": [6],
        "matrix": [6],
    }


def test_patterns_name_many_variables(plan):
    """A star stands for anything; brackets are part of names."""
    problem = read(plan(PLAN.replace('"bake"', '"b*"')))
    assert problem.x_names == ("bake", "buy_0")


def test_a_mps_model_serves_as_well(plan, tmp_path):
    """Whatever the modelling tool exports."""
    (tmp_path / "shop.mps").write_text(
        "NAME\nROWS\n N cost\n E demand\nCOLUMNS\n bake cost 2 demand 1\n buy_0 cost 5 demand 1\n"
        "RHS\n rhs demand 4\nENDATA\n"
    )
    assert read(plan(PLAN.replace("shop.lp", "shop.mps"))).num_scenarios == 2


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters_are_recognised(plan, delimiter):
    """As spreadsheets in many countries export."""
    assert read(plan(table="\ufeff" + TABLE.replace(",", delimiter))).num_scenarios == 2


def test_a_column_name_in_quotes_may_hold_other_delimiters(plan):
    """Commas in a title do not make a table of semicolons one of commas."""
    title = "customers, counted at noon, without staff, in all"
    table = TABLE.replace(",", ";").replace("customers", f'"{title}"')
    problem = read(plan(PLAN.replace("customers", f'"{title}"'), table=table))
    assert problem.changes["row_lower"].values.ravel().tolist() == [3, 9]


def test_a_line_break_in_quotes_is_part_of_the_cell(plan):
    """Spreadsheets break long titles into lines."""
    table = TABLE.replace("customers", '"customers\n(at noon)"')
    problem = read(plan(PLAN.replace("customers", r'"customers\n(at noon)"'), table=table))
    assert problem.changes["row_lower"].values.ravel().tolist() == [3, 9]


def test_what_a_spreadsheet_saves_around_the_table_means_nothing(plan):
    """Columns without title and cells, and rows without any."""
    table = TABLE.replace("\n", ",,\n") + ",,,,,,\n\n"
    assert read(plan(table=table)).scenario_names == ("Mon", "Tue")


def test_parquet_tables_are_read(plan, tmp_path):
    """Through pyarrow."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"day": ["Mon", "Tue"], "weather": ["rain", None], "customers": [3, 9], "price": [5.0, 6.0]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "days.parquet")
    path = plan(PLAN.replace("days.csv", "days.parquet").replace('chance = "probability"\n', ""))
    problem = read(path)
    assert problem.changes["row_lower"].values.ravel().tolist() == [3, 9]
    assert problem.probabilities is None
    (tmp_path / "days.parquet").write_bytes(b"PAR1 junk")
    with pytest.raises(nr.FormatError, match="not a readable Parquet file"):
        read(path)


def test_another_table_can_be_given(plan, tmp_path):
    """The same plan for another year."""
    path = plan()
    (tmp_path / "next.csv").write_text(TABLE + "Wed,fog,1,1,0\n")
    assert read(path, scenarios=tmp_path / "next.csv").num_scenarios == 3


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("model", "modle", "a plan has the keys columns, first_stage, ignore, model, scenarios, got 'modle'"),
        ('"shop.lp"', '"shop.xls"', r"must be a \.lp, \.mps, \.cor file, got 'shop\.xls'"),
        ('"shop.lp"', '"none.lp"', "is not a file; paths are relative to the plan"),
        ('"shop.lp"', "5", "'model' must be the path of a file in quotes, got 5"),
        ('"days.csv"', '"none.csv"', "is not a file; check the table's path"),
        ('"days.csv"', '"days.xlsx"', "is not a file|files, got"),
        ('["bake"]', '["cake"]', "first_stage names 'cake', which matches no variable"),
        ('["bake"]', '"bake"', "'first_stage' must be a list of names"),
        ('["bake"]', "[]", "no first-stage variable"),
        ('["bake"]', '["*"]', "no recourse variable"),
        ('["weather"]', "[]", "the column 'weather' is neither in .columns. nor in ignore"),
        ('["weather"]', '["weather", "wind"]', "has no column 'wind'"),
        ('{ rhs = "demand" }', '{ rhs = "supply" }', "the model has no row 'supply'"),
        ('{ cost = "buy_0" }', '{ cost = "sell" }', "the model has no variable 'sell'"),
        ('{ cost = "buy_0" }', '{ price = "buy_0" }', "the column 'price' must mean"),
        ('{ cost = "buy_0" }', '{ cost = "buy_0", rhs = "demand" }', "the column 'price' must mean"),
        ('{ cost = "buy_0" }', '{ rhs = "demand" }', "two columns replace the same number"),
        ('{ rhs = "demand" }', '{ rhs = "open" }', "the row 'open' has no finite limit, .* write any finite"),
        ('{ cost = "buy_0" }', '"name"', "only one column can be the name"),
        ('{ cost = "buy_0" }', '{ upper = "bake" }', "bounds of 'bake', which is decided before"),
        ("[columns]", "[[columns]]", "must say what each column"),
        ("[columns]", "[columns", "is not a TOML file"),
    ],
)
def test_faults_in_the_plan_are_named(plan, old, new, sentence):
    """One fault each."""
    assert old in PLAN
    with pytest.raises(nr.InputError, match=sentence):
        read(plan(PLAN.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("", "is empty"),
        ("day,weather,customers,price,chance\n", "has no data row"),
        (TABLE.replace("9,6", "9"), "data row 2 has 4 cells, the header has 5"),
        (TABLE.replace("9,", "nine,"), "column 'customers' must hold numbers, got 'nine' in data row 2"),
        (TABLE.replace("9,", ","), "column 'customers' must hold numbers, got '' in data row 2"),
        (TABLE.replace("price", "day"), "column names must differ"),
        (TABLE.replace("chance", "chance,").replace("0.5", "0.5,7"), 'column \'\' is neither .* such as "" = "name"'),
        (TABLE.replace("Mon", '"Mon\nday"'), "printable texts of one line, got .Mon"),
    ],
)
def test_faults_in_the_table_are_named(plan, table, sentence):
    """One fault each."""
    with pytest.raises(nr.FormatError, match=sentence):
        read(plan(table=table))


@pytest.mark.parametrize(
    "text",
    [
        "a." * 50_000 + "b = 1",
        "[" + "a . " * 25_000 + "b]",
        "x = {" + '"a b".' * 16_000 + "b = 1}",
        "[columns]\n" + "'a'." * 25_000 + "b = 1",
    ],
    ids=["dotted key", "table", "quoted parts", "in a section"],
)
def test_an_endless_key_is_refused_at_once(plan, text):
    """The TOML reader would take minutes for it."""
    with pytest.raises(nr.FormatError, match=r"plan\.toml, line [12]: a key has more than 16 parts"):
        read(plan(plan=text))


@pytest.mark.parametrize("text", ["x = " + "[" * 50_000, "x = " + "9" * 5_000, "x = 1\nx = 2"])
def test_other_text_that_is_no_toml_is_refused(plan, text):
    """Brackets without end, numbers without end, a key given twice."""
    with pytest.raises(nr.FormatError, match=r"plan\.toml is not a TOML file"):
        read(plan(plan=text))


def test_a_parquet_table_that_announces_too_much_is_refused(plan, tmp_path, monkeypatch):
    """Before its rows are read."""
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet tables need pyarrow")
    from pyarrow import parquet

    monkeypatch.setattr("neurprise.io.staging.MAX_VALUES", 5)
    parquet.write_table(pyarrow.table({"day": ["a", "b"], "n": [1, 2], "p": [3, 4]}), tmp_path / "days.parquet")
    with pytest.raises(nr.FormatError, match="exceed the limit of 5 numbers; keep fewer rows or columns"):
        read(plan(plan=PLAN.replace("days.csv", "days.parquet")))


class TestSmallParquetFiles:
    """A cell that repeats is stored once, so that a few bytes can stand for gigabytes."""

    @pytest.fixture
    def parquet(self):
        pytest.importorskip("pyarrow", reason="Parquet tables need pyarrow")
        from pyarrow import parquet

        return parquet

    @pytest.fixture
    def repeated(self, parquet, tmp_path):
        """20,000 cells of a million letters each, in some kilobytes."""
        import pyarrow

        cells = pyarrow.DictionaryArray.from_arrays(np.zeros(20_000, dtype=np.int32), ["x" * 1_000_000])
        parquet.write_table(pyarrow.table({"n": np.arange(20_000.0), "day": cells}), tmp_path / "days.parquet")
        return tmp_path / "days.parquet"

    def test_texts_that_repeat_stay_one_text(self, repeated):
        """The cells share it."""
        cells = parquet_columns(repeated)["day"]
        assert (len(cells), len(set(map(id, cells)))) == (20_000, 1)

    def test_columns_that_nobody_asks_for_are_not_read(self, repeated, monkeypatch):
        """What is to be ignored may be of any size."""
        monkeypatch.setattr("neurprise.io.parquet.MAX_BYTES", 500_000)
        table = read_table(repeated)
        assert table.numbers("n").sum() == 199_990_000.0
        with pytest.raises(nr.FormatError, match=r"column 'day' has [\d,]+ bytes, at most 500,000 are read"):
            table.names("day")

    def test_lists_and_records_are_refused(self, parquet, tmp_path):
        """Each cell of a table is one value."""
        import pyarrow

        parquet.write_table(pyarrow.table({"n": [[1, 2], [3]]}), tmp_path / "days.parquet")
        with pytest.raises(nr.FormatError, match="column 'n' must hold one value a row, got list"):
            read_table(tmp_path / "days.parquet").numbers("n")

    def test_missing_numbers_are_named(self, parquet, tmp_path):
        """As in every table."""
        import pyarrow

        parquet.write_table(pyarrow.table({"n": [1, None]}), tmp_path / "days.parquet")
        with pytest.raises(nr.FormatError, match="column 'n' must hold numbers, got 'None' in data row 2"):
            read_table(tmp_path / "days.parquet").numbers("n")
