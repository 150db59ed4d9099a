"""What a method achieved on one instance, before it is compared with the optimum."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True)
class Outcome:
    """
    Numbers that a method does not measure are nan.

    Parameters
    ----------
    k
        Budget; None for methods that take none.
    kept
        Scenarios in the reduced problem.
    objective
        Z(x) of the reduced problem's own solution, the paper's measure; inf where a scenario has no recourse.
    bound
        V(R) of the kept scenarios, proved: V(all) is at least this.
    tied_objectives
        (mean, smallest) Z over all x that are optimal for the kept scenarios, where the family lists them.
    solve_objective, solve_bound
        Z(x) of what `nr.solve` returns with the same method, the best of all decisions it met; what it proved.
    seconds_choosing, seconds_solving, seconds_evaluating
        Seconds of the paper's pipeline: choosing scenarios, solving on them, evaluating on all. All seconds are CPU
        seconds of one process and one thread, so that other work on the machine does not count.
    seconds_solve
        Seconds of `nr.solve`, choosing included.
    open_gap
        Relative gap of the reduced problem where its time was over before it was closed; 0 otherwise.
    chosen
        The scenarios in the order of their choice, where a table compares them.
    measured
        Further numbers by name, such as "kilobytes", that no other method has.
    """

    k: int | None
    kept: int
    objective: float
    bound: float
    solve_objective: float
    solve_bound: float
    seconds_choosing: float
    seconds_solving: float
    seconds_evaluating: float
    seconds_solve: float
    tied_objectives: tuple[float, float] | None = None
    open_gap: float = 0.0
    chosen: tuple[int, ...] | None = None
    measured: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def timed(
        cls,
        seconds: float,
        k: int | None = None,
        chosen: tuple[int, ...] | None = None,
        measured: Mapping[str, float] | None = None,
    ) -> Self:
        """Of a method of which only seconds are asked; they count as those of `nr.solve`."""
        nothing = (math.nan,) * 4
        kept = 0 if chosen is None else len(chosen)
        return cls(k, kept, *nothing, 0.0, 0.0, 0.0, seconds, chosen=chosen, measured=measured or {})
