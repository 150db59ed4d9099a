"""Random selections, as the paper draws them."""

from __future__ import annotations

import numpy as np

from neurprise import arrays
from neurprise.problems.draws import draw_costs
from neurprise.problems.selection.formulation import Selection


def make_selection(num_items: int, num_scenarios: int, seed: int, distribution: str = "uniform") -> Selection:
    """A random instance of SEL-num_items-num_scenarios; half of the items are to be taken."""
    num_items = arrays.whole_number("num_items", num_items, 1)
    num_scenarios = arrays.whole_number("num_scenarios", num_scenarios, 1)
    rng = np.random.default_rng(arrays.whole_number("seed", seed, 0))
    first_stage, costs = draw_costs(rng, distribution, num_scenarios, num_items)
    return Selection(first_stage, costs, num_items // 2)


def examples() -> list[Selection]:
    """Few items are listed, many are not."""
    return [make_selection(8, 5, seed=0), make_selection(21, 2, seed=0)]
