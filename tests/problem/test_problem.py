"""TwoStageProblem: built from the paper's letters, restricted, given other scenarios, frozen."""

import dataclasses
import datetime

import numpy as np
import pytest
from scipy import sparse

import neurprise as nr
from neurprise.errors import InputError
from neurprise.problem.stages import Changes, FirstStage

# n = 2, p = 1, r = 2, m = 3, q = 2, S = 4
LETTERS = {
    "c": [1.0, 2.0],
    "A": [[1.0, 1.0]],
    "d": [1.0],
    "G": [[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]],
    "h": [5.0, 6.0],
    "E": [[1.0, 0.0], [0.0, 3.0]],
    "M": [[-1.0, 0.0], [0.0, 0.0]],
    "xi": [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 9.0]],
    "b": [7.0, 8.0, 9.0],
    "x_integer": True,
    "y_integer": [True, False, False],
}
COSTS = np.arange(12.0).reshape(4, 3)


def build(**changes):
    """The problem above with some letters replaced."""
    return nr.TwoStageProblem.from_matrices(**(LETTERS | changes))


def test_letters_land_where_the_paper_puts_them():
    """A x >= d and G y + E x >= h - M xi."""
    problem = build()
    assert (problem.num_first_stage, problem.num_recourse, problem.num_scenarios) == (2, 3, 4)
    assert problem.first_stage.row_lower.tolist() == [1.0]
    assert np.isinf(problem.first_stage.row_upper).all()
    assert problem.scenario(0).row_lower.tolist() == [6.0, 6.0]
    assert problem.scenario(3).row_lower.tolist() == [9.0, 6.0]
    assert problem.scenario(3).costs.tolist() == [7.0, 8.0, 9.0]
    assert problem.recourse.integer.tolist() == [True, False, False]
    assert problem.family == "generic"


def test_only_rows_that_scenarios_move_are_stored_per_scenario():
    """The second row of M is zero, so its limit is stored once."""
    assert build().changes["row_lower"].values.shape == (4, 1)


def test_costs_may_differ_between_scenarios():
    """b of shape (S, m)."""
    problem = build(b=COSTS)
    assert problem.scenario(2).costs.tolist() == [6.0, 7.0, 8.0]
    assert problem.scenario_data.shape == (4, 4)  # three costs and one right-hand side


def test_right_hand_sides_may_be_certain():
    """M and xi None: only costs are uncertain."""
    problem = build(M=None, xi=None, b=COSTS)
    assert set(problem.changes) == {"costs"}
    assert problem.num_scenarios == 4


def test_first_stage_rows_may_be_absent():
    """A and d None."""
    assert build(A=None, d=None).first_stage.matrix.shape == (0, 2)


def test_sparse_matrices_are_accepted():
    """Any of the five."""
    names = ("A", "G", "E", "M")
    problem = build(**{name: sparse.coo_array(np.array(LETTERS[name])) for name in names})
    assert problem.scenario(1).row_lower.tolist() == build().scenario(1).row_lower.tolist()
    assert (problem.recourse.technology != build().recourse.technology).nnz == 0


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"c": [1.0, np.nan]}, "c must be finite"),
        ({"c": [[1.0, 2.0]]}, "c must be one-dimensional"),
        ({"A": [[1.0]]}, r"A must have shape \(any, 2\), got \(1, 1\)"),
        ({"d": [1.0, 2.0]}, r"d must be of shape \(1,\)"),
        ({"h": [5.0]}, r"h must be of shape \(2,\)"),
        ({"E": [[1.0, 0.0]]}, r"E must have shape \(2, 2\)"),
        ({"M": [[1.0], [1.0]]}, r"M must have shape \(2, 2\), got \(2, 1\)"),
        ({"M": None}, "M and xi come together"),
        ({"xi": None}, "M and xi come together"),
        ({"xi": [1.0, 2.0]}, "xi must have shape"),
        ({"xi": np.zeros((0, 2))}, "at least one scenario"),
        ({"b": [1.0]}, r"b must be of shape \(3,\)"),
        ({"b": [[1.0, 2.0]]}, r"b must have shape \(any, 3\)"),
        ({"b": COSTS[:2]}, r"same number of scenarios, got \[2, 4\]"),
        ({"b": [1.0, np.inf, 1.0]}, "b must be finite"),
        ({"M": None, "xi": None}, "pass xi, or b with one row per scenario"),
        ({"x_integer": [True]}, "x_integer must be one bool or have shape"),
        ({"y_integer": [0, 1, 2]}, "y_integer must be True/False"),
        ({"x_upper": [1.0]}, r"x_upper must be of shape \(2,\)"),
        ({"x_upper": -1.0}, r"first-stage bounds: lower must not exceed upper, got \[0.0, -1.0\]"),
        ({"y_upper": np.nan}, "y_upper must be"),
    ],
)
def test_bad_letters_are_refused(changes, words):
    """The sentence names the letter."""
    with pytest.raises(InputError, match=words):
        build(**changes)


def test_restrict_keeps_scenarios_in_the_given_order():
    """Their data and names, and probabilities given that one of them happens."""
    problem = dataclasses.replace(
        build(b=COSTS), probabilities=np.array([0.1, 0.2, 0.3, 0.4]), scenario_names=("a", "b", "c", "d")
    )
    reduced = problem.restrict([3, 1])
    assert reduced.num_scenarios == 2
    assert reduced.scenario(0).costs.tolist() == problem.scenario(3).costs.tolist()
    assert reduced.scenario(1).row_lower.tolist() == problem.scenario(1).row_lower.tolist()
    assert reduced.scenario_names == ("d", "b")
    assert reduced.probabilities == pytest.approx([0.4 / 0.6, 0.2 / 0.6])


def test_restrict_keeps_the_family():
    """A reduced selection is still a selection with its oracle."""
    reduced = nr.make_selection(6, 5, 0).restrict([4, 0])
    assert isinstance(reduced, nr.Selection)
    assert reduced.oracle.recourse_costs(np.zeros(6)).shape == (2,)


def test_scenarios_are_kept_or_left_out_by_name():
    """By number, too; a text is not a list of its letters, and an unknown name gets the closest one."""
    problem = nr.make_selection(3, 3, 1).with_labels(scenario_names=["dry year", "wet year", "2025-01-01"])
    assert problem.restrict(["2025-01-01", "dry year"]) == problem.restrict([2, 0])
    assert problem.restrict([datetime.date(2025, 1, 1), 0]) == problem.restrict([2, 0])
    assert problem.without("2025-01-01") == problem.without(datetime.date(2025, 1, 1)) == problem.restrict([0, 1])
    assert problem.without(["dry year", 1]) == problem.restrict([2])
    with pytest.raises(InputError, match=r"got 'wet yaer' \(did you mean 'wet year'"):
        problem.without("wet yaer")
    with pytest.raises(InputError, match="scenarios must be a list of names or numbers, got 'dry year'"):
        problem.restrict("dry year")
    with pytest.raises(InputError, match="needs at least one scenario"):
        problem.without([0, 1, 2])


@pytest.mark.parametrize("indices", [[], [4], [-1], [0, 0], [0.0]])
def test_restrict_refuses_bad_scenario_numbers(indices):
    """See arrays.scenario_indices for the sentences."""
    with pytest.raises(InputError, match=r"scenario numbers"):
        build().restrict(indices)


def test_with_scenarios_takes_the_columns_of_scenario_data():
    """Other scenarios of the same problem: three costs, then the right-hand side that moves."""
    problem = build(b=COSTS)
    other = problem.with_scenarios(
        [[1, 2, 3, 8], [4, 5, 6, 9]], scenario_names=["dry", "wet"], probabilities=[0.5, 0.5]
    )
    assert other.num_scenarios == 2
    assert other.scenario(1).costs.tolist() == [4.0, 5.0, 6.0]
    assert other.scenario(1).row_lower.tolist() == [9.0, 6.0]
    assert other.scenario_names == ("dry", "wet")
    assert problem.with_scenarios(problem.scenario_data) == problem


def test_with_scenarios_moves_both_limits_of_equality_rows():
    """They are one column of scenario_data."""
    problem = build()
    moved = problem.changes["row_lower"]
    twice = dataclasses.replace(problem, changes={"row_lower": moved, "row_upper": moved})
    block = twice.with_scenarios([[7.0]]).scenario(0)
    assert block.row_lower[0] == block.row_upper[0] == 7.0


def test_with_scenarios_accepts_infinite_limits():
    """A scenario may lift a limit; costs are always finite."""
    assert build().with_scenarios([[-np.inf]]).scenario(0).row_lower[0] == -np.inf


@pytest.mark.parametrize(
    "data, words",
    [
        (COSTS, r"data must have shape \(any, 4\), got \(4, 3\)"),
        ([1.0, 2.0, 3.0, 4.0], r"data must have shape \(any, 4\)"),
        ([["a", "b", "c", "d"]], "data must be numbers"),
        (np.full((1, 4), np.nan), "got nan"),
        ([[1.0, np.inf, 1.0, 1.0]], "costs of every scenario must be numbers and finite, got inf in scenario 0"),
        (np.zeros((0, 4)), "at least one row"),
    ],
)
def test_with_scenarios_refuses_tables_that_do_not_fit(data, words):
    """Wrong width, one row without brackets, text, nan, infinite costs, empty."""
    with pytest.raises(InputError, match=words):
        build(b=COSTS).with_scenarios(data)


def test_labels_left_out_stay():
    """Names can be given one after another."""
    named = build().with_labels(x_names=["a", "b"]).with_labels(probabilities=[0.1, 0.2, 0.3, 0.4])
    assert named.x_names == ("a", "b")
    assert named.probabilities.tolist() == [0.1, 0.2, 0.3, 0.4]


def test_the_general_form_builds_the_same_rows():
    """Without the family: engines answer everything."""
    selection = nr.make_selection(5, 3, 0).with_labels(scenario_names=["a", "b", "c"])
    plain = nr.TwoStageProblem(**selection.general_form())
    assert type(plain) is nr.TwoStageProblem
    assert plain.scenario_names == ("a", "b", "c")
    assert nr.evaluate(plain, np.zeros(5)).recourse_costs == pytest.approx(
        nr.evaluate(selection, np.zeros(5)).recourse_costs
    )


def test_whole_costs_on_integer_variables_give_whole_values():
    """`integral_objective` says when every value is a whole number."""
    whole = {"x_integer": True, "y_integer": True}
    assert build(**whole).integral_objective
    assert not build(**(whole | {"y_integer": [True, False, True]})).integral_objective
    assert not build(**(whole | {"b": [7.0, 8.0, 9.5]})).integral_objective
    assert not build(**(whole | {"b": COSTS + 0.5})).integral_objective
    assert not build(**(whole | {"c": [1.0, 2.5]})).integral_objective
    assert not build(**(whole | {"x_integer": [True, False]})).integral_objective
    assert build(**(whole | {"y_integer": [True, False, True], "b": [7.0, 0.0, 9.0]})).integral_objective


def test_families_know_whether_their_values_are_whole():
    """Uniform draws are whole numbers, normal draws are not; facility location ships fractions."""
    assert nr.make_selection(6, 3, 0).integral_objective
    assert not nr.make_selection(6, 3, 0, "normal").integral_objective
    assert nr.make_vertex_cover(6, 3, 0).integral_objective
    assert not nr.make_facility_location(4, 3, 2, 0).integral_objective


def test_equality_rows_count_once_in_scenario_data():
    """Both limits move together, which is one uncertain number."""
    problem = build()
    moved = problem.changes["row_lower"]
    twice = dataclasses.replace(problem, changes={"row_lower": moved, "row_upper": moved})
    assert twice.scenario_data.shape == (4, 1)


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"weather": Changes(np.array([0]), np.ones((4, 1)))}, "got 'weather'"),
        ({"costs": Changes(np.array([0]), np.ones((3, 1)))}, r"must have shape \(4, 1\), got \(3, 1\)"),
        ({"costs": Changes(np.array([3]), np.ones((4, 1)))}, "between 0 and 2"),
        ({"costs": Changes(np.array([-1]), np.ones((4, 1)))}, "between 0 and 2"),
        ({"costs": Changes(np.array([0]), np.full((4, 1), np.nan))}, "got nan in scenario 0"),
    ],
)
def test_changes_that_do_not_fit_are_refused(changes, words):
    """Unknown kind, wrong number of scenarios, position out of range, nan."""
    with pytest.raises(InputError, match=words):
        dataclasses.replace(build(), changes=changes)


def test_parts_that_do_not_fit_are_refused():
    """A first stage of another size."""
    first = build().first_stage
    other = FirstStage(first.costs[:1], first.matrix, *(part[:1] for part in (first.row_lower, first.row_upper)),
                       first.lower[:1], first.upper[:1], first.integer[:1])  # fmt: skip
    with pytest.raises(InputError, match="must have shape"):
        dataclasses.replace(build(), first_stage=other)


def test_violation_measures_rows_bounds_and_integrality():
    """0 for a feasible x; the largest excess otherwise."""
    first = build(x_upper=3.0).first_stage
    assert first.violation(np.array([1.0, 0.0])) == 0.0
    assert first.violation(np.array([0.0, 0.0])) == 1.0
    assert first.violation(np.array([5.0, 0.0])) == 2.0
    assert first.violation(np.array([1.5, 0.0])) == 0.5


def test_a_hundred_thousand_scenarios_fit_in_a_hundred_megabytes():
    """What scenarios share is stored once: 100,000 x 100 costs take 80 MB and little else."""
    later = np.broadcast_to(np.arange(100.0), (100_000, 100))
    problem = nr.Selection(np.ones(100), later, 50)
    assert stored_bytes(problem) <= 100e6
    assert problem.oracle.recourse_costs(np.zeros(100)).shape == (100_000,)


def stored_bytes(problem):
    """Bytes of all arrays of a problem, shared ones counted once."""
    recourse, first = problem.recourse, problem.first_stage
    found = [change.values for change in problem.changes.values()]
    found += [change.positions for change in problem.changes.values()]
    for part in (*vars(recourse).values(), *vars(first).values()):
        found += [part.data, part.indices, part.indptr] if sparse.issparse(part) else [part]
    return sum(array.nbytes for array in {id(array): array for array in found}.values())
