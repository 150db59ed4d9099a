"""
The relaxed problem: every variable continuous, all scenarios, solved by the same adversarial search as the true one.

Its value bounds V(all) from below. The dual weight of a scenario says how much of that bound rests on it, and the duals
of its rows are an objective cut for the true problem.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from neurprise.arrays import Floats, Ints, frozen
from neurprise.clock import Deadline
from neurprise.errors import UnboundedProblemError
from neurprise.problem import TwoStageProblem
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.cuts import ObjectiveCut, cut_from_duals
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.search.session import SearchSession, Status
from neurprise.solvers import Engine, Limits

#: The relaxation is a guide; closer than this it is no better a guide.
RELAXATION_GAP = 1e-4
#: Scenarios of smaller dual weight carry nothing.
SMALLEST_WEIGHT = 1e-7


@dataclass(frozen=True)
class Relaxation:
    """
    What the relaxed problem says about the true one.

    Parameters
    ----------
    bound, scenarios
        Proved: V(scenarios) >= bound, so that V(all) is; -inf where time was over before anything was.
    x
        Its best decision, shape (n,), not necessarily whole; None where time was over.
    weights
        Dual weight of every scenario, shape (S,), summing to one; zero for those that do not bind.
    totals
        Relaxed total cost of x under every scenario, shape (S,); nan where not evaluated.
    cuts
        One for every scenario of positive weight.
    met
        Every decision met on the way, in that order, each of shape (n,).
    num_solves
        Linear models over x given to the engine.
    interrupted
        Ctrl-C ended it.
    """

    bound: float
    scenarios: tuple[int, ...]
    x: Floats | None
    weights: Floats
    totals: Floats
    cuts: tuple[ObjectiveCut, ...]
    met: tuple[Floats, ...]
    num_solves: int = 0
    interrupted: bool = False

    @property
    def heaviest(self) -> list[int]:
        """The scenario of largest weight, to begin a search with; empty where none has any."""
        return [int(np.argmax(self.weights))] if self.weights.any() else []


def relaxed(problem: TwoStageProblem, *, first_stage: bool = True) -> TwoStageProblem:
    """The same problem with every variable continuous, or only those of the recourse; of no family."""
    first, recourse = problem.first_stage, problem.recourse
    loose = replace(first, integer=frozen(np.zeros(len(first.costs), dtype=bool)))
    return TwoStageProblem(
        loose if first_stage else first,
        replace(recourse, integer=frozen(np.zeros(len(recourse.costs), dtype=bool))),
        problem.changes,
        problem.num_scenarios,
        problem.offset,
    )


def solve_relaxation(
    problem: TwoStageProblem, engine: Engine, deadline: Deadline, dominators: Ints | None = None
) -> Relaxation:
    """
    Solve the relaxed problem until the deadline; raises InfeasibleProblemError where even that has no decision.

    Parameters
    ----------
    dominators
        For every scenario one that costs at least as much, shape (S,), where that is known.
    """
    loose = relaxed(problem)
    session = SearchSession(loose, engine, deadline, known_dominators=dominators)
    try:
        found = ColumnAndConstraintGeneration(session, gap=RELAXATION_GAP, waits=False).run()
    except UnboundedProblemError:
        if not (problem.first_stage.integer.any() or problem.recourse.integer.any()):
            raise
        return _knows_nothing(problem.num_scenarios)
    place, _ = session.pool.best()
    totals = session.pool.totals[place] if place >= 0 else np.full(problem.num_scenarios, np.nan)
    weights, cuts = _duals(loose, found.scenarios, engine, deadline)
    return Relaxation(
        found.lower_bound,
        found.scenarios,
        found.x,
        weights,
        np.array(totals),
        cuts,
        met=tuple(session.pool.member(place) for place in range(len(session.pool))),
        num_solves=found.num_solves + 1,  # the duals
        interrupted=found.status is Status.INTERRUPTED,
    )


def _knows_nothing(num_scenarios: int) -> Relaxation:
    """Unbounded: whether the true problem is unbounded or infeasible, only its integers tell."""
    return Relaxation(-np.inf, (), None, np.zeros(num_scenarios), np.full(num_scenarios, np.nan), (), ())


def _duals(
    problem: TwoStageProblem, scenarios: tuple[int, ...], engine: Engine, deadline: Deadline
) -> tuple[Floats, tuple[ObjectiveCut, ...]]:
    """Weights of all scenarios, shape (S,), and the cuts of the binding ones, from the last master's duals."""
    weights = np.zeros(problem.num_scenarios)
    form = ExtensiveForm(problem)
    result = engine.solve(form.model(scenarios), Limits().until(deadline))
    if result.row_duals is None:
        return weights, ()
    # Per scenario: the row of eta, then the recourse rows.
    blocks = result.row_duals[len(problem.first_stage.row_lower) :].reshape(len(scenarios), -1)
    cuts = []
    for scenario, block in zip(scenarios, blocks, strict=True):
        if block[0] > SMALLEST_WEIGHT:
            weights[scenario] = block[0]
            cut = cut_from_duals(problem, scenario, form.scale.unit * block[1:] / block[0])
            cuts += [] if cut is None else [cut]
    return weights, tuple(cuts)
