"""Rows with a big M are tightened without a change of meaning; integers that are whole in name only are noticed."""

import itertools
import math
import sys

import numpy as np
import pytest

from neurprise.solvers import EngineResult, EngineStatus, Limits
from neurprise.solvers.big_m import Bounds, Rows, solve_with_big_m, tightened, with_tight_entries
from neurprise.solvers.corner_cases import has_big_m
from neurprise.solvers.highs import Highs
from tests.solvers.big_m_models import contradictions, fixed_charge, indicators, lot_sizing, optimum
from tests.solvers.models import model, random_model, scipy_optimum

SIZES = (1e3, 1e6, 2e7, 1e8, 1e10)
KINDS = {"fixed charge": fixed_charge, "indicators": indicators, "lot sizing": lot_sizing}


@pytest.mark.parametrize("big_m", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_engines_are_right_beside_any_big_m(engine, kind, big_m):
    """All three take z = 1e-6 for zero by themselves: they return 1499 where 2230 is true, at M = 1e9."""
    for seed in range(4):
        truth = optimum(KINDS[kind](seed, 1e5))
        result = engine.solve(KINDS[kind](seed, big_m), Limits())
        assert result.status is EngineStatus.OPTIMAL
        assert contradictions(result, truth) == []


@pytest.mark.parametrize("big_m", [1e6, 2e7, 1e10])
def test_what_cannot_be_tightened_is_answered_with_what_holds(engine, big_m):
    """A slack column of its own makes each row an equation; HiGHS by itself proved 3090 where 2230 is true."""
    for seed in range(4):
        given, truth = lot_sizing(seed, big_m, slack=True), optimum(lot_sizing(seed, 1e5))
        result = engine.solve(given, Limits())
        assert result.status in (EngineStatus.OPTIMAL, EngineStatus.NUMERICAL_LIMIT)
        assert contradictions(result, truth) == []


@pytest.mark.parametrize("big_m", [1e6, 1e8])
def test_whole_quantities_beside_a_big_m_are_answered_right(engine, big_m):
    """The network behind each setup has whole vertices, so that the optimum is the same."""
    for seed in range(3):
        truth = optimum(lot_sizing(seed, 1e5))
        assert contradictions(engine.solve(lot_sizing(seed, big_m, whole=True), Limits(time_limit=20)), truth) == []


def test_sessions_are_right_beside_a_big_m_too(engine):
    """The open model would leak as the fresh one does."""
    session = engine.session(fixed_charge(0, 1e9))
    for seed in (0, 0):
        session.update(fixed_charge(seed, 1e9))
        assert session.solve(Limits()).objective == pytest.approx(optimum(fixed_charge(seed, 1e5)))


def test_without_scip_highs_proves_what_its_linear_programs_prove(monkeypatch):
    """Then the status says that a gap is left."""
    monkeypatch.setitem(sys.modules, "neurprise.solvers.scip", None)
    given = lot_sizing(0, 1e10, slack=True)
    result = Highs().solve(given, Limits())
    assert result.status is EngineStatus.NUMERICAL_LIMIT
    assert contradictions(result, optimum(lot_sizing(0, 1e5))) == []


@pytest.mark.parametrize("target, cutoff", [(math.inf, math.inf), (-math.inf, 0.0)])
def test_targets_and_cutoffs_are_met_by_whole_points_only(engine, target, cutoff):
    """A target above the optimum is reached; a cutoff below it leaves nothing."""
    truth = optimum(fixed_charge(1, 1e5))
    result = engine.solve(fixed_charge(1, 1e9), Limits(target=target, cutoff=cutoff if cutoff else truth - 1))
    if target == math.inf:
        assert result.objective >= truth - 1e-4
    else:
        assert result.status is EngineStatus.CUTOFF


def test_a_big_m_becomes_what_the_columns_need():
    """y <= 1e8 z becomes y <= 30 z where y + w <= 30 in another row."""
    given = model([-1, 0, 5], [[1, 0, -1e8], [1, 1, 0]], -math.inf, [0, 30], upper=[math.inf, math.inf, 1],
                  integer=[False, False, True])  # fmt: skip
    assert tightened(given).matrix.toarray()[0] == pytest.approx([1, 0, -30])
    assert has_big_m(given)
    assert not has_big_m(tightened(given))


def test_nobody_ships_more_than_is_asked_for():
    """y costs something and helps one row, y + w >= 30, so that 30 is enough whatever w is."""
    given = model([1, 2, 5], [[1, 0, -1e8], [1, 1, 0]], [-math.inf, 30], [0, math.inf], upper=[math.inf, math.inf, 1],
                  integer=[False, False, True])  # fmt: skip
    assert tightened(given).matrix.toarray()[0] == pytest.approx([1, 0, -30])


def test_costs_bound_columns_beside_a_cutoff():
    """Each unit of y costs 2, so that y is at most 50 in what costs 100 at most."""
    given = model([2, 0, 5], [[1, 0, -1e8], [-1, 1, 0]], [-math.inf, -5], [0, 5], upper=[math.inf, math.inf, 1],
                  integer=[False, False, True])  # fmt: skip
    assert tightened(given, 100.0).matrix.toarray()[0] == pytest.approx([1, 0, -50], rel=1e-3)


def test_stored_zeros_and_rows_without_limits_are_no_trouble():
    """A scenario may set an entry to zero; the row of it has no largest activity here."""
    given = model([1, 1, 1], [[1, -1e8, 7], [1, 1, 1]], [-math.inf, 3], [0, math.inf], integer=[False, True, False])
    given.matrix.data[2] = 0.0
    with np.errstate(all="raise"):
        assert tightened(given).matrix.toarray()[0, 2] == 0


def test_rows_of_the_objective_have_no_big_m():
    """A free column that a row defines is not forbidden anything: its costs may have any ratio."""
    assert not has_big_m(model([0, 0, 1], [[-1, -1e9, 1]], 0, lower=[0, 0, -math.inf], integer=[False, True, False]))


def test_an_ordinary_model_has_no_big_m():
    """Capacities of some thousands are common."""
    assert not has_big_m(model([1, 1], [[1, -5000]], -math.inf, 0, integer=[False, True]))


def _points(given):
    """Which integer points keep every row, one flag each; columns have bounds."""
    ranges = [np.arange(lower, upper + 1) for lower, upper in zip(given.lower, given.upper, strict=True)]
    grid = np.array(list(itertools.product(*ranges)))
    activities = grid @ given.matrix.toarray().T
    kept = (activities >= given.row_lower - 1e-6) & (activities <= given.row_upper + 1e-6)
    return grid, kept.all(axis=1)


def _bounded_integers(seed):
    """A small integer model, some of its entries made large."""
    rng = np.random.default_rng(seed)
    n, r = int(rng.integers(2, 5)), int(rng.integers(1, 5))
    rows = rng.integers(-4, 6, (r, n)) * np.where(rng.random((r, n)) < 0.3, 1000.0, 1.0)
    limits = rng.integers(-9, 12, r) + np.where(rng.random(r) < 0.4, 1000.0, 0.0) * rng.integers(-2, 4, r)
    is_lower = rng.random(r) < 0.5
    return model(
        rng.integers(-5, 6, n), rows, np.where(is_lower, limits, -math.inf), np.where(is_lower, math.inf, limits),
        lower=rng.integers(-2, 1, n), upper=rng.integers(1, 4, n),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(150))
def test_tight_entries_leave_every_integer_point_and_add_none(seed):
    """Entries are tightened within bounds that rows imply; every point of the grid is looked at."""
    given = _bounded_integers(seed)
    tight = with_tight_entries(given, Rows(given).implied(Bounds(given.lower, given.upper)))
    grid, kept = _points(given)
    inside = ((grid >= tight.lower) & (grid <= tight.upper)).all(axis=1)
    activities = grid @ tight.matrix.toarray().T
    still = inside & ((activities >= tight.row_lower - 1e-6) & (activities <= tight.row_upper + 1e-6)).all(axis=1)
    assert np.array_equal(kept, still)


@pytest.mark.parametrize("seed", range(60))
def test_tightening_never_changes_the_optimum(seed):
    """With continuous columns, equations and free choices too; a cutoff above the optimum changes nothing either."""
    given = random_model(seed)
    truth = scipy_optimum(given)
    assert scipy_optimum(tightened(given)) == pytest.approx(truth)
    if math.isfinite(truth):
        assert scipy_optimum(tightened(given, truth + 1)) == pytest.approx(truth)


def test_a_point_that_is_whole_in_name_only_is_priced_again():
    """z = 3e-7 ships 30 for nothing; with z = 1 that costs 100, which closes nothing by itself."""
    given = model([0, 100, 90], [[1, -1e8, 0], [1, 0, 1]], [-math.inf, 30], [0, 30], upper=[math.inf, 1, 1],
                  integer=[False, True, False])  # fmt: skip

    def leaks(asked, limits, start):
        if not asked.integer.any():
            return Highs().solve(asked, limits)
        return EngineResult(EngineStatus.OPTIMAL, 3e-5, 3e-5, np.array([30.0, 3e-7, 0.0]))

    result = solve_with_big_m(given, Limits(), None, leaks)
    assert (result.status, result.objective) == (EngineStatus.NUMERICAL_LIMIT, pytest.approx(100))
    assert result.bound <= 3e-5
