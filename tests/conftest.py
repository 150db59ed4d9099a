"""Shared by all tests: installed engines, shipped families, and property tests that always draw the same examples."""

import pytest
from hypothesis import settings

from neurprise import problems
from neurprise.errors import MissingDependencyError
from neurprise.solvers import engine_names, get_engine

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None, max_examples=15)
settings.load_profile("repeatable")


@pytest.fixture(params=engine_names(), scope="session")
def engine(request):
    """Every engine in turn; one that is not installed is skipped."""
    try:
        return get_engine(request.param)
    except MissingDependencyError as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def only_shipped_families(monkeypatch):
    """A family that a test, a page or an example registers is forgotten after it."""
    monkeypatch.setattr(problems, "_REGISTERED", {})
