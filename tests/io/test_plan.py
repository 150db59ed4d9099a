"""Plans: a TOML file that joins a model with a table of scenarios."""

from datetime import datetime

import numpy as np
import pytest

import neurprise as nr
from neurprise.io import read
from neurprise.io.parquet import parquet_columns
from neurprise.io.tables import read_table

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
        ("model", "modle", "a plan has the keys columns, .* skip, got 'modle'"),
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
        (TABLE.replace("9,", ","), "column 'customers' must hold numbers, got nothing in data row 2"),
        (TABLE.replace("price", "day"), "column names must differ"),
        (TABLE.replace("chance", "chance,").replace("0.5", "0.5,7"), 'column \'\' is neither .* such as "" = "name"'),
        (TABLE.replace("Mon", '"Mon\nday"'), "printable texts of one line, got .Mon"),
    ],
)
def test_faults_in_the_table_are_named(plan, table, sentence):
    """One fault each."""
    with pytest.raises(nr.FormatError, match=sentence):
        read(plan(table=table))


class TestPatterns:
    """One line of a plan for many columns of the table."""

    MODEL = """\
Minimize
 cost: 2 bake + 5 buy_a + 4 buy_b
Subject To
 need_a: bake + buy_a >= 1
 need_b: bake + buy_b >= 1
End
"""
    TABLE = "day,demand_a,demand_b,price_a,price_b,note_1,note_2\nMon,3,5,6,7,x,y\nTue,4,9,8,9,x,y\n"
    PLAN = """\
model = "shop.lp"
scenarios = "days.csv"
first_stage = ["bake"]
ignore = ["note_*"]
[columns]
day = "name"
"demand_*" = { rhs = "need_*" }
"price_*" = { cost = "buy_*", scale = 2, add = -1 }
"""

    def test_a_star_stands_for_the_same_text_on_both_sides(self, plan):
        """Rows and variables are named by what the star stands for."""
        problem = read(plan(self.PLAN, self.MODEL, self.TABLE))
        assert problem.changes["row_lower"].values.tolist() == [[3, 5], [4, 9]]
        assert problem.changes["costs"].values.tolist() == [[11, 13], [15, 17]]
        assert problem.y_names == ("buy_a", "buy_b")

    def test_a_column_of_its_own_name_is_no_match(self, plan):
        """What is named itself means what it says."""
        text = self.PLAN + 'price_b = { cost = "buy_b" }\n'
        assert read(plan(text, self.MODEL, self.TABLE)).changes["costs"].values.tolist() == [[11, 7], [15, 9]]

    @pytest.mark.parametrize(
        ("old", "new", "sentence"),
        [
            ('"need_*"', '"want_*"', "no row 'want_a' .known are 'need_a', 'need_b'"),
            ('"demand_*"', '"*_*"', "the column 'price_a' matches .* and .*; name it on its own"),
            ('"demand_*"', '"damand_*"', r"has no column 'damand_\*'"),
            ('"note_*"', '"nota_*"', r"has no column 'nota_\*'"),
            ('"buy_*"', '"buy_*_*"', r"no variable 'buy_a_\*'"),
            ("scale = 2", 'scale = "2"', "scale and add of the column 'price_a' must be numbers"),
            ('"demand_*"', '"*d*m*n*"', "a pattern has at most 3 stars"),
        ],
    )
    def test_faults_are_named(self, plan, old, new, sentence):
        """One fault each."""
        assert old in self.PLAN
        with pytest.raises(nr.FormatError, match=sentence):
            read(plan(self.PLAN.replace(old, new), self.MODEL, self.TABLE))


def test_scale_and_add_turn_a_cell_into_the_number_of_the_model(plan):
    """Tools move signs and constants to the right-hand side."""
    problem = read(plan(PLAN.replace('rhs = "demand"', 'rhs = "demand", scale = -2, add = 10')))
    assert problem.changes["row_lower"].values.ravel().tolist() == [4, -8]


def test_the_constant_of_the_objective_may_stand_in_the_plan(plan):
    """PuLP does not write it; two different ones are a contradiction."""
    constant = nr.solve(read(plan("offset = 100\n" + PLAN))).worst_case - nr.solve(read(plan())).worst_case
    assert constant == pytest.approx(100)
    model = MODEL.replace("3 waste", "3 waste + 7")
    assert read(plan("offset = 7\n" + PLAN, model)).offset == 7
    with pytest.raises(nr.FormatError, match="the constant 7 already, but 'offset' is 8; remove one"):
        read(plan("offset = 8\n" + PLAN, model))


def test_scenarios_may_have_constants_of_their_own(plan):
    """A column that means the objective's constant."""
    table = "day,customers,price,rent\nMon,3,5,100\nTue,9,6,1000\n"
    text = PLAN.replace('ignore = ["weather"]\n', "").replace('chance = "probability"', 'rent = "offset"')
    report = nr.solve(read(plan(text, table=table)))
    assert report.worst_case == pytest.approx(18 + 1000)


class TestTablesAsTheyAre:
    """Decimal commas, encodings, delimiters, sheets and tables with one value a row."""

    WIDE = "day;weather;customers;price;chance\nMon;Rain;3,5;5;0,5\nTue;Sun;9;6,25;0,5\n"

    def test_a_decimal_comma_is_read_where_the_plan_says_so(self, plan):
        """A cell with a point is then refused: it may mean thousands."""
        problem = read(plan('decimal = ","\n' + PLAN, table=self.WIDE))
        assert problem.changes["row_lower"].values.ravel().tolist() == [3.5, 9]
        with pytest.raises(
            nr.FormatError, match=r"got '1\.000' in data row 2; fill or drop it .the decimal sign is ','"
        ):
            read(plan('decimal = ","\n' + PLAN, table=self.WIDE.replace("9;", "1.000;")))

    def test_a_decimal_comma_is_offered_where_it_would_help(self, plan):
        """The sentence has the line for the plan."""
        with pytest.raises(nr.FormatError, match=r'got .3,5. .*if the comma is its decimal sign, write decimal = ","'):
            read(plan(table=self.WIDE))

    @pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "shift_jis", "mac_roman", "utf-8"])
    def test_encodings_go_by_the_names_of_python(self, plan, tmp_path, encoding):
        """As in pandas."""
        name = "火曜日" if encoding in ("utf-16", "shift_jis") else "Größe"
        path = plan(f'encoding = "{encoding}"\n' + PLAN.replace('"weather"', f'"{name}"'))
        (tmp_path / "days.csv").write_bytes(TABLE.replace("weather", name).encode(encoding))
        assert read(path).num_scenarios == 2

    @pytest.mark.parametrize(
        ("encoding", "sentence"), [("utf-32", "no.* text in the enc"), ("zip", "'zip'"), ("x", "'x'")]
    )
    def test_wrong_encodings_are_refused(self, plan, encoding, sentence):
        """Unknown ones, ones that do not fit, and ones that are none."""
        with pytest.raises(nr.FormatError, match=sentence):
            read(plan(f'encoding = "{encoding}"\n' + PLAN))

    def test_any_delimiter_may_be_named(self, plan):
        """One sign."""
        assert read(plan('delimiter = "|"\n' + PLAN, table=TABLE.replace(",", "|"))).num_scenarios == 2
        with pytest.raises(nr.FormatError, match="not a readable table"):
            read(plan('delimiter = "||"\n' + PLAN))

    def test_a_long_table_has_one_value_a_row(self, plan):
        """In any order; a scenario without an item and an item given twice are refused."""
        long = "what,when,how much\nprice,Mon,5\ncustomers,Tue,9\ncustomers,Mon,3\nprice,Tue,6\n"
        text = PLAN.replace('day = "name"\nchance = "probability"\n', "").replace('ignore = ["weather"]\n', "")
        text = 'long = { index = "when", columns = "what", values = "how much" }\n' + text
        problem = read(plan(text, table=long))
        assert problem.scenario_names == ("Mon", "Tue")
        assert problem.scenario_data.tolist() == [[5, 3], [6, 9]]
        with pytest.raises(nr.FormatError, match="column 'price' must hold numbers, got nothing in data row 2"):
            read(plan(text, table=long.replace("price,Tue,6\n", "")))
        with pytest.raises(nr.FormatError, match="the item 'price' has two values in scenario 'Mon'"):
            read(plan(text, table=long + "price,Mon,5\n"))
        with pytest.raises(nr.FormatError, match=r"no column 'how much' .*correct 'long'"):
            read(plan(text, table=long.replace("how much", "amount")))
        with pytest.raises(nr.FormatError, match="'long' must name the columns"):
            read(plan(text.replace("index", "rows"), table=long))

    def test_midnights_in_texts_are_days(self, plan):
        """As spreadsheets write dates into CSV files; where some row has an hour, all keep theirs."""
        table = TABLE.replace("Mon", "2025-01-01 00:00:00").replace("Tue", "2025-01-02T00:00")
        assert read(plan(table=table)).scenario_names == ("2025-01-01", "2025-01-02")
        names = read(plan(table=table.replace("02T00:00", "02T06:00"))).scenario_names
        assert names == ("2025-01-01 00:00:00", "2025-01-02T06:00")

    @pytest.mark.parametrize("word", ["Total", "SUM", "Summe:", "Gesamt", "Grand total"])
    def test_a_row_called_sum_is_asked_about(self, plan, word):
        """It is no scenario, as a rule; the plan decides."""
        table = TABLE + f"{word},,12,11,0\n"
        with pytest.raises(nr.FormatError, match=r"looks like a sum of other rows; write skip = .* or keep = "):
            read(plan(table=table))
        assert read(plan(f'skip = ["{word}"]\n' + PLAN, table=table)) == read(plan())
        assert read(plan(f'keep = ["{word}"]\n' + PLAN, table=table)).num_scenarios == 3

    def test_a_sum_is_seen_in_a_column_that_is_ignored(self, plan):
        """Scenarios need no names."""
        text = PLAN.replace('day = "name"\n', "").replace('["weather"]', '["weather", "day"]')
        with pytest.raises(nr.FormatError, match="the row 'Total' looks like a sum"):
            read(plan(text, table=TABLE + "Total,,12,11,0\n"))


class TestExcel:
    """Sheets of workbooks, by their names."""

    @pytest.fixture
    def book(self, tmp_path):
        """Writes sheets (name -> lines) to days.xlsx."""
        openpyxl = pytest.importorskip("openpyxl", reason="Excel files need openpyxl")

        def write(**sheets):
            book = openpyxl.Workbook()
            book.remove(book.active)
            for name, lines in sheets.items():
                sheet = book.create_sheet(name)
                for line in lines:
                    sheet.append(line)
            book.save(tmp_path / "days.xlsx")

        return write

    LINES = (
        (None, None, None, None),
        (" day ", "weather", "customers", "price", "chance", None),
        (datetime(2025, 1, 1), "rain", 3, 5.0, 0.5),
        (datetime(2025, 1, 2), None, " 9 ", 6, 0.5),
    )

    def test_the_only_sheet_needs_no_name(self, plan, book):
        """Empty lines around the table mean nothing; days are days."""
        book(Sheet=self.LINES)
        problem = read(plan(PLAN.replace("days.csv", "days.xlsx")))
        assert problem.scenario_names == ("2025-01-01", "2025-01-02")
        assert problem.scenario_data.tolist() == [[5, 3], [6, 9]]

    def test_of_several_sheets_one_must_be_named(self, plan, book):
        """Nobody can know which is meant."""
        book(old=self.LINES[:-1], new=self.LINES)
        text = PLAN.replace("days.csv", "days.xlsx")
        with pytest.raises(nr.FormatError, match="has the sheets 'old', 'new'; say which, such as sheet = \"old\""):
            read(plan(text))
        with pytest.raises(nr.FormatError, match=r"has no sheet 'neu' \(did you mean 'new'\?\)"):
            read(plan('sheet = "neu"\n' + text))
        assert read(plan('sheet = "new"\n' + text)).num_scenarios == 2

    @pytest.mark.parametrize("content", [b"", b"PK junk", b"day,price\n1,2\n"])
    def test_what_is_no_workbook_is_refused(self, plan, tmp_path, content):
        """Whatever the parsers raise."""
        pytest.importorskip("openpyxl", reason="Excel files need openpyxl")
        path = plan(PLAN.replace("days.csv", "days.xlsx"))
        (tmp_path / "days.xlsx").write_bytes(content)
        with pytest.raises(nr.FormatError, match=r"days\.xlsx is not a readable Excel workbook"):
            read(path)

    def test_a_workbook_that_unpacks_to_too_much_is_refused(self, plan, book, monkeypatch):
        """Before it is unpacked."""
        book(Sheet=self.LINES)
        monkeypatch.setattr("neurprise.io.excel.MAX_BYTES", 1000)
        with pytest.raises(nr.FormatError, match=r"unpacks to [\d,]+ bytes, at most 1,000 are read"):
            read(plan(PLAN.replace("days.csv", "days.xlsx")))


class TestTablesOfPandas:
    """Wherever a table of scenarios is taken."""

    pd = pytest.importorskip("pandas", reason="pandas is not installed")

    @pytest.fixture
    def frame(self):
        return self.pd.DataFrame(
            {"price": [5, 6], "customers": [3, 9], "chance": [0.5, 0.5], "weather": ["rain", None]},
            index=self.pd.to_datetime(["2025-01-01", "2025-01-02"]).rename("day"),
        )

    def test_a_frame_takes_the_place_of_the_file(self, plan, frame):
        """Its index is a column like any other, or the row labels."""
        expected = read(plan(table=TABLE.replace("Mon", "2025-01-01").replace("Tue", "2025-01-02")))
        assert read(plan(), scenarios=frame) == expected
        assert read(plan(), scenarios=frame.reset_index()) == expected
        assert read(plan(PLAN.replace('day = "name"\n', "")), scenarios=frame) == expected

    def test_a_problem_takes_the_tables_of_its_plan(self, plan, frame):
        """As if it had been read with them; other names that were given stay."""
        problem = read(plan())
        assert problem.with_scenarios(frame) == read(plan(), scenarios=frame)
        assert problem.restrict([1]).with_scenarios(frame).num_scenarios == 2
        assert problem.with_labels(x_names=["loaves"]).with_scenarios(frame).x_names == ("loaves",)
        with pytest.raises(nr.FormatError, match="the table the DataFrame has no column 'price'"):
            problem.with_scenarios(frame.rename(columns={"price": "cost"}))

    def test_long_series_and_arrays_go_by_their_labels(self, plan, frame):
        """The level or dimension called "scenario" lists the scenarios, else the first."""
        text = PLAN.replace('day = "name"\nchance = "probability"\n', "").replace('ignore = ["weather"]\n', "")
        numbers = frame[["price", "customers"]].astype(float)
        expected = read(plan(text), scenarios=numbers)
        long = numbers.rename_axis(index="scenario", columns="item").stack()
        assert read(plan(text), scenarios=long) == expected
        assert read(plan(text), scenarios=long.swaplevel()) == expected
        pytest.importorskip("xarray", reason="xarray is not installed")
        assert read(plan(text), scenarios=long.to_xarray().transpose("item", "scenario")) == expected
        assert read(plan(text), scenarios=numbers.stack()) == expected

    @pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
    def test_missing_cells_are_named(self, plan, frame, missing):
        """As in every table."""
        frame = frame.astype(object)
        frame.iloc[1, 0] = missing
        with pytest.raises(nr.FormatError, match="column 'price' must hold numbers, got nothing in data row 2"):
            read(plan(), scenarios=frame)

    @pytest.mark.parametrize("other", [5, [[1, 2]], {"price": [1]}])
    def test_anything_else_is_refused(self, plan, other):
        """With what is taken."""
        with pytest.raises(nr.InputError, match=r"scenarios must be a path \(\.csv, .* a table of pandas"):
            read(plan(), scenarios=other)


def test_what_means_nothing_for_the_table_is_refused(plan, tmp_path):
    """But it may mean something for another table that takes its place."""
    path = plan('sheet = "2025"\n' + PLAN)
    with pytest.raises(nr.FormatError, match=r"'sheet' means nothing for a \.csv table; remove it"):
        read(path)
    (tmp_path / "other.csv").write_text(TABLE)
    assert read(path, scenarios=tmp_path / "other.csv") == read(plan())
    with pytest.raises(nr.FormatError, match="'skip' leaves no row"):
        read(plan('skip = ["Mon", "Tue"]\n' + PLAN))


def test_a_column_that_changes_nothing_is_told(plan):
    """It was probably meant for another number."""
    table = TABLE.replace("3,5", "4,5").replace("9,6", "4,6")
    with pytest.warns(nr.InputWarning, match=r"the column 'customers' changes nothing: every scenario has the number"):
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
        with pytest.raises(nr.FormatError, match="column 'n' must hold numbers, got nothing in data row 2"):
            read_table(tmp_path / "days.parquet").numbers("n")
