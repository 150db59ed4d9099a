"""Cost beyond the best, had the scenario been known."""

from __future__ import annotations

from neurprise.errors import InputError
from neurprise.objectives.base import Envelope, Objective, Shift
from neurprise.objectives.worst_case import WorstCase
from neurprise.problem import TwoStageProblem


class Regret(Objective):
    """
    The regret c'x + Q(x, s) - V({s}) of each scenario, weighed by another objective.

    Parameters
    ----------
    relative
        Divide the regret by V({s}), which must be positive in every scenario.
    of
        The objective that weighs the regrets, by default their worst case.
    """

    def __init__(self, relative: bool = False, of: Objective | None = None) -> None:
        self.relative = bool(relative)
        self.of = WorstCase() if of is None else of
        if self.of.shift is not Shift.NOTHING:
            raise InputError(f"a regret weighs costs, got {self.of.name!r}, which is a regret itself.")
        weighed = "" if isinstance(self.of, WorstCase) else f":{self.of.name}"
        self.name = ("relative-regret" if self.relative else "regret") + weighed
        self.words = f"{self.of.words} of the {'relative ' if self.relative else ''}regret"
        self.shift = Shift.RELATIVE if self.relative else Shift.BEST_COST
        self.keeps_few = self.of.keeps_few

    def envelope(self, problem: TwoStageProblem) -> Envelope:
        """The polytope of the objective that weighs the regrets."""
        return self.of.envelope(problem)
