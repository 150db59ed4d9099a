"""A second witness: another engine evaluates the decision and tries to refute the bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError, InfeasibleProblemError
from neurprise.infeasible.search import can_be_kept, feasibility_of_scenarios
from neurprise.objectives import Envelope
from neurprise.problem import TwoStageProblem
from neurprise.recourse.engine import cost_scale
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.solvers import Engine, EngineStatus, Limits
from neurprise.solvers.tolerances import ENGINE_PRECISION


@dataclass(frozen=True)
class Verification:
    """
    What a second engine says about an answer.

    Parameters
    ----------
    solver
        The second engine.
    worst_case
        Z(x) by its own solves, without the family's oracle; None where it did not finish in time.
    cheaper
        A value beyond the first engine's bound that it attained on the same scenarios, which refutes the bound; None if
        it found none.
    worst_case_agrees, bound_agrees
        True: confirmed to the precision of engines. False: refuted. None: not decided, because time was over or what
        the engine found beyond the bound is not confirmed by its own evaluation.
    """

    solver: str
    worst_case: float | None
    cheaper: float | None
    worst_case_agrees: bool | None
    bound_agrees: bool | None

    @property
    def agrees(self) -> bool | None:
        """True if worst case and bound are both confirmed, False if one is refuted, None if time was over."""
        verdicts = (self.worst_case_agrees, self.bound_agrees)
        if False in verdicts:
            return False
        return None if None in verdicts else True

    def in_users_sign(self, problem: TwoStageProblem) -> Verification:
        """The same verdict in profits, where the source was a maximisation."""
        worst = None if self.worst_case is None else problem.in_users_sign(self.worst_case)
        found = None if self.cheaper is None else problem.in_users_sign(self.cheaper)
        return replace(self, worst_case=worst, cheaper=found)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; infinite numbers become text."""
        return {name: str(v) if isinstance(v, float) and math.isinf(v) else v for name, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Verification:
        """The inverse of `to_dict`."""
        numbers = {name: None if data[name] is None else float(data[name]) for name in ("worst_case", "cheaper")}
        return cls(**{**data, **numbers})

    def __str__(self) -> str:
        if self.agrees:
            return f"verified by {self.solver}"
        if self.agrees is None:
            return f"not decided by {self.solver}"
        found = [] if self.worst_case_agrees is not False else [f"a worst case of {self.worst_case:,.10g}"]
        found += [] if self.cheaper is None else [f"a decision beyond the bound, at {self.cheaper:,.10g}"]
        return f"DISPUTED by {self.solver}, which finds {' and '.join(found)}"


def verify(
    problem: TwoStageProblem,
    x: Floats,
    worst_case: float,
    lower_bound: float,
    scenarios: Sequence[int],
    engine: Engine,
    deadline: Deadline,
    envelope: Envelope | None = None,
) -> Verification:
    """
    Evaluate x and test V(scenarios) >= lower_bound with this engine alone.

    Parameters
    ----------
    worst_case, lower_bound
        What the first engine claims: Z(x), and a bound on V(scenarios).
    envelope
        Of another objective: the claims are about its value, for which every possible scenario counts.
    """
    everything = range(problem.num_scenarios)
    counting = scenarios if envelope is None else np.flatnonzero(envelope.possible).tolist()
    found = _value(problem, x, everything, engine, deadline, envelope)
    cheaper, bound_agrees = _below_bound(problem, lower_bound, counting, engine, deadline, envelope)
    unit = cost_scale(problem).unit
    agrees = None if found is None else _close(found, worst_case, unit)
    return Verification(engine.name, found, cheaper, agrees, bound_agrees)


def verify_infeasible(
    problem: TwoStageProblem, error: InfeasibleProblemError, engine: Engine, deadline: Deadline
) -> InfeasibleProblemError:
    """
    The error with what this engine says about it, without costs.

    Raises EngineError where this engine finds a decision that has a recourse in each of the error's scenarios.
    """
    model = feasibility_of_scenarios(problem, error.scenarios)
    try:
        kept = can_be_kept(model.part(model.places()), engine, deadline)
    except OutOfTimeError:
        return error
    if kept:
        raise EngineError(
            f"{engine.name} finds a decision that keeps every row, although the solver finds none; rescale rows with "
            "very large or very small entries, or try another solver."
        ) from error
    return InfeasibleProblemError(f"{error} Verified by {engine.name}.", error.scenarios, error.conflict)


def _below_bound(
    problem: TwoStageProblem,
    lower_bound: float,
    scenarios: Sequence[int],
    engine: Engine,
    deadline: Deadline,
    envelope: Envelope | None,
) -> tuple[float | None, bool | None]:
    """A value below the bound, if the engine finds one, and whether the bound holds; None where that is not decided."""
    if lower_bound == -math.inf:
        return None, True
    cutoff = lower_bound - ENGINE_PRECISION * max(cost_scale(problem).unit, abs(lower_bound))
    form = ExtensiveForm(problem) if envelope is None else _objective_form(problem, envelope)
    form.scale = form.scale.fitted_to(lower_bound)
    limits = form.scale.limits(Limits(cutoff=cutoff).until(deadline))
    result = form.scale.read(engine.solve(form.model(scenarios), limits))
    if result.status is EngineStatus.UNBOUNDED:
        form.scale = form.scale.with_whole_costs
        result = form.scale.read(engine.solve(form.model(scenarios), limits.until(deadline)))
    if result.values is not None and result.objective < cutoff:
        # A model of many scenarios may miss a row by more than the tolerance; what it found must stand on its own.
        attained = _value(problem, form.first_stage_of(result.values), scenarios, engine, deadline, envelope)
        refuted = attained is not None and attained < cutoff
        return (attained, False) if refuted else (None, None)
    if result.status is EngineStatus.UNBOUNDED:
        return -math.inf, False
    return None, None if result.status in (EngineStatus.TIME_LIMIT, EngineStatus.NUMERICAL_LIMIT) else True


def _value(
    problem: TwoStageProblem,
    x: Floats,
    scenarios: Sequence[int],
    engine: Engine,
    deadline: Deadline,
    envelope: Envelope | None,
) -> float | None:
    """The cost of x in the worst of these scenarios, or the value of an objective; None where time was over."""
    try:
        costs = Evaluator(problem, engine, use_oracle=False).evaluate(x, deadline).recourse_costs
    except OutOfTimeError:
        return None
    worth = float(costs[list(scenarios)].max()) if envelope is None else envelope.value(costs)
    return problem.offset + float(problem.first_stage.costs @ x) + worth


def _objective_form(problem: TwoStageProblem, envelope: Envelope) -> ExtensiveForm:
    from neurprise.search.objective_form import ObjectiveForm

    return ObjectiveForm(problem, envelope)


def _close(one: float, other: float, unit: float) -> bool:
    return math.isclose(one, other, rel_tol=ENGINE_PRECISION, abs_tol=ENGINE_PRECISION * unit)
