"""Names of variables, rows and scenarios: what is accepted, what is always there, how one is found again."""

import dataclasses
from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurprise as nr
from neurprise.errors import InputError, near_miss
from neurprise.problem.named import numbered
from neurprise.problem.names import texts_of
from tests.name_strategies import distinct, names


def two_by_two(**fields):
    """Two first-stage variables, one row each stage, one recourse variable, two scenarios."""
    return nr.TwoStageProblem.from_matrices(
        [1, 2], [[1, 1]], [1], [[1]], [0], [[1, 1]], None, None, [[1], [2]], x_integer=True, y_integer=False, **fields
    )


def test_a_problem_without_names_has_some_all_the_same():
    """Numbers in brackets for variables and rows, plain numbers for scenarios."""
    problem = two_by_two()
    assert problem.x_names == problem.scenario_names == ()
    assert problem.first_stage_names == ("x[0]", "x[1]")
    assert problem.recourse_names == ("y[0]",)
    assert problem.first_stage_row_names == ("x_row[0]",)
    assert problem.recourse_row_names == ("y_row[0]",)
    assert problem.scenario_labels == ("0", "1")


def test_given_names_win():
    """Every list of them."""
    lists = {
        "x_names": ("oven", "shelf"),
        "y_names": ("buy",),
        "x_row_names": ("budget",),
        "y_row_names": ("demand",),
        "scenario_names": ("dry", "wet"),
    }
    problem = two_by_two().with_labels(**lists)
    assert {name: getattr(problem, name) for name in lists} == lists
    assert problem.first_stage_names == ("oven", "shelf")
    assert problem.recourse_names == ("buy",)
    assert problem.first_stage_row_names == ("budget",)
    assert problem.recourse_row_names == ("demand",)
    assert problem.scenario_labels == ("dry", "wet")
    assert dataclasses.replace(two_by_two(), **lists).y_row_names == ("demand",)


def test_names_can_be_replaced_one_list_at_a_time():
    """What is not mentioned stays; an empty list takes names away."""
    problem = two_by_two(x_names=["a", "b"], scenario_names=["dry", "wet"])
    renamed = problem.with_labels(x_names=["c", "d"])
    assert (renamed.x_names, renamed.scenario_names) == (("c", "d"), ("dry", "wet"))
    assert renamed.with_labels(x_names=()).first_stage_names == ("x[0]", "x[1]")
    assert problem.x_names == ("a", "b")


def test_families_name_their_parts():
    """By what they mean; numbers count from 0."""
    selection = nr.make_selection(4, 2, seed=0)
    assert selection.first_stage_names[3] == "take[3]"
    assert selection.recourse_names[3] == "take_later[3]"
    assert selection.first_stage_row_names == ("at_most",)
    assert selection.recourse_row_names[:2] == ("exactly", "once[0]")
    cover = nr.make_vertex_cover(5, 2, seed=0)
    assert cover.first_stage_names[3] == "cover[3]"
    assert cover.recourse_names[3] == "whole_cover[3]"
    location = nr.make_facility_location(4, 3, 2, seed=0)
    assert location.first_stage_names[3:5] == ("open[3]", "capacity[0]")
    assert location.recourse_names[5] == "ship[1,2]"
    assert location.recourse_row_names[3:5] == ("supply[3]", "demand[0]")


@pytest.mark.parametrize(
    "problem",
    [nr.make_selection(4, 2, 0), nr.make_vertex_cover(5, 2, 0), nr.make_facility_location(4, 3, 2, 0), two_by_two()],
    ids=lambda problem: problem.family,
)
def test_every_part_has_exactly_one_name(problem):
    """As many names as there are variables, rows and scenarios, all different."""
    sizes = {
        problem.first_stage_names: problem.num_first_stage,
        problem.recourse_names: problem.num_recourse,
        problem.first_stage_row_names: problem.first_stage.matrix.shape[0],
        problem.recourse_row_names: problem.recourse.matrix.shape[0],
        problem.scenario_labels: problem.num_scenarios,
    }
    for listing, count in sizes.items():
        assert len(listing) == len(set(listing)) == count


def test_the_names_of_a_family_tell_what_its_variables_do():
    """Opening site 1 of facility location costs the opening cost of site 1."""
    problem = nr.make_facility_location(3, 2, 2, seed=3)
    by_name = dict(zip(problem.first_stage_names, problem.first_stage.costs, strict=True))
    assert by_name["open[1]"] == problem.opening_costs[1]
    assert by_name["capacity[2]"] == problem.capacity_costs[2]
    shipping = dict(zip(problem.recourse_names, problem.recourse.costs, strict=True))
    assert shipping["ship[2,1]"] == problem.transport_costs[2, 1]


@pytest.mark.parametrize(
    "fields, sentence",
    [
        ({"x_names": ["a"]}, "x_names must name the first-stage variables, 2 in all, or none, got 1 name\\."),
        ({"x_names": ["a", "a"]}, "first-stage variables must differ, but 'a' is at positions 0 and 1; rename one"),
        ({"scenario_names": ["dry", " dry"]}, "names of scenarios must differ, but 'dry' is at positions 0 and 1"),
        ({"y_names": ["  "]}, "y_names must not have empty names, but position 0 is empty"),
        ({"y_names": ["a\nb"]}, r"printable texts of one line, got 'a\\nb' at position 0; remove line breaks"),
        ({"y_names": ["a\x1b[31m"]}, "remove line breaks and control characters"),
        ({"y_names": ["\ud800"]}, "printable texts"),
        ({"x_row_names": "budget"}, "x_row_names must be a list of names, got 'budget'"),
        ({"y_row_names": 7}, "y_row_names must be a list of names, got 7"),
    ],
)
def test_names_that_cannot_be_used_are_refused(fields, sentence):
    """Wrong number, repeated, empty, not of one line, not a list."""
    with pytest.raises(InputError, match=sentence):
        two_by_two().with_labels(**fields)
    with pytest.raises(InputError, match=sentence):
        dataclasses.replace(two_by_two(), **fields)


@given(st.lists(names(), min_size=2, max_size=2, unique=True))
def test_any_printable_text_is_a_name(pair):
    """Unicode, long ones, HTML; kept as they are."""
    assert two_by_two(x_names=pair).first_stage_names == tuple(pair)


def test_blanks_around_a_name_are_dropped_blanks_inside_stay():
    """So that a cell of a spreadsheet and a name typed by hand are the same."""
    problem = two_by_two(scenario_names=[" very dry ", "wet"])
    assert problem.scenario_names == ("very dry", "wet")
    assert problem.scenario_index("very dry  ") == 0


@pytest.mark.parametrize(
    "labels, texts",
    [
        ([2020, np.int64(2021)], ("2020", "2021")),
        ([date(2024, 3, 1)], ("2024-03-01",)),
        ([datetime(2024, 3, 1), datetime(2024, 3, 2)], ("2024-03-01", "2024-03-02")),
        ([datetime(2024, 3, 1), datetime(2024, 3, 1, 12)], ("2024-03-01 00:00:00", "2024-03-01 12:00:00")),
        ([("north", 1), ("south", 2)], ("north,1", "south,2")),
    ],
)
def test_labels_become_texts(labels, texts):
    """Numbers, days, hours and tuples; whole days lose their midnight."""
    assert texts_of(labels) == texts


def test_numbered_names_run_through_the_last_index_fastest():
    """As the entries of an array do."""
    assert numbered("ship", (2, 2)) == ("ship[0,0]", "ship[0,1]", "ship[1,0]", "ship[1,1]")
    assert numbered("exactly", ()) == ("exactly",)
    assert numbered("none", (0,)) == ()


def test_scenarios_and_variables_are_found_by_name_or_number():
    """Numbers may be numpy's."""
    problem = two_by_two(x_names=["oven", "shelf"], scenario_names=["dry", "wet"])
    assert [problem.scenario_index(key) for key in ("wet", 1, np.int64(0))] == [1, 1, 0]
    assert [problem.first_stage_index(key) for key in ("shelf", 0)] == [1, 0]
    assert two_by_two().scenario_index("1") == 1
    assert nr.make_selection(4, 2, 0).first_stage_index("take[3]") == 3


@pytest.mark.parametrize(
    "labels",
    [
        [datetime(2024, 3, 1), datetime(2024, 3, 2)],
        [datetime(2024, 3, 1), datetime(2024, 3, 1, 6)],
        [date(2024, 3, 1), date(2024, 3, 2)],
        [("north", 1), ("north", 2)],
    ],
)
def test_a_label_that_became_a_name_finds_its_scenario(labels):
    """Whoever goes through the index of a table asks with its days, moments and tuples."""
    problem = two_by_two(scenario_names=labels)
    assert [problem.scenario_index(label) for label in labels] == [0, 1]


@pytest.mark.parametrize(
    "key, sentence",
    [
        (datetime(2024, 3, 1), r"got datetime.datetime\(2024, 3, 1, 0, 0\) \(known are 'dry', 'wet'\)"),
        ("wett", r"scenario must be a known name, got 'wett' \(did you mean 'wet'\?\)"),
        ("WET", r"got 'WET' \(did you mean 'wet'\?\)"),
        ("January", r"got 'January' \(known are 'dry', 'wet'\)"),
        (2, "number below 2, got 2"),
        (-1, "number below 2, got -1"),
        (True, "got True"),
        (None, "got None"),
        (0.0, "got 0.0"),
    ],
)
def test_a_scenario_that_is_not_there_is_answered_with_a_near_miss(key, sentence):
    """Or with what there is."""
    with pytest.raises(InputError, match=sentence):
        two_by_two(scenario_names=["dry", "wet"]).scenario_index(key)


def test_a_near_miss_among_numbered_names_is_found():
    """A slip in the stem."""
    names = nr.make_facility_location(4, 3, 2, seed=0).first_stage_names
    assert near_miss("opne[3]", names) == "did you mean 'open[3]'?"


def test_many_known_names_are_not_all_listed():
    """A sentence, not a page."""
    problem = nr.make_selection(40, 2, 0)
    with pytest.raises(InputError, match=r"known are 'take\[0\]', .*'take\[4\]', \.\.\. \(40 in all\)"):
        problem.first_stage_index("???")


@given(st.integers(2, 6).flatmap(lambda count: st.tuples(distinct(count), st.permutations(range(count)))), st.data())
def test_names_survive_restrict(drawn, data):
    """Scenario names follow their scenarios; all other names stay."""
    labels, order = drawn
    keep = order[: data.draw(st.integers(1, len(order)))]
    problem = nr.make_selection(3, len(labels), 0).with_labels(scenario_names=labels, x_names=["a", "b", "c"])
    reduced = problem.restrict(keep)
    assert reduced.scenario_names == tuple(labels[s] for s in keep)
    assert reduced.x_names == ("a", "b", "c")
    for position, scenario in enumerate(keep):
        assert reduced.scenario_index(labels[scenario]) == position
        np.testing.assert_array_equal(reduced.scenario_costs[position], problem.scenario_costs[scenario])


@pytest.mark.parametrize(
    "probabilities, sentence",
    [
        ([0.5, 0.6], r"probabilities must sum to one, got 1\.1; divide them by their sum"),
        ([50, 50], "must sum to one, got 100"),
        ([1.5, -0.5], r"must be zero or positive, got -0\.5 at position 1"),
        ([1.0], r"probabilities must be of shape \(2,\)"),
        ([0.5, np.nan], "must be finite"),
    ],
)
def test_probabilities_that_are_none_are_refused(probabilities, sentence):
    """They sum to one, up to rounding."""
    with pytest.raises(InputError, match=sentence):
        two_by_two(probabilities=probabilities)


def test_rounded_probabilities_are_kept_as_written():
    """Files write a third as 0.3333."""
    assert two_by_two(probabilities=[0.3333, 0.6666]).probabilities.tolist() == [0.3333, 0.6666]


def test_restricting_to_impossible_scenarios_leaves_no_probabilities():
    """There is nothing to condition on."""
    assert two_by_two(probabilities=[1.0, 0.0]).restrict([1]).probabilities is None


def test_midnights_are_days_everywhere():
    """Of numpy, of tuples, and in the words of a user; hours stay where any label has one."""
    days = np.array(["2025-01-01", "2025-01-02"], dtype="datetime64[ns]")
    problem = nr.make_selection(3, 2, 1).with_labels(scenario_names=days)
    assert problem.scenario_names == ("2025-01-01", "2025-01-02")
    for spelling in (days[1], "2025-01-02", "2025-01-02 00:00:00", "2025-01-02T00:00", datetime(2025, 1, 2)):
        assert problem.scenario_index(spelling) == 1
    hours = [datetime(2025, 1, 1, hour) for hour in (0, 6)]
    assert texts_of(zip(days, hours, strict=True)) == (
        "2025-01-01,2025-01-01 00:00:00",
        "2025-01-02,2025-01-01 06:00:00",
    )
