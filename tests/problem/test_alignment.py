"""Tables of pandas go by their labels; an order that is not meant is never taken."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurprise as nr
from neurprise.errors import InputError
from neurprise.problem.stages import KINDS
from tests.instances import from_letters, random_letters, seeds

pd = pytest.importorskip("pandas", reason="pandas is not installed")

AXES = {
    "c": ("x",),
    "A": ("x_row", "x"),
    "d": ("x_row",),
    "G": ("y_row", "y"),
    "h": ("y_row",),
    "E": ("y_row", "x"),
    "M": ("y_row", "factor"),
    "xi": ("scenario", "factor"),
    "b": ("scenario", "y"),
    "x_integer": ("x",),
    "y_integer": ("y",),
    "x_upper": ("x",),
    "y_upper": ("y",),
}


def labels(axis, count):
    """Names that are not in the order of the alphabet."""
    return [f"{axis}_{'hgfedcba'[k % 8]}{k}" for k in range(count)]


def tabled(letters, shuffle):
    """Every letter as a Series or DataFrame, each with its labels in an order of its own."""
    tables = {}
    for name, value in letters.items():
        if value is None:
            continue
        axes = AXES[name][-value.ndim :]
        indices = [labels(axis, size) for axis, size in zip(axes, value.shape, strict=True)]
        table = pd.Series(value, indices[0]) if value.ndim == 1 else pd.DataFrame(value, *indices)
        for axis in range(value.ndim):
            table = table.reindex(shuffle(indices[axis]), axis=axis)
        tables[name] = table
    return letters | tables


def assert_same(ours, theirs):
    """All numbers of the two problems, in the same order."""
    for s in range(theirs.num_scenarios):
        for kind in KINDS:
            np.testing.assert_allclose(getattr(ours.scenario(s), kind), getattr(theirs.scenario(s), kind))
    for name in ("costs", "row_lower", "row_upper", "lower", "upper", "integer"):
        np.testing.assert_array_equal(getattr(ours.first_stage, name), getattr(theirs.first_stage, name))
        np.testing.assert_array_equal(getattr(ours.recourse, name), getattr(theirs.recourse, name))
    np.testing.assert_array_equal(ours.recourse.technology.toarray(), theirs.recourse.technology.toarray())
    np.testing.assert_array_equal(ours.recourse.matrix.toarray(), theirs.recourse.matrix.toarray())


@given(seeds, st.randoms(use_true_random=False))
def test_tables_in_any_order_give_the_same_problem(seed, random):
    """Labels decide; names given by the caller fix the order of the result."""
    letters = random_letters(seed, complete=True)
    plain = from_letters(letters)
    sizes = {
        "x_names": labels("x", plain.num_first_stage),
        "y_names": labels("y", plain.num_recourse),
        "x_row_names": labels("x_row", len(plain.first_stage.row_lower)),
        "y_row_names": labels("y_row", len(plain.recourse.row_lower)),
        "scenario_names": labels("scenario", plain.num_scenarios),
    }
    tables = tabled(letters, lambda names: random.sample(names, len(names)))
    problem = from_letters(tables | sizes)
    assert_same(problem, plain)
    assert {name: list(getattr(problem, name)) for name in sizes} == sizes


@given(seeds, st.randoms(use_true_random=False))
def test_without_names_the_first_table_gives_them(seed, random):
    """c orders the first stage, G the recourse, xi or b the scenarios; the worst case is the same."""
    letters = random_letters(seed, complete=True)
    tables = tabled(letters, lambda names: random.sample(names, len(names)))
    problem = from_letters(tables)
    assert list(problem.x_names) == list(tables["c"].index)
    assert list(problem.y_names) == list(tables["G"].columns)
    assert list(problem.y_row_names) == list(tables["G"].index)
    scenarios = tables["b"] if letters["xi"] is None else tables["xi"]
    assert list(problem.scenario_names) == list(scenarios.index)
    assert nr.solve(problem).worst_case == pytest.approx(nr.solve(from_letters(letters)).worst_case)


KITCHEN = {
    "c": pd.Series({"bread": 1.0, "cake": 2.0}),
    "A": None,
    "d": None,
    "G": pd.DataFrame({"buy": [1.0, 0.0], "dump": [0.0, 1.0]}, index=["hunger", "waste"]),
    "h": pd.Series({"hunger": 4.0, "waste": 0.0}),
    "E": pd.DataFrame({"bread": [1.0, -1.0], "cake": [1.0, -1.0]}, index=["hunger", "waste"]),
    "M": None,
    "xi": None,
    "b": pd.DataFrame({"buy": [3.0, 4.0], "dump": [1.0, 1.0]}, index=pd.to_datetime(["2024-03-01", "2024-03-02"])),
    "x_integer": True,
    "y_integer": False,
}


def kitchen(**changes):
    """Bake bread and cake now; buy what is missing, dump what is left."""
    return from_letters(KITCHEN | changes)


def test_labels_become_names():
    """Days without their midnight."""
    problem = kitchen()
    assert problem.x_names == ("bread", "cake")
    assert problem.y_names == ("buy", "dump")
    assert problem.y_row_names == ("hunger", "waste")
    assert problem.scenario_names == ("2024-03-01", "2024-03-02")


def test_senses_and_probabilities_may_be_series_too():
    """Aligned like everything else."""
    problem = kitchen(
        y_row_sense=pd.Series({"waste": ">=", "hunger": "="}),
        probabilities=pd.Series([0.9, 0.1], index=pd.to_datetime(["2024-03-02", "2024-03-01"])),
        y_lower=pd.Series({"dump": -5.0, "buy": 0.0}),
    )
    assert problem.recourse.row_upper.tolist() == [4.0, np.inf]
    assert problem.probabilities.tolist() == [0.1, 0.9]
    assert problem.recourse.lower.tolist() == [0.0, -5.0]


def test_tables_without_labels_are_arrays():
    """The numbers that pandas gives by itself name nothing."""
    plain = {name: value.to_numpy() if hasattr(value, "to_numpy") else value for name, value in KITCHEN.items()}
    unlabelled = plain | {name: pd.DataFrame(plain[name]) for name in ("G", "E", "b")} | {"c": pd.Series(plain["c"])}
    problem = from_letters(unlabelled)
    assert problem.x_names == problem.y_names == problem.scenario_names == ()
    assert_same(problem, from_letters(plain))


def test_sorted_numbers_are_labels():
    """A Series that pandas has sorted keeps its numbers, and they decide."""
    costs = pd.Series([1.0, 2.0]).sort_values(ascending=False)
    problem = kitchen(c=costs, E=KITCHEN["E"].set_axis([0, 1], axis=1))
    assert problem.named_decision({"0": 0.0, "1": 0.0}) == {"1": 0.0, "0": 0.0}
    assert problem.first_stage.costs.tolist() == [2.0, 1.0]


def test_tuples_of_a_multiindex_are_joined():
    """A site and a product."""
    index = pd.MultiIndex.from_tuples([("north", "bread"), ("south", "bread")])
    problem = kitchen(c=pd.Series([1.0, 2.0], index), E=KITCHEN["E"].to_numpy())
    assert problem.x_names == ("north,bread", "south,bread")


def without(name, label):
    return KITCHEN[name].drop(label)


@pytest.mark.parametrize(
    "changes, sentence",
    [
        (
            {"h": pd.Series({"hunger": 4.0, "wste": 0.0})},
            r"the index of h must name the recourse rows as the index of G does, got 'wste' "
            r"\(did you mean 'waste'\?\); label both alike, or pass h\.to_numpy\(\) to go by position",
        ),
        ({"h": pd.Series({"hunger": 4.0})}, "the index of h must name the recourse rows .* got no 'waste'"),
        (
            {"h": pd.Series([4.0, 0.0])},
            r"the index of h must name .* got no labels but the numbers 0 to 1; .* pass h\.to_numpy\(\)",
        ),
        (
            {"G": KITCHEN["G"].reset_index(drop=True)},
            "the index of G must name the recourse rows as the index of h does, got no labels but the numbers 0 to 1",
        ),
        (
            {"E": KITCHEN["E"].rename(columns={"cake": "pie"})},
            "the columns of E must name the first-stage variables as",
        ),
        ({"x_upper": pd.Series({"bread": 1.0, "cakes": 2.0})}, r"the index of x_upper .* \(did you mean 'cake'\?\)"),
        (
            {"x_names": ["bread", "pie"]},
            "the index of c must name the first-stage variables as x_names does, got 'cake'",
        ),
        ({"x_names": ["bread", "cake"], "c": pd.Series([1.0, 2.0])}, "the index of c .* got no labels"),
        ({"probabilities": pd.Series([0.5, 0.5], ["a", "b"])}, "the index of probabilities must name the scenarios as"),
        (
            {"c": pd.Series([1.0, 2.0], ["bread", "bread"])},
            "the index of c must name each entry once, got 'bread' twice",
        ),
        ({"c": pd.Series([1.0, 2.0], ["bread", None])}, "the index of c must have no missing label"),
        ({"c": pd.DataFrame({"cost": [1.0, 2.0]})}, "c must be one-dimensional, got a DataFrame; pass one column"),
        ({"b": pd.Series({"buy": 3.0, "sell": 1.0})}, "the index of b must name the recourse variables as"),
        ({"c": pd.Series({"bread": 1.0, "cake": None})}, "c must be finite numbers, got nan"),
        ({"c": pd.Series({"bread": "one", "cake": "two"})}, "c must be numbers"),
    ],
)
def test_labels_that_do_not_match_are_refused(changes, sentence):
    """With the two places that disagree, the near miss and the remedy."""
    with pytest.raises(InputError, match=sentence):
        kitchen(**changes)


def test_an_array_among_tables_of_different_orders_is_refused():
    """Its order could be either; names, or tables of one order, settle it."""
    letters = {"c": KITCHEN["c"][::-1], "x_upper": [5.0, 6.0]}
    with pytest.raises(
        InputError,
        match=r"the index of c and the columns of E list the first-stage variables in different orders, so the order "
        r"meant by x_upper, which has no labels, is unknown; label x_upper too, or pass x_names",
    ):
        kitchen(**letters)
    assert kitchen(**letters, x_names=["bread", "cake"]).first_stage.upper.tolist() == [5.0, 6.0]
    assert kitchen(x_upper=[5.0, 6.0]).first_stage.upper.tolist() == [5.0, 6.0]


def test_tables_of_other_scenarios_go_by_their_columns():
    """In any order; what is no uncertain entry is refused."""
    problem = kitchen()
    columns = problem.scenario_columns
    table = pd.DataFrame([range(len(columns))], columns=columns, index=["next year"], dtype=float)
    other = problem.with_scenarios(table.loc[:, list(columns)[::-1]])
    assert other.scenario_data.tolist() == [list(range(len(columns)))]
    assert other.scenario_names == ("next year",)
    with pytest.raises(InputError, match=r"data must have the columns that problem\.scenario_columns names, got"):
        problem.with_scenarios(table.rename(columns={columns[0]: "gas"}))


def test_what_goes_by_position_refuses_labels():
    """Where nothing is there to align with, labels would be dropped without a word."""
    with pytest.raises(InputError, match=r"probabilities goes by position here, got a Series with labels"):
        kitchen().with_labels(probabilities=pd.Series({"Mon": 0.5, "Tue": 0.5}))


def test_a_row_that_looks_like_a_sum_is_no_scenario():
    """People put sums under their tables."""
    later = pd.DataFrame({"saw": [1.0, 2.0, 3.0], "axe": [1.0, 2.0, 3.0]}, index=["Mon", "Tue", "Total:"])
    with pytest.raises(InputError, match=r"has the scenario 'Total:', which looks like a sum of others; drop the row"):
        nr.Selection(pd.Series({"saw": 1.0, "axe": 2.0}), later, 1)


def test_a_long_series_is_a_table():
    """Its two levels of labels are the table's axes, in the order of their names."""
    now = pd.Series({"saw": 1.0, "axe": 2.0})
    later = pd.DataFrame({"axe": [5.0, 6.0], "saw": [3.0, 4.0]}, index=pd.Index(["wet", "dry"], name="scenario"))
    long = later.rename_axis(columns="item").stack()
    assert nr.Selection(now, long, 1) == nr.Selection(now, later, 1)
    assert nr.Selection(now, long.swaplevel(), 1) == nr.Selection(now, later, 1)
    with pytest.raises(InputError, match="finite"):
        nr.Selection(now, long.iloc[:-1], 1)


def test_pandas_is_not_imported_to_build_or_evaluate():
    """It stays optional: its objects are recognised only where somebody else has imported it."""
    code = (
        "import sys, neurprise as nr; p = nr.make_selection(4, 2, 0); p.decision_vector([0, 0, 0, 0]); "
        "p.named_decision({name: 0 for name in p.first_stage_names}); sys.exit('pandas' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


class TestXarray:
    """Arrays of xarray go by their coordinates, as tables of pandas do; never by position without a word."""

    @pytest.fixture
    def xr(self):
        return pytest.importorskip("xarray")

    @pytest.fixture
    def costs(self, xr):
        """Apples are dear now and cheap later; pears the other way round."""
        later = [[1.0, 100.0], [2.0, 100.0]]
        coordinates = {"scenario": ["dry", "wet"], "item": ["apple", "pear"]}
        return xr.DataArray(later, dims=("scenario", "item"), coords=coordinates)

    def test_coordinates_decide_and_not_positions(self, xr, costs):
        """By position both would be bought for 101."""
        now = xr.DataArray([1.0, 100.0], dims="item", coords={"item": ["pear", "apple"]})
        problem = nr.Selection(now, costs, 2)
        assert problem.scenario_labels == ("dry", "wet")
        assert nr.solve(problem).worst_case == 3.0

    def test_a_decision_goes_by_its_coordinates(self, xr, costs):
        """As linopy returns one."""
        problem = nr.Selection(pd.Series({"pear": 1.0, "apple": 100.0}), costs, 1)
        x = xr.DataArray([0.0, 1.0], dims="v", coords={"v": list(problem.first_stage_names)[::-1]})
        assert problem.named_decision(x) == {"take[pear]": 1.0, "take[apple]": 0.0}

    @pytest.mark.parametrize("now", [[1.0, 100.0], None], ids=["without labels", "with labels"])
    def test_a_transposed_array_is_refused(self, xr, costs, now):
        """As many items as scenarios: only the names of the dimensions tell."""
        labelled = xr.DataArray([1.0, 100.0], dims="item", coords={"item": ["pear", "apple"]})
        with pytest.raises(nr.InputError, match="the dimension 'item' of scenario_costs must list the items"):
            nr.Selection(labelled if now is None else now, costs.T, 1)

    def test_three_dimensions_are_refused(self, costs):
        """No argument has as many."""
        with pytest.raises(nr.InputError, match="scenario_costs must have at most two dimensions"):
            nr.Selection([1.0, 2.0], costs.expand_dims("day"), 1)

    def test_other_scenarios_go_by_their_coordinates(self, costs):
        """Items by the labels that they were given; where they have none, labels mean nothing."""
        problem = nr.Selection(pd.Series({"pear": 1.0, "apple": 100.0}), costs, 1)
        assert problem.with_scenarios(costs[::-1, ::-1]).scenario_names == ("wet", "dry")
        assert problem.with_scenarios(costs[:, ::-1]) == problem
        with pytest.raises(nr.InputError, match=r"data must have the columns that problem\.scenario_columns names"):
            nr.Selection([1.0, 2.0], [[3.0, 4.0]], 1).with_scenarios(costs)

    def test_arrays_without_coordinates_go_by_position(self, xr, costs):
        """There is nothing else to go by."""
        plain = costs.drop_vars(["item", "scenario"])
        assert nr.Selection(xr.DataArray([1.0, 2.0]), plain, 1) == nr.Selection([1.0, 2.0], costs.to_numpy(), 1)


def test_labelled_scenarios_of_a_maximisation_are_profits():
    """As the user's model states them; arrays are `scenario_data`, which holds costs."""
    b = pd.DataFrame({"sell": [5.0, 6.0], "rent": [-1.0, -2.0]}, index=["Mon", "Tue"])
    problem = nr.TwoStageProblem.from_matrices(
        [1.0], None, None, np.eye(2), [0.0, 0.0], [[0.0], [0.0]], None, None, b,
        x_integer=True, y_integer=False, x_upper=1, y_upper=1, maximize=True,
    )  # fmt: skip
    assert problem.with_scenarios(b.iloc[::-1, ::-1]) == problem.restrict(["Tue", "Mon"])
    assert problem.with_scenarios(problem.scenario_data, scenario_names=["Mon", "Tue"]) == problem
