"""A budget: how many scenarios to keep, or how good the answer must be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from neurprise import arrays
from neurprise.errors import InputError

_PERCENT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*%\s*", re.ASCII)


@dataclass(frozen=True)
class Target:
    """
    Keep as few scenarios, in the reducer's order, as prove this.

    Parameters
    ----------
    regret
        The decision costs at most this much more than the optimum, relative to it: 0.01 is one percent.
    """

    regret: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "regret", arrays.nonnegative_number("regret", self.regret))


def checked_budget(budget: Any) -> int | Target:
    """A number of scenarios, or the target that "1%" or a Target states."""
    if isinstance(budget, Target):
        return budget
    if not isinstance(budget, str):
        return arrays.whole_number("budget", budget, 1)
    found = _PERCENT.fullmatch(budget)
    if found is None:
        raise InputError(
            f"budget must be a whole number of scenarios or a regret in percent such as '1%', got {budget!r}."
        )
    return Target(float(found[1]) / 100)
