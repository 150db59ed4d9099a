"""Indexed decisions as grids: units by hours instead of a list; nothing is lost or shown twice."""

from __future__ import annotations

import pytest

from neurprise.report.grids import grids


def test_two_indices_are_rows_and_columns():
    """Units by hours, in the order of the names."""
    (grid,), others = grids(
        {"on[coal, 1]": 1.0, "on[coal, 2]": 0.0, "on[gas, 1]": 0.0, "on[gas, 2]": 1.0, "spare": 3.0}
    )
    assert (grid.title, grid.rows, grid.columns) == ("on", ("coal", "gas"), ("1", "2"))
    assert grid.values == [[1.0, 0.0], [0.0, 1.0]]
    assert others == {"spare": 3.0}


def test_three_indices_have_the_last_one_across():
    """The first ones together name the row."""
    names = {f"flow[{a},{b},{t}]": 1.0 for a, b in (("x", "y"), ("y", "z")) for t in (1, 2)}
    (grid,), others = grids(names)
    assert (grid.rows, grid.columns, others) == (("x, y", "y, z"), ("1", "2"), {})


def test_variables_of_the_same_places_stand_side_by_side():
    """open[north] beside capacity[north]."""
    decision = {"open[north]": 1.0, "open[south]": 0.0, "capacity[north]": 70.0, "capacity[south]": 0.0}
    (grid,), others = grids(decision)
    assert (grid.title, grid.columns, others) == ("", ("open", "capacity"), {})
    assert grid.values == [[1.0, 70.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    "names",
    [
        ["cover[0]", "cover[1]", "cover[2]"],
        ["on[coal, 1]", "on[coal, 2]"],
        ["p[a, 1]", "p[b, 2]", "p[c, 3]"],
        ["x", "y]", "[1, 2]", "a[b[1], 2]", "[]"],
        [],
    ],
)
def test_what_is_no_grid_stays_a_list(names):
    """A single row or column, a diagonal, and names that only look indexed."""
    decision = dict.fromkeys(names, 1.0)
    assert grids(decision) == ([], decision)


def test_names_that_differ_by_blanks_are_not_merged():
    """The second of two names for one place stays in the list."""
    decision = {"p[a,1]": 1.0, "p[a,2]": 2.0, "p[b,1]": 3.0, "p[b,2]": 4.0, "p[b, 2]": 5.0}
    (grid,), others = grids(decision)
    assert grid.values == [[1.0, 2.0], [3.0, 4.0]]
    assert others == {"p[b, 2]": 5.0}


def test_a_place_without_a_variable_is_empty():
    """None, not zero."""
    (grid,), _ = grids({"p[a, 1]": 1.0, "p[a, 2]": 2.0, "p[b, 1]": 3.0})
    assert grid.values == [[1.0, 2.0], [3.0, None]]
