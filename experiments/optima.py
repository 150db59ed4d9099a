"""Optima of the test instances, computed once and kept with their proved gap."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from time import process_time
from typing import Any

from experiments.instances.sets import Instances
from neurprise.api import solve
from neurprise.report import Report
from neurprise.search.session import Status, regret_percent

#: Engines are precise to 1e-5, so this closes whatever can be closed.
GAP = 1e-6


@dataclass(frozen=True)
class Optimum:
    """
    Best answer known of one instance.

    Parameters
    ----------
    objective, bound
        Attained, and proved; equal up to the engine's precision where the instance is closed.
    gap
        100 (objective - bound) / |bound|.
    status, seconds, kept
        Of the search; seconds of this process on its one core.
    """

    instances: str
    seed: int
    objective: float
    bound: float
    gap: float
    status: str
    seconds: float
    kept: int

    def regret(self, objective: float) -> float | None:
        """Percent above the best value known, so at least that minus `gap` is the truth; None where infeasible."""
        if not (math.isfinite(objective) and math.isfinite(self.objective)):
            return None
        return 100 * (objective - self.objective) / abs(self.objective)

    @classmethod
    def of(cls, instances: Instances, seed: int) -> Optimum:
        """Solve the instance."""
        problem, start = instances.problem(seed), process_time()
        report = finished(solve(problem, gap=GAP, time_limit=instances.exact_seconds))
        gap = regret_percent(report.worst_case, report.lower_bound)
        found = (report.worst_case, report.lower_bound, gap, report.status.value, process_time() - start)
        return cls(instances.name, seed, *found, len(report.scenarios))

    @classmethod
    def unknown(cls, instances: str, seed: int) -> Optimum:
        """Of an instance that nobody solved."""
        return cls(instances, seed, math.inf, -math.inf, math.inf, "not solved", 0.0, 0)

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Optimum:
        """From a stored row, whatever else it holds; what JSON has no number for is not known."""
        unknown = {"objective": math.inf, "bound": -math.inf, "gap": math.inf}
        known = {name: row[name] for name in cls.__dataclass_fields__ if row[name] is not None}
        return cls(**{**unknown, **known})

    def to_row(self) -> dict[str, Any]:
        """Its fields, None for infinities."""
        infinite = {name for name in ("objective", "bound", "gap") if not math.isfinite(getattr(self, name))}
        return {name: None if name in infinite else value for name, value in asdict(self).items()}


def finished(report: Report) -> Report:
    """The report, unless Ctrl-C ended its search: half a measurement is none."""
    if report.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return report
