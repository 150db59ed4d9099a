"""
The one schema of all rows: who was measured on what, how good it was, how long it took, and what made the row.

Infinities are None: an objective is None where the decision leaves a scenario without recourse, and so is its regret.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from experiments.optima import Optimum
from experiments.outcomes import Outcome
from neurprise.search.session import regret_percent

#: What tells two rows of a spec apart.
Key = tuple[str, int, str, int | None]


@dataclass(frozen=True)
class Row:
    """
    One method on one instance at one budget.

    Parameters
    ----------
    spec, instances, seed, method, k
        Experiment, instance set, seed of the instance, name of the method, budget.
    kept
        Scenarios in the reduced problem.
    objective, bound
        Z(x) of the reduced problem's own solution; V(R) of the kept scenarios, a lower bound of the optimum.
    optimum, optimum_gap
        Best value known of the instance, and its proved gap in percent (0: it is the optimum; None: nothing is
        proved).
    regret, regret_ties, regret_best_tie
        Percent above the optimum: of that solution; mean and smallest over all x optimal for the reduced problem.
    solve_objective, solve_regret, regret_bound
        The same for what `nr.solve` returns, and what it proved: regret is at most regret_bound percent.
    infeasible, solve_infeasible
        Whether the decision leaves a scenario without recourse.
    seconds_choosing, seconds_solving, seconds_evaluating, seconds_solve
        See `Outcome`.
    gap
        Relative gap that the reduced problem was solved to; larger than the method asks for where its time was over.
    chosen, measured
        See `Outcome`; stored only where there are any.
    commit
        Of the code that made a stored row.
    """

    spec: str
    instances: str
    seed: int
    method: str
    k: int | None
    kept: int
    objective: float | None
    bound: float | None
    optimum: float | None
    optimum_gap: float | None
    regret: float | None
    regret_ties: float | None
    regret_best_tie: float | None
    solve_objective: float | None
    solve_regret: float | None
    regret_bound: float | None
    infeasible: bool
    solve_infeasible: bool
    seconds_choosing: float
    seconds_solving: float
    seconds_evaluating: float
    seconds_solve: float
    gap: float
    chosen: tuple[int, ...] | None = None
    measured: Mapping[str, float] = field(default_factory=dict)
    commit: str = ""

    @classmethod
    def of(cls, spec: str, method: str, outcome: Outcome, optimum: Optimum, gap: float) -> Self:
        """Compare an outcome with the optimum."""
        ties = outcome.tied_objectives or (math.inf, math.inf)
        proved = regret_percent(outcome.solve_objective, outcome.solve_bound)
        return cls(
            spec=spec,
            instances=optimum.instances,
            seed=optimum.seed,
            method=method,
            k=outcome.k,
            kept=outcome.kept,
            objective=_finite(outcome.objective),
            bound=_finite(outcome.bound),
            optimum=_finite(optimum.objective),
            optimum_gap=_finite(optimum.gap),
            regret=optimum.regret(outcome.objective),
            regret_ties=optimum.regret(ties[0]),
            regret_best_tie=optimum.regret(ties[1]),
            solve_objective=_finite(outcome.solve_objective),
            solve_regret=optimum.regret(outcome.solve_objective),
            regret_bound=_finite(proved),
            infeasible=math.isinf(outcome.objective),
            solve_infeasible=math.isinf(outcome.solve_objective),
            seconds_choosing=outcome.seconds_choosing,
            seconds_solving=outcome.seconds_solving,
            seconds_evaluating=outcome.seconds_evaluating,
            seconds_solve=outcome.seconds_solve,
            gap=max(gap, outcome.open_gap),
            chosen=outcome.chosen,
            measured=outcome.measured,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """From a stored row; of what made it only the commit is kept."""
        known = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        return cls(**known | ({"chosen": tuple(data["chosen"])} if "chosen" in data else {}))

    def to_dict(self) -> dict[str, Any]:
        """Its fields, to a millionth: more digits make files larger and nothing clearer."""
        stored = asdict(self)
        for optional in ("chosen", "measured", "commit"):
            if not stored[optional]:
                del stored[optional]
        return {**_rounded(stored), "gap": self.gap}

    @property
    def key(self) -> Key:
        return (self.instances, self.seed, self.method, self.k)

    @property
    def seconds(self) -> float:
        """Of the paper's pipeline: choosing, solving, evaluating."""
        return self.seconds_choosing + self.seconds_solving + self.seconds_evaluating


def _rounded(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: round(value, 6) if isinstance(value, float) else _rounded(value) if isinstance(value, dict) else value
        for name, value in fields.items()
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
