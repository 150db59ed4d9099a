"""Reducers by name."""

import subprocess
import sys

import pytest

import neurprise as nr
from neurprise.errors import InputError
from neurprise.reducers import get_reducer, reducer_names

NEEDS_NOTHING_EXTRA = [name for name in reducer_names() if name != "neurprise"]


@pytest.mark.parametrize("name", NEEDS_NOTHING_EXTRA)
def test_every_name_gives_a_reducer_of_that_name(name):
    """`solve(reducer="kmeans")` and `solve(reducer=KMeans())` mean the same."""
    assert get_reducer(name).name == name


@pytest.mark.parametrize("spelling", ["SingleValue", "single_value", "single-value"])
def test_spelling_does_not_matter(spelling):
    """Case, dashes and underscores are ignored."""
    assert isinstance(get_reducer(spelling), nr.reducers.SingleValue)


def test_an_object_is_returned_as_it_is():
    """Own reducers need no registration."""
    own = nr.reducers.MaxSum()
    assert get_reducer(own) is own


def test_an_unknown_name_is_answered_with_the_known_ones():
    """The sentence lists what would have worked."""
    with pytest.raises(InputError, match=r"reducer must be one of random, kmeans, .*, got 'magic'"):
        get_reducer("magic")


@pytest.mark.parametrize("value", [3, None, nr.reducers.MaxSum])
def test_something_that_cannot_reduce_is_refused(value):
    """A class instead of an object is the likely slip."""
    with pytest.raises(InputError, match="an object with a method reduce"):
        get_reducer(value)


def test_an_unknown_attribute_is_an_attribute_error():
    """Lazy loading must not hide typing errors."""
    with pytest.raises(AttributeError, match="KMedoids"):
        _ = nr.reducers.KMedoids


def test_importing_the_package_loads_no_heavy_library():
    """scikit-learn and torch are loaded by the reducers that use them, not before."""
    code = "import sys, neurprise; print([m for m in ('sklearn', 'torch') if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
