"""The table of a comparison, as text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from neurprise.errors import counted, visible


def table(rows: Mapping[str, Mapping[str, Any]], maximize: bool, best_for: Mapping[str, str]) -> str:
    """One line per decision, as `cells` says, in columns, and below them what the decisions without stars are."""
    lines = cells(rows, maximize, best_for)
    return "\n".join([_aligned(lines, num_right=num_numbers(lines)), *footnote(best_for)])


def footnote(best_for: Mapping[str, str]) -> list[str]:
    """One line about the decisions that get no star, none where all may."""
    told = "; ".join(f"{visible(name)}: best for {what}" for name, what in best_for.items())
    return [f"{told}, were that certain; no star"] if told else []


def num_numbers(lines: list[list[str]]) -> int:
    """How many columns of `cells` hold numbers; they follow the names."""
    return len(lines[0]) - 3


def cells(rows: Mapping[str, Mapping[str, Any]], maximize: bool, best_for: Mapping[str, str]) -> list[list[str]]:
    """
    A header and one line per decision, the best value of each column marked with a star.

    Parameters
    ----------
    rows
        Name of the decision -> worst_case, worst_scenario, mean, infeasible and, maybe, expected.
    maximize
        Larger is better.
    best_for
        Decisions that were made for one scenario alone, by name; they get no star.
    """
    numbers = [key for key in ("worst_case", "mean", "expected") if all(key in row for row in rows.values())]
    titles = {"worst_case": "worst profit" if maximize else "worst case"}
    header = ["", *(titles.get(key, key) for key in numbers), "worst in", "no recourse in"]
    best = {key: best_value([row[key] for row in rows.values()], maximize) for key in numbers}
    lines = [
        [
            visible(name),
            *(_number(row[key]) + ("*" if row[key] == best[key] and name not in best_for else " ") for key in numbers),
            visible(row["worst_scenario"]),
            _count(row["infeasible"]),
        ]
        for name, row in rows.items()
    ]
    return [header, *lines]


def _count(scenarios: int) -> str:
    return "-" if scenarios == 0 else counted(scenarios, "scenario")


def best_value(values: list[float], maximize: bool) -> float | None:
    """The best value, where there is something to choose from; nothing infinite is best."""
    best = max(values) if maximize else min(values)
    return best if len(values) > 1 and math.isfinite(best) else None


def _number(value: float) -> str:
    """Whole numbers whole, others to two decimals or six digits."""
    if not math.isfinite(value) or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) >= 10_000 else f"{value:.6g}"


def _aligned(lines: list[list[str]], num_right: int) -> str:
    """Columns side by side; the first to the left, the next `num_right` to the right, the others to the left."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def cell(k: int, text: str) -> str:
        return text.rjust(widths[k]) if 1 <= k <= num_right else text.ljust(widths[k])

    return "\n".join("  ".join(cell(k, text) for k, text in enumerate(line)).rstrip() for line in lines)
