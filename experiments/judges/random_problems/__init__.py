"""
Small random two-stage problems with every feature the package knows, each determined by one seed.

    case = draw_case(17)          # case.kind, case.problem, case.statement, case.decision
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from experiments.judges.random_problems import families, generic
from experiments.judges.random_problems.decisions import draw_decision
from experiments.judges.random_problems.statement import Statement
from neurprise.arrays import Floats
from neurprise.problem import TwoStageProblem

__all__ = ["KINDS", "Case", "Statement", "draw_case", "with_repeated_scenarios"]

_Draw = Callable[[np.random.Generator], tuple[TwoStageProblem, Statement]]

#: What is drawn, by seed modulo their number.
KINDS: dict[str, _Draw] = {**generic.KINDS, **families.KINDS}


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
    """

    seed: int
    kind: str
    problem: TwoStageProblem
    statement: Statement
    decision: Floats | None


def draw_case(seed: int) -> Case:
    """The problem of this seed; kinds take turns."""
    kind = list(KINDS)[seed % len(KINDS)]
    rng = np.random.default_rng(seed)
    problem, statement = KINDS[kind](rng)
    return Case(seed, kind, problem, statement, draw_decision(rng, statement))


def with_repeated_scenarios(case: Case, times: int) -> TwoStageProblem:
    """The problem with its list of scenarios repeated, so that nothing changes but the work; s becomes s + k S."""
    return case.problem.with_scenarios(np.tile(case.problem.scenario_data, (times, 1)))
