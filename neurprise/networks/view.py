"""
What networks read about a problem.

NeurPRISE reads scenario graphs in one of four encodings:

- "cv": the constraint-variable graph of any problem [Gasse et al. 2019].
- "ps": the compact graph of a family, such as sites and customers.
- "sv" (ours): "ps" with the costs of each scenario alone and under a few decisions (`Probes`).
- "lp" (ours): for any problem, a few numbers for each scenario (`universal.py`).

Every problem has a default `LearnedView`; a family may give a better one as `problem.learned`. Neur2RO reads a
`Description`, which only families give (`problem.surrogate`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.compiled import Compiler
from neurprise.errors import InputError, NotApplicableError
from neurprise.networks.scenario_graph import (
    EPSILON,
    ScenarioGraph,
    ScenarioProgram,
    constraint_variable_graph,
    feature,
    own_rows,
)
from neurprise.problem import TwoStageProblem
from neurprise.problem.contract import NetworkView, SurrogateKnowledge

compiled = Compiler("the network's probes", seconds=1, nogil=True)

ENCODINGS = ("cv", "ps", "sv", "lp")
#: Probe costs further than this many standard deviations away are cut off.
LARGEST_DEVIATION = 50.0
#: Number of probing decisions.
NUM_PROBES = 4


@dataclass(frozen=True)
class Probes:
    """
    Costs of each scenario that need no mixed-integer program, for the encoding "sv".

    A scenario that is expensive under the decisions of other scenarios is not covered by them.

    Parameters
    ----------
    values
        V({s}) or a bound on it, shape (S,).
    costs
        c'x + Q(x, s) of each probing decision, shape (S, number of probes).
    columns
        Features of each scenario, in standard deviations of the values, shape (S, k).
    decisions
        First-stage decisions that are optimal for {s} alone, shape (S, n), as features of the first n nodes; or None.
    """

    values: Floats
    costs: Floats
    columns: Floats
    decisions: Floats | None = None


@dataclass(frozen=True, eq=False)
class LearnedView:
    """
    The view of a problem whose family gives no better one.

    Parameters
    ----------
    problem
        The problem.

    Attributes
    ----------
    encodings
        The supported ones of "cv" (`program`), "ps" (`compact_graph`) and "sv" (`compact_graph` and `probes`).
    default_encoding
        The encoding for training, unless another is asked for.
    """

    problem: TwoStageProblem

    encodings: ClassVar[tuple[str, ...]] = ("cv",)
    default_encoding: ClassVar[str] = "cv"

    def program(self) -> ScenarioProgram:
        """The rows of the constraint-variable graph."""
        return own_rows(self.problem)

    def compact_graph(self) -> ScenarioGraph:
        """A smaller graph than that of variables and rows."""
        raise NotApplicableError(f"{self.problem.family!r} problems have no compact graph; use the encoding 'cv'.")

    def probes(self) -> Probes:
        """Costs of each scenario alone and under a few decisions."""
        return probes_by_oracle(self.problem)

    def final_scores(self, scores: Floats) -> Floats:
        """The network's scores (S,), corrected by exact knowledge about single scenarios."""
        return scores


def view_of(problem: TwoStageProblem) -> NetworkView:
    """The family's view of the problem, or the default view."""
    return LearnedView(problem) if problem.learned is None else problem.learned


def encode(problem: TwoStageProblem, encoding: str) -> ScenarioGraph:
    """The scenario graphs of a problem; only families have "ps" and "sv"."""
    if encoding not in ENCODINGS:
        raise InputError(f"encoding must be one of {', '.join(ENCODINGS)}, got {encoding!r}.")
    if encoding == "lp":
        from neurprise.networks.universal import graph_of_features, solved_features

        return graph_of_features(solved_features(problem))
    view = view_of(problem)
    if encoding not in view.encodings:
        raise NotApplicableError(
            f"encoding {encoding!r} is not defined for {problem.family!r} problems; use 'cv' or 'lp'."
        )
    if encoding == "cv":
        return constraint_variable_graph(view.program())
    compact = view.compact_graph()
    return compact if encoding == "ps" else _with_probes(compact, view.probes())


def _with_probes(graph: ScenarioGraph, found: Probes) -> ScenarioGraph:
    """Add V({s}) and the probes' costs to every node, and the decision that is optimal for {s} alone to its items."""
    first, last = graph.num_features, graph.num_features + found.columns.shape[1]
    places, values, added = graph.node_places, graph.node_values, last - first
    if found.decisions is not None:
        places = np.concatenate([places, feature(np.arange(found.decisions.shape[1]), last)], axis=1)
        values = np.concatenate([values, found.decisions], axis=1, dtype=np.float32)
        added += 1
    return replace(
        graph,
        nodes=np.concatenate([graph.nodes, np.zeros((graph.num_nodes, added), dtype=np.float32)], axis=1),
        node_places=places,
        node_values=values,
        scenario_columns=slice(first, last),
        scenario_values=found.columns.astype(np.float32),
    )


def probes_by_oracle(problem: TwoStageProblem) -> Probes:
    """Probes of families that know V({s}) and the recourse costs without an engine."""
    alone, oracle = problem.single_scenarios, problem.oracle
    if alone is None or oracle is None:
        raise NotApplicableError(
            f"encoding 'sv' needs a recourse oracle and V({{s}}), {problem.family!r} does not have both; use 'ps'."
        )
    values, decisions = alone.values(), alone.decisions(range(problem.num_scenarios))
    now = problem.first_stage.costs
    costs = [now @ x + oracle.recourse_costs(x) for x in severe_decisions(values, decisions)]
    return probes_around_mean(values, np.column_stack(costs), decisions)


def probes_around_mean(values: Floats, costs: Floats, decisions: Floats) -> Probes:
    """Probes whose columns are the distances of values and costs from the mean value."""
    numbers = np.concatenate([values[:, None], costs], axis=1)
    return Probes(values, costs, deviations(numbers, values, np.full(numbers.shape[1], values.mean())), decisions)


def severe_decisions(values: Floats, decisions: Floats) -> Floats:
    """The decisions of the scenarios of largest V({s}), largest first, shape (NUM_PROBES, n)."""
    order = np.argsort(-values, kind="stable")
    return decisions[order[np.minimum(np.arange(NUM_PROBES), len(order) - 1)]]


@compiled
def deviations(numbers: Floats, spread: Floats, origins: Floats) -> Floats:
    """Distances of numbers (S, k) from the origins (k,) in standard deviations of `spread` (S,), shape (S, k)."""
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


@dataclass(frozen=True)
class Description:
    """
    An instance as Neur2RO reads it: items of the first stage, and scenarios as sets. All features are ratios, so
    neither the currency nor the size of the instance matters.

    The decision about an item is a mixture of a few corners: taken or not; closed, open without capacity, open with
    full capacity. The shares of the corners are affine in x. The network is evaluated at the corners only and mixed
    in between, so it is affine in x, however deep it is.

    Parameters
    ----------
    items
        Features of the n items, shape (n, F).
    corners
        Decision inputs at the C corners of an item's decision, shape (C, q).
    shares_at_zero, shares
        Share of every corner of every item, item by item: shares_at_zero + shares @ x; shapes (n C,), (n C, n_x).
    scenario_items
        Features of the k elements of each scenario, shape (S, k, G).
    scale
        Recourse costs divided by this are of the order of one.
    reference
        A decision that has recourse wherever any decision has, shape (n_x,). The search begins with its predicted
        worst case.
    """

    items: Floats
    corners: Floats
    shares_at_zero: Floats
    shares: sparse.csr_array
    scenario_items: Floats
    scale: float
    reference: Floats

    @property
    def item_inputs(self) -> Floats:
        """Decision inputs and features of every item at every corner, shape (n, C, q + F)."""
        n, c = len(self.items), len(self.corners)
        corners = np.broadcast_to(self.corners, (n, *self.corners.shape))
        return np.concatenate([corners, np.repeat(self.items[:, None], c, axis=1)], axis=2)

    def shares_of(self, decisions: Floats) -> Floats:
        """Shares of the corners under each decision; decisions: (N, n_x) -> (N, n, C)."""
        shares: Floats = self.shares_at_zero + (self.shares @ decisions.T).T
        return shares.reshape(len(decisions), len(self.items), len(self.corners))


def knowledge_of(problem: TwoStageProblem) -> SurrogateKnowledge:
    """The family's knowledge for Neur2RO; refuses problems whose family gives none."""
    if problem.surrogate is None:
        raise NotApplicableError(
            f"Neur2RO needs a family that describes itself to it (problem.surrogate), and {problem.family!r} does not; "
            "use solve(problem), or a reducer such as 'prise'."
        )
    return problem.surrogate


def positive(value: float) -> float:
    """A divisor: the value, or 1 if it is not positive."""
    return float(value) if value > 0 else 1.0
