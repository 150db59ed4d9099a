"""How a network sees a problem; a family that knows better ways overrides them and is held as `problem.learned`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from neurprise.arrays import Floats
from neurprise.errors import NotApplicableError
from neurprise.networks.probes import Probes, probes_by_oracle
from neurprise.networks.scenario_graph import ScenarioGraph
from neurprise.networks.scenario_program import ScenarioProgram, own_rows
from neurprise.problem import TwoStageProblem
from neurprise.problem.contract import NetworkView


@dataclass(frozen=True, eq=False)
class LearnedView:
    """
    The view of a problem that nobody knows more about.

    Parameters
    ----------
    problem
        What is seen.

    Attributes
    ----------
    encodings
        Which of "cv" (`program`), "ps" (`compact_graph`) and "sv" (`compact_graph` and `probes`) there are.
    default_encoding
        The one that training takes when it is not told another.
    """

    problem: TwoStageProblem

    encodings: ClassVar[tuple[str, ...]] = ("cv",)
    default_encoding: ClassVar[str] = "cv"

    def program(self) -> ScenarioProgram:
        """The rows that the constraint-variable graph is drawn from."""
        return own_rows(self.problem)

    def compact_graph(self) -> ScenarioGraph:
        """A graph smaller than that of variables and rows."""
        raise NotApplicableError(f"{self.problem.family!r} problems have no compact graph; use the encoding 'cv'.")

    def probes(self) -> Probes:
        """What each scenario costs by itself and under a few decisions."""
        return probes_by_oracle(self.problem)

    def final_scores(self, scores: Floats) -> Floats:
        """The network's scores (S,) after what is known for certain about single scenarios."""
        return scores


def view_of(problem: TwoStageProblem) -> NetworkView:
    """The family's view of the problem, or the one that serves all."""
    return LearnedView(problem) if problem.learned is None else problem.learned
