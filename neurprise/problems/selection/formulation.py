"""Selection as a two-stage problem: its rows, and its knowledge beyond them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from neurprise import arrays
from neurprise.arrays import Floats, frozen
from neurprise.problem import TwoStageProblem
from neurprise.problem.named import Extent, Stem
from neurprise.problem.stages import Changes, FirstStage, Recourse
from neurprise.problems.labels import LabelledData
from neurprise.problems.selection.oracle import EveryItemSet, SelectionOracle, SingleSelections

if TYPE_CHECKING:
    from neurprise.problem.contract import SurrogateKnowledge
    from neurprise.problems.selection.learned import SelectionView

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

    Series and DataFrames of pandas are aligned by their labels, which become names: `take[hammer]`.
    """

    family = "selection"

    def __init__(self, first_stage_costs: Any, scenario_costs: Any, num_select: int) -> None:
        given = LabelledData(
            {"first_stage_costs": first_stage_costs, "scenario_costs": scenario_costs},
            {"first_stage_costs": ("item",), "scenario_costs": ("scenario", "item")},
        )
        costs = arrays.vector("first_stage_costs", given["first_stage_costs"])
        later = arrays.scenarios("scenario_costs", given["scenario_costs"], len(costs))
        count = arrays.whole_number("num_select", num_select, 0, len(costs))
        self.num_select = count
        super().__init__(
            _first_stage(costs, count),
            _recourse(later[0], count),
            {"costs": Changes(frozen(np.arange(len(costs))), later)},
            len(later),
            **given.names(_stems(given.labels("item")), "item"),
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
        return _stems(self.num_first_stage)

    @cached_property
    def oracle(self) -> SelectionOracle:
        """A partial sort."""
        return SelectionOracle(self.scenario_costs, self.num_select)

    @property
    def has_tight_rows(self) -> bool:
        return True

    @cached_property
    def single_scenarios(self) -> SingleSelections:
        """Partial sorts too."""
        return SingleSelections(self.first_stage_costs, self.scenario_costs, self.num_select)

    @property
    def first_stage_list(self) -> EveryItemSet | None:
        """For up to 20 items, few decisions can be optimal, and they are found quickly."""
        if self.num_first_stage > MAX_LISTED_ITEMS:
            return None
        return EveryItemSet(self.first_stage_costs, self.scenario_costs, self.num_select)

    @property
    def learned(self) -> SelectionView:
        """All three encodings."""
        from neurprise.problems.selection.learned import SelectionView

        return SelectionView(self)

    @property
    def surrogate(self) -> SurrogateKnowledge:
        """The functions of `learned.py` for Neur2RO."""
        from neurprise.problems.selection import learned

        return learned


def _stems(items: Extent) -> dict[str, list[Stem]]:
    return {
        "x": [("take", (items,))],
        "y": [("take_later", (items,))],
        "x_row": [("at_most", ())],
        "y_row": [("exactly", ()), ("once", (items,))],
    }


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
