"""Scenarios of a small mixed-integer linear model, drawn by a seed: the same names, other numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from experiments.judges.model_files.drawing import ODD_NAMES
from neurprise.io.linear import LinearModel

_INF = math.inf
#: Names beside those of LP and MPS files, which tools allow and files do not.
_MORE_NAMES = (
    "class", "lambda", "None", "für immer", "発電", "x\u0301", "a very long name " * 9, "p[gas-1,2030-01-01 00:00]",
    "p[gas, north]", "(1, 'a')", "100%", "a|b", "{}", "[x]", "x[", "x]", "*", "build_*", "?", "0", "-", "e", "inf",
)  # fmt: skip
#: Names that every reader of LP and MPS files takes.
FILE_NAMES = (
    "x[1]", "x(2,3)", "x.y", "x#1", "x!", "x?", "x@y", "x|y", "~x", "%x", "&x", "_", "é", "λ_1", "free_1", "発電",
    "binary_one", "inflow", "x_" * 60,
)  # fmt: skip
TOOL_NAMES = (*ODD_NAMES, *_MORE_NAMES)
_NUMBERS = (1.0, 1.0, -1.0, 2.0, -3.0, 0.5, 7.0, 1 / 3, 0.1, 12.5)


@dataclass(frozen=True)
class Scenarios:
    """One model per scenario, and the positions of the first-stage columns."""

    models: dict[str, LinearModel]
    first_stage: tuple[int, ...]


def draw_scenarios(seed: int, with_constants: bool = True, odd_names: Sequence[str] = TOOL_NAMES) -> Scenarios:
    """Three scenarios of 2 to 7 columns and 1 to 5 rows; most have an answer, some none, some no limit."""
    rng = random.Random(seed)
    n, m = rng.randint(2, 7), rng.randint(1, 5)
    bounds = [
        rng.choice(((0.0, 4.0), (0.0, 1.0), (-3.0, 5.0), (2.0, 2.0), (0.0, _INF), (-_INF, 6.0))) for _ in range(n)
    ]
    integer = np.array([rng.random() < 0.5 for _ in range(n)])
    matrix = np.array([[rng.choice(_NUMBERS) if rng.random() < 0.7 else 0.0 for _ in range(n)] for _ in range(m)])
    matrix[:, 0] += ~matrix.any(axis=1)  # linopy leaves out rows without terms, even those that nothing keeps
    inside = np.array([min(max(0.0, low), high) + rng.choice((0, 1)) * (high > max(low, 0.0)) for low, high in bounds])
    limits = [_limits(rng, float(body)) for body in matrix @ inside]
    base = LinearModel(
        columns=_names(rng, n, "x", odd_names),
        rows=_names(rng, m, "c", odd_names),
        costs=np.array([_cost(rng, low, high) for low, high in bounds]),
        matrix=sparse.csr_array(matrix),
        row_lower=np.array([low for low, _ in limits]),
        row_upper=np.array([high for _, high in limits]),
        lower=np.array([low for low, _ in bounds]),
        upper=np.array([high for _, high in bounds]),
        integer=integer,
        offset=rng.choice((0.0, 5.0, -2.5)) if with_constants else 0.0,
    )
    if rng.random() < 0.5:
        base = replace(base, costs=-base.costs, maximize=True)
    first_stage = tuple(sorted(rng.sample(range(n), rng.randint(1, n - 1))))
    models = {name: _changed(rng, base, with_constants) for name in ("calm", "2 busy", "dé-ar")}
    return Scenarios(models, first_stage)


def _changed(rng: random.Random, model: LinearModel, with_constants: bool) -> LinearModel:
    """Some costs, entries, sides of rows, upper bounds and the constant replaced."""
    costs, upper = model.costs.copy(), model.upper.copy()
    matrix, shift = model.matrix.toarray(), np.array([rng.choice((0.0, 0.0, 1.0, -0.5)) for _ in model.rows])
    shift[(model.row_lower == model.row_upper) & (shift < 0)] = 0.0  # few without an answer: they take long to explain
    j = rng.randrange(len(costs))
    if rng.random() < 0.6:
        costs[j] = costs[j] * rng.choice((2.0, 0.5))
    if rng.random() < 0.5:
        row, column = rng.randrange(matrix.shape[0]), rng.randrange(len(costs))
        matrix[row, column] = rng.choice((0.0, 4.0, 1.5))
        matrix[row, 0] += not matrix[row].any()
    if rng.random() < 0.3 and math.isfinite(upper[j]):
        upper[j] += 1.0
    return replace(
        model,
        costs=costs,
        upper=upper,
        matrix=sparse.csr_array(matrix),
        row_lower=model.row_lower + shift,
        row_upper=model.row_upper + shift,
        offset=model.offset + (rng.choice((0.0, 0.0, 3.0)) if with_constants else 0.0),
    )


def _limits(rng: random.Random, body: float) -> tuple[float, float]:
    """Limits around a body: at least, at most, an equation, a range."""
    slack = rng.choice((0.0, 1.0, 2.5))
    return rng.choice(((body - slack, _INF), (-_INF, body + slack), (body, body), (body - slack, body + 1.0)))


def _cost(rng: random.Random, low: float, high: float) -> float:
    """A cost that mostly does not fall for ever."""
    cost = rng.choice((0.0, *_NUMBERS))
    if rng.random() < 0.9:
        cost = abs(cost) if math.isinf(high) else -abs(cost) if math.isinf(low) else cost
    return cost


def _names(rng: random.Random, count: int, start: str, odd_names: Sequence[str]) -> tuple[str, ...]:
    names = [f"{start}{k + 1}" for k in range(count)]
    for k in range(count):
        if rng.random() < 0.5:
            names[k] = rng.choice([name for name in odd_names if name.strip() not in names])
    return tuple(names)
