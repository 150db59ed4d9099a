"""A session that is updated answers like a fresh solve."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from neurprise.clock import Deadline
from neurprise.solvers import EngineStatus, Limits
from tests.solvers.models import market_split, model, random_model, scipy_optimum

BASE = model([3, 2, 4], [[1, 1, 0], [0, 1, 2]], [3.5, 1], [np.inf, 9], upper=5)


def with_entries(given, entries):
    """The same sparsity pattern with other entries."""
    parts = (np.asarray(entries, dtype=float), given.matrix.indices, given.matrix.indptr)
    return replace(given, matrix=sparse.csr_array(parts, shape=given.matrix.shape))


UPDATES = {
    "costs": {"costs": np.array([1.0, 2.0, -1.0])},
    "offset": {"offset": 10.0},
    "row limits": {"row_lower": np.array([4.0, 3.0])},
    "row becomes an equality": {"row_lower": np.array([4.0, 3.0]), "row_upper": np.array([4.0, 9.0])},
    "row loses a side": {"row_upper": np.array([np.inf, np.inf])},
    "row gains a side": {"row_upper": np.array([5.0, 9.0])},
    "bounds": {"upper": np.array([5.0, 1.0, 5.0])},
    "infinite bounds": {"upper": np.array([np.inf, np.inf, np.inf])},
    "infeasible": {"row_lower": np.array([11.0, 1.0])},
    "unbounded": {"costs": np.array([-1.0, 2.0, 4.0]), "upper": np.array([np.inf, 5.0, 5.0])},
    "contradictory bounds": {"lower": np.array([0.0, 6.0, 0.0])},
}


@pytest.mark.parametrize("integer", [True, False])
@pytest.mark.parametrize("change", UPDATES)
def test_update_and_back_agrees_with_fresh_solves(engine, change, integer):
    """After the change and after taking it back."""
    base = replace(BASE, integer=np.full(3, integer))
    changed = replace(base, **UPDATES[change])
    session = engine.session(base)
    for current in (base, changed, base):
        session.update(current)
        assert_same(session.solve(Limits()), engine.solve(current, Limits()))


@pytest.mark.parametrize("integer", [True, False])
def test_matrix_entries_can_change(engine, integer):
    """Entries, also to zero and back, within the pattern."""
    base = replace(BASE, integer=np.full(3, integer))
    session = engine.session(base)
    for entries in ([1, 1, 1, 2], [2, 1, 1, 3], [1, 0, -1, 2], [1, 1, 1, 2]):
        current = with_entries(base, entries)
        session.update(current)
        assert_same(session.solve(Limits()), engine.solve(current, Limits()))


def test_many_random_updates_agree_with_fresh_solves(engine):
    """Everything changes at once, again and again."""
    rng = np.random.default_rng(3)
    base = random_model(11)
    session = engine.session(base)
    for _ in range(12):
        current = replace(
            with_entries(base, rng.integers(-3, 6, base.matrix.nnz)),
            costs=rng.integers(-9, 10, len(base.costs)).astype(float),
            row_lower=np.full(len(base.row_lower), -np.inf),
            row_upper=rng.integers(0, 20, len(base.row_upper)).astype(float),
            offset=float(rng.integers(0, 9)),
        )
        session.update(current)
        assert_same(session.solve(Limits()), engine.solve(current, Limits()))


def test_limits_belong_to_one_solve(engine):
    """A time limit or cutoff of one call is forgotten in the next."""
    session = engine.session(BASE)
    value = engine.solve(BASE, Limits()).objective
    assert session.solve(Limits(cutoff=value - 1.0)).status is EngineStatus.CUTOFF
    assert session.solve(Limits()).objective == pytest.approx(value)


def test_time_limit_in_a_session_is_never_called_optimal(engine):
    """As in a single solve."""
    assert engine.session(market_split()).solve(Limits(time_limit=0.2)).status is EngineStatus.TIME_LIMIT


def test_time_limit_counts_one_solve_not_the_whole_session(engine):
    """Many quick linear programs may together take longer than the limit of each."""
    rng = np.random.default_rng(0)
    base = model(rng.random(60), rng.random((40, 60)), 1.0, integer=False)
    session, limits, clock = engine.session(base), Limits(time_limit=0.4), Deadline(0.8)
    while not clock.passed:
        session.update(replace(base, costs=rng.random(60)))
        assert session.solve(limits).status is EngineStatus.OPTIMAL


def assert_same(result, fresh):
    """Same status and value."""
    assert result.status is fresh.status
    assert result.objective == pytest.approx(fresh.objective, rel=1e-6, abs=1e-5)
    assert result.bound == pytest.approx(fresh.bound, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("upper", [5.0, np.inf])
def test_no_optimum_is_lost_in_a_restart(engine, upper):
    """A recourse on which HiGHS 1.15.1, restarting without its feasibility jump, calls 8.06 optimal."""
    rows = [[-2, 3, -2, 3], [3, -1, 3, -2], [-2, -2, -2, 3]]
    given = model([1, 5, 2, 5], rows, [5, -np.inf, -1], [7, 3, np.inf], lower=[-1, 0, 1, 1], upper=upper, offset=-3)
    given = replace(given, integer=np.array([True, False, True, True]))
    for answer in (engine.session(given).solve(Limits()), engine.solve(given, Limits())):
        assert answer.objective == pytest.approx(scipy_optimum(given), abs=1e-5)
