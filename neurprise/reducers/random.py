"""Random: the yardstick every other method has to beat."""

from __future__ import annotations

import numpy as np

from neurprise import arrays
from neurprise.clock import Deadline
from neurprise.problem import TwoStageProblem
from neurprise.reducers.base import Growth, Reduction, num_kept


class Random:
    """Keep scenarios drawn without replacement, each as likely as any other."""

    name = "random"
    growth = Growth.RANKING

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        clock = Deadline()
        keep = num_kept(problem, budget)
        rng = np.random.default_rng(arrays.whole_number("seed", seed, 0))
        order = rng.permutation(problem.num_scenarios)
        return Reduction(tuple(order[:keep].tolist()), runtime=clock.elapsed)
