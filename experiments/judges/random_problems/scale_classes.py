"""The classes of numbers that random problems have, and what a problem of a class consists of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.judges.random_problems.statement import Statement
from neurprise.problem import TwoStageProblem

ORDINARY, COSTS, PENALTY, BIG_M, ROW_UNITS = "ordinary", "costs", "penalty", "big-M", "row units"
SCALES = (ORDINARY, COSTS, PENALTY, BIG_M, ROW_UNITS)
#: How often each class is drawn; most problems of users have ordinary numbers.
SHARES = (0.5, 0.15, 0.125, 0.125, 0.1)


@dataclass(frozen=True)
class Scaled:
    """
    A problem as the package gets it, and as judges read it.

    Parameters
    ----------
    money
        Costs of the problem are those of the statement times this.
    exact
        Costs range so widely that judges must compute in fractions, without any slack; all numbers are quarters.
    eased
        The statement with a lower price of shortage, where the problem is too large for exact arithmetic.
    """

    problem: TwoStageProblem
    statement: Statement
    money: float = 1.0
    exact: bool = False
    eased: Statement | None = None


def scale_of(seed: int) -> str:
    """The class that a seed draws unless another is asked for."""
    return str(np.random.default_rng([seed, 2]).choice(SCALES, p=SHARES))
