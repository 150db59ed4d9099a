"""The arithmetic of `probes` in single passes, compiled: for 50 scenarios each call of numpy would take longer."""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats
from neurprise.compiled import Compiler

compiled = Compiler("the network's probes", seconds=1, nogil=True)

EPSILON = 1e-8
LARGEST_DEVIATION = 50.0


@compiled
def deviations(numbers: Floats, spread: Floats, origins: Floats) -> Floats:
    """
    Distance of numbers (S, k) from the origins (k,) in standard deviations of `spread` (S,).

    Limited to LARGEST_DEVIATION, where these hardly differ.
    """
    mean = spread.mean()
    squares, largest = 0.0, 0.0
    for value in spread:
        squares += (value - mean) ** 2
        largest = max(largest, abs(value))
    scale = np.sqrt(squares / len(spread)) + 1e-6 * largest + EPSILON
    out = np.empty_like(numbers)
    for s in range(numbers.shape[0]):
        for k in range(numbers.shape[1]):
            distance = (numbers[s, k] - origins[k]) / scale
            out[s, k] = min(max(distance, -LARGEST_DEVIATION), LARGEST_DEVIATION)
    return out
