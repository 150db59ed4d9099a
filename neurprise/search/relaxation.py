"""
The relaxed problem: every variable continuous, all scenarios, solved by the same adversarial search as the true one.

Its value bounds V(all) from below. The dual weight of a scenario says how much of that bound rests on it, and the duals
of its rows are an objective cut for the true problem. `relaxed_costs` adds what each scenario costs in the relaxation,
alone and under a few decisions, in units of the objective, so that the numbers mean the same for every problem.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from neurprise.arrays import Floats, Ints, frozen
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import UnboundedProblemError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.cuts import ObjectiveCut, cut_from_duals
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.search.session import SearchSession, Status
from neurprise.solvers import Engine, EngineStatus, Limits

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


#: Decisions that are priced: the relaxation's best, those it met, the last first, and then those of the hardest
#: single scenarios.
NUM_DECISIONS = 6
#: At least this many of them belong to single scenarios.
OF_SINGLE_SCENARIOS = 2
#: V({s}) is computed for at most this many scenarios, those with the highest upper bounds.
MOST_SINGLES = 200


@dataclass(frozen=True)
class RelaxedCosts:
    """
    Parameters
    ----------
    relaxation
        The relaxed problem's answer.
    totals
        Relaxed total costs of NUM_DECISIONS decisions under every scenario, shape (NUM_DECISIONS, S); inf without
        recourse; nan in all where none was priced.
    singles
        Relaxed V({s}), shape (S,); an upper bound of it where time was over.
    late
        Time was over before everything was computed.
    num_singles
        Single scenarios that the engine was asked about.
    """

    relaxation: Relaxation
    totals: Floats
    singles: Floats
    late: bool
    num_singles: int = 0

    @property
    def is_known(self) -> bool:
        """Whether any decision was priced: not if time was over before, nor where the relaxation is unbounded."""
        return not bool(np.isnan(self.totals).all())


def relaxed_costs(
    problem: TwoStageProblem, engine: Engine, deadline: Deadline, known: Relaxation | None = None
) -> RelaxedCosts:
    """
    As far as the deadline allows; raises InfeasibleProblemError where even the relaxation has no decision.

    An interrupt ends it; the relaxation that comes back then says so.

    Parameters
    ----------
    known
        The relaxed problem's answer, where it was solved before.
    """
    found = solve_relaxation(problem, engine, deadline) if known is None else known
    if found.interrupted:
        return _unknown(found, deadline)
    try:
        return _costs_of(found, problem, engine, deadline)
    except KeyboardInterrupt:
        return _unknown(replace(found, interrupted=True), deadline)


def _unknown(found: Relaxation, deadline: Deadline) -> RelaxedCosts:
    """The relaxation alone, without any decision's costs."""
    unknown = np.full(len(found.weights), np.nan)
    return RelaxedCosts(found, np.tile(unknown, (NUM_DECISIONS, 1)), unknown, late=deadline.passed)


def _costs_of(found: Relaxation, problem: TwoStageProblem, engine: Engine, deadline: Deadline) -> RelaxedCosts:
    loose = relaxed(problem)
    totals = _evaluated(loose, _best_and_last(found), engine, deadline)
    if not totals:
        return _unknown(found, deadline)
    singles, decisions, num_asked = _single_values(loose, np.min(totals, axis=0), engine, deadline)
    hardest = _hardest(singles, decisions)[: NUM_DECISIONS - len(totals)]
    totals += _evaluated(loose, [decisions[s] for s in hardest.tolist()], engine, deadline)
    totals += totals[:1] * (NUM_DECISIONS - len(totals))
    return RelaxedCosts(found, np.array(totals), singles, deadline.passed, num_asked)


def _best_and_last(found: Relaxation) -> list[Floats]:
    """The relaxation's best decision, then those that it met, the last first."""
    if found.x is None:
        return []
    others = [x for x in reversed(found.met) if not np.array_equal(x, found.x)]
    return [found.x, *others][: NUM_DECISIONS - OF_SINGLE_SCENARIOS]


def _single_values(
    loose: TwoStageProblem, upper: Floats, engine: Engine, deadline: Deadline
) -> tuple[Floats, dict[int, Floats], int]:
    """
    V({s}) of the relaxed problem, the decisions that attain it, by scenario, and how many the engine was asked about.

    Parameters
    ----------
    upper
        Upper bounds of V({s}), shape (S,): they stay where there is no time for more.
    """
    values, decisions, num_asked = upper.copy(), {}, 0
    form, session = ExtensiveForm(loose), None
    for s in np.argsort(-upper, kind="stable")[:MOST_SINGLES].tolist():
        if deadline.passed:
            break
        model = form.model([s])
        if session is None:
            session = engine.session(model)
        else:
            session.update(model)
        result = session.solve(Limits().until(deadline))
        num_asked += 1
        if result.status is EngineStatus.OPTIMAL and result.values is not None:
            values[s] = min(form.scale.read(result).objective, upper[s])
            decisions[s] = form.first_stage_of(result.values)
    return values, decisions, num_asked


def _hardest(singles: Floats, decisions: dict[int, Floats]) -> Ints:
    """The scenarios with a known decision by falling V({s})."""
    known = np.array(sorted(decisions), dtype=np.int64)
    return known[np.argsort(-singles[known], kind="stable")]


def _evaluated(loose: TwoStageProblem, decisions: list[Floats], engine: Engine, deadline: Deadline) -> list[Floats]:
    """Relaxed total costs of the decisions that there is time for, shape (S,) of each."""
    evaluator, totals = Evaluator(loose, engine), []
    for x in decisions:
        try:
            costs = evaluator.evaluate(x, deadline).recourse_costs
        except OutOfTimeError:
            break
        totals.append(np.nan_to_num(evaluator.first_cost(x) + costs, posinf=math.inf, neginf=-math.inf))
    return totals
