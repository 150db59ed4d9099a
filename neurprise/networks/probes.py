"""
What a scenario means, in costs that take no mixed-integer program: V({s}) or a bound on it, and cheap decisions' costs.

A scenario that is costly for decisions which suit other scenarios is one that those do not cover. The encoding "sv"
tells the network these costs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurprise.arrays import Floats
from neurprise.compiled import Compiler
from neurprise.errors import NotApplicableError
from neurprise.problem import TwoStageProblem

compiled = Compiler("the network's probes", seconds=1, nogil=True)

EPSILON = 1e-8
LARGEST_DEVIATION = 50.0

#: Decisions whose costs are told.
NUM_DECISIONS = 4


@dataclass(frozen=True)
class Probes:
    """
    Parameters
    ----------
    values
        V({s}) or a bound on it, shape (S,).
    costs
        c'x + Q(x, s) of each probing decision, shape (S, number of probes).
    columns
        What is told of each scenario, in standard deviations of the values, shape (S, k).
    decisions
        What {s} alone would take now, shape (S, n), told on the first n nodes; None where it is not told.
    """

    values: Floats
    costs: Floats
    columns: Floats
    decisions: Floats | None = None


def probes_around_mean(values: Floats, costs: Floats, decisions: Floats) -> Probes:
    """Values and costs are told as distances from the mean value."""
    told = np.concatenate([values[:, None], costs], axis=1)
    return Probes(values, costs, deviations(told, values, np.full(told.shape[1], values.mean())), decisions)


def deviations(numbers: Floats, spread: Floats, origins: Floats) -> Floats:
    """Distances of numbers (S, k) from the origins (k,) in standard deviations of `spread` (S,), shape (S, k)."""
    distances: Floats = _deviations(numbers, spread, origins)
    return distances


@compiled
def _deviations(numbers: Floats, spread: Floats, origins: Floats) -> Floats:
    """
    Distance of numbers (S, k) from the origins (k,) in standard deviations of `spread` (S,).

    Limited to LARGEST_DEVIATION, where these hardly differ.
    """
    mean = spread.mean()
    squares, largest = 0.0, 0.0
    for value in spread:
        squares += (value - mean) ** 2
        largest = max(largest, abs(value))
    scale = np.sqrt(squares / len(spread)) + 1e-6 * largest + EPSILON
    out = np.empty_like(numbers)
    for s in range(numbers.shape[0]):
        for k in range(numbers.shape[1]):
            distance = (numbers[s, k] - origins[k]) / scale
            out[s, k] = min(max(distance, -LARGEST_DEVIATION), LARGEST_DEVIATION)
    return out


def severe_decisions(values: Floats, decisions: Floats) -> Floats:
    """The decisions of the scenarios of largest V({s}), largest first, shape (NUM_DECISIONS, n)."""
    order = np.argsort(-values, kind="stable")
    chosen: Floats = decisions[order[np.minimum(np.arange(NUM_DECISIONS), len(order) - 1)]]
    return chosen


def probes_by_oracle(problem: TwoStageProblem) -> Probes:
    """V({s}) and the costs of the severest scenarios' decisions, for families that know both without an engine."""
    alone, oracle = problem.single_scenarios, problem.oracle
    if alone is None or oracle is None:
        raise NotApplicableError(
            f"encoding 'sv' needs a recourse oracle and V({{s}}), {problem.family!r} does not have both; use 'ps'."
        )
    values, decisions = alone.values(), alone.decisions(range(problem.num_scenarios))
    now = problem.first_stage.costs
    costs = [now @ x + oracle.recourse_costs(x) for x in severe_decisions(values, decisions)]
    return probes_around_mean(values, np.column_stack(costs), decisions)
