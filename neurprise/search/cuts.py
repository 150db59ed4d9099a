"""Rows that every reduced problem may have: bounds of recourse costs, and a family's own cuts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.infeasible.search import elastic
from neurprise.problem import TwoStageProblem
from neurprise.problem.contract import CutSeparator
from neurprise.problem.stages import RecourseRows
from neurprise.recourse.engine import cost_scale
from neurprise.recourse.model import recourse_model
from neurprise.solvers import Engine, EngineModel, EngineResult, EngineSession, EngineStatus, Limits
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

if TYPE_CHECKING:
    from neurprise.search.extensive_form import ExtensiveForm

#: Dual values smaller than this, relative to the largest, are rounding errors.
DUAL_NOISE = 1e-9


@dataclass(frozen=True)
class ObjectiveCut:
    """
    Q(x, scenario) >= constant + slope @ x for every x; slope has shape (n,).

    Parameters
    ----------
    of_cost
        False: it is a rule instead, 0 >= constant + slope @ x for every x that has a recourse under this scenario.
    """

    scenario: int
    constant: float
    slope: Floats
    of_cost: bool = True

    def value(self, x: Floats) -> float:
        """The bound on Q(x, scenario) at this x; of a rule, by how much x breaks it."""
        return self.constant + float(self.slope @ x)

    def excess(self, x: Floats, cost: float) -> float:
        """How far the bound at this x is above this cost; inf where x breaks a rule."""
        if self.of_cost:
            return self.value(x) - cost
        return math.inf if self.value(x) > 0 else -math.inf


def cut_from_duals(
    problem: TwoStageProblem, scenario: int, duals: Floats, *, of_cost: bool = True
) -> ObjectiveCut | None:
    """
    The cut that these duals of the scenario's recourse rows prove, shape (r,); None where they prove nothing.

    For any duals, b'y = duals'(W y) + (b - W'duals)'y, and W y lies within its limits less T x, y within its bounds. So
    the cut holds however an engine came by the duals; optimal ones make it tight. A rule is the same with b = 0, by
    the duals of an elastic program, which measures by how much rows must be broken.
    """
    block, recourse = problem.scenario(scenario), problem.recourse
    unit = cost_scale(problem).unit if of_cost else 1.0
    small = DUAL_NOISE * max(unit, float(np.abs(duals).max(initial=0.0)))
    at_limit = np.where(duals > 0, block.row_lower, block.row_upper)
    duals = np.where((np.abs(duals) > small) & np.isfinite(at_limit), duals, 0.0)
    matrix = sparse.csr_array((block.matrix, recourse.matrix.indices, recourse.matrix.indptr), recourse.matrix.shape)
    technology = sparse.csr_array(
        (block.technology, recourse.technology.indices, recourse.technology.indptr), recourse.technology.shape
    )
    costs, x_costs = (block.costs, block.x_costs) if of_cost else (0.0 * block.costs, 0.0 * block.x_costs)
    reduced = costs - matrix.T @ duals
    reduced[np.abs(reduced) <= DUAL_NOISE * (unit + np.abs(costs))] = 0.0
    at_bound = np.where(reduced > 0, block.lower, block.upper)
    terms = [duals[duals != 0] * at_limit[duals != 0], reduced[reduced != 0] * at_bound[reduced != 0]]
    constant = float(sum(part.sum() for part in terms))
    if not math.isfinite(constant):
        return None
    if not of_cost:  # a recourse that misses rows and bounds by the tolerance counts as one
        constant -= FEASIBILITY_TOLERANCE * float(np.abs(duals).sum() + np.abs(reduced).sum())
    return ObjectiveCut(scenario, constant, np.asarray(x_costs - technology.T @ duals), of_cost)


class RelaxedRecourse:
    """
    The linear relaxation of one scenario's recourse after another, and the cuts that its duals prove.

    Parameters
    ----------
    problem
        Whose scenarios.
    engine
        Solves the linear programs; one that gives no duals leaves no cuts.
    """

    def __init__(self, problem: TwoStageProblem, engine: Engine) -> None:
        self._problem = problem
        self._engine = engine
        self._scale = cost_scale(problem)
        self._continuous = np.zeros(problem.num_recourse, dtype=bool)
        self._session: EngineSession | None = None

    def cuts(self, x: Floats, scenarios: Iterable[int], deadline: Deadline) -> Iterator[ObjectiveCut]:
        """The cut of each scenario that is tightest at x, or the rule that x breaks; may raise OutOfTimeError."""
        for s in scenarios:
            if deadline.passed:
                raise OutOfTimeError
            model = replace(recourse_model(self._problem, x, self._problem.scenario(s)), integer=self._continuous)
            result = self._solved(self._scale.applied(model), deadline)
            of_cost = result.status is not EngineStatus.INFEASIBLE
            if not of_cost:
                result = self._engine.solve(elastic(model), Limits().until(deadline))
            if result.row_duals is None:
                continue
            duals = self._scale.unit * result.row_duals if of_cost else result.row_duals
            cut = cut_from_duals(self._problem, s, duals, of_cost=of_cost)
            if cut is not None:
                yield cut

    def _solved(self, model: EngineModel, deadline: Deadline) -> EngineResult:
        if self._session is None:
            self._session = self._engine.session(model)
        else:
            self._session.update(model)
        return self._session.solve(Limits().until(deadline))


def with_objective_cuts(model: EngineModel, cuts: Sequence[ObjectiveCut], unit: float = 1.0) -> EngineModel:
    """
    The model, whose columns begin with x and eta, with one row more per cut.

    eta - slope'x >= constant, or -slope'x >= constant of a rule.

    Parameters
    ----------
    unit
        In which the model has eta.
    """
    of_cost = np.array([cut.of_cost for cut in cuts])
    units = np.where(of_cost, unit, 1.0)
    slopes = np.array([cut.slope for cut in cuts]) / units[:, None]
    rows = sparse.csr_array(np.hstack([-slopes, of_cost[:, None]]))
    rows = sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(len(slopes), model.matrix.shape[1]))
    constants = np.array([cut.constant for cut in cuts]) / units
    # A master keeps rows to a tolerance; a cut must not ask for more than was proved.
    lower = constants - DUAL_NOISE * (1.0 + np.abs(constants))
    return replace(
        model,
        matrix=sparse.csr_array(sparse.vstack([model.matrix, rows])),
        row_lower=np.concatenate([model.row_lower, lower]),
        row_upper=np.concatenate([model.row_upper, np.full(len(lower), np.inf)]),
    )


#: Rounds of relaxation and separation before an engine gets the model.
MAX_ROUNDS = 3


class SeparatedCuts:
    """
    Tightens the models of V(R) for one problem by the cuts that a separator finds.

    Parameters
    ----------
    form
        Builds the models.
    engine
        Solves the linear relaxations.
    separator
        Finds the cuts; None for no cuts.
    """

    def __init__(self, form: ExtensiveForm, engine: Engine, separator: CutSeparator | None) -> None:
        self._form = form
        self._engine = engine
        self._separator = separator
        self._rows: dict[int, list[RecourseRows]] = {}

    def tightened(self, scenarios: Sequence[int], deadline: Deadline) -> EngineModel:
        """The model of V(R) for R = scenarios, with every cut known for it."""
        plain = self._form.model(scenarios)
        model = self._with_cuts(plain, scenarios)
        # One scenario alone is quicker solved than tightened.
        worthwhile = self._separator is not None and len(scenarios) > 1
        for _ in range(MAX_ROUNDS if worthwhile else 0):
            if not self._separate(model, scenarios, deadline):
                break
            model = self._with_cuts(plain, scenarios)
        return model

    def _separate(self, model: EngineModel, scenarios: Sequence[int], deadline: Deadline) -> bool:
        """Add the cuts that the relaxation's optimum breaks; False when there are none."""
        result = self._engine.solve(model.relaxed(), Limits(time_limit=deadline.remaining))
        if self._separator is None or result.status is not EngineStatus.OPTIMAL or result.values is None:
            return False
        found = False
        x, decisions = self._form.split(result.values)
        for scenario, y in zip(scenarios, decisions, strict=True):
            rows = self._separator.violated_rows(x, y, scenario)
            if rows is not None:
                self._rows.setdefault(scenario, []).append(rows)
                found = True
        return found

    def _with_cuts(self, model: EngineModel, scenarios: Sequence[int]) -> EngineModel:
        blocks = [(k, rows) for k, s in enumerate(scenarios) for rows in self._rows.get(s, [])]
        if not blocks:
            return model
        lower = np.concatenate([rows.lower for _, rows in blocks])
        cuts = sparse.vstack([self._form.spread(rows, k, model.matrix.shape[1]) for k, rows in blocks])
        return replace(
            model,
            matrix=sparse.csr_array(sparse.vstack([model.matrix, cuts])),
            row_lower=np.concatenate([model.row_lower, lower]),
            row_upper=np.concatenate([model.row_upper, np.full(len(lower), np.inf)]),
        )
