"""Names survive every format: into a problem, through the archive, through `restrict`."""

import csv
import io
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurprise as nr
from neurprise.io import read
from neurprise.problem.named import NAME_FIELDS
from tests.name_strategies import distinct, words

#: Letters of names in LP files; not + - * ^ / : < > = and no blank.
LP_ALPHABET = "abcXYZ019_.[](),;!#$%&?@'`{}|~éß需"
#: Words of MPS files are anything but blanks, in any script.
MPS_ALPHABET = LP_ALPHABET + "<>/=+-*&^:"

PROBLEMS = {
    "selection": nr.make_selection(3, 3, seed=1),
    "vertex-cover": nr.make_vertex_cover(4, 2, seed=1),
    "facility-location": nr.make_facility_location(3, 2, 2, seed=1),
    "generic": nr.TwoStageProblem.from_matrices(
        [1, 2], [[1, 1]], [1], [[1], [2]], [0, 1], [[1, 1], [0, 1]], None, None, [[1], [2]],
        x_integer=True, y_integer=False,
    ),
}  # fmt: skip


def labels_of(problem):
    """All five lists of names."""
    return {field: getattr(problem, field) for field in NAME_FIELDS}


def archived(problem, folder):
    """The problem written to the package's archive and read again."""
    problem.write(folder / "copy.npz")
    return read(folder / "copy.npz")


def assert_names_last(problem, folder):
    """Through the archive, through `restrict`, and through both."""
    assert labels_of(archived(problem, folder)) == labels_of(problem)
    backwards = list(reversed(range(problem.num_scenarios)))
    expected = labels_of(problem) | {"scenario_names": problem.scenario_names[::-1]}
    assert labels_of(problem.restrict(backwards)) == expected
    assert labels_of(archived(problem.restrict(backwards), folder)) == expected


@pytest.mark.parametrize("family", PROBLEMS)
@given(data=st.data())
def test_the_archive_keeps_any_names(tmp_path_factory, family, data):
    """Every list of every family, in any script."""
    problem = PROBLEMS[family]
    counts = {
        "x_names": problem.num_first_stage,
        "y_names": problem.num_recourse,
        "x_row_names": len(problem.first_stage.row_lower),
        "y_row_names": len(problem.recourse.row_lower),
        "scenario_names": problem.num_scenarios,
    }
    named = problem.with_labels(**{field: data.draw(distinct(count)) for field, count in counts.items()})
    assert_names_last(named, tmp_path_factory.mktemp("npz"))


def csv_text(rows):
    """As a spreadsheet writes it."""
    stream = io.StringIO()
    csv.writer(stream).writerows(rows)
    return stream.getvalue()


@given(words(3, LP_ALPHABET), words(2, LP_ALPHABET), distinct(2))
def test_a_plan_keeps_the_names_of_model_and_table(tmp_path_factory, columns, rows, days):
    """LP or MPS model, scenario names from a CSV column."""
    folder = tmp_path_factory.mktemp("plan")
    x, y, z = columns
    budget, demand = rows
    quoted = [name.replace("\\", "\\\\").replace('"', '\\"') for name in (demand, x)]
    plan = 'scenarios = "days.csv"\nfirst_stage = ["{1}"]\n[columns]\nday = "name"\namount = {{ rhs = "{0}" }}\n'
    (folder / "days.csv").write_text(csv_text([["day", "amount"], [days[0], 3], [days[1], 9]]), encoding="utf-8")
    (folder / "model.lp").write_text(
        f"Minimize\n 2 {x} + 5 {y} + 3 {z}\nSubject To\n {budget}: {x} <= 10\n {demand}: {x} + {y} - {z} = 4\nEnd\n",
        encoding="utf-8",
    )
    (folder / "model.mps").write_text(
        f"NAME\nROWS\n N cost\n L {budget}\n E {demand}\nCOLUMNS\n {x} cost 2 {budget} 1\n {x} {demand} 1\n"
        f" {y} cost 5 {demand} 1\n {z} cost 3 {demand} -1\nRHS\n rhs {budget} 10 {demand} 4\nENDATA\n",
        encoding="utf-8",
    )
    for model in ("model.lp", "model.mps"):
        (folder / "plan.toml").write_text(f'model = "{model}"\n' + plan.format(*quoted), encoding="utf-8")
        problem = read(folder / "plan.toml")
        assert labels_of(problem) == {
            "x_names": (x,),
            "y_names": (y, z),
            "x_row_names": (budget,),
            "y_row_names": (demand,),
            "scenario_names": tuple(days),
        }
        assert_names_last(problem, folder)


@given(words(2, MPS_ALPHABET), words(2, MPS_ALPHABET), words(2, MPS_ALPHABET.replace("'", "")))
def test_smps_files_keep_the_names_of_core_and_stoch(tmp_path_factory, columns, rows, scenarios):
    """Columns, rows and scenarios."""
    folder = tmp_path_factory.mktemp("smps")
    (x, y), (cap, demand), (low, high) = columns, rows, scenarios
    texts = {
        "cor": f"NAME T\nROWS\n N cost\n L {cap}\n G {demand}\nCOLUMNS\n {x} cost 2 {cap} 1\n {x} {demand} 1\n"
        f" {y} cost 3 {demand} 1\nRHS\n rhs {cap} 10 {demand} 4\nENDATA\n",
        "tim": f"TIME T\nPERIODS\n {x} {cap} NOW\n {y} {demand} LATER\nENDATA\n",
        "sto": f"STOCH T\nSCENARIOS DISCRETE\n SC {low} ROOT 0.25 LATER\n rhs {demand} 3\n SC {high} ROOT 0.75 LATER\n"
        f" rhs {demand} 6\nENDATA\n",
    }
    for suffix, text in texts.items():
        (folder / f"tiny.{suffix}").write_text(text, encoding="utf-8")
    problem = read(folder / "tiny.cor")
    assert labels_of(problem) == {
        "x_names": (x,),
        "y_names": (y,),
        "x_row_names": (cap,),
        "y_row_names": (demand,),
        "scenario_names": (low, high),
    }
    assert_names_last(problem, folder)


class TestPyomo:
    """Names as Pyomo itself spells them."""

    @given(distinct(2), distinct(2))
    def test_components_and_scenarios_keep_their_names(self, tmp_path_factory, breads, days):
        """Indexed variables and constraints; decisions are loaded by name."""
        pyo = pytest.importorskip("pyomo.environ", reason="Pyomo is not installed")
        demand = dict(zip(days, (3.0, 6.0), strict=True))

        def creator(day):
            model = pyo.ConcreteModel()
            model.bake = pyo.Var(breads, within=pyo.NonNegativeReals)
            model.buy = pyo.Var(breads, within=pyo.NonNegativeReals)
            model.oven = pyo.Constraint(expr=sum(model.bake.values()) <= 10)
            model.need = pyo.Constraint(breads, rule=lambda m, b: m.bake[b] + m.buy[b] >= demand[day])
            model.cost = pyo.Objective(expr=sum(model.bake.values()) + 3 * sum(model.buy.values()))
            return model

        problem = nr.from_pyomo(creator, days, first_stage=["bake"])
        model = creator(days[0])
        assert labels_of(problem) == {
            "x_names": tuple(v.name for v in model.bake.values()),
            "y_names": tuple(v.name for v in model.buy.values()),
            "x_row_names": ("oven",),
            "y_row_names": tuple(c.name for c in model.need.values()),
            "scenario_names": tuple(days),
        }
        assert_names_last(problem, tmp_path_factory.mktemp("pyomo"))
        decision = dict(zip(problem.x_names, (1.0, 2.0), strict=True))
        loaded = problem.load(decision, days[1])
        assert [pyo.value(loaded.bake[bread]) for bread in breads] == [1.0, 2.0]
        assert [pyo.value(loaded.buy[bread]) for bread in breads] == pytest.approx([5.0, 4.0])

    def test_a_constant_by_scenario_gets_a_name_of_its_own(self):
        """Even where a variable is called so already; the variables of the model are loaded all the same."""
        pyo = pytest.importorskip("pyomo.environ", reason="Pyomo is not installed")

        def creator(day):
            model = pyo.ConcreteModel()
            model.bake = pyo.Var(bounds=(0, 9))
            model.constant = pyo.Var(within=pyo.NonNegativeReals)
            model.need = pyo.Constraint(expr=model.bake + model.constant >= 4)
            model.cost = pyo.Objective(expr=model.bake + 3 * model.constant + len(day))
            return model

        problem = nr.from_pyomo(creator, ["dry", "stormy"], first_stage=["bake"])
        assert problem.y_names == ("constant", "constant_1")
        assert pyo.value(problem.load({"bake": 1.0}, "stormy").constant) == pytest.approx(3.0)

    def test_blanks_around_a_scenarios_name_still_reach_its_creator(self):
        """The creator is called with the name as written; the problem calls the scenario without them."""
        pyo = pytest.importorskip("pyomo.environ", reason="Pyomo is not installed")
        asked = []

        def creator(day):
            asked.append(day)
            model = pyo.ConcreteModel()
            model.bake = pyo.Var(bounds=(0, 9))
            model.buy = pyo.Var(within=pyo.NonNegativeReals)
            model.need = pyo.Constraint(expr=model.bake + model.buy >= {" dry": 3, "wet ": 4}[day])
            model.cost = pyo.Objective(expr=model.bake + model.buy)
            return model

        problem = nr.from_pyomo(creator, [" dry", "wet "], first_stage=["bake"])
        assert problem.scenario_names == ("dry", "wet")
        problem.load([0.0], "wet")
        assert asked == [" dry", "wet ", "wet "]


def test_dat_files_hold_no_names(tmp_path):
    """So a problem that has some is not written to one; without names the family's own are there again."""
    problem = PROBLEMS["selection"]
    problem.write(tmp_path / "plain.dat")
    assert read(tmp_path / "plain.dat").first_stage_names == problem.first_stage_names
    for labels in ({"x_names": ["a", "b", "c"]}, {"probabilities": [0.2, 0.3, 0.5]}):
        with pytest.raises(nr.InputError, match=r"\.dat files hold neither names nor probabilities, .* \.npz file"):
            problem.with_labels(**labels).write(tmp_path / "named.dat")


PLAN = """\
model = "shop.lp"
scenarios = "days.csv"
first_stage = ["bake"]

[columns]
customers = { rhs = "demand" }
"""
MODEL = "Minimize\n 2 bake + 5 buy\nSubject To\n demand: bake + buy >= 4\nEnd\n"


@pytest.fixture
def plan(tmp_path):
    """Writes a plan with its model and table; returns the plan's path."""

    def write(table, plan=PLAN):
        (tmp_path / "shop.lp").write_text(MODEL)
        (tmp_path / "days.csv").write_text(table)
        (tmp_path / "plan.toml").write_text(plan)
        return tmp_path / "plan.toml"

    return write


def test_row_labels_of_a_table_name_the_scenarios(plan):
    """A first column without a title, as pandas writes an index; a column that means "name" wins."""
    assert read(plan(",customers\nMon,3\nTue,9\n")).scenario_names == ("Mon", "Tue")
    both = ",day,customers\n0,Mon,3\n1,Tue,9\n"
    assert read(plan(both, PLAN + 'day = "name"\n')).scenario_names == ("Mon", "Tue")
    assert read(plan("customers\n3\n9\n")).scenario_labels == ("0", "1")


@pytest.mark.parametrize("title", ["day", None])
def test_dates_of_a_parquet_table_name_the_scenarios(plan, tmp_path, title):
    """Days as days; a column, or the index that pandas stores."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    days = [datetime(2024, 3, 1), datetime(2024, 3, 2)]
    table = pyarrow.table({title or "__index_level_0__": days, "customers": [3, 9]})
    parquet.write_table(table, tmp_path / "days.parquet")
    text = PLAN.replace("days.csv", "days.parquet") + (f'{title} = "name"\n' if title else "")
    assert read(plan("", text)).scenario_names == (str(date(2024, 3, 1)), str(date(2024, 3, 2)))


@pytest.mark.parametrize(
    "table, change, sentence",
    [
        (
            "day,customers\nMon,3\nMon,9\n",
            'day = "name"\n',
            "must differ, but 'Mon' is at positions 0 and 1; rename one in column 'day' of days.csv",
        ),
        (",customers\nMon,3\nMon,9\n", "", "rename one in the row labels of days.csv"),
        ("day,customers\nMon,3\n,9\n", 'day = "name"\n', "column 'day' of days.csv must not have empty names"),
        ("p,customers\n0.5,3\n0.6,9\n", 'p = "probability"\n', r"column 'p' of days.csv must sum to one, got 1\.1"),
        ("day,customers\nMon,3\nTue,9\n", "", "'day' is neither in .* such as day = \"name\" where it labels the scen"),
        ("customers,n\n3,1\n9,2\n", 'n = { rhs = "demnad" }\n', r"no row 'demnad' \(did you mean 'demand'\?\)"),
        ("customers,n\n3,1\n9,2\n", 'n = { cost = "by" }\n', r"no variable 'by' \(did you mean 'buy'\?\)"),
        ("customer\n3\n", "", r"no column 'customers' \(did you mean 'customer'\?\)"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(plan, table, change, sentence):
    """With the table, the column and a near miss."""
    with pytest.raises(nr.FormatError, match=sentence):
        read(plan(table, PLAN + change))


def test_first_stage_names_that_match_nothing_get_a_near_miss(plan):
    """In the plan."""
    with pytest.raises(
        nr.FormatError, match=r"'baek', which matches no variable of the model \(did you mean 'bake'\?\)"
    ):
        read(plan("customers\n3\n", PLAN.replace('"bake"', '"baek"')))
