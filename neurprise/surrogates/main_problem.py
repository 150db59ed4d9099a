"""
The main problem of Neur2RO: the network names the worst scenario of R for x, and that scenario's true recourse is the
cost of x.

    min over x of  c'x + Q(x, s)   with s in R such that  value_s(x) >= value_t(x) for all t in R

It splits by s into branches. Each branch is a mixed-integer program with the recourse rows of one scenario and the
network as rows. A branch's optimum only rises as R grows, so branches are solved lazily: the cheapest is taken, and
solved again only if its decision breaks a row of a later scenario. The optimum does not bound the robust optimum,
because the network may name the wrong scenario.

A ReLU unit h = max(0, a'v + b) whose pre-activation lies in [low, high] becomes, with a binary z,

    h >= a'v + b,   h <= a'v + b - low (1 - z),   h <= high z,   h >= 0.

This is exact for every v. Units whose sign is known need no binary. `low` and `high` are the big-M's, so they should
be as tight as possible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline
from neurprise.search.cuts import SeparatedCuts
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.solvers import Engine, EngineModel, EngineResult, EngineStatus, Limits
from neurprise.solvers.tolerances import WHOLE_GAP
from neurprise.surrogates.network import Affine, FoldedNetwork

#: A scenario counts as worst when its value is below the largest by no more than this (in units of the scale).
TIE = 1e-6


@dataclass(frozen=True)
class Branch:
    """
    The decisions for which the network names one scenario of R as the worst.

    Parameters
    ----------
    value
        Smallest c'x + Q(x, s) when the branch was last solved; inf if there is no decision.
    x
        The cheapest decision; None if there is none, or if the branch must be solved again.
    size
        Number of scenarios in R when the branch was last solved.
    """

    value: float
    x: Floats | None
    size: int = 1


class MainProblem:
    """
    Main problems over a growing set R of scenarios of one instance.

    Parameters
    ----------
    form
        The true recourse rows.
    engine
        Solves the branches.
    network
        The network of the instance.
    """

    def __init__(self, form: ExtensiveForm, engine: Engine, network: FoldedNetwork) -> None:
        self._form, self._engine, self._network = form, engine, network
        self._cuts = SeparatedCuts(form, engine, form.problem.separator)
        self._branches: dict[int, Branch] = {}
        self._required: list[int] = []
        self.num_solves = 0

    @property
    def scenarios(self) -> tuple[int, ...]:
        """R, in the order in which scenarios were added."""
        return tuple(self._branches)

    def add(self, scenario: int, alone: Branch) -> None:
        """Add a scenario to R; `alone`: V({s}) and a decision that attains it."""
        self._branches[scenario] = alone

    def require_recourse(self, scenario: int, alone: Branch) -> bool:
        """Add a scenario to R and its recourse rows to every branch; False if they are there already."""
        if scenario in self._required:
            return False
        self._required.append(scenario)
        self._branches.setdefault(scenario, alone)
        # Values found without these rows are still bounds, but the decisions must be found again.
        self._branches = {s: replace(branch, x=None) for s, branch in self._branches.items()}
        return True

    def solve(self, limits: Limits, deadline: Deadline) -> tuple[EngineStatus, Floats | None]:
        """Why the search stopped, and the decision, or None."""
        while True:
            cheapest = min(self._branches, key=lambda s: self._branches[s].value)
            branch = self._branches[cheapest]
            if branch.value == math.inf:
                return EngineStatus.INFEASIBLE, None
            # A branch solved for this R needs no check: its rows hold within the engine's tolerance.
            if branch.x is not None and (branch.size == len(self._branches) or self._is_worst(cheapest, branch.x)):
                return EngineStatus.OPTIMAL, branch.x
            result = self._solve_branch(cheapest, limits, deadline)
            x = None if result.values is None else self._form.first_stage_of(result.values)
            if result.status not in (EngineStatus.OPTIMAL, EngineStatus.INFEASIBLE):
                return result.status, x
            self._branches[cheapest] = Branch(result.objective, x, len(self._branches))

    def branch_model(self, worst: int, deadline: Deadline) -> EngineModel | None:
        """The branch of one scenario; its first columns are those of `ExtensiveForm.model`. None if it is empty."""
        others = np.array([s for s in self._branches if s != worst], dtype=np.int64)
        members = np.concatenate([[worst], others])
        excess = largest_excess(self._network, members)
        if (excess[0, 1:] < -TIE).any():
            return None
        members = members[np.concatenate([[True], excess[1:, 0] > TIE])]
        extension = Extension(self._recourse_model(worst, deadline))
        if len(members) > 1:
            inputs = np.arange(self._form.problem.num_first_stage)
            values = add_network(extension, self._network, members, inputs)
            ones = np.ones(len(members) - 1)
            terms = [(ones[:, None], values[:1]), (-np.diag(ones), values[1:])]
            extension.add_rows(terms, -TIE * ones, np.inf * ones)
        return extension.model()

    def _solve_branch(self, worst: int, limits: Limits, deadline: Deadline) -> EngineResult:
        model = self.branch_model(worst, deadline)
        if model is None:
            return EngineResult(EngineStatus.INFEASIBLE)
        self.num_solves += 1
        if self._form.problem.integral_objective:
            limits = replace(limits, absolute_gap=WHOLE_GAP)
        return self._engine.solve(model, limits.until(deadline))

    def _recourse_model(self, worst: int, deadline: Deadline) -> EngineModel:
        """The problem of one scenario, with the recourse rows of the scenarios that need recourse in every branch."""
        blocks = [worst, *(s for s in self._required if s != worst)]
        model = self._cuts.tightened(blocks, deadline)
        row_lower = model.row_lower.copy()
        row_lower[self._form.objective_rows(len(blocks))[1:]] = -np.inf
        return replace(model, row_lower=row_lower)

    def _is_worst(self, scenario: int, x: Floats) -> bool:
        values = self._network.values(x)
        return bool(values[scenario] >= values[list(self._branches)].max() - TIE)


def add_network(extension: Extension, network: FoldedNetwork, scenarios: Sequence[int] | Ints, inputs: Ints) -> Ints:
    """Columns that equal the network's value of each scenario, in units of the scale; inputs: the columns of x."""
    hidden = add_relu(extension, network.first, inputs, network.first_range)
    shared_range = _shared_range(network)
    shared = add_affine(extension, network.second, hidden, shared_range)
    last, eye = Affine(network.last[None], np.array([network.last_bias])), np.eye(len(shared))
    outputs = []
    for s in scenarios:
        offset = network.offsets[s]
        units = add_relu(extension, Affine(eye, offset), shared, shared_range + offset[:, None])
        outputs.append(add_affine(extension, last, units, np.array([[-np.inf, np.inf]])))
    return np.concatenate(outputs)


def largest_excess(network: FoldedNetwork, scenarios: Ints) -> Floats:
    """
    Bounds of value_t(x) - value_s(x) over all x, at [t, s]; shape (k, k).

    Both values read the same shared unit g_j, each with its own offset, and relu(g + a) - relu(g + b) is monotone in g:
    its extremes lie at the ends of g_j's range.
    """
    low, high = np.maximum(_shared_range(network).T[:, None] + network.offsets[scenarios], 0.0)
    ends = np.stack([low[:, None] - low[None], high[:, None] - high[None]])
    return np.asarray((ends * network.last).max(axis=0).sum(axis=2))


def _shared_range(network: FoldedNetwork) -> Floats:
    return affine_range(network.second, np.maximum(network.first_range, 0.0))


#: Coefficients of rows, and the columns they belong to: matrix (rows, len(columns)), columns.
Term = tuple[Floats | sparse.csr_array, Ints]


class Extension:
    """
    Columns and rows added to a model.

    Parameters
    ----------
    model
        The model; its columns keep their places.
    """

    def __init__(self, model: EngineModel) -> None:
        self._model = model
        self._lower, self._upper, self._integer = [model.lower], [model.upper], [model.integer]
        self._rows: list[tuple[Sequence[Term], Floats, Floats]] = []
        self._num_columns = len(model.costs)

    def add_columns(self, lower: Floats, upper: Floats, *, integer: bool = False) -> Ints:
        """Add columns without cost and return their places."""
        self._lower.append(lower)
        self._upper.append(upper)
        self._integer.append(np.full(len(lower), integer))
        self._num_columns += len(lower)
        return np.arange(self._num_columns - len(lower), self._num_columns)

    def add_rows(self, terms: Sequence[Term], lower: Floats, upper: Floats) -> None:
        """lower <= sum of coefficients @ columns <= upper."""
        if len(lower):
            self._rows.append((terms, lower, upper))

    def model(self) -> EngineModel:
        """The model with everything added."""
        old = self._model.matrix
        widened = sparse.csr_array((old.data, old.indices, old.indptr), shape=(old.shape[0], self._num_columns))
        added = self._num_columns - len(self._model.costs)
        return replace(
            self._model,
            costs=np.concatenate([self._model.costs, np.zeros(added)]),
            matrix=sparse.csr_array(sparse.vstack([widened, *(self._spread(terms) for terms, _, _ in self._rows)])),
            row_lower=np.concatenate([self._model.row_lower, *(lower for _, lower, _ in self._rows)]),
            row_upper=np.concatenate([self._model.row_upper, *(upper for _, _, upper in self._rows)]),
            lower=np.concatenate(self._lower),
            upper=np.concatenate(self._upper),
            integer=np.concatenate(self._integer),
        )

    def _spread(self, terms: Sequence[Term]) -> sparse.csr_array:
        parts = []
        for coefficients, columns in terms:
            entries = sparse.coo_array(coefficients)
            places = (entries.coords[0], columns[entries.coords[1]])
            parts.append(sparse.coo_array((entries.data, places), shape=(entries.shape[0], self._num_columns)))
        return sparse.csr_array(sum(parts[1:], start=parts[0]))


def add_affine(extension: Extension, layer: Affine, inputs: Ints, ranges: Floats) -> Ints:
    """Columns that equal layer(inputs); ranges: (outputs, 2)."""
    outputs = extension.add_columns(ranges[:, 0], ranges[:, 1])
    extension.add_rows([(layer.weight, inputs), (-np.eye(len(outputs)), outputs)], -layer.bias, -layer.bias)
    return outputs


def add_relu(extension: Extension, layer: Affine, inputs: Ints, ranges: Floats) -> Ints:
    """Columns that equal max(0, layer(inputs)); ranges: (outputs, 2), of layer(inputs) before the maximum."""
    low, high = ranges.T
    outputs = extension.add_columns(np.maximum(low, 0.0), np.maximum(high, 0.0))
    _add_active(extension, layer, inputs, outputs, np.flatnonzero(low >= 0))
    _add_undecided(extension, layer, inputs, outputs, np.flatnonzero((low < 0) & (high > 0)), low, high)
    return outputs


def affine_range(layer: Affine, ranges: Floats) -> Floats:
    """Range of layer(v) over all v in a box; ranges: (inputs, 2) -> (outputs, 2)."""
    positive, negative = np.maximum(layer.weight, 0.0), np.minimum(layer.weight, 0.0)
    low = positive @ ranges[:, 0] + negative @ ranges[:, 1] + layer.bias
    high = positive @ ranges[:, 1] + negative @ ranges[:, 0] + layer.bias
    return np.column_stack([low, high])


def _add_active(extension: Extension, layer: Affine, inputs: Ints, outputs: Ints, units: Ints) -> None:
    """h = a'v + b."""
    bias = -layer.bias[units]
    extension.add_rows([(layer.weight[units], inputs), (-np.eye(len(units)), outputs[units])], bias, bias)


def _add_undecided(
    extension: Extension, layer: Affine, inputs: Ints, outputs: Ints, units: Ints, low: Floats, high: Floats
) -> None:
    weight, bias, chosen = layer.weight[units], layer.bias[units], outputs[units]
    eye, none, any_value = np.eye(len(units)), np.full(len(units), -np.inf), np.full(len(units), np.inf)
    on = extension.add_columns(np.zeros(len(units)), np.ones(len(units)), integer=True)
    # h - a'v >= b;   h - a'v - low z <= b - low;   h - high z <= 0
    extension.add_rows([(eye, chosen), (-weight, inputs)], bias, any_value)
    extension.add_rows([(eye, chosen), (-weight, inputs), (np.diag(-low[units]), on)], none, bias - low[units])
    extension.add_rows([(eye, chosen), (np.diag(-high[units]), on)], none, np.zeros(len(units)))
