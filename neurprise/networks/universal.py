"""
The encoding "lp": a few numbers for each scenario of any problem, from linear programs only.

Costs enter as distances from the largest in units of their spread, and as ranks. So neither the unit and the offset of
the objective nor the order of the scenarios matters.
"""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline
from neurprise.networks.scenario_graph import Floats32, ScenarioGraph
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import made_finite
from neurprise.search.relaxation import NUM_DECISIONS, RelaxedCosts, relaxed_costs
from neurprise.solvers import get_engine

#: Version of `universal_features`, stored with them; a change needs new networks.
VERSION = 2
#: F, the width of `universal_features`.
NUM_FEATURES = 4 + 2 * (NUM_DECISIONS + 3) + 2 + 4 + 6
#: Distances from the largest cost are cut off at this many standard deviations.
FARTHEST = 8.0
#: The distance of a scenario without recourse: worse than the worst.
NO_RECOURSE = 1.0
#: A scenario is compared with at most this many others.
MOST_COMPARED = 500
#: Spreads below this share of the largest cost are rounding errors.
NOISE = 1e-9
#: Replaces infinity in comparisons.
_BEYOND = 1e300


def solved_features(problem: TwoStageProblem) -> Floats32:
    """`universal_features` of every scenario, shape (S, F), with the linear programs that they need."""
    return universal_features(problem, relaxed_costs(problem, get_engine("highs"), Deadline()))


def graph_of_features(features: Floats32) -> ScenarioGraph:
    """One node per scenario with its features, shape (S, F); no edges."""
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
    The features of every scenario, shape (S, F), or of the scenarios `asked`, shape (len(asked), F).

    - The dual weight, and the step at which the relaxed search added the scenario.
    - As distances and as ranks: the costs under each decision, V({s}), the sum of the uncertain costs and the sum of
      the other uncertain numbers (with the sign that goes with the costs).
    - How often the scenario is the worst, has no recourse, dominates or is dominated.
    - The same for all scenarios: their number, the spreads, the shares of integers in x and y.
    """
    some = np.arange(problem.num_scenarios) if asked is None else asked
    weights = costs.relaxation.weights
    distances = [from_largest(row) for row in costs.totals]
    features = [weights, weights / max(weights.max(), NOISE), ranks(weights), _steps(costs)]
    sums = (_with_costs(part, costs.totals[0]) for part in _sums(problem))
    for vector in (*costs.totals, costs.singles, *sums):
        features += [from_largest(vector), ranks(vector)]
    features += [np.max(distances, axis=0), np.mean(distances, axis=0)]
    features += [_worst_share(costs.totals), np.isposinf(costs.totals).mean(axis=0)]
    columns = [column[some] for column in features] + [*_dominance(costs.totals, some)]
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


def ranks(values: Floats) -> Floats:
    """1 for the largest, then 1/2, 1/3, ..., shape (S,); equal values share their mean rank."""
    largest_first = -np.nan_to_num(_without_noise(values), nan=-np.inf)
    _, group, sizes = np.unique(largest_first, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(sizes) - (sizes - 1) / 2
    return np.asarray(1.0 / mean_rank[group], dtype=np.float64)


def _without_noise(values: Floats) -> Floats:
    """Rounded values, shape (S,): engines return equal costs with small differences."""
    finite = values[np.isfinite(values)]
    unit = NOISE * max(float(np.ptp(finite)), NOISE * float(np.abs(finite).max()), 1e-300) if finite.size else 1.0
    rounded = np.round((values - (finite.max() if finite.size else 0.0)) / (1e3 * unit))
    return np.clip(rounded, -_BEYOND, _BEYOND)  # also infinities, so that they can be compared


def _steps(costs: RelaxedCosts) -> Floats:
    """1, 1/2, ... for the scenarios that the relaxed search added, in that order; 0 for others; shape (S,)."""
    steps = np.zeros(len(costs.singles))
    for step, scenario in enumerate(costs.relaxation.scenarios):
        steps[scenario] = 1.0 / (1.0 + step)
    return steps


def _sums(problem: TwoStageProblem) -> tuple[Floats, Floats]:
    """Each scenario's sum of uncertain costs, and of uncertain numbers in other units, shape (S,) each."""
    parts = [np.zeros(problem.num_scenarios), np.zeros(problem.num_scenarios)]
    for kind, change in problem.changes.items():
        parts[kind not in ("costs", "x_costs")] += made_finite(change.values).sum(axis=1)
    return parts[0], parts[1]


def _with_costs(severity: Floats, totals: Floats) -> Floats:
    """The summed coefficients, with the sign that makes them grow with the costs, shape (S,)."""
    finite = np.isfinite(totals)
    if not finite.any():
        return severity
    together = np.sum((severity[finite] - severity.mean()) * (totals[finite] - totals[finite].mean()))
    return severity if together >= 0 else -severity


def _worst_share(totals: Floats) -> Floats:
    """Share of the decisions for which a scenario is the worst, shape (S,); ties share it."""
    rounded = np.array([np.nan_to_num(_without_noise(row), nan=-_BEYOND) for row in totals])
    worst = rounded >= rounded.max(axis=1, keepdims=True)
    return np.asarray((worst / worst.sum(axis=1, keepdims=True)).mean(axis=0))


def _dominance(totals: Floats, asked: Ints) -> tuple[Floats, Floats]:
    """
    For the scenarios `asked`: the shares of others that cost at least as much, and at most as much, in every decision.

    With many scenarios, the others are the MOST_COMPARED that cost most under the first decision.
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
    """Features that all scenarios share."""
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
