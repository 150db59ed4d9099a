"""
Objectives by name; adding one is a file here and a line in `_OBJECTIVES`.

A name may be followed by numbers, the parameters in their order: "cvar:0.9", "total-variation:0.1". A regret may be
followed by the objective that weighs it: "regret:cvar:0.9".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neurprise.errors import InputError, did_you_mean
from neurprise.objectives.base import Envelope, Objective, Shift, probabilities_of
from neurprise.objectives.cvar import CVaR
from neurprise.objectives.expected import Expected
from neurprise.objectives.regret import Regret
from neurprise.objectives.total_variation import TotalVariation
from neurprise.objectives.wasserstein import Wasserstein
from neurprise.objectives.worst_case import WorstCase

__all__ = [
    "CVaR",
    "Envelope",
    "Expected",
    "Objective",
    "Regret",
    "Shift",
    "TotalVariation",
    "Wasserstein",
    "WorstCase",
    "get_objective",
    "objective_names",
    "probabilities_of",
]

# name -> what it makes of the text behind the first colon
_OBJECTIVES: dict[str, Callable[[str], Objective]] = {
    "worst": lambda rest: WorstCase(*_numbers("worst", rest, 0)),
    "expected": lambda rest: Expected(*_numbers("expected", rest, 0)),
    "cvar": lambda rest: CVaR(*_numbers("cvar", rest, 2)),
    "total-variation": lambda rest: TotalVariation(*_numbers("total-variation", rest, 1, least=1)),
    "wasserstein": lambda rest: _wasserstein(*_numbers("wasserstein", rest, 2, least=1)),
    "regret": lambda rest: Regret(of=get_objective(rest or "worst")),
    "relative-regret": lambda rest: Regret(relative=True, of=get_objective(rest or "worst")),
}


def objective_names() -> list[str]:
    """Names that `get_objective` knows."""
    return list(_OBJECTIVES)


def get_objective(objective: str | Objective) -> Objective:
    """The objective of that name, such as "cvar:0.9"; an object is returned as it is."""
    if not isinstance(objective, str):
        if not isinstance(objective, Objective):
            words = "a name such as 'cvar:0.9' or an object of nr.objectives"
            raise InputError(f"objective must be {words}, got {objective!r}.")
        return objective
    name, _, rest = objective.strip().lower().replace("_", "-").partition(":")
    if name not in _OBJECTIVES:
        known = ", ".join(_OBJECTIVES)
        raise InputError(f"objective must be one of {known}, got {objective!r}{did_you_mean(name, _OBJECTIVES)}.")
    return _OBJECTIVES[name](rest)


def _wasserstein(radius: float, power: float = 2.0) -> Wasserstein:
    return Wasserstein(radius, power=power)


def _numbers(name: str, text: str, most: int, least: int = 0) -> list[Any]:
    """The numbers between colons behind a name."""
    parts = text.split(":") if text else []
    if not least <= len(parts) <= most:
        rule = f"{least} to {most} numbers" if least < most else f"{most} number" + "s" * (most != 1)
        raise InputError(f"the objective {name!r} takes {rule} behind it, got {text!r}; write for example 'cvar:0.9'.")
    try:
        return [float(part) for part in parts]
    except ValueError:
        raise InputError(f"the objective {name!r} takes numbers behind it, got {text!r}.") from None
