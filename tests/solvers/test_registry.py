"""Engines by name, missing engines, licences."""

import sys

import numpy as np
import pytest

from neurprise.errors import InputError, MissingDependencyError
from neurprise.solvers import Limits, engine_names, get_engine
from tests.solvers.models import model


def test_engines_are_found_by_name():
    """Three of them, HiGHS first because it is the default."""
    assert engine_names() == ["highs", "scip", "gurobi"]
    assert get_engine("highs").name == "highs"


def test_an_engine_object_is_taken_as_it_is():
    """Users may bring their own."""
    mine = get_engine("highs")
    assert get_engine(mine) is mine


def test_unknown_engines_are_refused():
    """The sentence lists the known names."""
    with pytest.raises(InputError, match=r"solver must be one of highs, scip, gurobi, got 'cplex'"):
        get_engine("cplex")


@pytest.mark.parametrize(
    "name, package, remedy",
    [
        ("highs", "highspy", "pip install highspy"),
        ("scip", "pyscipopt", r"pip install 'neurprise\[scip\]'"),
        ("gurobi", "gurobipy", r"pip install 'neurprise\[gurobi\]'"),
    ],
)
def test_missing_engines_are_refused_with_what_installs_them(monkeypatch, name, package, remedy):
    """As if the package were not there."""
    monkeypatch.setitem(sys.modules, package, None)
    for module in (f"neurprise.solvers.{name}", f"neurprise.solvers.{name}.engine"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(MissingDependencyError, match=remedy):
        get_engine(name)


def test_models_beyond_the_gurobi_licence_are_refused():
    """The licence inside the wheel ends at 2,000 columns; the sentence names a way out."""
    pytest.importorskip("gurobipy")
    too_large = model(np.ones(2001), [np.ones(2001)], 5, upper=1)
    with pytest.raises(InputError, match=r"2,000 variables and 2,000 rows.*use solver='highs'"):
        get_engine("gurobi").solve(too_large, Limits())
