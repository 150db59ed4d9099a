"""
The main problem of Neur2RO: the network says which of the scenarios R is worst for x, and that scenario's true recourse
says what x costs.

    min over x of  c'x + Q(x, s)   with s in R such that  value_s(x) >= value_t(x) for all t in R

It falls apart by s into branches, each a mixed-integer program with the recourse rows of one scenario and the network
as rows; nothing has to be switched off by a large constant. A branch's optimum only rises as R grows, so branches are
solved lazily: the cheapest is taken, and solved again only if its decision breaks a row of a later scenario. The
optimum is no bound on the robust optimum, because the network may name the wrong scenario.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline
from neurprise.search.cuts import CutPool
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.solvers import Engine, EngineResult, EngineStatus, Limits, Model
from neurprise.solvers.tolerances import WHOLE_GAP
from neurprise.surrogates.embedding import Extension, add_affine, add_relu, affine_range
from neurprise.surrogates.network import Affine, FoldedNetwork

#: A scenario counts as worst when its value is below the largest by no more than this (in units of the scale).
TIE = 1e-6


@dataclass(frozen=True)
class Branch:
    """
    Decisions for which one scenario of R is the worst by the network.

    Parameters
    ----------
    value
        c'x + Q(x, s) of the cheapest of them when the branch was last solved; inf when there is none.
    x
        The cheapest; None when there is none, or when it has to be found anew.
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
        The surrogate, folded for the instance.
    """

    def __init__(self, form: ExtensiveForm, engine: Engine, network: FoldedNetwork) -> None:
        self._form, self._engine, self._network = form, engine, network
        self._cuts = CutPool(form, engine)
        self._branches: dict[int, Branch] = {}
        self._survived: list[int] = []
        self.num_solves = 0

    @property
    def scenarios(self) -> tuple[int, ...]:
        """R, in the order in which scenarios were added."""
        return tuple(self._branches)

    def add(self, scenario: int, alone: Branch) -> None:
        """Add a scenario to R; `alone`: V({s}) and a decision that attains it."""
        self._branches[scenario] = alone

    def must_survive(self, scenario: int, alone: Branch) -> bool:
        """Add a scenario to R and its recourse rows to every branch; False when they are there already."""
        if scenario in self._survived:
            return False
        self._survived.append(scenario)
        self._branches.setdefault(scenario, alone)
        # What was solved without these rows is still a bound, but its decision has to be found anew.
        self._branches = {s: replace(branch, x=None) for s, branch in self._branches.items()}
        return True

    def solve(self, limits: Limits, deadline: Deadline) -> tuple[EngineStatus, Floats | None]:
        """The decision, None without one, and why the search stopped."""
        while True:
            cheapest = min(self._branches, key=lambda s: self._branches[s].value)
            branch = self._branches[cheapest]
            if branch.value == math.inf:
                return EngineStatus.INFEASIBLE, None
            # A branch solved for this R is not doubted: engines keep its rows to their own tolerance.
            if branch.x is not None and (branch.size == len(self._branches) or self._is_worst(cheapest, branch.x)):
                return EngineStatus.OPTIMAL, branch.x
            result = self._solve_branch(cheapest, limits, deadline)
            x = None if result.values is None else self._form.first_stage_of(result.values)
            if result.status not in (EngineStatus.OPTIMAL, EngineStatus.INFEASIBLE):
                return result.status, x
            self._branches[cheapest] = Branch(result.objective, x, len(self._branches))

    def branch_model(self, worst: int, deadline: Deadline) -> Model | None:
        """The branch of one scenario; its first columns are those of `ExtensiveForm.model`. None: it holds no x."""
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

    def _recourse_model(self, worst: int, deadline: Deadline) -> Model:
        """V({worst}), with recourse in the scenarios that every decision must survive."""
        blocks = [worst, *(s for s in self._survived if s != worst)]
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
