"""The shipped contract of engines: every engine keeps it, and broken ones are caught."""

import math
from dataclasses import replace

import numpy as np
import pytest

from neurprise.solvers import EngineStatus, get_engine
from neurprise.solvers.base import FreshSession
from neurprise.testing import check_engine


def test_every_engine_keeps_the_contract(engine):
    """On models that are solved by looking at every point."""
    check_engine(engine)


class Broken:
    """HiGHS, with its answer spoilt by `spoil(result, model, limits)`."""

    name = "broken"

    def __init__(self, spoil):
        self._spoil, self._engine = spoil, get_engine("highs")

    def solve(self, model, limits, start=None):
        return self._spoil(self._engine.solve(model, limits, start), model, limits)

    def session(self, model):
        return FreshSession(self, model)


def has_values(result):
    return result.values is not None


def forgets_the_offset(result, model, limits):
    return replace(result, objective=result.objective - model.offset, bound=result.bound - model.offset)


def bounds_too_high(result, model, limits):
    return replace(result, bound=result.objective + 1.0) if has_values(result) else result


def proves_nothing(result, model, limits):
    return replace(result, bound=-math.inf) if has_values(result) else result


def breaks_a_row(result, model, limits):
    return replace(result, values=result.values + 7.0) if has_values(result) else result


def calls_infeasible_optimal(result, model, limits):
    if result.status is EngineStatus.INFEASIBLE:
        return replace(result, status=EngineStatus.OPTIMAL, objective=0.0)
    return result


def calls_unbounded_infeasible(result, model, limits):
    if result.status is EngineStatus.UNBOUNDED:
        return replace(result, status=EngineStatus.INFEASIBLE, objective=math.inf, bound=math.inf)
    return result


def proves_more_than_the_cutoff(result, model, limits):
    if result.status is EngineStatus.CUTOFF:
        return replace(result, bound=limits.cutoff + 5.0)
    return result


def calls_a_stopped_search_optimal(result, model, limits):
    if result.status is EngineStatus.TIME_LIMIT:
        return replace(result, status=EngineStatus.OPTIMAL)
    return result


MUTANTS = {
    forgets_the_offset: "optimum is",
    bounds_too_high: "bound",
    proves_nothing: "bound must reach",
    breaks_a_row: "keep the rows",
    calls_infeasible_optimal: "INFEASIBLE",
    calls_unbounded_infeasible: "UNBOUNDED",
    proves_more_than_the_cutoff: "proved the cutoff",
    calls_a_stopped_search_optimal: "TIME_LIMIT",
}


@pytest.mark.parametrize("spoil", MUTANTS, ids=lambda spoil: spoil.__name__)
def test_broken_engines_are_caught(spoil):
    """Each mutant breaks one rule, and the sentence names it."""
    with pytest.raises(AssertionError, match=MUTANTS[spoil]):
        check_engine(Broken(spoil))


def test_a_target_taken_for_less_or_equal_is_caught():
    """Stopping at an incumbent that only equals the target proves nothing about the optimum."""

    def stops_at_once(result, model, limits):
        if math.isfinite(limits.target) and has_values(result) and result.objective <= limits.target:
            return replace(result, status=EngineStatus.TARGET, bound=-math.inf)
        return result

    with pytest.raises(AssertionError, match="OPTIMAL"):
        check_engine(Broken(stops_at_once))


def test_a_start_taken_for_the_answer_is_caught():
    """(5, 5) is feasible and far from best."""

    class TrustsStarts(Broken):
        def solve(self, model, limits, start=None):
            result = self._engine.solve(model, limits, start)
            if start is None or np.isnan(start).any():
                return result
            return replace(result, objective=float(model.costs @ start) + model.offset, values=start)

    with pytest.raises(AssertionError, match="optimum is 8"):
        check_engine(TrustsStarts(None))


def test_a_session_that_ignores_updates_is_caught():
    """The first model is solved for ever."""

    class Stale(Broken):
        def session(self, model):
            session = FreshSession(self._engine, model)
            session.update = lambda model: None
            return session

        def solve(self, model, limits, start=None):
            return self._engine.solve(model, limits, start)

    with pytest.raises(AssertionError, match="session must take over"):
        check_engine(Stale(None))


def test_an_engine_needs_a_name():
    """Reports print it."""
    with pytest.raises(AssertionError, match="must have a name"):
        check_engine(object())
