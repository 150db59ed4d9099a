"""The paper's scenario distributions: costs (selection, vertex cover) and demands (facility location)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import InputError

DISTRIBUTIONS = ("uniform", "normal", "multimodal")


@dataclass(frozen=True)
class Ranges:
    """
    The numbers of one table in the paper's appendix; costs and demands differ only in these.

    Parameters
    ----------
    uniform
        Smallest and largest integer; also the limits that normal draws are clipped to.
    normal_mean, normal_relative_sigma, normal_sigma_limits
        mu_v ~ U[normal_mean], sigma_v = clip(normal_relative_sigma * mu_v, normal_sigma_limits).
    modes, mode_center, mode_deviation
        Number of modes, per-item centres and relative deviations of the multimodal draw.
    deviation_per_item
        Whether every item has a relative deviation of its own in each mode; False: one for the whole mode.
    shared_scale_sigma
        Standard deviation of one factor per scenario that multiplies a multimodal draw; 0 for none.
    """

    uniform: tuple[int, int]
    normal_mean: tuple[float, float]
    normal_relative_sigma: float
    normal_sigma_limits: tuple[float, float]
    modes: tuple[int, int]
    mode_center: tuple[float, float]
    mode_deviation: tuple[float, float]
    deviation_per_item: bool
    shared_scale_sigma: float = 0.0


COSTS = Ranges((1, 100), (25, 75), 0.15, (3, 15), (3, 8), (25, 75), (0.1, 0.5), False)
DEMANDS = Ranges((10, 500), (180, 260), 0.08, (12, 22), (3, 6), (80, 380), (0.05, 0.20), True, shared_scale_sigma=0.08)


def draw_costs(
    rng: np.random.Generator, distribution: str, num_scenarios: int, num_items: int
) -> tuple[Floats, Floats]:
    """
    First-stage costs, shape (num_items,), and scenario costs, shape (num_scenarios, num_items).

    Uniform costs are alike in both stages. For the shifted distributions the paper does not say how first-stage costs
    are drawn; here they are centres: the means of normal costs, and midpoints in the range of those of multimodal ones.
    Of the readings of its text this one is closest to its numbers: `python -m experiments table readings`.
    """
    costs = draw(rng, COSTS, distribution, num_scenarios + 1, num_items)
    if distribution == "normal":
        return _means(COSTS, num_items), costs[1:]
    if distribution == "multimodal":
        return rng.uniform(*COSTS.mode_center, num_items), costs[1:]
    return costs[0], costs[1:]


def draw(rng: np.random.Generator, ranges: Ranges, distribution: str, num_rows: int, num_items: int) -> Floats:
    """Draws of one distribution, shape (num_rows, num_items)."""
    if distribution == "uniform":
        low, high = ranges.uniform
        return rng.integers(low, high + 1, (num_rows, num_items)).astype(np.float64)
    if distribution == "normal":
        return _normal(rng, ranges, num_rows, num_items)
    if distribution == "multimodal":
        return _multimodal(rng, ranges, num_rows, num_items)
    raise InputError(f"distribution must be one of {', '.join(DISTRIBUTIONS)}, got {distribution!r}.")


def _means(ranges: Ranges, num_items: int) -> Floats:
    """The paper samples them once per problem size, so they depend on num_items and not on the instance's seed."""
    return np.random.default_rng(num_items).uniform(*ranges.normal_mean, num_items)


def _normal(rng: np.random.Generator, ranges: Ranges, num_rows: int, num_items: int) -> Floats:
    mean = _means(ranges, num_items)
    sigma = np.clip(ranges.normal_relative_sigma * mean, *ranges.normal_sigma_limits)
    return np.clip(rng.normal(mean, sigma, (num_rows, num_items)), *ranges.uniform)


def _multimodal(rng: np.random.Generator, ranges: Ranges, num_rows: int, num_items: int) -> Floats:
    low, high = ranges.modes
    num_modes = int(rng.integers(low, high + 1))
    center = rng.uniform(*ranges.mode_center, (num_modes, num_items))
    deviation = rng.uniform(*ranges.mode_deviation, (num_modes, num_items if ranges.deviation_per_item else 1))
    mode = rng.integers(num_modes, size=num_rows)
    values = center[mode] * (1 + deviation[mode] * rng.uniform(-1, 1, (num_rows, num_items)))
    if ranges.shared_scale_sigma:
        values *= np.maximum(rng.normal(1, ranges.shared_scale_sigma, (num_rows, 1)), 0)
    return np.asarray(values)
