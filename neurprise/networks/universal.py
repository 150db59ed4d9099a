"""
Any problem as a network sees it: for every scenario the same few numbers, from linear programs alone.

Costs enter as distances from the largest in units of their spread, and as places in their order. So scaling or
shifting the objective changes nothing, and neither does the order of scenarios.
"""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.networks.scenario_graph import Floats32, ScenarioGraph
from neurprise.problem import TwoStageProblem
from neurprise.problem.scenario_table import made_finite
from neurprise.search.relaxed_costs import NUM_DECISIONS, RelaxedCosts

#: Further below the largest than so many standard deviations is all the same.
FARTHEST = 8.0
#: What stands for a scenario without recourse: worse than the worst.
NO_RECOURSE = 1.0
#: A scenario is compared with at most so many others.
MOST_COMPARED = 500
#: Spreads below this part of the largest cost are rounding errors.
NOISE = 1e-9


def universal_graph(problem: TwoStageProblem, costs: RelaxedCosts) -> ScenarioGraph:
    """One node for each scenario that holds `universal_features`; no edges."""
    return graph_of_features(universal_features(problem, costs))


def graph_of_features(features: Floats32) -> ScenarioGraph:
    """The same from features that are known, shape (S, F)."""
    count, width = features.shape
    return ScenarioGraph(
        nodes=np.zeros((1, width), dtype=np.float32),
        node_places=np.zeros((2, 0), dtype=np.int64),
        node_values=np.zeros((count, 0), dtype=np.float32),
        edges=np.zeros((2, 0), dtype=np.int64),
        weights=np.zeros(0, dtype=np.float32),
        edge_places=np.zeros(0, dtype=np.int64),
        edge_values=np.zeros((count, 0), dtype=np.float32),
        scenario_columns=slice(0, width),
        scenario_values=features,
    )


def universal_features(problem: TwoStageProblem, costs: RelaxedCosts, asked: Ints | None = None) -> Floats32:
    """
    What is told of every scenario, shape (S, F), or only of those asked for, shape (len(asked), F).

    Dual weight and step of the relaxed search; the costs under each decision, V({s}), and the sums of the uncertain
    costs and of the other uncertain numbers, with the sign that goes with the costs, as distances and as places; how
    often a scenario is the worst, has no recourse, dominates or is dominated; and the same for all scenarios: their
    number, spreads, and how much of x and y is whole.
    """
    some = np.arange(problem.num_scenarios) if asked is None else asked
    weights = costs.relaxation.weights
    distances = [from_largest(row) for row in costs.totals]
    told = [weights, weights / max(weights.max(), NOISE), places(weights), _steps(costs)]
    sums = (_with_costs(part, costs.totals[0]) for part in _sums(problem))
    for vector in (*costs.totals, costs.singles, *sums):
        told += [from_largest(vector), places(vector)]
    told += [np.max(distances, axis=0), np.mean(distances, axis=0)]
    told += [_worst_share(costs.totals), np.isposinf(costs.totals).mean(axis=0)]
    columns = [column[some] for column in told] + [*_dominance(costs.totals, some)]
    columns += [np.full(len(some), value) for value in _context(problem, costs)]
    return np.column_stack(columns).astype(np.float32)


def from_largest(values: Floats) -> Floats:
    """Distances from the largest finite value in standard deviations, shape (S,), in [-FARTHEST, 0]."""
    finite = np.isfinite(values)
    if not finite.any():
        return np.where(np.isposinf(values), NO_RECOURSE, 0.0)
    known = values[finite]
    spread = float(known.std())
    if spread <= NOISE * float(np.abs(known).max()):
        scaled = np.zeros_like(values)
    else:
        scaled = np.clip((np.where(finite, values, known.min()) - known.max()) / spread, -FARTHEST, 0.0)
    return np.where(np.isposinf(values), NO_RECOURSE, scaled)


def places(values: Floats) -> Floats:
    """1 for the largest, then 1/2, 1/3, ..., shape (S,); those who tie share the mean place."""
    largest_first = -np.nan_to_num(_without_noise(values), nan=-np.inf)
    _, group, sizes = np.unique(largest_first, return_inverse=True, return_counts=True)
    mean_place = np.cumsum(sizes) - (sizes - 1) / 2
    return np.asarray(1.0 / mean_place[group], dtype=np.float64)


def _without_noise(values: Floats) -> Floats:
    """Equal costs that engines return a little apart become equal, shape (S,)."""
    finite = values[np.isfinite(values)]
    unit = NOISE * max(float(np.ptp(finite)), NOISE * float(np.abs(finite).max()), 1e-300) if finite.size else 1.0
    rounded = np.round((values - (finite.max() if finite.size else 0.0)) / (1e3 * unit))
    return np.clip(rounded, -_BEYOND, _BEYOND)  # infinities too, so that they can be compared


def _steps(costs: RelaxedCosts) -> Floats:
    """1, 1/2, ... for the scenarios that the relaxed search added, in that order; 0 for others; shape (S,)."""
    told = np.zeros(len(costs.singles))
    for step, scenario in enumerate(costs.relaxation.scenarios):
        told[scenario] = 1.0 / (1.0 + step)
    return told


def _sums(problem: TwoStageProblem) -> tuple[Floats, Floats]:
    """Each scenario's sum of uncertain costs, and of what is counted in other units, shape (S,) each."""
    parts = [np.zeros(problem.num_scenarios), np.zeros(problem.num_scenarios)]
    for kind, change in problem.changes.items():
        parts[kind not in ("costs", "x_costs")] += made_finite(change.values).sum(axis=1)
    return parts[0], parts[1]


def _with_costs(severity: Floats, totals: Floats) -> Floats:
    """The summed coefficients with the sign in which they go up with the costs, shape (S,)."""
    finite = np.isfinite(totals)
    if not finite.any():
        return severity
    together = np.sum((severity[finite] - severity.mean()) * (totals[finite] - totals[finite].mean()))
    return severity if together >= 0 else -severity


def _worst_share(totals: Floats) -> Floats:
    """In which share of the decisions a scenario is the worst, shape (S,); those who tie share it."""
    rounded = np.array([np.nan_to_num(_without_noise(row), nan=-_BEYOND) for row in totals])
    worst = rounded >= rounded.max(axis=1, keepdims=True)
    return np.asarray((worst / worst.sum(axis=1, keepdims=True)).mean(axis=0))


def _dominance(totals: Floats, asked: Ints) -> tuple[Floats, Floats]:
    """
    Which share of the others cost at least as much, and at most as much, under every decision; of those asked for.

    Of many scenarios, the others are those that cost most under the first decision.
    """
    rounded = np.array([_without_noise(row) for row in totals])
    count = totals.shape[1]
    others = rounded if count <= MOST_COMPARED else rounded[:, np.argsort(-rounded[0], kind="stable")[:MOST_COMPARED]]
    above = np.empty(len(asked))
    below = np.empty(len(asked))
    for place, s in enumerate(asked.tolist()):
        difference = others - rounded[:, s : s + 1]
        equal = (difference == 0).all(axis=0)
        above[place] = ((difference >= 0).all(axis=0) & ~equal).sum()
        below[place] = ((difference <= 0).all(axis=0) & ~equal).sum()
    compared = max(1, others.shape[1] - 1)
    return above / compared, below / compared


def _context(problem: TwoStageProblem, costs: RelaxedCosts) -> list[float]:
    """The same for all scenarios."""
    weights = costs.relaxation.weights
    spreads = [_spread(row) for row in (costs.totals[0], costs.singles)]
    first, recourse = problem.first_stage.integer, problem.recourse.integer
    return [
        np.log(problem.num_scenarios) / 5,
        float((weights > 0).sum()) / 10,
        float((weights**2).sum()),
        spreads[1] / (spreads[0] + spreads[1]) if sum(spreads) > 0 else 0.5,
        float(first.mean()) if first.size else 0.0,
        float(recourse.mean()) if recourse.size else 0.0,
    ]


def _spread(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.std()) if finite.size else 0.0


#: Beyond any number of roundings.
_BEYOND = 1e300
#: Counts what `universal_features` has told; a change in it needs new networks.
VERSION = 2
#: F, the width of `universal_features`.
NUM_FEATURES = 4 + 2 * (NUM_DECISIONS + 3) + 2 + 4 + 6
