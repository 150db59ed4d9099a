"""
What objectives make of the costs of all scenarios, each by a textbook formula that the package does not use.

    CVaR            min_t t + sum_s p_s max(cost_s - t, 0) / (1 - level)          [Rockafellar and Uryasev 2000]
    total variation radius * largest cost + (1 - radius) * CVaR at the level radius
    Wasserstein     min_{l >= 0} l * radius + sum_i p_i max_j (cost_j - l * distance_ij)   [Esfahani and Kuhn 2018]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import neurprise as nr
from experiments.judges.oracles import Judge
from experiments.judges.oracles.program import Program
from experiments.judges.random_problems.statement import Statement
from neurprise.arrays import Bools, Floats
from neurprise.objectives import Objective

#: From finite costs, shape (S,), to their value.
Rule = Callable[[Floats], float]


@dataclass(frozen=True)
class Weighing:
    """
    One objective as the package gets it, and as the judge weighs costs.

    Parameters
    ----------
    objective
        For the package.
    rule
        For the judge; costs that are impossible do not reach it.
    possible
        Scenarios that count, shape (S,).
    regret
        "" for costs as they are; "regret" or "relative" for what they exceed the best by.
    tail
        (probabilities, level, weight) where the value is a mixture of CVaR and mean, which one program minimises.
    """

    objective: Objective
    rule: Rule
    possible: Bools
    regret: str = ""
    tail: tuple[Floats, float, float] | None = None

    def value(self, costs: Floats) -> float:
        """The value of these costs, shape (S,), which may be infinite."""
        if (costs[self.possible] == math.inf).any():
            return math.inf
        finite = np.where(self.possible, costs, 0.0)
        if not (finite == -math.inf).any():
            return self.rule(finite)
        depth = 1e3 * (1.0 + np.abs(finite[np.isfinite(finite)]).max(initial=0.0))
        near, far = (self.rule(np.where(finite == -math.inf, -times * depth, finite)) for times in (1.0, 2.0))
        return near if math.isclose(near, far, abs_tol=1e-9) else -math.inf

    def best(self, judge: Judge) -> float:
        """The least value of any decision; nan where the judge cannot list them."""
        totals = judge.totals
        if totals is not None:
            return min((self.value(costs) for costs in self.shifted(totals, judge)), default=math.inf)
        if isinstance(self.objective, nr.objectives.WorstCase):
            return judge.value()
        return math.nan if self.tail is None else judge.minimum(tail_program(judge.statement, *self.tail))

    def of_decision(self, x: Floats, judge: Judge) -> float:
        """The value of x."""
        totals = judge.first_cost(x) + judge.recourse_costs(x)
        if np.isnan(totals).any():
            return math.nan
        return self.value(self.shifted(totals[None], judge)[0])

    def shifted(self, totals: Floats, judge: Judge) -> Floats:
        """Costs or regrets, shape (decisions, S), of these total costs."""
        if not self.regret:
            return totals
        best = np.array([judge.value([s]) for s in range(totals.shape[1])])
        if not np.isfinite(best[self.possible]).all():  # nobody can regret what has no best
            wrong = best[self.possible & ~np.isfinite(best)][0]
            return np.full_like(totals, wrong)
        known = np.where(np.isfinite(best), best, 0.0)
        return (totals - known) / (np.abs(known) if self.regret == "relative" else 1.0)


def weighings(rng: np.random.Generator, p: Floats) -> list[Weighing]:
    """One of every kind of objective under these probabilities, shape (S,), its numbers drawn."""
    size, certain = len(p), p > 0
    everyone = np.ones(size, dtype=bool)
    level, weight, radius = (float(rng.choice([0.1, 0.35, 0.5, 0.9])) for _ in range(3))
    distances = np.triu(rng.integers(0, 9, (size, size)).astype(float), 1)
    distances += distances.T
    reach = float(rng.choice([0.5, 2.0, 20.0]))

    def mean(costs: Floats) -> float:
        return float(p @ costs)

    def mixed(costs: Floats) -> float:
        return weight * tail_mean(costs, p, level) + (1.0 - weight) * float(p @ costs)

    objectives = nr.objectives
    return [
        Weighing(objectives.WorstCase(), lambda costs: float(costs.max()), everyone),
        Weighing(objectives.Expected(), mean, certain, tail=(p, 0.0, 0.0)),
        Weighing(objectives.CVaR(0.0), mean, certain, tail=(p, 0.0, 0.0)),
        Weighing(objectives.CVaR(level), lambda costs: tail_mean(costs, p, level), certain, tail=(p, level, 1.0)),
        Weighing(objectives.CVaR(level, weight), mixed, certain, tail=(p, level, weight)),
        Weighing(objectives.TotalVariation(0.0), mean, certain, tail=(p, 0.0, 0.0)),
        Weighing(objectives.TotalVariation(1.0), lambda costs: float(costs.max()), everyone),
        Weighing(objectives.TotalVariation(radius), lambda costs: moved(costs, p, radius), everyone),
        Weighing(objectives.Wasserstein(reach, distances), lambda costs: sent(costs, p, distances, reach), everyone),
        Weighing(objectives.Regret(), lambda costs: float(costs.max()), everyone, "regret"),
        Weighing(objectives.Regret(of=objectives.Expected()), mean, certain, "regret"),
        Weighing(objectives.Regret(relative=True), lambda costs: float(costs.max()), everyone, "relative"),
    ]


def tail_mean(costs: Floats, p: Floats, level: float) -> float:
    """CVaR; shapes (S,)."""
    return float(min(t + p @ np.maximum(costs - t, 0.0) / (1.0 - level) for t in costs[p > 0]))


def moved(costs: Floats, p: Floats, radius: float) -> float:
    """The largest mean when a share of the probability may move anywhere; shapes (S,)."""
    return radius * float(costs.max()) + (1.0 - radius) * tail_mean(costs, p, radius)


def sent(costs: Floats, p: Floats, distances: Floats, radius: float) -> float:
    """The largest mean within a positive radius: the minimum lies where two lines of one maximum cross, or at zero."""
    rises, runs = costs[:, None] - costs[None], distances[:, :, None] - distances[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = (rises[None] / runs).ravel()
    prices = np.append(crossings[np.isfinite(crossings) & (crossings > 0)], 0.0)
    return float(min(price * radius + p @ (costs - price * distances).max(axis=1) for price in np.unique(prices)))


def tail_program(statement: Statement, p: Floats, level: float, weight: float) -> Program:
    """
    min over x of weight CVaR + (1 - weight) mean, as one program.

    Columns: x, t, then for each scenario of positive probability its cost, its excess over t, and its y.
    """
    chosen = np.flatnonzero(p > 0).tolist()
    n, m = len(statement.c), statement.b.shape[1]
    width, first = 2 + m, n + 1
    count = first + width * len(chosen)
    rows = [_wide(statement.A, 0, count)]
    low, high = [statement.a_lower], [statement.a_upper]
    costs, lower, upper = np.zeros(count), np.full(count, -np.inf), np.full(count, np.inf)
    integer = np.zeros(count, dtype=bool)
    costs[:n], costs[n] = statement.c, weight
    lower[:n], upper[:n], integer[:n] = statement.x_lower, statement.x_upper, statement.x_integer
    for place, s in enumerate(chosen):
        start = first + width * place
        costs[start : start + 2] = (1.0 - weight) * p[s], weight * p[s] / (1.0 - level)
        lower[start + 1] = 0.0
        lower[start + 2 : start + width], upper[start + 2 : start + width] = statement.y_lower[s], statement.y_upper[s]
        integer[start + 2 : start + width] = statement.y_integer
        pays = _wide(-statement.q[s][None], 0, count) + _wide(np.r_[1.0, 0.0, -statement.b[s]][None], start, count)
        exceeds = _wide(np.array([[-1.0, 1.0]]), start, count) + _wide(np.ones((1, 1)), n, count)
        keeps = _wide(statement.T[s], 0, count) + _wide(statement.W[s], start + 2, count)
        rows += [pays, exceeds, keeps]
        low += [np.zeros(2), statement.row_lower[s]]
        high += [np.array([0.0, np.inf]), statement.row_upper[s]]
    if weight == 0.0:  # t is of no use
        lower[n] = upper[n] = 0.0
    ends = np.concatenate(low), np.concatenate(high)
    return Program(costs, np.vstack(rows), *ends, lower, upper, integer, statement.offset)


def _wide(block: Floats, start: int, count: int) -> Floats:
    """The block in the columns from `start` on, among so many."""
    whole = np.zeros((len(block), count))
    whole[:, start : start + block.shape[1]] = block
    return whole
