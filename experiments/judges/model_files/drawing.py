"""Small mixed-integer linear models with every feature of LP and MPS files, drawn by a seed."""

from __future__ import annotations

import math
import random

import numpy as np
from scipy import sparse

from neurprise.io.linear import LinearModel

_INF = math.inf
#: Names that are legal somewhere; each breaks some reader or is changed by some writer.
ODD_NAMES = (
    "buy-1", "2left", "x+y", "1e5", "7", "e5", "E1x", "x[1]", "x(2,3)", "z{a}", "x.y", ".x", "x;", ";x", "a/b", "x#1",
    "a,b", "x!", "x?", "x@y", "x|y", "~x", "$x", "%x", "&x", "'x'", '"x"', "_", "é", "λ_1", "inflow", "inf", "nano",
    "free", "free_1", "st", "bin", "bound1", "end", "max", "Constant", "obj", "R1", "RHS", "MARKER", "my x", "x^2",
    "a*b", "x:1", "x<1", "x=y", "-x", "x-", "3", "0x1", "1.5y", "binary_one", "general", "infinity_1", "Rgc", "ENDATA",
    "subject", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "c1", "long name with blanks", "x\\y", "SOS1", "semi",
)  # fmt: skip
_NUMBERS = (1.0, 1.0, 1.0, -1.0, 2.0, -3.0, 0.5, 7.0, 1 / 3, -2 / 7, 0.1, 1e-5, 1e-7, 12345.678, 1e6, -4e9, 1e12)
_BOUNDS = (
    (0.0, _INF), (0.0, _INF), (0.0, _INF), (-_INF, _INF), (0.0, 4.0), (0.0, 2.5), (1.0, 6.0), (2.0, _INF),
    (-3.0, _INF), (-3.0, 5.0), (-_INF, 5.0), (-_INF, -2.0), (-8.0, -2.0), (0.0, 0.0), (3.0, 3.0), (-2.0, -2.0),
    (0.0, 1.0), (-1.0, 1.0), (0.0, 1e12), (-_INF, 0.0), (1e-7, 1e-6), (0.0, 1e25), (1.0, 1.0), (-1.0, 0.0),
)  # fmt: skip
_BINARY_BOUNDS = ((0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 1.0))


def draw_model(seed: int) -> LinearModel:
    """A model of 1 to 7 columns and 0 to 5 rows; half of them have an odd name or two."""
    rng = random.Random(seed)
    n, m = rng.randint(1, 7), rng.choice((0, 1, 2, 3, 3, 4, 5))
    kinds = [rng.choice("CCIB") for _ in range(n)]
    bounds = [rng.choice(_BINARY_BOUNDS) if kind == "B" else _bounds(rng, kind) for kind in kinds]
    limits = [_limits(rng) for _ in range(m)]
    odd = rng.random() < 0.5
    return LinearModel(
        columns=_names(rng, n, "x", odd),
        rows=_names(rng, m, "c", odd),
        costs=_numbers(rng, n, rng.choice((0.0, 0.7, 1.0))),
        matrix=sparse.csr_array(np.array([_numbers(rng, n, 0.6) for _ in range(m)]).reshape(m, n)),
        row_lower=np.array([low for low, _ in limits]),
        row_upper=np.array([high for _, high in limits]),
        lower=np.array([low for low, _ in bounds]),
        upper=np.array([high for _, high in bounds]),
        integer=np.array([kind != "C" for kind in kinds]),
        offset=rng.choice((0.0, 0.0, 5.0, -2.5, 1e6)),
        maximize=rng.random() < 0.4,
    )


def _bounds(rng: random.Random, kind: str) -> tuple[float, float]:
    return rng.choice([bounds for bounds in _BOUNDS if kind == "C" or not 0 < bounds[0] < 1])


def _numbers(rng: random.Random, count: int, density: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([rng.choice(_NUMBERS) if rng.random() < density else 0.0 for _ in range(count)])


def _limits(rng: random.Random) -> tuple[float, float]:
    """Greater, less, equal, range, or none: a free row."""
    side = rng.choice((0.0, 1.0, -2.0, 3.5, 1e-6, -4e6))
    width = rng.choice((1.0, 0.25, 1e5))
    return rng.choice(((side, _INF), (-_INF, side), (side, side), (side, side + width), (side, _INF), (-_INF, _INF)))


def _names(rng: random.Random, count: int, start: str, odd: bool) -> tuple[str, ...]:
    names = [f"{start}{k + 1}" for k in range(count)]
    for k in range(count):
        if odd and rng.random() < 0.4:
            names[k] = rng.choice([name for name in ODD_NAMES if name not in names])
    return tuple(names)
