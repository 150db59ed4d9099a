"""Every engine gives the same, honest answers."""

import os
import signal
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from neurprise.errors import EngineError
from neurprise.solvers import EngineModel, EngineStatus, Limits, Purpose, get_engine
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE
from tests.solvers.models import market_split, model, random_model, scipy_optimum

# min 3a + 2b with a + b >= 3.5, so 8 at (0, 4); a and b whole, 0 to 5
TWO_COLUMNS = model([3, 2], [[1, 1]], 3.5, upper=5)


def violation(given, values):
    """Largest amount by which the values break a row, a bound or integrality."""
    rows = given.matrix @ values
    gaps = [given.row_lower - rows, rows - given.row_upper, given.lower - values, values - given.upper]
    return max(float(gap.max(initial=0.0)) for gap in [*gaps, np.abs(values - np.round(values))[given.integer]])


@pytest.mark.parametrize("seed", range(25))
def test_optimum_agrees_with_scipy(engine, seed):
    """Equalities, ranges, one-sided rows, negative bounds, offset: value, bound and solution fit together."""
    given = random_model(seed)
    expected = scipy_optimum(given)
    result = engine.solve(given, Limits())
    if expected == np.inf:
        assert result.status is EngineStatus.INFEASIBLE
        return
    assert result.status is EngineStatus.OPTIMAL
    assert result.objective == pytest.approx(expected, rel=1e-6, abs=1e-5)
    assert result.bound == pytest.approx(expected, rel=1e-6, abs=1e-5)
    assert given.costs @ result.values + given.offset == pytest.approx(result.objective, abs=1e-6)
    assert violation(given, result.values) <= 10 * FEASIBILITY_TOLERANCE


@pytest.mark.parametrize("purpose", Purpose)
@pytest.mark.parametrize("seed", range(25, 31))
def test_what_a_solve_is_for_does_not_change_its_answer(engine, purpose, seed):
    """Status and value are those of a solve that stands alone."""
    alone, hinted = (engine.solve(random_model(seed), limits) for limits in (Limits(), Limits(purpose=purpose)))
    assert (hinted.status, hinted.objective) == (alone.status, pytest.approx(alone.objective, rel=1e-6, abs=1e-5))


def test_random_models_are_feasible_and_infeasible():
    """The comparison above sees both kinds."""
    values = [scipy_optimum(random_model(seed)) for seed in range(25)]
    assert 3 <= sum(np.isinf(values)) <= 20


def test_linear_programs_are_solved(engine):
    """Without integer columns the same call solves a linear program and proves its value."""
    result = engine.solve(replace(TWO_COLUMNS, integer=np.zeros(2, dtype=bool)), Limits())
    assert (result.status, result.objective) == (EngineStatus.OPTIMAL, pytest.approx(7.0))
    assert result.bound == pytest.approx(7.0)


def test_rows_without_limits_or_entries_change_nothing(engine):
    """A free row and an empty row that holds are accepted."""
    given = model([3, 2], [[1, 1], [1, -1], [0, 0]], [3.5, -np.inf, -1], np.inf, upper=5)
    assert engine.solve(given, Limits()).objective == pytest.approx(8.0)


def test_empty_row_that_cannot_hold_is_infeasible(engine):
    """0 >= 1 has no solution."""
    given = model([3, 2], [[0, 0]], 1, upper=5)
    assert engine.solve(given, Limits()).status is EngineStatus.INFEASIBLE


@pytest.mark.parametrize("integer", [True, False])
def test_infeasible_models_cost_inf(engine, integer):
    """No solution, objective and bound inf."""
    result = engine.solve(model([1, 1], [[1, 1]], 11, upper=5, integer=integer), Limits())
    assert result.status is EngineStatus.INFEASIBLE
    assert result.values is None
    assert (result.objective, result.bound) == (np.inf, np.inf)


@pytest.mark.parametrize("integer", [True, False])
def test_unbounded_models_prove_nothing(engine, integer):
    """The cost falls for ever along (1, 1)."""
    result = engine.solve(model([-1, 0], [[-1, 1]], 0, integer=integer), Limits())
    assert result.status is EngineStatus.UNBOUNDED
    assert result.values is None
    assert (result.objective, result.bound) == (-np.inf, -np.inf)


def test_infeasible_is_told_from_unbounded(engine):
    """A free fall elsewhere does not hide that no solution exists."""
    given = model([-1, 0, 0], [[-1, 1, 0], [0, 0, 2]], [0, 1], [np.inf, 1], integer=[False, False, True])
    assert engine.solve(given, Limits()).status is EngineStatus.INFEASIBLE


def test_unbounded_is_told_from_infeasible(engine):
    """HiGHS 1.15 calls this unbounded linear program infeasible; (0, 0, 2/3) is feasible."""
    rows = [[3, -2, 3], [-2, 2, -1], [1, 1, 2], [-1, 3, 3]]
    given = model([-1, -2, -3], rows, [-5, -4, -4, 2], upper=[3, np.inf, np.inf], integer=False)
    for limits in (Limits(), Limits(cutoff=0.0)):
        assert engine.solve(given, limits).status is EngineStatus.UNBOUNDED


def test_contradictory_limits_are_infeasible(engine):
    """A lower limit above the upper one, in a row or a bound."""
    for changes in ({"row_upper": np.array([3.0])}, {"lower": np.array([0.0, 6.0])}):
        assert engine.solve(replace(TWO_COLUMNS, **changes), Limits()).status is EngineStatus.INFEASIBLE


def test_model_without_columns_costs_its_offset(engine):
    """Nothing to decide: feasible if every row admits 0."""
    feasible = engine.solve(model([], [[]], -1, offset=3.0), Limits())
    assert (feasible.status, feasible.objective, feasible.bound) == (EngineStatus.OPTIMAL, 3.0, 3.0)
    assert engine.solve(model([], [[]], 1), Limits()).status is EngineStatus.INFEASIBLE


@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_time_limit_is_never_called_optimal(engine, seconds):
    """A stopped search says so, and its bound stays below its incumbent."""
    result = engine.solve(market_split(), Limits(time_limit=seconds))
    assert result.status is EngineStatus.TIME_LIMIT
    assert result.bound < result.objective


def test_stopped_search_keeps_its_incumbent(engine):
    """After some time the market split has a solution that costs its stated objective."""
    given = market_split()
    result = engine.solve(given, Limits(time_limit=0.5))
    assert given.costs @ result.values == pytest.approx(result.objective)
    assert violation(given, result.values) <= 10 * FEASIBILITY_TOLERANCE


def without_whole_numbers(factor=0.1234567):
    """
    3 (b + c) - 2 a = 11 and 3 (d + e) - 2 a = 6 have no whole numbers, but the relaxation never says so.

    With whole entries the distance to an optimum is known, and a search has an end.
    """
    rows = factor * np.array([[-2, 3, 3, 0, 0], [-1, 5, -2, 0, 0], [-2, 0, 0, 3, 3], [-1, 0, 0, 5, -2]])
    lower, upper = factor * np.array([11, -np.inf, 6, -np.inf]), factor * np.array([11, -1, 6, 5])
    return model(np.zeros(5), rows, lower, upper, lower=-np.inf, upper=np.inf)


def test_an_endless_dive_is_stopped_without_an_answer(engine):
    """HiGHS leaves it to SCIP."""
    result = engine.solve(without_whole_numbers(), Limits(time_limit=1.0))
    assert result.status in (EngineStatus.TIME_LIMIT, EngineStatus.INFEASIBLE)
    assert result.values is None


def test_without_a_second_engine_an_endless_dive_is_an_error(monkeypatch):
    """Its sentence names both remedies."""
    monkeypatch.setitem(sys.modules, "neurprise.solvers.scip", None)
    with pytest.raises(EngineError, match=r"finite bounds.*install scip"):
        get_engine("highs").solve(without_whole_numbers(), Limits(time_limit=20.0))


def falls_beside_far_bounds():
    """A master of two scenarios: the cost falls with t along integers without bounds, beside others from -1e9 on."""
    costs = [60.3979776, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    prices = np.array([13.4217728, 110.7296256, 177.8384896])
    rows = np.zeros((4, 8))
    rows[0, 0], rows[0, 1], rows[0, 2:5] = -124.1513984, 1.0, -prices
    rows[2, 1], rows[2, 5:] = 1.0, -prices
    rows[1, 2:5] = rows[3, 5:] = [3.25, 4.5, 2.25]
    y_lower, y_upper, y_integer = [-0.5, -np.inf, -1e9], [np.inf, np.inf, 3.0], [False, True, True]
    return model(
        costs, rows, [0.0, 25.1875, 0.0, 35.0], lower=[0.0, -np.inf, *y_lower, *y_lower],
        upper=[3.0, np.inf, *y_upper, *y_upper], integer=[True, False, *y_integer, *y_integer],
    )  # fmt: skip


@pytest.mark.parametrize("second_engine", [True, False])
def test_a_model_that_highs_stumbles_over_is_unbounded_if_a_direction_shows_it(second_engine, monkeypatch):
    """Without presolve, a risk beside bounds of 1e9, HiGHS 1.15 ends it with "Solve error"."""
    if not second_engine:
        monkeypatch.setitem(sys.modules, "neurprise.solvers.scip", None)
    result = get_engine("highs").solve(falls_beside_far_bounds(), Limits(gap=0.0))
    assert result.status is EngineStatus.UNBOUNDED


def test_a_model_that_highs_stumbles_over_is_left_to_scip(monkeypatch):
    """The optimum is found where HiGHS ends with a word that is not understood."""
    pytest.importorskip("pyscipopt")
    monkeypatch.setattr(sys.modules["neurprise.solvers.highs.engine"], "_STATUS", {})
    given = random_model(0)
    assert get_engine("highs").solve(given, Limits()).objective == pytest.approx(scipy_optimum(given))


def test_whole_entries_tell_how_far_to_search():
    """Beyond some distance from the relaxation's optimum there is nothing that is not nearer too."""
    result = get_engine("highs").solve(without_whole_numbers(factor=1), Limits())
    assert result.status is EngineStatus.INFEASIBLE


def test_columns_without_bounds_crash_no_engine(engine):
    """The feasibility jump of HiGHS 1.15.1 follows them to infinity and beyond (upstream issue 3262)."""
    rows = [
        [-1.75, -3, 1, 0, 0, 0, 0],
        [-1.75, 1.25, 2, -0.25, 0, 0, 0],
        [0, -0.75, -0.25, -1.75, 0, 0, 0],
        [1.5, 0, 0.5, -2, 0, 0, 0],
        [1.5, 4.25, 3.25, 5, 4.5, 4, 4.75],
    ]
    row_lower, row_upper = [3.25, -np.inf, -0.5, -4.5, 8], [np.inf, 3, np.inf, -4.5, np.inf]
    upper, integer = [4, np.inf, np.inf, np.inf, 1, 2, -2], [False, True, False, True, True, True, True]
    given = model(np.zeros(7), rows, row_lower, row_upper, lower=-np.inf, upper=upper, integer=integer)
    assert engine.solve(given, Limits(time_limit=20.0)).status is EngineStatus.INFEASIBLE


@pytest.mark.parametrize("cutoff", [np.inf, -3e6])
def test_integers_that_fall_for_ever_are_called_unbounded(engine, cutoff):
    """min x with 4 x <= y and |y| <= 1e9: x may fall whatever y is, and HiGHS 1.15.1 calls -2.5e8 optimal."""
    given = model([1, 0], [[4, -1]], -np.inf, 0, lower=[-np.inf, -1e9], upper=[np.inf, 1e9])
    result = engine.solve(given, Limits(cutoff=cutoff, time_limit=20.0))
    assert result.status is EngineStatus.UNBOUNDED
    assert violation(given, result.improving[0]) <= FEASIBILITY_TOLERANCE


def test_limits_next_to_whole_multiples_lose_no_decision(engine):
    """x = 2 needs z = 2.000001; HiGHS 1.15.1 rounds that to 2 in presolve, misses the row and takes x = 1."""
    given = model([-1, 0, 0], [[-3, 1, 3]], 3.000003, 9, lower=[1, 0, 0], upper=[2, 3, 3], integer=[True, False, False])
    assert engine.solve(given, Limits()).objective == pytest.approx(-2)


def test_target_stops_the_search(engine):
    """The first incumbent below the target ends a search that would take hours."""
    result = engine.solve(market_split(), Limits(target=500.0))
    assert result.status is EngineStatus.TARGET
    assert result.objective < 500.0
    assert result.bound <= result.objective


@pytest.mark.parametrize("seed", [1, 4, 7])
def test_target_is_strict(engine, seed):
    """An incumbent equal to the target does not stop the search, so the optimum itself is proved."""
    given = random_model(seed)
    value = scipy_optimum(given)
    result = engine.solve(given, Limits(target=value - 1e-5))
    assert result.status in (EngineStatus.OPTIMAL, EngineStatus.INFEASIBLE)


@pytest.mark.parametrize("offset", [0.0, 100.0, -100.0])
def test_cutoff_above_the_optimum_keeps_it(engine, offset):
    """Pruning what is not of interest leaves the optimum; the offset counts."""
    result = engine.solve(replace(TWO_COLUMNS, offset=offset), Limits(cutoff=8.5 + offset))
    assert result.status is EngineStatus.OPTIMAL
    assert result.objective == pytest.approx(8.0 + offset)
    assert result.bound == pytest.approx(8.0 + offset)


@pytest.mark.parametrize("offset", [0.0, 100.0, -100.0])
@pytest.mark.parametrize("cutoff", [5.0, 7.5, 8.0])
@pytest.mark.parametrize("integer", [True, False])
def test_cutoff_below_the_optimum_proves_the_cutoff(engine, offset, cutoff, integer):
    """Nothing is cheaper than the cutoff; no value above it is sold as the optimum."""
    if not integer:
        cutoff -= 1.0  # the linear program's optimum is 7
    given = replace(TWO_COLUMNS, offset=offset, integer=np.full(2, integer))
    result = engine.solve(given, Limits(cutoff=cutoff + offset))
    assert result.status is EngineStatus.CUTOFF
    assert result.bound == cutoff + offset


@pytest.mark.parametrize("seed", range(12))
def test_cutoffs_never_give_a_wrong_optimum(engine, seed):
    """On random models a cutoff answers either with the optimum or with a true bound."""
    given = random_model(seed)
    value = scipy_optimum(given)
    for cutoff in (min(value, 100.0) - 3.0, min(value, 100.0) + 0.5):
        result = engine.solve(given, Limits(cutoff=cutoff))
        if cutoff < value:
            assert (result.status, result.bound) == (EngineStatus.CUTOFF, cutoff)
        else:
            assert result.status is EngineStatus.OPTIMAL
            assert result.objective == pytest.approx(value, rel=1e-6, abs=1e-5)


def test_loose_gap_still_proves_its_bound(engine):
    """With a gap of 50 % the answer may be worse than the optimum, the bound is never above it."""
    for seed in range(6):
        given = random_model(seed)
        value = scipy_optimum(given)
        result = engine.solve(given, Limits(gap=0.5))
        if value < np.inf:
            assert result.bound <= value + 1e-5 <= result.objective + 2e-5


def test_absolute_gap_ends_the_search(engine):
    """A gap wider than any solution's cost accepts the first one; the bound is what was proved by then."""
    result = engine.solve(market_split(), Limits(absolute_gap=1e6))
    assert result.status is EngineStatus.OPTIMAL
    assert result.bound < result.objective


def test_complete_start_becomes_the_incumbent(engine):
    """With a gap that accepts any solution, a good start is the answer."""
    given = market_split(num_rows=3, num_columns=20)
    best = engine.solve(given, Limits(time_limit=0.5))
    result = engine.solve(given, Limits(absolute_gap=1e6), best.values)
    assert result.objective <= best.objective + 1e-6


def test_partial_and_impossible_starts_do_no_harm(engine):
    """nan means unknown; a start that breaks a row is dropped."""
    for start in ([np.nan, 4.0], [0.0, np.nan], [0.0, 0.0], [np.nan, np.nan]):
        result = engine.solve(TWO_COLUMNS, Limits(), np.array(start))
        assert (result.status, result.objective) == (EngineStatus.OPTIMAL, pytest.approx(8.0))


def test_feasible_start_that_highs_stumbles_over(engine):
    """HiGHS 1.15 stops with "solve error" on this start, which is feasible and optimal."""
    rows = [[0, 0, 0, 0, 1, -19, 0], [0, 2, 1, 3, 0, 4, 0], [0, 0, 0, 1, 0, 3, 0],
            [0, 0, 0, 0, 1, 0, -18], [0, 2, 1, 3, 0, 0, 4], [0, 0, 0, 1, 0, 0, 3]]  # fmt: skip
    upper = [1, 3, 3, 1, np.inf, 4, 4]
    costs, integer = [15, 12, 1, 12, 1, 0, 0], np.arange(7) < 4
    given = model(costs, rows, [0, 8, 3, 0, 5, 4], lower=[0, 0, 0, 0, -np.inf, 0, 0], upper=upper, integer=integer)
    start = np.array([0, 0, 3, 0, 24, 1.25, 4 / 3])
    assert engine.solve(given, Limits(), start).objective == pytest.approx(27.0, rel=1e-6)


def test_improving_solutions_are_feasible_and_end_with_the_best(engine):
    """Worst first; the last one is worth the stated objective."""
    given = market_split(num_rows=3, num_columns=20)
    result = engine.solve(given, Limits(time_limit=0.5))
    costs = [float(given.costs @ values) for values in result.improving]
    assert all(violation(given, values) <= 10 * FEASIBILITY_TOLERANCE for values in result.improving)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == pytest.approx(result.objective, abs=1e-5)


def test_engines_print_nothing(engine, capfd):
    """Standard output belongs to the caller."""
    engine.solve(random_model(0), Limits())
    engine.solve(market_split(), Limits(time_limit=0.2))
    assert capfd.readouterr() == ("", "")


def test_statuses_that_are_not_understood_raise(engine, monkeypatch):
    """An engine's unknown word is an error, never an answer; HiGHS leaves such models to SCIP, if that is installed."""
    monkeypatch.setattr(sys.modules[type(engine).__module__], "_STATUS", {})
    monkeypatch.setitem(sys.modules, "neurprise.solvers.scip", None)
    with pytest.raises(EngineError, match="stopped with status"):
        engine.solve(TWO_COLUMNS, Limits())


def test_interrupt_reaches_the_caller(engine):
    """Ctrl-C inside an engine call ends it with KeyboardInterrupt, and the engine can be used again."""
    before = set(threading.enumerate())
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.solve(market_split(), Limits(time_limit=30.0))
    timer.join()
    assert set(threading.enumerate()) <= before, "the search is still running"
    assert engine.solve(TWO_COLUMNS, Limits()).objective == pytest.approx(8.0)


def test_engines_work_outside_the_main_thread(engine):
    """Ctrl-C is handled in the main thread only; a search elsewhere gives the same answer."""
    found = []
    worker = threading.Thread(target=lambda: found.append(engine.solve(TWO_COLUMNS, Limits())))
    worker.start()
    worker.join()
    assert found[0].objective == pytest.approx(8.0)


def test_start_at_the_cutoff_accepted_within_the_gap_proves_no_cutoff(engine):
    """With a loose gap the search may end at the start; a bound equal to the cutoff would then be a lie."""
    for seed in range(20):
        given = random_model(seed)
        value = scipy_optimum(given)
        if value == np.inf:
            continue
        worse = engine.solve(replace(given, costs=-given.costs), Limits()).values
        cutoff = float(given.costs @ worse + given.offset)
        result = engine.solve(given, Limits(gap=10.0, cutoff=cutoff), worse)
        assert result.bound <= value + 1e-5


def test_a_start_just_below_the_cutoff_is_an_answer(engine):
    """The cutoff is one rounding error above the start; whoever prunes everything has proved the start optimal."""
    given = replace(TWO_COLUMNS, offset=27.736111111111114)
    start = np.array([0.0, 4.0])
    cutoff = float(np.nextafter(given.costs @ start + given.offset, np.inf))
    result = engine.solve(given, Limits(cutoff=cutoff), start)
    assert result.status in (EngineStatus.OPTIMAL, EngineStatus.CUTOFF)
    assert result.bound == pytest.approx(cutoff)


def test_rows_that_miss_each_other_by_a_little_are_not_unbounded(engine):
    """A free column with a cost, held from below by a row, cannot fall; whether the other rows meet is tolerance."""
    rows, lower, upper = [[3.75, 0], [3.75, 0], [0, 1]], [0, 11.250003, 0], [11.2500009, 11.250003, np.inf]
    given = model([0, 1], rows, lower, upper, lower=[0, -np.inf], upper=[4, np.inf], integer=[True, False])
    assert engine.solve(given, Limits()).status is not EngineStatus.UNBOUNDED


def test_a_cost_that_falls_in_large_units_is_unbounded(engine):
    """min -625000 x + eta with eta >= 687500 x and x <= 0: eta falls faster than x rises, by little of a large unit."""
    given = model([-625000, 1], [[-687500, 1]], 0, lower=-np.inf, upper=[0, np.inf], integer=False)
    assert engine.solve(given, Limits()).status is EngineStatus.UNBOUNDED


def test_small_entries_are_not_dropped(engine):
    """The third column costs little and frees the first: -0.0024375 at (3, 0, 250), in units of a millionth."""
    rows, lower = [[-1e-3, 0, 5e-7], [3500, 500, 0]], [-0.002875, 7500]
    given = model([-1.25e-3, 1e-3, 5.25e-6], rows, lower, upper=[4, 3, np.inf], integer=[True, True, False])
    result = engine.solve(given, Limits(gap=0.0))
    assert result.objective == pytest.approx(-0.0024375)
    assert result.values == pytest.approx([3, 0, 250])


def test_duals_of_scaled_rows_belong_to_the_rows_as_they_are(engine):
    """min y with 2e-7 y >= 4e-7: one more unit on the right costs 5e6."""
    result = engine.solve(model([1.0], [[2e-7]], 4e-7, upper=np.inf, integer=False), Limits())
    if result.row_duals is None:
        pytest.skip("this engine gives no duals")
    assert result.row_duals == pytest.approx([5e6])


@pytest.mark.parametrize("cost", [4e-7, 1e-3, 1.0])
def test_a_small_cost_that_falls_for_ever_is_unbounded(engine, cost):
    """min cost * y with 4.09 y <= 0: HiGHS took a cost below its dual tolerance for none, and y = 0 for the optimum."""
    falling = EngineModel(
        costs=np.array([cost]),
        matrix=sparse.csr_array([[4.09]]),
        row_lower=np.array([-np.inf]),
        row_upper=np.zeros(1),
        lower=np.array([-np.inf]),
        upper=np.array([2000.0]),
        integer=np.zeros(1, dtype=bool),
    )
    assert engine.solve(falling, Limits()).status is EngineStatus.UNBOUNDED
    for other in (replace(falling, costs=np.array([-1.0])), replace(falling, lower=np.zeros(1))):
        session = engine.session(other)
        assert session.solve(Limits()).objective == pytest.approx(0.0, abs=1e-6)
        session.update(falling)
        assert session.solve(Limits()).status is EngineStatus.UNBOUNDED


def test_a_tight_search_sees_costs_below_the_usual_tolerance(engine):
    """Gurobi took a cost of 5.8e-7 for none, and so the cutoff for a bound of a cost that falls without limit."""
    cost, cutoff = 5.8e-7, -58.0
    falling = model(
        [cost, 1, 0, 0], [[4.25, 0, 0, 0], [-1.3 * cost, 1, -cost, 0], [0, 1, 0, -cost]], [-np.inf, 0, 0],
        [-10.75, np.inf, np.inf], lower=[-np.inf, -np.inf, -3, 1], upper=[2, np.inf, 3, 2],
        integer=[True, False, False, False],
    )  # fmt: skip
    far = np.array([-1e9, cost, 0.0, 1.0])
    assert violation(falling, far) == 0.0
    assert falling.costs @ far < cutoff
    result = engine.solve(falling, Limits(cutoff=cutoff, tolerance=1e-9))
    assert (result.status, result.bound) == (EngineStatus.UNBOUNDED, -np.inf)


@pytest.mark.parametrize("target", [1e15, 1e19, 1e20, 1e21, 1e30])
@pytest.mark.parametrize("integer", [True, False])
def test_a_target_that_any_point_meets_is_met_by_a_point(engine, target, integer):
    """To SCIP 1e20 is infinite: it met such a target without a point, and the search asked again and again."""
    given = replace(TWO_COLUMNS, integer=np.full(2, integer))
    result = engine.solve(given, Limits(target=target))
    assert result.values is not None
    assert violation(given, result.values) <= FEASIBILITY_TOLERANCE
    assert result.bound <= scipy_optimum(given) + FEASIBILITY_TOLERANCE


#: 10^8 / 2^27: what decimals become where rows of large entries are divided by a power of two.
NO_DECIMALS = 1e8 / 2**27


@pytest.mark.parametrize("unit", [NO_DECIMALS, np.sqrt(2), 0.45359237])
def test_equations_of_integers_in_any_unit_have_the_points_that_keep_them(engine, unit):
    """SCIP made entries whole that no power of ten makes whole, and called 3.64 z - 0.76 x = 10.93 infeasible."""
    rng = np.random.default_rng(7)
    given = [(np.array([[-1.02, 4.89]]), np.array([0, 3]))]
    given += [(np.round(rng.uniform(-5, 5, (1, 2 + k % 2)), 2), rng.integers(-3, 4, 2 + k % 2)) for k in range(24)]
    for rows, point in given:
        limit = float((rows @ point)[0]) * unit
        equation = model(np.zeros(len(point)), rows * unit, limit, limit, lower=np.where(point < 0, -np.inf, -3))
        assert engine.solve(equation, Limits()).status is EngineStatus.OPTIMAL, rows


def test_a_linear_program_far_from_zero_is_solved(engine, capfd):
    """SCIP ended with an error in its LP solver where a bound of 1e9 decides, and printed it to standard error."""
    rows, lower = [[2, 0, -1.5], [-2.5, 4.25, 1.5], [4, 2.75, 2.75]], [-11.75, 11.875, 6]
    far = model([0, 55.87935448, -279.39677238], rows, lower, [np.inf, 15.875, np.inf], lower=[-3, -1, -3],
                upper=[np.inf, 1e9, np.inf], integer=False)  # fmt: skip
    result = engine.solve(far, Limits(tolerance=1e-9))
    assert (result.status, result.objective) == (EngineStatus.OPTIMAL, pytest.approx(-3110617397679.016))
    assert capfd.readouterr() == ("", "")


def test_a_cutoff_does_not_hide_that_the_cost_falls(engine):
    """Gurobi pruned this master of two scenarios at the cutoff, which a report then printed as a proved bound."""
    rows = [
        [0, 0.26, 0, 0, 0, 0],
        [-8.4, -10.46, 0, 1, -9.52, 0],
        [3.25, -1.29, 0, 0, -0.25, 0],
        [-2.15, -2.39, -1, 0, 3.71, 0],
        [11.49, -12.25, -1.07, 1, 0, -9.4],
        [0, 0.67, 0, 0, 0, -0.15],
        [3.47, 2.97, 3.14, 0, 0, 0],
    ]
    row_lower = [0.728, 0, -np.inf, -np.inf, 0, -np.inf, -np.inf]
    row_upper = [np.inf, np.inf, np.inf, 9.0418, np.inf, np.inf, 9.5086]
    falling = model(
        [10.77, 0, 13.06, 1, 0, 0], rows, row_lower, row_upper, lower=[-np.inf] * 4 + [0, 0], upper=[1] + [np.inf] * 5,
        integer=[True] + [False] * 5,
    )  # fmt: skip
    result = engine.solve(falling, Limits(gap=0.1, cutoff=-145.0389))
    assert (result.status, result.bound) == (EngineStatus.UNBOUNDED, -np.inf)
