"""
What each scenario costs where every variable is continuous: alone, and under a few decisions. Linear programs only.

All numbers are in units of the objective, so they mean the same for every problem.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.problem import TwoStageProblem
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.search.relaxation import Relaxation, relaxed, solve_relaxation
from neurprise.solvers import Engine, EngineStatus, Limits

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
        recourse; nan in all where time was over before the first.
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
        return _unknown(found)
    try:
        return _costs_of(found, problem, engine, deadline)
    except KeyboardInterrupt:
        return _unknown(replace(found, interrupted=True))


def _unknown(found: Relaxation) -> RelaxedCosts:
    """The relaxation alone, where there was no time for more."""
    unknown = np.full(len(found.weights), np.nan)
    return RelaxedCosts(found, np.tile(unknown, (NUM_DECISIONS, 1)), unknown, late=True)


def _costs_of(found: Relaxation, problem: TwoStageProblem, engine: Engine, deadline: Deadline) -> RelaxedCosts:
    loose = relaxed(problem)
    totals = _evaluated(loose, _best_and_last(found), engine, deadline)
    if not totals:
        return _unknown(found)
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
