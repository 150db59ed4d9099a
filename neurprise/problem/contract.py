"""
What a family may know beyond its rows, as small protocols.

A problem holds an object for each of them, or None: `oracle`, `single_scenarios`, `first_stage_list`, `separator`,
`learned`, `surrogate` of `TwoStageProblem`. A caller looks for None first and asks an engine where there is no object.
Objects refer to the scenarios of the problem that holds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from neurprise.arrays import Floats, Ints
from neurprise.problem.stages import RecourseRows

#: Every scenario of the problem.
EVERY = slice(None)


class RecourseOracle(Protocol):
    """
    Answers Q(x, s) = min_y q_s'x + b_s'y without an engine, for every x that satisfies the first stage.

    One that takes milliseconds a scenario may have an attribute `scenarios_at_once`, a whole number: it is asked for so
    many between two looks at the clock, and an interrupt is heard in between; others are asked for a thousand.
    """

    def recourse_costs(self, x: Floats, scenarios: slice = EVERY) -> Floats:
        """
        Q(x, s) for these scenarios, shape (their number,); x has shape (n,), its integer entries exactly integer.

        inf where no y is feasible; nan where the oracle gives up, which sends that scenario to an engine.
        """

    def recourse_decision(self, x: Floats, scenario: int) -> Floats | None:
        """An optimal y for (x, scenario), shape (m,); None where none is feasible or the oracle gives up."""


class SingleScenarios(Protocol):
    """
    Knows the problem with each scenario alone, which makes it deterministic.

    `scenarios_at_once` as for oracles.
    """

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


class NetworkView(Protocol):
    """How a network sees problems of the family; `networks/view.py` holds the view that serves all."""

    @property
    def encodings(self) -> tuple[str, ...]:
        """Which of "cv" (`program`), "ps" (`compact_graph`) and "sv" (`compact_graph` and `probes`) there are."""

    @property
    def default_encoding(self) -> str:
        """The default of training."""

    def program(self) -> Any:
        """The rows that the constraint-variable graph is drawn from: a ScenarioProgram."""

    def compact_graph(self) -> Any:
        """A graph smaller than that of variables and rows: a ScenarioGraph."""

    def probes(self) -> Any:
        """What each scenario costs by itself and under a few decisions: Probes."""

    def final_scores(self, scores: Floats) -> Floats:
        """The network's scores (S,) after what is known for certain about single scenarios."""


class SurrogateKnowledge(Protocol):
    """What surrogates of the recourse cost need from a family."""

    def describe(self, problem: Any) -> Any:
        """The instance as a network sees it: a Description."""

    def decisions(self, problem: Any, good: Floats, rng: Any, count: int) -> Floats:
        """Feasible decisions that vary the good ones, greedy ones and random ones, shape (count, n_x)."""
