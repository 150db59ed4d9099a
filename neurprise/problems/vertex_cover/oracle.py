"""Recourse of a vertex cover without an engine: cheapest covers of what is left of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Bools, Floats
from neurprise.problem.contract import EVERY
from neurprise.problems.vertex_cover.covers import CoverOracle, cheaper_of_both, taken_now


@dataclass(frozen=True, eq=False)
class VertexCoverOracle:
    """
    Cheapest completions of a cover.

    Parameters
    ----------
    later
        Cost of taking each node later, shape (S, n).
    covers
        Finds cheapest covers of the graph.
    """

    later: Floats
    covers: CoverOracle

    @property
    def scenarios_at_once(self) -> int | None:
        """As the graph allows."""
        return self.covers.scenarios_at_once

    def recourse_costs(self, x: Floats, scenarios: slice = EVERY) -> Floats:
        """Q(x, s) = cheapest cover of what x leaves uncovered; nan where it would take too long."""
        return self.covers.costs(x < 0.5, self.later[scenarios])

    def recourse_decision(self, x: Floats, scenario: int) -> Floats | None:
        """The whole cover u = x + y under one scenario, shape (n,); None where it would take too long."""
        if self.covers.is_large and np.isnan(self.recourse_costs(x, slice(scenario, scenario + 1))[0]):
            return None
        _, covers = self.covers.solved(x < 0.5, self.later[scenario : scenario + 1])
        return np.asarray(covers[0])


@dataclass(frozen=True, eq=False)
class SingleVertexCovers:
    """With one scenario every node costs the cheaper of now, shape (n,), and later, shape (S, n)."""

    now: Floats
    later: Floats
    covers: CoverOracle

    @property
    def scenarios_at_once(self) -> int | None:
        """As the graph allows."""
        return self.covers.scenarios_at_once

    def values(self) -> Floats:
        """V({s}): the cheapest cover; first-stage rewards are taken."""
        return self.covers.costs(self._everywhere, self._cheaper(self.later)) + float(np.minimum(self.now, 0).sum())

    def decisions(self, scenarios: Sequence[int]) -> Floats:
        """Of the cheapest cover, take now the nodes that are not cheaper later; and every node that pays."""
        later = self.later[np.asarray(scenarios, dtype=np.int64)]
        _, covers = self.covers.solved(self._everywhere, self._cheaper(later))
        decisions: Floats = taken_now(self.now, later, covers)
        return decisions

    @property
    def _everywhere(self) -> Bools:
        return np.ones(len(self.now), dtype=bool)

    def _cheaper(self, later: Floats) -> Floats:
        weights: Floats = cheaper_of_both(self.now, later)
        return weights
