"""V(R) by the same search inside R: equal to the problem restricted to R, and on fewer scenarios where few bind."""

import math

import numpy as np
import pytest
from hypothesis import given

import neurprise as nr
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.master import EnumeratedMaster
from neurprise.search.session import SearchSession
from tests.instances import seeds
from tests.recourse.random_problems import random_problem


@pytest.mark.parametrize("integer", ["none", "all", "some"])
@given(seed=seeds)
def test_it_equals_the_restricted_problem(integer, seed):
    """Incomplete recourse included: V(R) may be finite where no decision survives every scenario."""
    problem = random_problem(seed, integer=integer, num_scenarios=8)
    kept = np.random.default_rng(seed).permutation(8)[: 1 + seed % 4].tolist()
    try:
        alone = nr.solve(problem.restrict(kept), gap=1e-6)
    except nr.InfeasibleProblemError:
        with pytest.raises(nr.InfeasibleProblemError):
            ColumnAndConstraintGeneration(SearchSession(problem), gap=1e-6).run(within=kept)
        return
    session = SearchSession(problem)
    found = ColumnAndConstraintGeneration(session, gap=1e-6).run(within=kept)
    assert found.scenarios == tuple(kept)
    assert found.status in ("reduced", "optimal")
    value = session.pool.best(kept)[1]
    assert value == pytest.approx(alone.worst_case, rel=1e-5, abs=1e-5)
    assert found.lower_bound >= alone.lower_bound - 1e-4 * max(1.0, abs(alone.lower_bound))
    assert math.isfinite(found.worst_case) or found.infeasible_scenarios


def test_scenarios_that_never_bind_are_never_copied():
    """Of twenty kept scenarios the last reduced problem holds a few."""
    problem = nr.make_facility_location(8, 8, 50, seed=1)
    report = nr.solve(problem, "maxsum", 20)
    assert len(report.scenarios) == 20
    assert max(step.num_scenarios for step in report.iterations) < 10


def test_what_the_reducer_solved_is_not_solved_again():
    """PRISE knows V(R) when it ends."""
    problem = nr.make_selection(12, 30, seed=2)
    reduction = nr.reducers.PRISE().reduce(problem, 3)
    report = nr.solve(problem, "prise", 3, gap=1e-6)
    assert report.scenarios == reduction.indices
    assert report.num_solves <= reduction.num_solves + 1


def test_where_decisions_are_listed_one_look_through_the_list_suffices(monkeypatch):
    """Scenarios cost little there, and a search would look through the list several times; the engine is not asked."""
    looks, solve = [], EnumeratedMaster.solve
    monkeypatch.setattr(EnumeratedMaster, "solve", lambda *asked: looks.append(asked) or solve(*asked))
    report = nr.solve(nr.make_vertex_cover(12, 30, seed=3), "maxsum", 6)
    assert (len(looks), report.num_solves) == (1, 0)
