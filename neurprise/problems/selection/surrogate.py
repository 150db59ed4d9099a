"""Selection: items by their costs now and later."""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats
from neurprise.networks.description import Description, positive
from neurprise.problems import binary_decisions as binary
from neurprise.problems.selection.formulation import Selection


def describe(problem: Selection) -> Description:
    """Costs in units of the mean second-stage cost."""
    now, later = problem.first_stage_costs, problem.scenario_costs
    n, unit = len(now), positive(later.mean()) if later.size else 1.0
    wanted = np.full(n, problem.num_select / max(n, 1))
    usual, spread = later.mean(axis=0) / unit, later.std(axis=0) / unit
    of_item = np.column_stack([now / unit, usual, spread, wanted])
    return Description(
        items=of_item,
        corners=binary.CORNERS,
        shares_at_zero=binary.shares_at_zero(n),
        shares=binary.shares(n),
        scenario_items=_scenario_items(later / unit, of_item),
        scale=positive(unit * n),
        reference=np.zeros(n),
    )


def decisions(problem: Selection, good: Floats, rng: np.random.Generator, count: int) -> Floats:
    """Flips of good decisions, optima of blended scenarios, and random ones; shape (count, n)."""
    draws = (
        lambda: binary.varied(good, rng),
        lambda: binary.greedy(problem, problem.scenario_costs, rng),
        lambda: binary.varied(good, rng),
        lambda: binary.scattered(problem.num_first_stage, rng),
    )
    return np.stack([_repaired(draws[k % len(draws)](), problem) for k in range(count)])


def _scenario_items(later: Floats, of_item: Floats) -> Floats:
    """Cost of each item in the scenario, and its features; shape (S, n, 5)."""
    shared = np.broadcast_to(of_item, (len(later), *of_item.shape))
    return np.concatenate([later[:, :, None], shared], axis=2)


def _repaired(x: Floats, problem: Selection) -> Floats:
    """Of too many items, the cheapest are kept."""
    by_cost = np.argsort(np.where(x > 0.5, problem.first_stage_costs, np.inf), kind="stable")
    kept = np.zeros(len(x))
    kept[by_cost[: problem.num_select]] = 1.0
    return kept * x
