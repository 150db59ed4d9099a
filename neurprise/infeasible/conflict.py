"""Rows and bounds that cannot all be kept, by name: why there is no decision, or no recourse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

#: Rules named in a sentence; of more, one of each group is named. The conflict lists all.
_SHOWN = 6


@dataclass(frozen=True)
class Rule:
    """
    One row, or one side of a variable's bounds.

    Parameters
    ----------
    kind
        "row", "lower bound" or "upper bound".
    name
        Of the row or the variable.
    lower, upper
        What it must lie between; -inf and inf mean no limit. Where the decision is given, what it leaves to the
        recourse.
    scenario
        Name of the scenario; None for rules of the first stage.
    """

    kind: str
    name: str
    lower: float
    upper: float
    scenario: str | None

    def __str__(self) -> str:
        what = f"row {self.name!r}" if self.kind == "row" else repr(self.name)
        return f"{what} {self._limits()}{self._where()}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; no limit is None."""
        sides = {side: value if math.isfinite(value) else None for side, value in self._sides().items()}
        return {"kind": self.kind, "name": self.name, **sides, "scenario": self.scenario}

    @property
    def group(self) -> tuple[str, str, str | None]:
        """What it has in common with its siblings: `open[0]` and `open[1]` differ only in their index."""
        return self.kind, self.name.partition("[")[0], self.scenario

    def _where(self) -> str:
        if self.scenario is None:
            return ""
        return f" in scenario {self.scenario if self.scenario.isdigit() else repr(self.scenario)}"

    def _sides(self) -> dict[str, float]:
        return {"lower": self.lower, "upper": self.upper}

    def _limits(self) -> str:
        if self.lower == self.upper:
            return f"= {self.lower:.6g}"
        if math.isinf(self.upper):
            return f">= {self.lower:.6g}"
        if math.isinf(self.lower):
            return f"<= {self.upper:.6g}"
        return f"between {self.lower:.6g} and {self.upper:.6g}"


@dataclass(frozen=True)
class Conflict:
    """
    Rules that no decision keeps together; whole numbers stay whole.

    Parameters
    ----------
    rules
        First-stage rules first, then by scenario.
    scenarios
        Scenarios that take part, ascending; none where the first stage contradicts itself.
    irreducible
        True: without any one of the rules the others can be kept. False: time was over before that was certain.
    given_decision
        True: limits of rows are what a given first-stage decision leaves to the recourse.
    """

    rules: tuple[Rule, ...]
    scenarios: tuple[int, ...]
    irreducible: bool
    given_decision: bool = False

    def __str__(self) -> str:
        shown = _joined(_summarized(self.rules))
        left = " (limits of rows are what the decision leaves to the recourse)" if self.given_decision else ""
        if len(self.rules) == 1:
            return f"{shown} cannot be kept{left}"
        more = "" if self.irreducible else ", though fewer of them may suffice"
        return f"{shown} cannot be kept together{more}{left}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "rules": [rule.to_dict() for rule in self.rules],
            "scenarios": list(self.scenarios),
            "irreducible": self.irreducible,
            "given_decision": self.given_decision,
        }


def _summarized(rules: Sequence[Rule]) -> list[str]:
    """Every rule in words; of many, one of each group and how many are like it."""
    if len(rules) <= _SHOWN:
        return [str(rule) for rule in rules]
    alike: dict[tuple[str, str, str | None], list[Rule]] = {}
    for rule in rules:
        alike.setdefault(rule.group, []).append(rule)
    return [f"{group[0]} ({len(group)} like it)" if len(group) > 1 else str(group[0]) for group in alike.values()]


def _joined(parts: Sequence[str]) -> str:
    if len(parts) > _SHOWN:
        return f"{', '.join(parts[:_SHOWN])} and {len(parts) - _SHOWN} more kinds of rules"
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
