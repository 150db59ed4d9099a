"""Algorithm 1 as the paper writes it, one exact solve per candidate and step: what the accelerated PRISE must equal."""

from __future__ import annotations

import math
from dataclasses import dataclass

from neurprise.clock import Deadline
from neurprise.errors import EngineError, InfeasibleProblemError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.engine import cost_scale
from neurprise.recourse.evaluator import Evaluator
from neurprise.reducers.base import Reduction, num_kept
from neurprise.search.extensive_form import Master
from neurprise.solvers import Limits, get_engine

#: A reduced problem whose bound and value, at a gap of zero, are further apart is not solved.
_DOUBTFUL = 1e-3


@dataclass(frozen=True)
class NaivePRISE:
    """
    Algorithm 1, word for word; parameters as in PRISE.

    Every V(R + {j}) is one engine solve to gap 0; ties go to the smallest index.
    """

    tolerance: float = 1e-6
    solver: str = "highs"

    name = "naive-prise"

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        keep = num_kept(problem, budget)
        clock = Deadline()
        engine = get_engine(self.solver)
        master = Master(Evaluator(problem, engine), engine)
        unit = cost_scale(problem).unit
        kept: list[int] = []
        gains: list[float] = []
        value = 0.0
        while len(kept) < keep:
            candidates = [j for j in range(problem.num_scenarios) if j not in kept]
            solved = {j: master.solve([*kept, j], Limits()) for j in candidates}
            if any(
                result.value - result.bound > _DOUBTFUL * max(unit, abs(result.value)) for result in solved.values()
            ):
                raise EngineError("the engine proves too little about V(R).")
            scores = {j: result.value for j, result in solved.items()}
            for j, score in scores.items():
                if score == math.inf:
                    raise InfeasibleProblemError("no decision is feasible.", (*kept, j))
            size = max(unit, abs(max(scores.values())))
            margin = 0.0 if problem.integral_objective else self.tolerance * size
            best = min(j for j in candidates if scores[j] >= max(scores.values()) - margin)
            if kept and scores[best] - value <= margin:
                break
            kept.append(best)
            gains.append(scores[best] - value)
            value = scores[best]
        trace = Reduction(tuple(kept), tuple(gains), value, master.num_solves, clock.elapsed)
        return trace.in_users_sign(problem)
