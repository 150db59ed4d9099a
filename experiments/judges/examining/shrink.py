"""
The smallest problem that still breaks the same rule, and the code that states it.

    python -m experiments run crosscheck --seed 4711 --count 1 --shrink
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, replace

import numpy as np

from experiments.judges.examining.examination import Finding
from experiments.judges.examining.questions import examine_case
from experiments.judges.random_problems import Case, Statement
from neurprise.arrays import Floats
from neurprise.errors import InputError

#: Which axis of each field runs over which part of the problem.
_AXES = {
    "scenario": {"b": 0, "q": 0, "T": 0, "W": 0, "row_lower": 0, "row_upper": 0, "y_lower": 0, "y_upper": 0},
    "first-stage row": {"A": 0, "a_lower": 0, "a_upper": 0},
    "recourse row": {"T": 1, "W": 1, "row_lower": 1, "row_upper": 1},
    "x": {"c": 0, "A": 1, "x_lower": 0, "x_upper": 0, "x_integer": 0, "q": 1, "T": 2},
    "y": {"b": 1, "W": 2, "y_lower": 1, "y_upper": 1, "y_integer": 0},
}
_NUMBERS = ("c", "A", "b", "q", "T", "W", "a_lower", "a_upper", "row_lower", "row_upper", "x_lower", "x_upper")
_SIMPLER = (0.0, 1.0, -1.0)


def shrunk(case: Case, fails: Callable[[Case], bool]) -> Case:
    """The case after every simplification that still fails; the case itself if its statement alone does not fail."""
    case = replace(case, problem=case.statement.problem())
    if not fails(case):
        return case
    changed = True
    while changed:
        changed = False
        for candidate in _simplifications(case):
            if fails(candidate):
                case, changed = candidate, True
                break
    return case


def smallest_failures(case: Case) -> Iterator[str]:
    """Code and findings of the smallest case for each rule that a case breaks."""
    for sort, call in dict.fromkeys((f.sort, f.call) for f in examine_case(case).findings):
        small = shrunk(case, lambda other, rule=(sort, call): rule in {(f.sort, f.call) for f in _findings(other)})
        yield "\n".join([as_code(small), *(f"# {f.sort}: {f.call}: {f.message}" for f in _findings(small))])


def _findings(case: Case) -> tuple[Finding, ...]:
    """What breaks a rule here; nothing where the judges cannot read what is left of the case."""
    with suppress(ValueError):
        return examine_case(case).findings
    return ()


def _simplifications(case: Case) -> Iterator[Case]:
    for part in _AXES:
        yield from _without_one(case, part)
    for statement in (*_common_data(case.statement), *_simpler_numbers(case.statement)):
        with suppress(InputError):  # limits that contradict each other are refused when a problem is built
            yield replace(case, statement=statement, problem=statement.problem())


def _without_one(case: Case, part: str) -> Iterator[Case]:
    """The case without one scenario, row or variable; the first stage and the recourse keep a variable."""
    axes, statement = _AXES[part], case.statement
    name, axis = next(iter(axes.items()))
    size = getattr(statement, name).shape[axis]
    fewest = 1 if part in ("scenario", "x", "y") else 0
    for k in range(size if size > fewest else 0):
        cut = {name: np.delete(getattr(statement, name), k, axis) for name, axis in axes.items()}
        smaller = replace(statement, **cut)
        decision = case.decision
        if part == "x" and decision is not None:
            decision = np.delete(decision, k)
        yield replace(case, statement=smaller, problem=smaller.problem(), decision=decision)


def _common_data(statement: Statement) -> Iterator[Statement]:
    """The same data in all scenarios, one field at a time."""
    for name in _AXES["scenario"]:
        values: Floats = getattr(statement, name)
        common = np.repeat(values[:1], len(values), axis=0)
        if not np.array_equal(values, common):
            yield replace(statement, **{name: common})


def _simpler_numbers(statement: Statement) -> Iterator[Statement]:
    if statement.offset or statement.maximize:
        yield replace(statement, offset=0.0, maximize=False)
    for name in _NUMBERS:
        values: Floats = getattr(statement, name)
        for place in np.ndindex(values.shape):
            old = float(values[place])
            for simple in _simpler_than(old):
                new = values.copy()
                new[place] = simple
                yield replace(statement, **{name: new})


def _simpler_than(value: float) -> list[float]:
    """Numbers that say less than this one, the simplest first."""
    if value in _SIMPLER or not np.isfinite(value):
        return list(_SIMPLER[: _SIMPLER.index(value)]) if value in _SIMPLER else []
    return [*_SIMPLER, *({float(round(value)), float(np.trunc(value / 2))} - {value, *_SIMPLER})]


def as_code(case: Case) -> str:
    """Python that builds the problem."""
    lines = ["from numpy import array, inf", f"from {Statement.__module__} import Statement", "p = Statement("]
    for field in fields(Statement):
        value = getattr(case.statement, field.name)
        empty = isinstance(value, np.ndarray) and value.size == 0
        text = f"array({value.tolist()})" if isinstance(value, np.ndarray) else repr(value)
        lines.append(f"    {field.name}={f'array([]).reshape{value.shape}' if empty else text},")
    decision = None if case.decision is None else case.decision.tolist()
    return "\n".join([*lines, ").problem()", f"x = {decision}"])
