"""Regret of a choice of scenarios: 100 (Z(x) - V(all)) / V(all), with x optimal for the chosen scenarios."""

from __future__ import annotations

import math
from collections.abc import Sequence

from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.convergence import regret_percent
from neurprise.search.session import SearchSession


def regret(problem: TwoStageProblem, scenarios: Sequence[int], optimum: float, solver: str = "highs") -> float:
    """Regret in percent of one optimal x of the reduced problem; inf where some scenario has no recourse for it."""
    reduced = problem.restrict(list(scenarios))
    search = ColumnAndConstraintGeneration(SearchSession(reduced, solver), gap=1e-6).run()
    if search.x is None:
        return math.inf
    return regret_percent(Evaluator(problem, solver).evaluate(search.x).worst_case, optimum)
