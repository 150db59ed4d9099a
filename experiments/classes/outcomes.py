"""Random outcomes of uncertain quantities around their means, in the shapes that scenarios have in practice."""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats

#: Scenarios of a problem, drawn from these.
SCENARIO_COUNTS = (20, 30, 40, 50)


def num_scenarios(rng: np.random.Generator) -> int:
    """How many scenarios a problem has."""
    return int(rng.choice(SCENARIO_COUNTS))


def outcomes(rng: np.random.Generator, mean: Floats, count: int) -> Floats:
    """
    Nonnegative outcomes of quantities with these means, shape (count, k).

    One of four shapes, drawn by chance: independent, moved by a common factor, calm with single spikes, or around a few
    typical patterns.
    """
    spread = rng.uniform(0.15, 0.5)
    noise = rng.normal(0.0, 1.0, (count, len(mean)))
    shape = rng.integers(4)
    if shape == 0:
        factors = 1 + spread * noise
    elif shape == 1:
        factors = 1 + spread * (0.7 * rng.normal(0.0, 1.0, (count, 1)) + 0.5 * noise)
    elif shape == 2:
        factors = 1 + 0.1 * noise + (rng.random(noise.shape) < 1.5 / len(mean)) * rng.uniform(0.3, 1.5, noise.shape)
    else:
        patterns = rng.uniform(0.4, 1.6, (int(rng.integers(3, 7)), len(mean)))
        factors = patterns[rng.integers(len(patterns), size=count)] * (1 + 0.5 * spread * noise)
    return np.asarray(np.round(np.maximum(mean * factors, 0.0), 2), dtype=np.float64)
