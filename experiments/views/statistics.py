"""Means with bootstrap intervals, so that a reader can tell a difference from noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist, geometric_mean

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
CONFIDENCE = 0.95
#: Normal quantile of that confidence, both sides.
Z_95 = 1.959964
#: Below so many instances no difference is remarked on.
FEW = 10


@dataclass(frozen=True)
class Mean:
    """
    A mean and the interval that 95 % of the means of resampled instances lie in.

    Parameters
    ----------
    count
        Instances that it is the mean of.
    """

    value: float
    low: float
    high: float
    count: int


def share_of(hits: int, count: int) -> Mean:
    """A share in percent with its Wilson interval, which has a width at 0 and 100 % too."""
    share, z = hits / count, Z_95
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    spread = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return Mean(100 * share, 100 * max(middle - spread, 0.0), 100 * min(middle + spread, 1.0), count)


def mean_of(values: Sequence[float | None]) -> Mean | None:
    """The mean of the numbers among the values; None where there are none. The same values give the same interval."""
    numbers = np.array([value for value in values if value is not None], dtype=float)
    if len(numbers) == 0:
        return None
    return Mean(float(numbers.mean()), *_interval(numbers[_draws(len(numbers))].mean(axis=1)), len(numbers))


def ratio_of(above: Sequence[float], below: Sequence[float]) -> Mean:
    """Mean over mean of two measurements of the same instances, which are resampled together."""
    over, under = np.array(above), np.array(below)
    draws = _draws(len(over))
    ratios = over[draws].mean(axis=1) / under[draws].mean(axis=1)
    return Mean(float(over.mean() / under.mean()), *_interval(ratios), len(over))


def geometric_mean_of(ratios: Sequence[float]) -> Mean:
    """With the interval of the geometric means of resampled ratios."""
    logarithms = np.log(np.array(ratios))
    resampled = np.exp(logarithms[_draws(len(logarithms))].mean(axis=1))
    return Mean(geometric_mean(ratios), *_interval(resampled), len(ratios))


@lru_cache(maxsize=8)
def _draws(count: int) -> NDArray[np.int64]:
    return np.random.default_rng(0).integers(count, size=(RESAMPLES, count))


def _interval(resampled: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


@dataclass(frozen=True)
class Printed:
    """
    A number of the paper: the mean of `count` instances of its own, to `digits` decimals.

    A number of the same distribution differs from ours by chance, ours and the paper's, and by its rounding.
    """

    value: float
    count: int
    digits: int = 2

    def by_chance(self, ours: Mean, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """
        Where the paper's mean lies with this confidence, if both measured the same.

        The paper prints no deviations, so its instances are taken to differ as much as ours do.
        """
        stretch = math.sqrt(1 + ours.count / self.count) * quantile(confidence) / quantile(CONFIDENCE)
        rounding = 0.5 * 10**-self.digits
        return (
            ours.value - stretch * (ours.value - ours.low) - rounding,
            ours.value + stretch * (ours.high - ours.value) + rounding,
        )

    def agrees(self, ours: Mean, confidence: float = CONFIDENCE) -> bool:
        """Whether chance explains the difference."""
        low, high = self.by_chance(ours, confidence)
        return low <= self.value <= high


def quantile(confidence: float) -> float:
    """Of the normal distribution, both sides."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def remark(ours: Mean, paper: Printed) -> str:
    """A star where chance does not explain the difference; few instances say nothing."""
    return " " if ours.count < FEW or paper.agrees(ours) else "*"
