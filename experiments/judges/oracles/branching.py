"""Mixed-integer programs in exact arithmetic, by branch and bound: the last word where two engines disagree."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from experiments.judges.oracles.program import Program
from experiments.judges.oracles.rational import exact_minimum

#: Linear programs solved before giving up.
MOST_NODES = 400


def exact_integer_minimum(program: Program) -> float:
    """The least cost of a program that does not fall without limit; inf if infeasible, nan when given up."""
    waiting = [program]
    best: Fraction | float = math.inf
    for _ in range(MOST_NODES):
        if not waiting:
            return float(best)
        node = waiting.pop()
        relaxed = exact_minimum(node)
        if relaxed.value >= best:
            continue
        column = _fractional(node, relaxed.point)
        if column is None:
            best = relaxed.value
        else:
            waiting += _branches(node, column, relaxed.point[column])
    return math.nan


def _fractional(node: Program, point: tuple[Fraction, ...]) -> int | None:
    """The first integer column without a whole value."""
    return next((k for k in np.flatnonzero(node.integer).tolist() if point[k].denominator != 1), None)


def _branches(node: Program, column: int, value: Fraction) -> list[Program]:
    below, above = node.upper.copy(), node.lower.copy()
    below[column], above[column] = math.floor(value), math.floor(value) + 1
    return [replace(node, upper=below), replace(node, lower=above)]
