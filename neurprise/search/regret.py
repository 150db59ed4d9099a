"""
Regret as a cost: the problem in which scenario s costs c'x + Q(x, s) - V({s}).

One more recourse variable is fixed at what scenario s takes off. So every search, reducer and engine that knows worst
cases knows regrets. V({s}) is known as an interval: the upper end is taken off where bounds are proved, the lower end
where an answer is judged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, frozen
from neurprise.clock import OutOfTimeError
from neurprise.errors import NotApplicableError, part_of
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import Changes
from neurprise.search.session import SearchSession, Status
from neurprise.search.single_values import family_values
from neurprise.solvers import EngineStatus, Limits


@dataclass(frozen=True)
class BestCosts:
    """
    V({s}) of every scenario.

    Parameters
    ----------
    lower, upper
        lower <= V({s}) <= upper, shape (S,); infinite where time was over before.
    decisions
        First-stage decisions that were found on the way, each of shape (n,).
    ended
        Why not all of them are known; None where they are.
    """

    lower: Floats
    upper: Floats
    decisions: tuple[Floats, ...]
    ended: Status | None = None

    @property
    def largest(self) -> float:
        """The largest |V({s})|: regrets are differences of costs of this size."""
        return float(np.abs(self.upper[np.isfinite(self.upper)]).max(initial=0.0))

    def regrets(self, totals: Floats, relative: bool) -> Floats:
        """Upper bounds of the regrets of a decision with these total costs, shape (S,); never below zero."""
        sizes = np.minimum(np.abs(self.lower), np.abs(self.upper)) if relative else 1.0
        with np.errstate(invalid="ignore"):
            return np.asarray(np.maximum(np.where(totals == math.inf, math.inf, totals - self.lower), 0.0) / sizes)


def best_costs(session: SearchSession) -> BestCosts:
    """V({s}) of every scenario of a session's problem to proved optimality, as time allows."""
    size = session.problem.num_scenarios
    lower, upper, decisions = np.full(size, -math.inf), np.full(size, math.inf), list[Floats]()
    ended = None
    try:
        known, alone = family_values(session), session.problem.single_scenarios
        if known is not None and alone is not None:
            lower, upper = np.where(np.isnan(known), lower, known), np.where(np.isnan(known), upper, known)
            decisions = list(alone.decisions(np.flatnonzero(~np.isnan(known)).tolist()))
        else:
            _solve_each(session, lower, upper, decisions)
    except OutOfTimeError:
        ended = Status.TIME_LIMIT
    except KeyboardInterrupt:
        ended = Status.INTERRUPTED
    if ended is None and not np.isfinite(lower).all():
        ended = Status.TIME_LIMIT
    return BestCosts(lower, upper, tuple(decisions), ended)


def _solve_each(session: SearchSession, lower: Floats, upper: Floats, decisions: list[Floats]) -> None:
    """Write the interval of each V({s}) and the decisions found, in place; may raise OutOfTimeError."""
    masters = session.parallel_masters
    at_once = masters.number
    for first in range(0, len(lower), at_once):
        session.say(f"V({{s}}) known in {part_of(first, len(lower), 'scenario')}")
        part = list(range(first, min(first + at_once, len(lower))))
        results = masters.solve([[s] for s in part], [Limits(gap=0.0)] * len(part))
        for s, result in zip(part, results, strict=True):
            if result.status is EngineStatus.UNBOUNDED:
                session.refuse_unbounded()
            lower[s], upper[s] = min(result.bound, result.value), result.value
            decisions += [] if result.x is None else [result.x]
        if session.deadline.passed:
            raise OutOfTimeError


def regret_problem(problem: TwoStageProblem, best: BestCosts, relative: bool) -> TwoStageProblem:
    """The problem whose costs are the regrets, from the upper ends of V({s}); a minimisation, of no family."""
    taken = np.where(np.isfinite(best.upper), best.upper, 0.0)
    factors = 1.0 / _sizes(problem, best) if relative else np.ones(problem.num_scenarios)
    base = _scaled(problem, factors) if relative else problem
    constants = (problem.offset - taken) * factors if relative else -taken
    whole = base.integral_objective and bool((constants == np.round(constants)).all())
    usual = float(np.quantile(base.cost_sizes, 0.25, method="lower")) if len(base.cost_sizes) else 1.0
    unit = 1.0 if whole else usual  # of an ordinary size, so that engines see the costs as before
    recourse, m = base.recourse, base.num_recourse
    longer = replace(
        recourse,
        costs=_with(recourse.costs, unit),
        matrix=_wider(recourse.matrix),
        lower=_with(recourse.lower, 0.0),
        upper=_with(recourse.upper, 0.0),
        integer=frozen(np.append(recourse.integer, whole)),
    )
    column = (constants / unit)[:, None]
    changes = dict(base.changes) | {
        kind: _with_column(base.changes.get(kind), m, column) for kind in ("lower", "upper")
    }
    names = (*base.y_names, _new_name(base.y_names)) if base.y_names else ()
    general = base.general_form() | {"recourse": longer, "changes": changes, "y_names": names, "maximize": False}
    return TwoStageProblem(**general)


def _sizes(problem: TwoStageProblem, best: BestCosts) -> Floats:
    """|V({s})|, shape (S,), of which none may be zero; 1 where it is not known."""
    known = np.isfinite(best.lower)
    bad = np.flatnonzero(known & ~(best.lower * np.where(known, best.upper, 1.0) > 0.0))
    if len(bad):
        name = problem.scenario_labels[bad[0]]
        raise NotApplicableError(
            f"the relative regret divides by the best cost of each scenario, which must not be zero, got "
            f"{best.upper[bad[0]]:g} in scenario {name!r}; use the objective 'regret'."
        )
    return np.where(known, np.maximum(np.abs(best.lower), np.abs(best.upper)), 1.0)


def _scaled(problem: TwoStageProblem, factors: Floats) -> TwoStageProblem:
    """The problem with every total cost but the offset multiplied by its scenario's factor, shape (S,)."""
    first, size = problem.first_stage, problem.num_scenarios
    scenarios = [problem.scenario(s) for s in range(size)]
    costs = np.array([f * s.costs for f, s in zip(factors, scenarios, strict=True)])
    x_costs = np.array([f * (first.costs + s.x_costs) for f, s in zip(factors, scenarios, strict=True)])
    tables = {"costs": costs, "x_costs": x_costs}
    changes = {kind: Changes(np.arange(table.shape[1]), frozen(table)) for kind, table in tables.items()}
    general = problem.general_form() | {
        "first_stage": replace(first, costs=frozen(np.zeros(len(first.costs)))),
        "changes": dict(problem.changes) | changes,
        "offset": 0.0,
    }
    return TwoStageProblem(**general)


def _with(values: Floats, last: float) -> Floats:
    return frozen(np.append(values, last))


def _wider(matrix: sparse.csr_array) -> sparse.csr_array:
    """The matrix with one more column, of zeros."""
    shape = (matrix.shape[0], matrix.shape[1] + 1)
    return sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=shape)


def _with_column(change: Changes | None, position: int, column: Floats) -> Changes:
    if change is None:
        return Changes(np.array([position]), frozen(column))
    return Changes(np.append(change.positions, position), frozen(np.hstack([change.values, column])))


def _new_name(names: tuple[str, ...]) -> str:
    name = "best cost"
    while name in names:
        name += "_"
    return name
