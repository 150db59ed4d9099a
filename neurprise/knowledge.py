"""
What a family may know beyond its rows, as small protocols.

A problem holds an object for each of them, or None: `oracle`, `single_scenarios`, `first_stage_list`, `separator` of
`TwoStageProblem`. Who asks looks for None first, and leaves to an engine what no object answers; nothing has to be
called to find out. Objects refer to the scenarios of the problem that holds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from neurprise.arrays import Floats, Ints
from neurprise.stages import RecourseRows

#: Every scenario of the problem.
EVERY = slice(None)


class RecourseOracle(Protocol):
    """
    Answers Q(x, s) = min_y q_s'x + b_s'y without an engine, for every x that satisfies the first stage.

    One that takes milliseconds a scenario may have an attribute `scenarios_at_once`, a whole number: under a time limit
    it is asked for so many between two looks at the clock, others for a thousand.
    """

    def recourse_costs(self, x: Floats, scenarios: slice = EVERY) -> Floats:
        """
        Q(x, s) for these scenarios, shape (their number,); x has shape (n,), its integer entries exactly integer.

        inf where no y is feasible; nan where the oracle gives up, which sends that scenario to an engine.
        """

    def recourse_decision(self, x: Floats, scenario: int) -> Floats | None:
        """An optimal y for (x, scenario), shape (m,); None where none is feasible or the oracle gives up."""


class SingleScenarios(Protocol):
    """Knows the problem with each scenario alone, which makes it deterministic."""

    def values(self) -> Floats:
        """V({s}) for all s, shape (S,)."""

    def decisions(self, scenarios: Sequence[int]) -> Floats:
        """Decisions that attain V({s}) for these s, shape (len(scenarios), n)."""


class FirstStageList(Protocol):
    """Every first-stage decision of a problem, each known by a number."""

    def below(self, scenario: int, cutoff: float) -> tuple[Ints, Floats]:
        """Decisions with offset + c'x + Q(x, scenario) < cutoff, and these costs; both of shape (found,)."""

    def costs(self, scenario: int, numbers: Ints) -> Floats:
        """offset + c'x + Q(x, scenario) of these decisions, shape (len(numbers),)."""

    def decision(self, number: int) -> Floats:
        """The decision of that number, shape (n,)."""


class CutSeparator(Protocol):
    """Finds rows that every feasible (x, y) satisfies and a solution of the linear relaxation breaks."""

    def violated_rows(self, x: Floats, y: Floats, scenario: int) -> RecourseRows | None:
        """Such rows for a fractional (x, y) under one scenario; None if there are none."""
