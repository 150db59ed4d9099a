"""A family on one small instance, beside what engines say about its rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neurprise.arrays import Floats
from neurprise.problem import TwoStageProblem
from neurprise.problems import Family
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.extensive_form import Master
from neurprise.solvers import EngineStatus, Limits, get_engine
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE
from neurprise.testing.rules import require

#: How far a family may be from an engine, relative to max(1, |value|).
TOLERANCE = 1e-5
#: Decisions that a case tries, and how often one is drawn at random before giving up.
NUM_DECISIONS, DRAWS = 8, 200


@dataclass(frozen=True, eq=False)
class FamilyCase:
    """
    Parameters
    ----------
    family, problem
        The family and the instance that is looked at.
    label
        Which instance it is, for sentences.
    """

    family: Family
    problem: TwoStageProblem
    label: str

    def require(self, kept: bool, rule: str) -> None:
        """Raise AssertionError with the rule unless it is kept."""
        require(kept, f"{self.family.name}, {self.label}: {rule}")

    def on(self, label: str, problem: TwoStageProblem) -> FamilyCase:
        """The same family on a variation of the instance."""
        return FamilyCase(self.family, problem, f"{self.label}, {label}")

    @cached_property
    def plain(self) -> TwoStageProblem:
        """The same rows and nothing else: engines answer every question about it."""
        return TwoStageProblem(**self.problem.general_form())

    @cached_property
    def evaluator(self) -> Evaluator:
        """Asks an engine."""
        return Evaluator(self.plain)

    @cached_property
    def _known_costs(self) -> dict[bytes, Floats]:
        return {}

    @cached_property
    def decisions(self) -> list[Floats]:
        """Decisions that satisfy the first stage: best for a scenario, at the bounds, and drawn at random."""
        found = [x for s in range(self.problem.num_scenarios) if (x := self._best_for(s)) is not None]
        first = self.problem.first_stage
        low = np.where(np.isfinite(first.lower), first.lower, 0.0)
        high = np.where(np.isfinite(first.upper), first.upper, low + 5.0)
        rng = np.random.default_rng(0)
        drawn = [low, high, *(low + rng.random(len(low)) * (high - low) for _ in range(DRAWS))]
        found += [x for x in map(self.evaluator.rounded, drawn) if first.violation(x) <= FEASIBILITY_TOLERANCE]
        return found[:NUM_DECISIONS]

    def value(self, scenarios: list[int]) -> float:
        """V(R), by an engine, to gap 0."""
        return self._solved(scenarios)[0]

    def costs(self, x: Floats) -> Floats:
        """Q(x, s) of every scenario by an engine, shape (S,)."""
        key = x.tobytes()
        if key not in self._known_costs:
            self._known_costs[key] = self.evaluator.evaluate(x).recourse_costs
        return self._known_costs[key]

    def close(self, ours: Floats | float, theirs: Floats | float) -> bool:
        """Whether numbers agree to the tolerance; infinite ones must be equal."""
        ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
        if ours.shape != theirs.shape or not np.array_equal(np.isfinite(ours), np.isfinite(theirs)):
            return False
        known = np.isfinite(ours)
        scale = np.maximum(1.0, np.abs(theirs[known]))
        same_signs = np.array_equal(ours[~known], theirs[~known])
        return same_signs and bool((np.abs(ours[known] - theirs[known]) <= TOLERANCE * scale).all())

    def _best_for(self, scenario: int) -> Floats | None:
        return self._solved([scenario])[1]

    def _solved(self, scenarios: list[int]) -> tuple[float, Floats | None]:
        engine = get_engine("highs")
        result = Master(self.evaluator, engine).solve(scenarios, Limits())
        solved = result.status is EngineStatus.OPTIMAL
        return (result.value, result.x) if solved else (np.inf, None)
