"""One random problem with all that is needed to put questions about it and to judge the answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.judges.random_problems.statement import Statement
from neurprise.arrays import Floats
from neurprise.problem import TwoStageProblem


@dataclass(frozen=True)
class Case:
    """
    One random problem, stated twice.

    Parameters
    ----------
    problem
        As the package's users would build it.
    statement
        As the judges read it.
    decision
        A first-stage decision to evaluate, shape (n,); None where none was hit upon.
    scale
        The class of its numbers, one of SCALES.
    money, exact, eased
        See `Scaled`.
    medium
        Too large for brute force.
    """

    seed: int
    kind: str
    problem: TwoStageProblem
    statement: Statement
    decision: Floats | None
    scale: str = "ordinary"
    money: float = 1.0
    exact: bool = False
    eased: Statement | None = None
    medium: bool = False


def with_repeated_scenarios(case: Case, times: int) -> TwoStageProblem:
    """The problem with its list of scenarios repeated, so that nothing changes but the work; s becomes s + k S."""
    return case.problem.with_scenarios(np.tile(case.problem.scenario_data, (times, 1)))
