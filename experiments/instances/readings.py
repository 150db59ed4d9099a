"""
The shifted costs of the paper, in every way in which its text can be read.

The text does not say how first-stage costs are drawn, nor what exactly is drawn for each node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from experiments.instances.sets import InstanceSet
from neurprise.arrays import Floats
from neurprise.problem import TwoStageProblem
from neurprise.problems.draws import COSTS
from neurprise.problems.selection import Selection
from neurprise.problems.vertex_cover import VertexCover

#: How first-stage costs are drawn, from the generator, the centres of the distribution and one scenario more than asked
#: for: shapes (num_centers, n) and (n,).
FIRST_STAGE: dict[str, Callable[[np.random.Generator, Floats, Floats], Floats]] = {
    "scenario": lambda rng, centers, extra: extra,
    "1..100": lambda rng, centers, extra: rng.integers(1, 101, len(extra)).astype(np.float64),
    "25..75": lambda rng, centers, extra: rng.uniform(*COSTS.mode_center, len(extra)),
    "centre": lambda rng, centers, extra: centers[0],
}
#: What is drawn anew for what, by distribution.
DRAWN = {
    "normal": ("means per size", "means per instance"),
    "multimodal": ("all per node", "deviation per mode", "centre and deviation per mode"),
}


@dataclass(frozen=True)
class Reading:
    """
    Selections or vertex covers whose costs are drawn as the paper's text may mean it.

    Parameters
    ----------
    base
        The set that the reading is of; family, size and distribution are its.
    first_stage, drawn
        Names in FIRST_STAGE and DRAWN.
    exact_seconds, reduced_seconds
        See `Instances`.
    """

    base: InstanceSet
    first_stage: str
    drawn: str
    exact_seconds: float | None = 300.0
    reduced_seconds: float | None = None

    @property
    def name(self) -> str:
        return f"{self.base.name}: c {self.first_stage}, {self.drawn}"

    def problem(self, seed: int) -> TwoStageProblem:
        rng, (n,) = np.random.default_rng(seed), self.base.size
        if self.base.family == "selection":
            return Selection(*self._costs(rng, n), n // 2)
        first, second = np.triu_indices(n, 1)
        present = rng.random(len(first)) < 10 / n
        return VertexCover(*self._costs(rng, n), np.column_stack([first[present], second[present]]))

    def smaller(self) -> Reading:
        return replace(self, base=self.base.smaller())

    def _costs(self, rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
        """First-stage costs, shape (n,), and scenario costs, shape (S, n)."""
        draw = self._normal if self.base.distribution == "normal" else self._multimodal
        centers, costs = draw(rng, self.base.scenarios + 1, n)
        return FIRST_STAGE[self.first_stage](rng, centers, costs[0]), costs[1:]

    def _normal(self, rng: np.random.Generator, rows: int, n: int) -> tuple[Floats, Floats]:
        source = np.random.default_rng(n) if self.drawn == "means per size" else rng
        mean = source.uniform(*COSTS.normal_mean, n)
        sigma = np.clip(COSTS.normal_relative_sigma * mean, *COSTS.normal_sigma_limits)
        return mean[None], np.clip(rng.normal(mean, sigma, (rows, n)), *COSTS.uniform)

    def _multimodal(self, rng: np.random.Generator, rows: int, n: int) -> tuple[Floats, Floats]:
        low, high = COSTS.modes
        modes = int(rng.integers(low, high + 1))
        per_node = {"all per node": (n, n), "deviation per mode": (n, 1)}.get(self.drawn, (1, 1))
        center = rng.uniform(*COSTS.mode_center, (modes, per_node[0])) * np.ones(n)
        deviation = rng.uniform(*COSTS.mode_deviation, (modes, per_node[1])) * np.ones(n)
        mode = rng.integers(modes, size=rows)
        return center, center[mode] * (1 + deviation[mode] * rng.uniform(-1, 1, (rows, n)))
