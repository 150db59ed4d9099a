"""Selection: choose p of n items, some now at known cost, the rest when the scenario's costs are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from neurprise import arrays
from neurprise.arrays import Floats, Ints, frozen
from neurprise.knowledge import EVERY
from neurprise.names import Stem
from neurprise.problem import TwoStageProblem
from neurprise.problems import selection_oracle
from neurprise.problems.draws import COSTS, draw
from neurprise.stages import Changes, FirstStage, Recourse

if TYPE_CHECKING:
    from neurprise.graphs.view import LearnedView

#: With more items, an engine is quicker than listing the decisions that can still be best.
MAX_LISTED_ITEMS = 20


class Selection(TwoStageProblem):
    """
    Two-stage selection (the paper's Eq. SEL).

    Parameters
    ----------
    first_stage_costs
        Cost of taking an item now, shape (n,).
    scenario_costs
        Cost of taking it later, shape (S, n).
    num_select
        p, how many items are taken in all.
    """

    family = "selection"

    def __init__(self, first_stage_costs: Any, scenario_costs: Any, num_select: int) -> None:
        costs = arrays.vector("first_stage_costs", first_stage_costs)
        later = arrays.scenarios("scenario_costs", scenario_costs, len(costs))
        count = arrays.whole_number("num_select", num_select, 0, len(costs))
        self.num_select = count
        super().__init__(
            _first_stage(costs, count),
            _recourse(later[0], count),
            {"costs": Changes(frozen(np.arange(len(costs))), later)},
            len(later),
        )

    @property
    def first_stage_costs(self) -> Floats:
        """Cost of taking each item now, shape (n,)."""
        return self.first_stage.costs

    @property
    def scenario_costs(self) -> Floats:
        """Cost of taking each item later, shape (S, n)."""
        return self.changes["costs"].values

    @property
    def integral_objective(self) -> bool:
        """Given binary x the recourse polytope is integral, so whole costs give whole values."""
        costs, later = self.first_stage.costs, self.scenario_costs
        return bool((costs == np.round(costs)).all() and (later == np.round(later)).all())

    def name_stems(self) -> dict[str, list[Stem]]:
        n = self.num_first_stage
        return {
            "x": [("take", (n,))],
            "y": [("take_later", (n,))],
            "x_row": [("at_most", ())],
            "y_row": [("exactly", ()), ("once", (n,))],
        }

    @cached_property
    def oracle(self) -> SelectionOracle:
        """A partial sort."""
        return SelectionOracle(self.scenario_costs, self.num_select)

    @cached_property
    def single_scenarios(self) -> SingleSelections:
        """Partial sorts too."""
        return SingleSelections(self.first_stage_costs, self.scenario_costs, self.num_select)

    @property
    def first_stage_list(self) -> EveryItemSet | None:
        """Up to 20 items, the decisions that can still be best are few and quickly found."""
        if self.num_first_stage > MAX_LISTED_ITEMS:
            return None
        return EveryItemSet(self.first_stage_costs, self.scenario_costs, self.num_select)

    @property
    def learned(self) -> LearnedView:
        """See SelectionView."""
        from neurprise.problems.selection_learned import SelectionView

        return SelectionView(self)


@dataclass(frozen=True, eq=False)
class SelectionOracle:
    """
    Cheapest completions of a selection.

    Parameters
    ----------
    later
        Cost of taking each item later, shape (S, n).
    num_select
        How many items are taken in all.
    """

    later: Floats
    num_select: int

    def recourse_costs(self, x: Floats, scenarios: slice = EVERY) -> Floats:
        """Q(x, s) = sum of the p - |x| cheapest items that x leaves."""
        left = self.later[scenarios, x < 0.5]
        missing = self._missing(x)
        return smallest_sums(left, missing) if missing >= 0 else np.full(len(left), np.inf)

    def recourse_decision(self, x: Floats, scenario: int) -> Floats | None:
        """The cheapest remaining items, as y of shape (n,)."""
        missing = self._missing(x)
        if missing < 0:
            return None
        later = np.where(x < 0.5, self.later[scenario], np.inf)
        y = np.zeros(len(x))
        y[np.argsort(later, kind="stable")[:missing]] = 1
        return y

    def _missing(self, x: Floats) -> int:
        """How many items are still to be taken; negative where x takes too many."""
        return self.num_select - int((x >= 0.5).sum())


@dataclass(frozen=True, eq=False)
class SingleSelections:
    """With one scenario every item costs the cheaper of now, shape (n,), and later, shape (S, n)."""

    now: Floats
    later: Floats
    num_select: int

    def values(self) -> Floats:
        """V({s}): the p cheapest items."""
        return smallest_sums(np.minimum(self.now, self.later), self.num_select)

    def decisions(self, scenarios: Sequence[int]) -> Floats:
        """Of the p cheapest items, take now those that are not cheaper later."""
        later = self.later[list(scenarios)]
        cheaper = np.minimum(self.now, later)
        chosen = np.argsort(cheaper, axis=1, kind="stable")[:, : self.num_select]
        taken = np.zeros_like(cheaper)
        np.put_along_axis(taken, chosen, 1.0, axis=1)
        return taken * (self.now <= later)


@dataclass(frozen=True, eq=False)
class EveryItemSet:
    """The list of all decisions: number U takes exactly the items of the bit set U now."""

    now: Floats
    later: Floats
    num_select: int

    def below(self, scenario: int, cutoff: float) -> tuple[Ints, Floats]:
        numbers, costs = selection_oracle.decisions_below(self.now, self.later[scenario], self.num_select, cutoff)
        return numbers, costs

    def costs(self, scenario: int, numbers: Ints) -> Floats:
        costs: Floats = selection_oracle.costs_of(numbers, self.now, self.later[scenario], self.num_select)
        return costs

    def decision(self, number: int) -> Floats:
        return np.array([float(number >> i & 1) for i in range(len(self.now))])


def make_selection(num_items: int, num_scenarios: int, seed: int, distribution: str = "uniform") -> Selection:
    """A random instance of SEL-num_items-num_scenarios; half of the items are to be taken."""
    num_items = arrays.whole_number("num_items", num_items, 1)
    num_scenarios = arrays.whole_number("num_scenarios", num_scenarios, 1)
    rng = np.random.default_rng(arrays.whole_number("seed", seed, 0))
    costs = draw(rng, COSTS, distribution, num_scenarios + 1, num_items)
    return Selection(costs[0], costs[1:], num_items // 2)


def smallest_sums(costs: Floats, count: int) -> Floats:
    """Sum of the `count` smallest numbers of each row of costs (S, k); shape (S,)."""
    if count == 0:
        return np.zeros(len(costs))
    return np.asarray(np.partition(costs, count - 1, axis=1)[:, :count].sum(axis=1))


def _first_stage(costs: Floats, count: int) -> FirstStage:
    n = len(costs)
    return FirstStage(
        costs=costs,
        matrix=arrays.matrix("first-stage rows", np.ones((1, n)), (1, n)),
        row_lower=frozen(np.array([-np.inf])),
        row_upper=frozen(np.array([float(count)])),
        lower=frozen(np.zeros(n)),
        upper=frozen(np.ones(n)),
        integer=frozen(np.ones(n, dtype=bool)),
    )


def _recourse(base_costs: Floats, count: int) -> Recourse:
    """sum(x + y) = p and x_i + y_i <= 1; y may be continuous because the polytope is integral for binary x."""
    n = len(base_costs)
    rows = arrays.matrix("recourse rows", sparse.vstack([np.ones((1, n)), sparse.eye_array(n)]), (n + 1, n))
    return Recourse(
        costs=frozen(base_costs.copy()),
        x_costs=frozen(np.zeros(n)),
        technology=rows,
        matrix=rows,
        row_lower=frozen(np.concatenate([[float(count)], np.full(n, -np.inf)])),
        row_upper=frozen(np.concatenate([[float(count)], np.ones(n)])),
        lower=frozen(np.zeros(n)),
        upper=frozen(np.ones(n)),
        integer=frozen(np.zeros(n, dtype=bool)),
    )
