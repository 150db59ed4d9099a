"""
What every way to compute Q(x, s) takes and gives; the unit of costs; and the plain way, one open engine model.

**The unit of costs.** Engines keep rows, bounds and reduced costs to absolute tolerances, so their proofs hold only for
costs of ordinary size. Other costs are divided by a power of two, which loses nothing. A cost far above the value that
is searched for, such as a penalty for shortage, is cut down to the largest cost that an engine can distinguish from the
others. On a variable that cannot fall below zero this relaxes the problem: every bound stays true. If the optimum does
not use the variable, the bound is as good as before.

If costs are not ordinary, each recourse is solved in the unit of its own value. Its cost is the price, at the user's
costs, of a point that keeps its rows and bounds, so it is never too low.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.model import recourse_model
from neurprise.solvers import (
    Engine,
    EngineModel,
    EngineResult,
    EngineSession,
    EngineStatus,
    Limits,
    clipped,
    get_engine,
    made_exact,
    solved_tightly,
)
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE, TIGHT_TOLERANCE

#: Called with the number of scenarios of an evaluation that are done.
OnProgress = Callable[[int], None]


@dataclass(frozen=True)
class CostBounds:
    """
    What is known about the recourse costs of one decision.

    Parameters
    ----------
    upper
        Q(x, s) <= upper[s], shape (S,); inf also where a scenario was not looked at.
    scenario
        The scenario that costs most as far as is known.
    lower
        Proved: Q(x, scenario) >= lower.
    complete
        True: upper[scenario] is exact and no other entry is larger, so it is the maximum of Q(x, s) over all s. False:
        the evaluation ended at a scenario that was bad enough.
    certain
        True: a recourse that keeps every rule is known for every scenario and costs no more, so that the maximum does
        not rest on warm linear programs.
    """

    upper: Floats
    scenario: int
    lower: float
    complete: bool
    certain: bool = False


class PartialEvaluationError(OutOfTimeError):
    """
    Time was over before the last scenario.

    Parameters
    ----------
    costs
        Q(x, s) or an upper bound of it where known, nan elsewhere; shape (S,).
    """

    def __init__(self, costs: Floats) -> None:
        super().__init__()
        self.costs = costs


class RecourseSolver(Protocol):
    """One way to compute Q(x, s) for the scenarios of one problem; integer entries of x are exactly integer."""

    needs_confirmation: bool  # warm linear programs were trusted: ask a fresh model about what decides

    def costs(self, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Floats:
        """
        Q(x, s) for these s, nan for others, shape (S,).

        Raises PartialEvaluationError when the deadline passes before the end.
        """

    def bounds(
        self, x: Floats, order: Sequence[int], deadline: Deadline, known: Mapping[int, float], enough: float
    ) -> CostBounds:
        """
        As much about Q(x, s) as it takes to know the maximum over `order`, or that it is at least `enough`.

        Parameters
        ----------
        order
            The scenarios that are asked about, likely worst first; others keep the entry inf.
        known
            Cost of a recourse that is feasible for x, by scenario: an upper bound of Q(x, s).
        enough
            A scenario that costs at least this ends the evaluation; inf evaluates to the end.
        """

    def decision(self, x: Floats, scenario: int, deadline: Deadline) -> Floats | None:
        """A recourse y, shape (m,): the one last found for (x, scenario), else an optimal one; None if infeasible."""

    def forget(self) -> None:
        """Close warm engine models; the next evaluation builds them anew."""


def ignore_progress(done: int) -> None:
    """The default listener: nothing is shown."""


def is_enough(cost: float, enough: float) -> bool:
    """Whether a cost ends the evaluation; a decision without recourse is evaluated to the end if nothing is asked."""
    return cost >= enough and enough < math.inf


def complete_bounds(upper: Floats, order: Sequence[int]) -> CostBounds:
    """Bounds whose largest entry among `order` is exact."""
    asked = np.sort(np.asarray(order, dtype=np.int64))
    scenario = int(asked[np.argmax(upper[asked])])
    return CostBounds(upper, scenario, float(upper[scenario]), complete=True)


#: Nothing is scaled if all costs are at most the second and most are at least the first: engines were right on
#: thousands of such problems.
_ORDINARY_COSTS = (1e-3, 1e6)
#: A typical cost or value, in units.
_TYPICAL = 64.0
#: Values outside this range, in units, are computed again in another unit.
_FITTING_VALUES = (0.5, 1e6)
#: Smaller costs, in units, become zero where that relaxes the problem: SCIP was wrong beside them.
_SMALLEST_COST = 2.0**-30
#: The largest cost that engines see, in units: from ten times as much on they were wrong beside values of `_TYPICAL`.
_LARGEST_COST = 2.0**20


@dataclass(frozen=True)
class CostScale:
    """
    How costs are given to an engine.

    Parameters
    ----------
    unit
        A power of two; engines see costs divided by it.
    largest
        In the user's unit: larger costs are cut down to it where that relaxes the problem.
    largest_unit
        The size of the largest cost. In a larger unit all costs would be next to nothing: then a value is large because
        variables are, and no unit of costs helps.
    """

    unit: float = 1.0
    largest: float = math.inf
    largest_unit: float = math.inf

    @classmethod
    def around(cls, size: float, largest_unit: float = math.inf) -> CostScale:
        """The scale in which costs or values of this size, above zero, are ordinary."""
        unit = min(2.0 ** round(math.log2(size / _TYPICAL)), largest_unit)
        return cls(unit, _LARGEST_COST * unit, largest_unit)

    def fits(self, value: float) -> bool:
        """Whether an engine that found this value in this scale can be believed."""
        smallest, largest = _FITTING_VALUES
        untouched = self is ORDINARY or value == 0.0 or not math.isfinite(value)
        return untouched or smallest <= abs(value) / self.unit <= largest

    def fitted_to(self, value: float) -> CostScale:
        """This scale, or one in which the value is ordinary, as far as there is one."""
        return self if self.fits(value) else CostScale.around(abs(value), self.largest_unit)

    @property
    def with_whole_costs(self) -> CostScale:
        """The same unit, and no cost is cut down: with less to pay, a cost may fall without limit that does not."""
        return replace(self, largest=math.inf)

    def relaxed(self, costs: Floats, lower: Floats, upper: Floats) -> Floats:
        """
        Costs with those cut down that are too large, where zero is the cheapest value of their variable.

        Costs that an engine cannot distinguish from zero become zero.
        """
        if self.largest == math.inf:
            return costs
        negligible = np.abs(costs) < _SMALLEST_COST * self.unit
        seen = np.where(negligible, 0.0, np.clip(costs, -self.largest, self.largest))
        is_relaxed = ((lower == 0.0) & (costs > 0.0)) | ((upper == 0.0) & (costs < 0.0))
        return np.where(is_relaxed, seen, costs)

    def applied(self, model: EngineModel) -> EngineModel:
        """The model as an engine sees it: values of its costs are in units."""
        costs = self.relaxed(model.costs, model.lower, model.upper)
        return replace(model, costs=costs / self.unit, offset=model.offset / self.unit)

    def limits(self, limits: Limits) -> Limits:
        """Limits in units."""
        return (
            limits
            if self.unit == 1.0
            else replace(limits, target=limits.target / self.unit, cutoff=limits.cutoff / self.unit)
        )

    def read(self, result: EngineResult) -> EngineResult:
        """What an engine found and proved, in the user's unit; duals stay in units."""
        if self.unit == 1.0:
            return result
        return replace(result, objective=result.objective * self.unit, bound=result.bound * self.unit)


ORDINARY = CostScale()


def cost_scale(problem: TwoStageProblem) -> CostScale:
    """
    The scale in which a problem's costs are ordinary; `ORDINARY` where they are.

    A quarter of all costs may be smaller, so that neither a few negligible ones nor many penalties decide.
    """
    sizes = problem.cost_sizes
    if len(sizes) == 0:
        return ORDINARY
    quarter = (len(sizes) - 1) // 4
    typical = float(np.partition(sizes, quarter)[quarter])
    smallest, largest = _ORDINARY_COSTS
    if typical >= smallest and sizes.max() <= largest:
        return ORDINARY
    largest_unit = 2.0 ** math.floor(math.log2(sizes.max()))
    scale = CostScale.around(typical, largest_unit)
    keeps_unit = smallest <= typical <= largest / _TYPICAL
    return CostScale(1.0, _LARGEST_COST, largest_unit) if keeps_unit else scale


def has_ordinary_costs(problem: TwoStageProblem) -> bool:
    """Whether engines can be given the costs as they are."""
    return cost_scale(problem) is ORDINARY


#: Integer recourse is expensive; this many of its decisions are kept for warm starts.
_DECISIONS_KEPT = 5_000


class EngineRecourse:
    """
    min_y q_s'x + b_s'y for one (x, s) after another, in one engine session.

    Parameters
    ----------
    problem
        Its scenarios are the ones evaluated.
    engine
        An engine or its name, loaded when first asked.
    on_progress
        Called with the number of scenarios that are done.
    """

    def __init__(
        self, problem: TwoStageProblem, engine: str | Engine, on_progress: OnProgress = ignore_progress
    ) -> None:
        self.on_progress = on_progress
        self._problem = problem
        self._engine = engine
        self._session: EngineSession | None = None
        self._known_decisions: dict[tuple[bytes, int], Floats] = {}
        self._discrete = bool(problem.recourse.integer.any())
        self._scale = cost_scale(problem)
        self.needs_confirmation = not self._discrete and self._scale is ORDINARY

    def costs(self, x: Floats, scenarios: Sequence[int], deadline: Deadline) -> Floats:
        costs = np.full(self._problem.num_scenarios, np.nan)
        self._fill(costs, x, scenarios, deadline)
        return costs

    def bounds(
        self, x: Floats, order: Sequence[int], deadline: Deadline, known: Mapping[int, float], enough: float
    ) -> CostBounds:
        """As the protocol says; with integer recourse a solve stops once a cheaper answer than the worst is found."""
        costs = np.full(self._problem.num_scenarios, np.nan)
        bad = self._fill(costs, x, order, deadline, known, enough)
        upper = np.where(np.isnan(costs), math.inf, costs)
        return complete_bounds(upper, order) if bad is None else CostBounds(upper, bad, float(costs[bad]), False)

    def decision(self, x: Floats, scenario: int, deadline: Deadline) -> Floats | None:
        known = self._known_decisions.get((x.tobytes(), scenario))
        return self.solve(x, scenario, deadline)[1] if known is None else known

    def forget(self) -> None:
        self._session = None

    def solve(
        self, x: Floats, scenario: int, deadline: Deadline, target: float = -math.inf
    ) -> tuple[float, Floats | None]:
        """Q(x, scenario) and its y, or the first recourse below `target`; may raise OutOfTimeError."""
        if deadline.passed:  # engines may finish a small model however little time is left
            raise OutOfTimeError
        model = recourse_model(self._problem, x, self._problem.scenario(scenario))
        cost, y = read_cost(self._answer(model, deadline, target))
        if y is not None and self._discrete:
            self.remember(x, scenario, y)
        return cost, y

    def _answer(self, model: EngineModel, deadline: Deadline, target: float) -> EngineResult:
        if self._scale is not ORDINARY:
            self._engine = get_engine(self._engine)
            return carefully_solved(model, self._engine, deadline, self._scale)
        if self._session is None:
            self._session = get_engine(self._engine).session(model)
        else:
            self._session.update(model)
        result = self._session.solve(Limits(gap=0.0, time_limit=deadline.remaining, target=target))
        return result if _is_priced_right(model, result) else self._exact_answer(model, deadline, result)

    def _exact_answer(self, model: EngineModel, deadline: Deadline, result: EngineResult) -> EngineResult:
        """The optimum from a fresh model with tight rows; `result` where the engine stumbles over those."""
        engine = get_engine(self._engine)
        again = solved_tightly(engine, model, Limits(gap=0.0).until(deadline))
        return made_exact(engine, model, again, deadline) if again.status is EngineStatus.OPTIMAL else result

    def remember(self, x: Floats, scenario: int, y: Floats) -> None:
        """Keep a feasible recourse for `decision`."""
        if len(self._known_decisions) >= _DECISIONS_KEPT:
            self._known_decisions.clear()
        self._known_decisions[x.tobytes(), scenario] = y

    def _fill(
        self,
        costs: Floats,
        x: Floats,
        order: Iterable[int],
        deadline: Deadline,
        known: Mapping[int, float] | None = None,
        enough: float = math.inf,
    ) -> int | None:
        """Write costs, in place, in this order; the scenario that was bad enough to stop at, if any."""
        worst = -math.inf
        for done, s in enumerate(order):
            self.on_progress(done)
            attained = math.inf if known is None else known.get(s, math.inf)
            settled = attained < worst  # strictly: a cost that equals the worst case must be exact
            target = worst if known is not None and self._discrete else -math.inf
            try:
                costs[s] = attained if settled else min(self.solve(x, s, deadline, target)[0], attained)
            except OutOfTimeError:
                raise PartialEvaluationError(costs) from None
            worst = max(worst, float(costs[s]))
            if is_enough(worst, enough):
                return s
        return None


def fresh_cost(problem: TwoStageProblem, engine: str | Engine, x: Floats, scenario: int, deadline: Deadline) -> float:
    """Q(x, scenario) from a model built anew: warm linear programs have been seen to end at a wrong optimum."""
    model = recourse_model(problem, x, problem.scenario(scenario))
    return read_cost(carefully_solved(model, get_engine(engine), deadline, cost_scale(problem)))[0]


def read_cost(result: EngineResult) -> tuple[float, Floats | None]:
    """The cost of a recourse and the recourse; inf where there is none, -inf where its cost falls without limit."""
    if result.status is EngineStatus.TIME_LIMIT:
        raise OutOfTimeError
    if result.status is EngineStatus.NUMERICAL_LIMIT:
        raise EngineError(
            "the engine cannot determine what the recourse costs: rows have entries on integer variables that are too "
            "large beside the others; use a smaller big M, or another solver."
        )
    if result.status is EngineStatus.UNBOUNDED:
        return -math.inf, result.improving[-1] if result.improving else None
    return (math.inf, None) if result.values is None else (result.objective, result.values)


#: Units tried at most; each is that of the last value, so two or three usually suffice.
_MOST_UNITS = 6
#: Rows missed by more than this, relative to the size of their terms, are not missed by rounding alone.
_ROUNDING = 1e-14


def carefully_solved(model: EngineModel, engine: Engine, deadline: Deadline, scale: CostScale) -> EngineResult:
    """
    The model's optimum: its status, the price of its point in the user's unit, and the point.

    Parameters
    ----------
    scale
        What is tried first.
    """
    for _ in range(_MOST_UNITS):
        result = _solved(model, engine, deadline, scale)
        if result.status is EngineStatus.UNBOUNDED:
            scale = scale.with_whole_costs
            result = _solved(model, engine, deadline, scale)
        fitted = scale.fitted_to(result.objective - model.offset)
        if fitted == scale:
            break
        scale = fitted
    if result.values is not None and result.bound < result.objective - TIGHT_TOLERANCE * abs(result.objective):
        # The point uses a variable whose cost was cut down: another one may be better at the true costs.
        again = _solved(model, engine, deadline, scale.with_whole_costs)
        result = again if again.objective < result.objective else result
    return result


def _solved(model: EngineModel, engine: Engine, deadline: Deadline, scale: CostScale) -> EngineResult:
    """The optimum of the model as this scale shows it, priced in the user's costs."""
    seen, limits = scale.applied(model), Limits()
    result = solved_tightly(engine, seen, limits.until(deadline))
    if result.status is EngineStatus.INFEASIBLE:  # without costs an engine may still find a point
        blank = replace(seen, costs=np.zeros(len(seen.costs)), offset=0.0)
        result = replace(solved_tightly(engine, blank, limits.until(deadline)), bound=-math.inf)
    exact = made_exact(engine, seen, result, deadline)
    if exact.values is None:
        return exact
    return replace(scale.read(exact), objective=price(model, exact.values))


def _is_priced_right(model: EngineModel, result: EngineResult) -> bool:
    """Whether the cost stays the same where the point is made to keep its rows and bounds: penalties can be dear."""
    if result.values is None:
        return True
    exact = price(model, clipped(model, result.values))
    return exact - result.objective <= FEASIBILITY_TOLERANCE * max(1.0, abs(result.objective))


def price(model: EngineModel, values: Floats) -> float:
    """What a point costs, and what it would cost at most to close the rows that it misses."""
    cost = float(model.costs @ values) + model.offset
    missed = rows_missed(model, values)
    return cost + float(missed @ _highest_prices(model)) if missed.any() else cost


def rows_missed(model: EngineModel, values: Floats) -> Floats:
    """By how much a point misses each row, shape (rows,); rounding counts as nothing."""
    activity, size = model.matrix @ values, abs(model.matrix) @ np.abs(values)
    missed = np.maximum(np.maximum(model.row_lower - activity, activity - model.row_upper), 0.0)
    limits = np.where(np.isfinite(model.row_lower), np.abs(model.row_lower), 0.0)
    return np.where(missed > _ROUNDING * (size + limits), missed, 0.0)


def _highest_prices(model: EngineModel) -> Floats:
    """The highest price of one unit of each row, by any of its continuous columns, shape (rows,)."""
    prices = abs(model.matrix).tocsr().copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        prices.data = np.where(prices.data > 0, np.abs(model.costs)[prices.indices] / prices.data, 0.0)
    prices.data[model.integer[prices.indices]] = 0.0
    return np.asarray(prices.max(axis=1).toarray()).ravel() if prices.shape[1] else np.zeros(prices.shape[0])
