"""MaxSum: the scenarios that look worst by themselves."""

from __future__ import annotations

from neurprise.arrays import largest_first
from neurprise.clock import Deadline
from neurprise.problem import TwoStageProblem
from neurprise.reducers.base import Growth, Reduction, num_kept


class MaxSum:
    """Keep the scenarios whose uncertain coefficients sum highest [Goerigk and Kurtz 2024]; ties: smallest index."""

    name = "maxsum"
    growth = Growth.RANKING

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        clock = Deadline()
        keep = num_kept(problem, budget)
        severity = problem.severity
        kept = largest_first(severity)[:keep]
        return Reduction(tuple(kept.tolist()), runtime=clock.elapsed, scores=tuple(severity[kept].tolist()))
