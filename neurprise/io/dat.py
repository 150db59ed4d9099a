"""
Two-stage selection as public collections store it: `n;p;N`, a line of first-stage costs, N lines of scenario costs.

Numbers on a line are separated by semicolons (blanks and commas are read too).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import FormatError, InputError, counted
from neurprise.io.records import parse_number, read_text
from neurprise.problem import TwoStageProblem
from neurprise.problem.named import NAME_FIELDS
from neurprise.problems import Selection
from neurprise.storage.whole_files import replacing


def read(path: Path) -> Selection:
    """Read a two-stage selection problem."""
    lines = [(number, line) for number, line in enumerate(read_text(path).splitlines(), 1) if line.strip()]
    if not lines:
        raise FormatError(f"{path.name} is empty; it should start with 'n;p;N'.")
    num_items, num_select, num_scenarios = _sizes(path, lines[0][1])
    if len(lines) != num_scenarios + 2:
        raise FormatError(
            f"{path.name} announces {counted(num_scenarios, 'scenario')}, so {num_scenarios + 2} lines are expected, "
            f"got {len(lines)}; the file may be cut off."
        )
    rows = [_costs(path, number, line, num_items) for number, line in lines[1:]]
    return Selection(rows[0], np.array(rows[1:]).reshape(num_scenarios, num_items), num_select)


def write(problem: TwoStageProblem, path: Path) -> None:
    """Write a two-stage selection problem; other families have no .dat form."""
    if not isinstance(problem, Selection):
        raise InputError(f".dat files hold selection problems only, got {problem.family!r}; write to a .npz file.")
    if any(getattr(problem, field) for field in NAME_FIELDS) or problem.probabilities is not None:
        raise InputError(
            ".dat files hold neither names nor probabilities, which this problem has; write to a .npz file."
        )
    rows = [problem.first_stage.costs, *problem.scenario_costs]
    sizes = f"{problem.num_first_stage};{problem.num_select};{problem.num_scenarios}"
    text = "\n".join([sizes, *(";".join(_shortest(value) for value in row.tolist()) for row in rows)])
    with replacing(path) as file:
        file.write(text.encode() + b"\n")


def _sizes(path: Path, line: str) -> tuple[int, int, int]:
    words = _words(line)
    if len(words) != 3 or not all(word.isdecimal() and len(word) < 10 for word in words):
        raise FormatError(
            f"{path.name}, line 1: expected 'n;p;N' (items; how many to select; scenarios), got {line[:60]!r}; only "
            "two-stage selection is read from .dat files."
        )
    num_items, num_select, num_scenarios = map(int, words)
    return num_items, num_select, num_scenarios


def _costs(path: Path, number: int, line: str, count: int) -> Floats:
    words = _words(line)
    costs = [parse_number(word) for word in words]
    if len(costs) != count or None in costs:
        raise FormatError(
            f"{path.name}, line {number}: expected {counted(count, 'cost')}, got {counted(len(words), 'word')}: "
            f"{line[:60]!r}."
        )
    return np.array(costs, dtype=np.float64)


def _words(line: str) -> list[str]:
    return line.replace(";", " ").replace(",", " ").split()


def _shortest(value: float) -> str:
    """The shortest text that reads back to the same number."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
