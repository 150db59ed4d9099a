"""How far a search has come: what is proved, what is attained, and the gap between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from neurprise.errors import counted
from neurprise.problem.sign import users_sign

#: Closer values are equal, relative to their size; so are values that are this small in a cost's usual unit.
NO_DIFFERENCE = 1e-9


class Status(StrEnum):
    """Why a search stopped; only OPTIMAL claims that the requested gap is proved."""

    OPTIMAL = "optimal"
    REDUCED = "reduced"  # the reduced problem is solved; regret_bound says how good that is
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"  # the caller's on_progress asked for it
    NUMERICAL_LIMIT = "numerical limit"  # the engine's tolerances leave the rest of the gap open


@dataclass(frozen=True)
class Iteration:
    """
    One line of the convergence history.

    Parameters
    ----------
    num_scenarios
        Size of R in this master.
    lower_bound, worst_case
        Best proved bound and best attained worst case so far.
    seconds
        Wall-clock seconds since the search began.
    """

    num_scenarios: int
    lower_bound: float
    worst_case: float
    seconds: float

    def in_users_sign(self, maximize: bool) -> Iteration:
        """The same line in profits, where the source was a maximisation."""
        bound, worst = users_sign(self.lower_bound, maximize), users_sign(self.worst_case, maximize)
        return replace(self, lower_bound=bound, worst_case=worst)


def relative_gap(worst_case: float, lower_bound: float, unit: float = 0.0) -> float:
    """
    (worst_case - lower_bound) / |lower_bound| where that bounds the regret (worst_case - V) / |V|, else inf.

    V lies between the two. If both are positive, or neither is, the quotient is largest at V = lower_bound; if their
    signs differ, V may be as close to zero as one likes and no percentage is proved.

    Parameters
    ----------
    unit
        The unit of the problem's costs (`recourse.cost_scale`): around zero, rounding is measured in it.
    """
    difference = worst_case - lower_bound
    size = max(abs(worst_case), abs(lower_bound), unit)
    if difference <= 0.0 or difference <= NO_DIFFERENCE * size < math.inf:
        return 0.0
    signs_agree = lower_bound > 0 or worst_case <= 0
    if not math.isfinite(difference) or lower_bound == 0 or not signs_agree:
        return math.inf
    return difference / abs(lower_bound)


def regret_percent(worst_case: float, reference: float, unit: float = 0.0) -> float:
    """100 (worst_case - reference) / |reference|, with the care of `relative_gap`; `reference` is a bound or V."""
    return 100 * relative_gap(worst_case, reference, unit)


def describe(step: Iteration, maximize: bool = False) -> str:
    """One iteration, given in costs, in words: '7 scenarios  bound 512  worst case 519  gap 1.37 %'."""
    gap = 100 * relative_gap(step.worst_case, step.lower_bound)
    shown = f"{gap:.3g} %" if math.isfinite(gap) else "open"
    told, worst = step.in_users_sign(maximize), "guaranteed" if maximize else "worst case"
    bound, value = (_known(number) for number in (told.lower_bound, told.worst_case))
    return f"{counted(step.num_scenarios, 'scenario')}  bound {bound}  {worst} {value}  gap {shown}"


def _known(value: float) -> str:
    return f"{value:,.6g}" if math.isfinite(value) else "none yet"
