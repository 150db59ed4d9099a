"""Problems are values: nothing about them changes, equal data make equal problems, and workers get them whole."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy import sparse

import neurprise as nr
from neurprise.problem.stages import Changes
from neurprise.problem.values import immutable, same

MAKERS = {
    "selection": lambda seed=1: nr.make_selection(5, 4, seed),
    "vertex cover": lambda seed=1: nr.make_vertex_cover(6, 3, seed),
    "facility location": lambda seed=1: nr.make_facility_location(4, 3, 2, seed),
    "matrices": lambda seed=1: nr.TwoStageProblem.from_matrices(
        [1.0, 2.0], [[1, 1]], [1], np.eye(2), [3, 4], np.eye(2), [[1], [0]], [[seed], [2.0]], [[5, 6], [7, 8]],
        x_integer=True, y_integer=False,
    ),
}  # fmt: skip


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def arrays_of(value, seen):
    """Every array that can be reached from a value."""
    if isinstance(value, np.ndarray):
        yield value
    elif sparse.issparse(value):
        yield from (value.data, value.indices, value.indptr)
    elif hasattr(value, "items"):
        for item in value.values():
            yield from arrays_of(item, seen)
    elif hasattr(value, "__dict__") and id(value) not in seen:
        seen.add(id(value))
        yield from arrays_of(vars(value), seen)


def test_no_attribute_can_be_set_or_deleted(make):
    """Neither a general field nor one of the family's own, nor a new one."""
    problem = make()
    for name in (*vars(problem), "num_select", "anything"):
        with pytest.raises(FrozenInstanceError):
            setattr(problem, name, 3)
    for name in vars(problem):
        with pytest.raises(FrozenInstanceError):
            delattr(problem, name)


def test_setting_the_number_of_items_is_refused_with_a_sentence():
    """Once it succeeded, and the rows and the oracle then disagreed."""
    with pytest.raises(FrozenInstanceError, match="a Selection cannot be changed, got 'num_select'"):
        nr.make_selection(5, 4, 0).num_select = 3


def test_what_scenarios_change_cannot_be_exchanged(make):
    """The mapping is read-only, and so is each of its values."""
    problem = make()
    kind = next(iter(problem.changes))
    with pytest.raises(TypeError):
        problem.changes[kind] = None
    with pytest.raises(FrozenInstanceError):
        problem.changes[kind].values = None


@pytest.mark.parametrize("variant", ["built", "restricted", "unpickled"])
def test_no_array_can_be_written_to(make, variant):
    """Vectors, tables, and the three arrays of each sparse matrix; also after a trip to another process."""
    problem = make()
    if variant == "restricted":
        problem = problem.restrict([1, 0])
    elif variant == "unpickled":
        problem = pickle.loads(pickle.dumps(problem))
    data = {name: value for name, value in vars(problem).items() if not name.startswith("_")}
    found = list(arrays_of(data, set()))
    assert len(found) > 10
    assert not any(array.flags.writeable for array in found)


def test_arrays_that_the_caller_keeps_are_copied():
    """Writing to them later changes no problem, also where they are handed over as a read-only view."""
    mine = np.ones((2, 1))
    view = mine.view()
    view.flags.writeable = False
    kept = [Changes(np.array([0]), array).values for array in (mine, view)]
    mine[:] = 7
    assert [array.tolist() for array in kept] == [[[1], [1]], [[1], [1]]]


def test_equal_data_make_equal_problems(make):
    """Built twice, copied, restricted to everything, given the same scenarios again, sent to a process."""
    problem = make()
    same_again = (
        make(),
        copy.deepcopy(problem),
        problem.restrict(range(problem.num_scenarios)),
        problem.with_scenarios(problem.scenario_data),
        pickle.loads(pickle.dumps(problem)),
    )
    for other in same_again:
        assert other == problem
        assert hash(other) == hash(problem)


def test_other_data_make_other_problems(make):
    """Another draw, fewer scenarios, another order, names, another class, something that is no problem."""
    problem = make()
    backwards = range(problem.num_scenarios - 1, -1, -1)
    others = (
        make(seed=2),
        problem.restrict([0]),
        problem.restrict(list(backwards)),
        problem.with_labels(x_names=[str(i) for i in range(problem.num_first_stage)]),
        problem.with_labels(probabilities=np.full(problem.num_scenarios, 1 / problem.num_scenarios)),
        3,
        None,
        np.ones(3),
    )
    assert not any(problem == other for other in others)
    assert len({problem, *others[:5]}) == 6


def test_a_problem_and_its_general_form_differ():
    """The class is part of the value: a selection knows more than its rows."""
    selection = nr.make_selection(5, 4, 0)
    assert selection != nr.TwoStageProblem(**selection.general_form())


def test_entries_that_every_scenario_replaces_do_not_count():
    """Which of the old scenarios lent its costs to the base is invisible."""
    problem = nr.make_selection(5, 4, 0)
    kept = problem.restrict([2, 1])
    assert kept == nr.Selection(problem.first_stage_costs, problem.scenario_costs[[2, 1]], problem.num_select)


def test_signs_of_zero_do_not_count():
    """-0.0 equals 0.0, and equal problems have equal hashes."""
    plus, minus = (nr.Selection([zero, 1.0], [[1.0, zero]], 1) for zero in (0.0, -0.0))
    assert plus == minus
    assert hash(plus) == hash(minus)


class Odd(nr.TwoStageProblem):
    """Keeps something that cannot be compared, and a list."""

    def __init__(self, general, odd):
        self.odd = odd
        self.parts = [1, {"a": [2]}]
        super().__init__(**general.general_form())


class Incomparable:
    def __eq__(self, other):
        raise ValueError("ambiguous")

    __hash__ = None


def test_equality_never_raises():
    """What cannot be compared is not known to be equal."""
    general = MAKERS["matrices"]()
    assert Odd(general, Incomparable()) != Odd(general, Incomparable())
    assert Odd(general, np.ones(2)) == Odd(general, np.ones(2))


def test_lists_and_dicts_of_a_class_of_ones_own_are_frozen():
    """Lists become tuples, dicts read-only mappings, at any depth."""
    parts = Odd(MAKERS["matrices"](), 1).parts
    assert parts[0] == 1
    assert parts[1]["a"] == (2,)
    with pytest.raises(TypeError):
        parts[1]["b"] = 3


class Late(nr.TwoStageProblem):
    def __init__(self, general):
        super().__init__(**general.general_form())
        self.late = 1


def test_attributes_after_the_seal_are_refused_with_the_remedy():
    """A class of one's own learns what to do."""
    with pytest.raises(FrozenInstanceError, match=r"before super\(\).__init__"):
        Late(MAKERS["matrices"]())


def test_a_repr_has_at_most_three_lines(make):
    """Family, sizes, what is uncertain."""
    shown = repr(make())
    assert len(shown.splitlines()) <= 3
    assert max(map(len, shown.splitlines())) <= 120
    assert "uncertain: " in shown


def test_a_repr_says_what_the_problem_is():
    """In words."""
    assert repr(nr.make_facility_location(4, 3, 2, 1)).splitlines() == [
        "FacilityLocation: facility-location, 2 scenarios",
        "  x: 4 integer and 4 continuous, 4 rows; y: 12 continuous, 7 rows",
        "  uncertain: 3 row_lower",
    ]


def test_restricting_shares_what_scenarios_have_in_common(make):
    """Copies are cheap: only the scenarios' own numbers are new."""
    problem = make()
    kept = problem.restrict([0])
    assert kept.first_stage is problem.first_stage
    assert kept.recourse is problem.recourse
    assert copy.copy(problem) is problem


def test_workers_get_problems_whole():
    """As labels need it: another process sees the same problem, read-only."""
    problem = nr.make_vertex_cover(6, 3, 1)
    (there,) = Parallel(n_jobs=2)(delayed(copy.copy)(problem) for _ in range(1))
    assert there == problem
    assert not there.edges.flags.writeable


@pytest.mark.parametrize(
    "ours, theirs, equal",
    [
        ({"a": np.ones(2)}, {"a": np.ones(2)}, True),
        ({"a": np.ones(2)}, {"b": np.ones(2)}, False),
        (np.ones(2), [1.0, 1.0], True),
        (np.ones(2), "ones", False),
        (sparse.csr_array(np.eye(2)), sparse.csr_array(np.eye(2)), True),
        (sparse.csr_array(np.eye(2)), sparse.csr_array(np.eye(3)), False),
        (sparse.csr_array(np.eye(2)), np.eye(2), False),
        (Incomparable(), Incomparable(), False),
    ],
)
def test_same_compares_data(ours, theirs, equal):
    """Mappings, arrays, matrices, anything."""
    assert same(ours, theirs) is equal


def test_immutable_leaves_alone_what_nobody_can_change():
    """No needless copies."""
    array = np.frombuffer(b"12345678", dtype=np.uint8)
    assert immutable(array) is array
    assert immutable("text") == "text"
    assert immutable({1, 2}) == frozenset({1, 2})
