"""Checks at the door: what is accepted, and the sentences of what is not."""

import numpy as np
import pytest
from scipy import sparse

from neurprise import arrays
from neurprise.errors import InputError


def test_vectors_are_copied_and_frozen():
    """Changing the caller's array later changes nothing here, and nobody can change ours."""
    mine = np.array([1.0, 2.0])
    kept = arrays.vector("c", mine)
    mine[0] = 9.0
    assert kept.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 3.0


def test_scalars_fill_vectors_of_known_length():
    """x_upper=1 means 1 for every x."""
    assert arrays.vector("x_upper", 1, 3).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "value, words",
    [
        ([1, np.nan], r"c must be finite numbers, got nan at position \(1,\); fill or drop it"),
        ([np.inf, 1], r"got inf at position \(0,\)"),
        ([[1, 2]], r"c must be of shape \(2,\), got shape \(1, 2\)"),
        ([1, 2, 3], r"c must be of shape \(2,\), got shape \(3,\)"),
        (["a", "b"], r"c must be numbers in a regular array, got \['a', 'b'\] \(list\)"),
        (None, "c must be"),
        ([[1], [1, 2]], "regular array"),
        (["1", "2"], r"regular array, got \['1', '2'\]"),
        (np.array([1, "2"], dtype=object), "regular array"),
        (np.array(["2024-01-01", "2024-01-02"], dtype="M8[D]"), "regular array"),
        ([1 + 2j, 1], "regular array"),
        ([10**400, 1], "regular array"),
        ([1e300, 1], r"c must stay below 1e15 in absolute value, got 1e\+300 at position \(0,\); rescale the units"),
        ([1, -1e15], r"got -1e\+15 at position \(1,\)"),
    ],
)
def test_bad_vectors_are_refused(value, words):
    """Each sentence names the rule and the value."""
    with pytest.raises(InputError, match=words):
        arrays.vector("c", value, 2)


def test_bounds_may_be_infinite_but_not_nan():
    """inf means no bound."""
    assert arrays.vector("upper", [np.inf, 1], finite=False)[0] == np.inf
    with pytest.raises(InputError, match="nan"):
        arrays.vector("upper", [np.nan, 1], finite=False)


def test_limits_from_1e20_on_are_infinite():
    """Engines and file formats write infinity so; what lies between 1e15 and 1e20 is neither a number nor infinite."""
    assert arrays.vector("upper", [1e20, -1e30, 5], finite=False).tolist() == [np.inf, -np.inf, 5]
    with pytest.raises(InputError, match=r"upper must stay below 1e15 in absolute value, got 1e\+16"):
        arrays.vector("upper", [np.inf, 1e16], finite=False)


@pytest.mark.parametrize("value", [[1, 2], [[1, 2, 3]], [[np.nan, 1]], [[1, 2], [3]], [[1, 1e18]], 5])
def test_bad_tables_are_refused(value):
    """Two-dimensional, of the wanted width, finite."""
    with pytest.raises(InputError, match="costs must"):
        arrays.table("costs", value, (None, 2))


def test_matrices_are_sparse_canonical_and_frozen():
    """Duplicates are summed, explicit zeros stay because scenarios may replace them, nothing is writeable."""
    given = sparse.coo_array(([1.0, 2.0, 0.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    kept = arrays.matrix("G", given, (None, 2))
    assert kept.toarray().tolist() == [[0, 3], [0, 0]]
    assert kept.nnz == 2
    assert not kept.data.flags.writeable


@pytest.mark.parametrize("value", [np.ones((2, 3)), [[np.inf, 1]], [[1e15, 1]], "abc", [[1, 2], [3]]])
def test_bad_matrices_are_refused(value):
    """Of the wanted width and finite."""
    with pytest.raises(InputError, match="G must"):
        arrays.matrix("G", value, (None, 2))


def test_masks_accept_one_bool_or_many():
    """True, [True, False] and [1, 0]."""
    assert arrays.mask("x_integer", True, 2).tolist() == [True, True]
    assert arrays.mask("x_integer", [1, 0], 2).tolist() == [True, False]


@pytest.mark.parametrize("value", [[True], [0, 2], ["yes", "no"], 0.5])
def test_bad_masks_are_refused(value):
    """Wrong length, or something that is not a truth value."""
    with pytest.raises(InputError, match="x_integer must be"):
        arrays.mask("x_integer", value, 2)


@pytest.mark.parametrize("value", [0, 11, 2.0, True, "3", None, np.nan])
def test_whole_numbers_are_checked(value):
    """Integers in range; 2.0 and True are not integers."""
    with pytest.raises(InputError, match="budget must be a whole number between 1 and 10, got"):
        arrays.whole_number("budget", value, 1, 10)


def test_numpy_integers_are_whole_numbers():
    """They come back as int."""
    assert type(arrays.whole_number("budget", np.int64(3), 1)) is int


@pytest.mark.parametrize("value", [-1, -1e-9, np.nan, "1", None, True])
def test_nonnegative_numbers_are_checked(value):
    """Limits and gaps."""
    with pytest.raises(InputError, match="gap must be"):
        arrays.nonnegative_number("gap", value)


@pytest.mark.parametrize(
    "indices, words",
    [
        ([], "non-empty"),
        ([3], "between 0 and 2, got 3"),
        ([-1], "between 0 and 2, got -1"),
        ([1, 1], r"distinct, got \[1, 1\]"),
        ([0.5], "non-empty list of scenario numbers"),
        ([[0]], "non-empty list of scenario numbers"),
    ],
)
def test_bad_scenario_numbers_are_refused(indices, words):
    """Every scenario once, counted from 0."""
    with pytest.raises(InputError, match=words):
        arrays.scenario_indices(indices, 3)
