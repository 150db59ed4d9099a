"""Where masters are slow, flips show which scenarios R lacks."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.search import local_search as polish
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.local_search import Polish
from neurprise.search.session import SearchSession


@pytest.fixture
def slow_masters(monkeypatch):
    """Every master counts as slow, so that flips are always asked."""
    monkeypatch.setattr(polish, "LONG_MASTERS", -1.0)


def test_nothing_is_looked_for_while_masters_are_quick():
    """Then a master is the cheaper way to find a scenario."""
    session = SearchSession(nr.make_vertex_cover(9, 7, 2))
    session.admit_known([np.ones(9)])
    assert Polish(session).scenarios_to_add([0], session.worst_case, None) is None


def test_r_grows_until_flips_find_nothing_better_on_it(slow_masters):
    """Each scenario added cost some decision more than R did; with all of them R allows no better decision."""
    problem = nr.make_vertex_cover(12, 10, 3)
    session = SearchSession(problem)
    session.admit_known([np.ones(12)])
    added = Polish(session).scenarios_to_add([0], session.worst_case, None)
    assert added
    assert len({0, *added}) == 1 + len(added)
    assert nr.solve(problem.restrict([0, *added])).worst_case == nr.solve(problem).worst_case == session.worst_case


@pytest.mark.parametrize("make", [nr.make_selection, nr.make_vertex_cover])
@pytest.mark.parametrize("seed", range(2))
def test_the_search_proves_the_same_with_flips_as_without(make, seed, slow_masters, monkeypatch):
    """One extensive form is the judge."""
    problem = make(22, 6, seed)  # too large to be listed
    monkeypatch.setattr(polish, "FRUITLESS_SECONDS", 0.05)
    found = ColumnAndConstraintGeneration(SearchSession(problem)).run()
    whole = ColumnAndConstraintGeneration(SearchSession(problem, "scip")).run(range(6))
    assert found.worst_case == whole.worst_case
    assert found.lower_bound == pytest.approx(found.worst_case, rel=1e-4)


def test_inside_r_only_its_scenarios_are_added(slow_masters, monkeypatch):
    """V(R) is that of R alone."""
    problem, within = nr.make_vertex_cover(12, 9, 1), [8, 2, 5]
    monkeypatch.setattr(polish, "FRUITLESS_SECONDS", 0.05)
    found = ColumnAndConstraintGeneration(SearchSession(problem)).run(within=within)
    assert found.lower_bound == pytest.approx(nr.solve(problem.restrict(within)).worst_case, rel=1e-4)
    assert set(found.scenarios) <= set(within)
