"""Mean and tails of the costs of a decision, beside its worst case."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neurprise.recourse.plan import Plan
from neurprise.report.text import number, words_of

#: Levels of CVaR that are written: the mean of the worst tenth and of the worst hundredth. The first one is printed.
LEVELS = (0.9, 0.99)
_EQUAL, _GIVEN = "equal", "given"


@dataclass(frozen=True)
class Averages:
    """
    What a decision costs on average; profits of a maximisation.

    Parameters
    ----------
    expected
        Mean by the scenarios' probabilities; None where some scenario has no recourse, or gets better without limit.
    cvar
        CVaR at each of LEVELS, by the level as text.
    probabilities
        "given" by the problem, or "equal" because it has none.
    maximize
        These are profits.
    """

    expected: float | None
    cvar: Mapping[str, float | None]
    probabilities: str
    maximize: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {"expected": self.expected, "cvar": dict(self.cvar), "probabilities": self.probabilities}

    def __str__(self) -> str:
        level, tail = next(iter(self.cvar.items()))
        whose = "all scenarios equally likely" if self.probabilities == _EQUAL else "by the problem's probabilities"
        name = f"{words_of(self).tail} {_shown(tail)} (CVaR {level})"
        return f"{_shown(self.expected)}, {name}; {whose}"


def averages_of(plan: Plan) -> Averages:
    """Those of a decision; all scenarios are evaluated unless that was done before."""
    tails = {f"{level:g}": _finite(plan.cvar(level)) for level in LEVELS}
    probabilities = _EQUAL if plan.problem.probabilities is None else _GIVEN
    return Averages(_finite(plan.expected), tails, probabilities, plan.problem.maximize)


def averages_in(data: Mapping[str, Any]) -> Averages | None:
    """Those that a report's JSON holds; None where it was written without."""
    if not data.get("cvar"):
        return None
    tails = {str(level): _number(value) for level, value in data["cvar"].items()}
    return Averages(_number(data["expected"]), tails, str(data["probabilities"]), bool(data["maximize"]))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _shown(value: float | None) -> str:
    return "infinite" if value is None else number(value)
