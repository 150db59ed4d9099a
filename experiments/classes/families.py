"""The package's own families at small sizes and with every distribution."""

from __future__ import annotations

import numpy as np

from experiments.classes.outcomes import num_scenarios
from neurprise.problem import TwoStageProblem
from neurprise.problems import get_family
from neurprise.problems.draws import DISTRIBUTIONS


def selection(seed: int) -> TwoStageProblem:
    """8 to 30 items."""
    rng = np.random.default_rng(seed)
    return _drawn("selection", rng, [int(rng.integers(8, 31))])


def vertex_cover(seed: int) -> TwoStageProblem:
    """8 to 20 nodes."""
    rng = np.random.default_rng(seed)
    return _drawn("vertex-cover", rng, [int(rng.integers(8, 21))])


def facility_location(seed: int) -> TwoStageProblem:
    """5 to 12 sites, and at most as many customers, so that the sites can serve them."""
    rng = np.random.default_rng(seed)
    sites = int(rng.integers(5, 13))
    return _drawn("facility-location", rng, [sites, int(rng.integers(4, sites + 1))])


def _drawn(family: str, rng: np.random.Generator, size: list[int]) -> TwoStageProblem:
    # As the paper's instances: half of them uniform.
    distribution = "uniform" if rng.random() < 0.5 else str(rng.choice(DISTRIBUTIONS))
    return get_family(family).draw(size, num_scenarios(rng), int(rng.integers(2**32)), distribution)
