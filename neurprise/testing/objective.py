"""The contract every objective keeps; each rule is one function below."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.objectives.base import Envelope, Objective
from neurprise.problem import TwoStageProblem
from neurprise.solvers import EngineModel, EngineStatus, Limits, get_engine
from neurprise.testing.reducer import small_problems
from neurprise.testing.rules import require

#: Beside values of about one.
TOLERANCE = 1e-6


def check_objective(objective: Objective, problems: Mapping[str, TwoStageProblem] | None = None) -> None:
    """
    Raise AssertionError, naming the rule, unless the objective keeps the contract on these problems' scenarios.

    Parameters
    ----------
    objective
        What `nr.solve(objective=...)` would be given.
    problems
        By name; None: `small_problems()`.
    """
    for kind in ("name", "words"):
        require(isinstance(getattr(objective, kind, None), str), f"{objective!r} must have {kind}, a string")
    for label, problem in (small_problems() if problems is None else problems).items():
        case = _Case(objective, label, objective.envelope(problem))
        require(case.envelope.num_scenarios == problem.num_scenarios, f"{label}: bounds of p must be one per scenario")
        for costs in _costs(problem.num_scenarios):
            _is_the_largest_mean(case, costs)
            _is_in_the_envelope(case, costs)
            _follows_the_costs(case, costs)
            _knows_infinite_costs(case, costs)
            _does_not_depend_on_the_order(case, problem, costs)


class _Case:
    """One objective on the scenarios of one problem."""

    def __init__(self, objective: Objective, label: str, envelope: Envelope) -> None:
        self.objective = objective
        self.label = label
        self.envelope = envelope

    def require(self, kept: bool, rule: str) -> None:
        require(kept, f"{self.objective.name} on {self.label}: {rule}")

    def largest(self, costs: Floats, fixed: Floats | None = None) -> float | None:
        """The largest mean over P by an engine, at this p only where it is fixed; None where P is empty."""
        envelope, size = self.envelope, self.envelope.num_scenarios
        helpers = envelope.rows.shape[1] - size
        lower, upper = (envelope.lower, envelope.upper) if fixed is None else (fixed - TOLERANCE, fixed + TOLERANCE)
        model = EngineModel(
            costs=np.concatenate([-costs, np.zeros(helpers)]),
            matrix=sparse.csr_array(envelope.rows),
            row_lower=np.where(envelope.equal, envelope.limits, -np.inf),
            row_upper=envelope.limits,
            lower=np.concatenate([lower, np.zeros(helpers)]),
            upper=np.concatenate([upper, np.full(helpers, np.inf)]),
            integer=np.zeros(size + helpers, dtype=bool),
        )
        result = get_engine("highs").solve(model, Limits())
        return -result.objective if result.status is EngineStatus.OPTIMAL else None


def _costs(size: int) -> list[Floats]:
    """Costs of several kinds: all different, with ties, of both signs, all equal."""
    rng = np.random.default_rng(0)
    return [rng.normal(size=size), rng.integers(0, 3, size).astype(float), np.full(size, 0.5), -rng.random(size)]


def _is_the_largest_mean(case: _Case, costs: Floats) -> None:
    got, best = case.envelope.value(costs), case.largest(costs)
    case.require(best is not None, "P must not be empty")
    assert best is not None
    case.require(abs(got - best) <= TOLERANCE, f"the value must be the largest mean over P, {best:g}, got {got:g}")


def _is_in_the_envelope(case: _Case, costs: Floats) -> None:
    p = case.envelope.worst_probabilities(costs)
    case.require(bool((p >= 0).all()) and abs(p.sum() - 1.0) <= TOLERANCE, f"p must be probabilities, got {p}")
    case.require(case.largest(costs, fixed=p) is not None, f"p must lie in P, got {p}")
    case.require(not p[~case.envelope.possible].any(), "p must be zero where no p in P is positive")


def _follows_the_costs(case: _Case, costs: Floats) -> None:
    """One unit more everywhere is one unit more; twice the costs are twice the value; between mean and maximum."""
    value = case.envelope.value
    case.require(abs(value(costs + 1.0) - value(costs) - 1.0) <= TOLERANCE, "a constant must add itself")
    case.require(abs(value(2.0 * costs) - 2.0 * value(costs)) <= TOLERANCE, "twice the costs must be twice the value")
    case.require(costs.min() - TOLERANCE <= value(costs) <= costs.max() + TOLERANCE, "a mean lies between the costs")


def _knows_infinite_costs(case: _Case, costs: Floats) -> None:
    """inf where the scenario may have weight; a scenario without any does not count."""
    for s in range(len(costs)):
        hopeless = costs.copy()
        hopeless[s] = np.inf
        got, finite = case.envelope.value(hopeless), not case.envelope.possible[s]
        rule = f"a scenario without recourse must {'not ' if finite else ''}make the value inf, got {got}"
        case.require(np.isfinite(got) == finite, rule)


def _does_not_depend_on_the_order(case: _Case, problem: TwoStageProblem, costs: Floats) -> None:
    order = np.random.default_rng(1).permutation(len(costs))
    permuted = case.objective.envelope(problem.restrict(order.tolist()))
    same = abs(permuted.value(costs[order]) - case.envelope.value(costs)) <= TOLERANCE
    case.require(same, "the order of the scenarios must not matter")
