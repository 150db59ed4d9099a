"""Decisions by name: as dicts and Series, into vectors and back."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurprise as nr
from neurprise.errors import InputError
from tests.name_strategies import distinct


def bakery(**names):
    """Three first-stage variables and one recourse variable."""
    return nr.TwoStageProblem.from_matrices(
        [1, 2, 3], None, None, [[1]], [0], [[1, 1, 1]], None, None, [[1]], x_integer=False, y_integer=False, **names
    )


NAMED = bakery(x_names=["bread", "cake", "pie"], y_names=["buy"])


@given(distinct(3), st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), st.permutations(range(3)))
def test_a_decision_by_name_is_put_into_order(names, values, order):
    """Whatever the names, in whatever order they come; and back again."""
    problem = bakery(x_names=names)
    shuffled = {names[k]: values[k] for k in order}
    assert problem.decision_vector(shuffled).tolist() == values
    assert problem.named_decision(values) == dict(zip(names, values, strict=True))
    assert problem.named_decision(shuffled) == problem.named_decision(values)


def test_arrays_go_by_position():
    """Lists and arrays, as before."""
    assert NAMED.decision_vector([1, 2, 3]).tolist() == [1.0, 2.0, 3.0]
    assert NAMED.decision_vector(np.array([1, 2, 3])).tolist() == [1.0, 2.0, 3.0]


def test_default_names_serve_as_well():
    """A family's own names, and numbers where there are no other names."""
    problem = nr.make_selection(3, 2, seed=0)
    assert problem.decision_vector({"take[2]": 1, "take[0]": 0, "take[1]": 0}).tolist() == [0, 0, 1]
    assert problem.decision_vector({2: 1, 0: 0, 1: 0}).tolist() == [0, 0, 1]
    assert problem.decision_vector({np.int64(2): 1, 0: 0, 1: 0}).tolist() == [0, 0, 1]


def test_a_recourse_plan_is_named():
    """In the order of the recourse variables."""
    assert NAMED.named_recourse([4.0]) == {"buy": 4.0}
    assert nr.make_selection(2, 1, 0).named_recourse([0, 1]) == {"take_later[0]": 0.0, "take_later[1]": 1.0}
    with pytest.raises(InputError, match=r"y must be of shape \(1,\)"):
        NAMED.named_recourse([1.0, 2.0])


@pytest.mark.parametrize(
    "x, sentence",
    [
        (
            {"bread": 1, "cake": 0},
            r"x must give every first-stage variable a value, got none for 'pie'; where you mean zero, say it: "
            r"\{\*\*dict.fromkeys\(problem.first_stage_names, 0\), \*\*x\}",
        ),
        ({}, "got none for 'bread', 'cake', 'pie'"),
        (
            {"bread": 1, "caek": 0, "pie": 0},
            r"x must go by the names of first-stage variables, got 'caek' \(did you mean 'cake'\?\)",
        ),
        ({0: 1, 1: 0, 2: 0}, r"got '0' \(known are 'bread', 'cake', 'pie'\); for values in their order pass an array"),
        ({"bread": 1, "bread ": 2, "cake": 0, "pie": 0}, "must name every first-stage variable once"),
        ({"bread": 1, "cake": "much", "pie": 0}, "x must be numbers"),
        ({"bread": 1, "cake": np.nan, "pie": 0}, "x must be finite"),
        ([1, 2], r"x must be of shape \(3,\)"),
        ("bread", "x must be numbers"),
        (None, "x must be"),
    ],
)
def test_decisions_that_are_not_complete_are_refused(x, sentence):
    """Missing, unknown, repeated, not a number; with the remedy."""
    with pytest.raises(InputError, match=sentence):
        NAMED.decision_vector(x)


def test_the_remedy_for_zeros_works_as_written():
    """The sentence's own code."""
    problem, x = NAMED, {"cake": 2.0}
    filled = {**dict.fromkeys(problem.first_stage_names, 0), **x}
    assert problem.decision_vector(filled).tolist() == [0.0, 2.0, 0.0]


def test_evaluate_takes_decisions_by_name():
    """The same costs as for the array."""
    problem = nr.make_facility_location(2, 2, 3, seed=4)
    x = np.concatenate([[1, 1], problem.max_capacities])
    by_name = dict(reversed(problem.named_decision(x).items()))
    assert nr.evaluate(problem, by_name).recourse_costs.tolist() == nr.evaluate(problem, x).recourse_costs.tolist()


@pytest.mark.parametrize(
    "x, sentence",
    [
        (
            {"open[0]": 0, "open[1]": 1, "capacity[0]": 5, "capacity[1]": 0},
            r"'row capacity_limit\[0\]' must be at least 0",
        ),
        ({"open[0]": 2, "open[1]": 1, "capacity[0]": 0, "capacity[1]": 0}, r"'open\[0\]' must be at most 1, got 2"),
        (
            {"open[0]": 0.5, "open[1]": 1, "capacity[0]": 0, "capacity[1]": 0},
            r"'open\[0\]' must be a whole number near 0",
        ),
        (
            {"open[0]": 0, "open[1]": 1, "capacity[0]": 0, "capacity[1]": -3},
            r"'capacity\[1\]' must be at least 0, got -3",
        ),
    ],
)
def test_the_rule_that_a_decision_breaks_is_named(x, sentence):
    """Rows, bounds and integrality."""
    with pytest.raises(InputError, match=sentence):
        nr.evaluate(nr.make_facility_location(2, 2, 3, seed=4), x)


@pytest.mark.parametrize("call", [nr.solve, lambda problem: nr.evaluate(problem, [0])], ids=["solve", "evaluate"])
@pytest.mark.parametrize(
    "given, sentence",
    [
        (
            "sel.npz",
            r"takes a problem, got the path 'sel\.npz'; read it first: nr\.(solve|evaluate)\(nr\.read\('sel\.npz'\)",
        ),
        (Path("sel.npz"), r"got the path 'sel\.npz'; read it first"),
        ([[1, 2]], "takes a problem, got list; nr.read and nr.TwoStageProblem.from_matrices make one"),
        (None, "takes a problem, got NoneType"),
    ],
)
def test_a_path_is_not_a_problem(call, given, sentence):
    """The sentence says what to write."""
    with pytest.raises(InputError, match=sentence):
        call(given)


class TestSeries:
    """Decisions from a spreadsheet."""

    @pytest.fixture(autouse=True)
    def pandas(self):
        return pytest.importorskip("pandas", reason="pandas is not installed")

    def test_a_series_in_another_order_is_put_right(self, pandas):
        """By its labels, never by position."""
        series = pandas.Series({"pie": 3.0, "bread": 1.0, "cake": 2.0})
        assert NAMED.decision_vector(series).tolist() == [1.0, 2.0, 3.0]

    def test_numbers_are_labels_where_variables_have_no_names(self, pandas):
        """Also after sorting."""
        series = pandas.Series([3.0, 1.0, 2.0]).sort_values()
        assert bakery().decision_vector(series).tolist() == [3.0, 1.0, 2.0]

    @pytest.mark.parametrize(
        "values, index, sentence",
        [
            ([1.0, 2.0, 3.0], None, r"got '0' \(known are .*; for values in their order pass an array"),
            ([1.0, 2.0, 3.0], ["bread", "cake", "pies"], r"got 'pies' \(did you mean 'pie'\?\)"),
            ([1.0, 2.0], ["bread", "cake"], "got none for 'pie'"),
            ([1.0, 2.0, 3.0, 4.0], ["bread", "cake", "pie", "pie"], "must name each entry once, got 'pie' twice"),
            ([1.0, 2.0, 3.0], ["bread", "cake", None], "no missing label"),
        ],
    )
    def test_labels_that_are_not_the_variables_are_refused(self, pandas, values, index, sentence):
        """Without labels, wrong, missing, repeated."""
        with pytest.raises(InputError, match=sentence):
            NAMED.decision_vector(pandas.Series(values, index))

    def test_a_table_is_not_a_decision(self, pandas):
        """One column of it is."""
        table = pandas.DataFrame({"value": [1.0, 2.0, 3.0]}, index=["bread", "cake", "pie"])
        with pytest.raises(InputError, match="goes by position here, got a DataFrame with labels"):
            NAMED.decision_vector(table)
        assert NAMED.decision_vector(table["value"]).tolist() == [1.0, 2.0, 3.0]
