"""Families by name: shipped ones, and one that registers itself."""

import numpy as np
import pytest

import neurprise as nr
from neurprise import problems
from neurprise.errors import FormatError, InputError
from neurprise.problems import Family, family_names, get_family, register, unregister
from neurprise.training.labels import label
from tests.own_family import STOCK, Stock, make_stock


@pytest.fixture
def registered():
    """The family of `tests.own_family`, known for the length of a test."""
    return register(STOCK)


def test_shipped_families_are_known_by_name():
    """Each with its class and its generator."""
    assert family_names() == ["selection", "vertex-cover", "facility-location"]
    assert [get_family(name).problem for name in family_names()] == [nr.Selection, nr.VertexCover, nr.FacilityLocation]
    assert get_family("selection").make is nr.make_selection


def test_classes_and_generators_are_found_in_the_room():
    """As if it imported them; what is not there is no attribute."""
    assert problems.Selection is nr.Selection
    assert "make_vertex_cover" in dir(problems)
    with pytest.raises(AttributeError, match="no attribute 'Knapsack'"):
        _ = problems.Knapsack


def test_unknown_families_are_refused_with_the_remedy():
    """The sentence lists what there is and names `register`."""
    with pytest.raises(InputError, match=r"one of selection, .*got 'knapsack'; neurprise.problems.register"):
        get_family("knapsack")


def test_a_registered_family_is_known(registered):
    """By the same function."""
    assert get_family("stock") is registered
    assert family_names()[-1] == "stock"


def test_shipped_names_are_taken():
    """A file that says selection means the package's."""

    class Mine(nr.Selection):
        pass

    with pytest.raises(InputError, match="'selection' is a family of the package"):
        register(Family("selection", Mine, nr.make_selection))


def no_seed(num_scenarios):
    return None


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("Stock", Stock, make_stock), "lower-case words joined by dashes"),
        (("generic", nr.TwoStageProblem, make_stock), "not 'generic'"),
        (("stock", "Stock", make_stock), "must be a subclass of TwoStageProblem, got 'Stock'"),
        (("other", Stock, make_stock), "Stock.family must be 'other', got 'stock'; set it in the class"),
        (("stock", Stock, no_seed), "the generator of 'stock' must take seed"),
    ],
)
def test_records_that_cannot_work_are_refused(arguments, words):
    """When they are built, not when they are used."""
    with pytest.raises(InputError, match=words):
        Family(*arguments)


def test_sizes_are_the_generators_own():
    """One number serves for all of them."""
    location = get_family("facility-location")
    assert location.size_names == ("num_facilities", "num_customers")
    assert location.draw([5], 2, 0).transport_costs.shape == (5, 5)
    assert location.draw([5, 4], 2, 0, "normal") == nr.make_facility_location(5, 4, 2, 0, "normal")
    with pytest.raises(InputError, match="one number, or num_facilities x num_customers, got 1 x 2 x 3"):
        location.draw([1, 2, 3], 2, 0)


def test_a_generator_without_distributions_knows_one():
    """Asking for another is refused rather than ignored."""
    assert STOCK.draw([3], 2, 0) == make_stock(3, 2, 0)
    with pytest.raises(InputError, match="'stock' has no distribution 'normal'; leave it at 'uniform'"):
        STOCK.draw([3], 2, 0, "normal")


@pytest.mark.parametrize("name", ["selection", "vertex-cover", "facility-location"])
def test_arguments_rebuild_the_problem(name):
    """What files store is enough."""
    family = get_family(name)
    problem = family.draw([4], 3, 1)
    assert family.problem(**family.arguments(problem)) == problem


def test_a_registered_family_is_written_and_read_as_itself(registered, tmp_path):
    """Arrays, and texts and numbers beside them; names too."""
    problem = make_stock(3, 2, 0).with_labels(x_names=["nuts", "figs", "dates"])
    problem.write(tmp_path / "stock.npz")
    again = nr.read(tmp_path / "stock.npz")
    assert again == problem
    assert again.note == "seed 0"


def test_who_does_not_know_the_family_is_told_so(registered, tmp_path):
    """The sentence names the remedy."""
    make_stock(3, 2, 0).write(tmp_path / "stock.npz")
    unregister("stock")
    with pytest.raises(FormatError, match="unknown family 'stock'; upgrade neurprise, or register the family"):
        nr.read(tmp_path / "stock.npz")


def test_arguments_that_files_cannot_hold_are_refused(registered, tmp_path):
    """Before anything is written."""
    problem = Stock([1.0], [[2.0]], [3], note=object())
    with pytest.raises(InputError, match="arguments of 'stock' must be arrays, numbers, texts or lists"):
        problem.write(tmp_path / "stock.npz")
    assert not (tmp_path / "stock.npz").exists()


def test_arguments_may_not_bear_names_of_the_format(tmp_path):
    """`version` in a file is the format's."""

    class Versioned(Stock):
        family = "versioned"

        def __init__(self, costs, prices, demand, version):
            self.version = version
            super().__init__(costs, prices, demand)

    register(Family("versioned", Versioned, make_stock))
    with pytest.raises(InputError, match="'version' has a meaning of its own"):
        Versioned([1.0], [[2.0]], [3], 7).write(tmp_path / "versioned.npz")


def test_numbers_of_numpy_are_written_as_numbers(registered, tmp_path):
    """And narrower arrays as the format's own types."""
    Stock(np.float32([1]), np.float32([[2]]), np.int32([3]), note=np.int64(5)).write(tmp_path / "stock.npz")
    assert nr.read(tmp_path / "stock.npz").note == 5


def test_workers_label_a_registered_family(registered, tmp_path):
    """They learn it from the process that asks, and write the same bytes as that one."""
    options = {"family": "stock", "size": 3, "scenarios": 4, "count": 3, "budget": 3}
    for folder, jobs in (("alone", 1), ("helped", 2)):
        label(tmp_path / folder, jobs=jobs, **options)
    lines = [(tmp_path / folder / "labels.jsonl").read_bytes() for folder in ("alone", "helped")]
    assert lines[0] == lines[1]
    assert lines[0].count(b"\n") == 3
