"""Choose scenarios and search on them: as many as a budget says, or as few as prove a target."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from neurprise import arrays
from neurprise.clock import Deadline
from neurprise.errors import InputError
from neurprise.reducers import Reducer, Reduction, SessionReducer
from neurprise.reducers.base import Growth
from neurprise.search.ccg import ColumnAndConstraintGeneration, SearchOutcome, informed_start, outcome
from neurprise.search.restricted import improved_on_all
from neurprise.search.session import SearchSession, Status, relative_gap
from neurprise.search.start import admit_first_decision, admit_roundings

_PERCENT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*%\s*", re.ASCII)


@dataclass(frozen=True, init=False)
class Target:
    """
    Keep as few scenarios, in the reducer's order, as prove this.

    Parameters
    ----------
    gap
        The decision costs at most this much more than the optimum, relative to it: 0.01 is one percent.
    regret
        The old name of `gap`.
    """

    gap: float

    def __init__(self, gap: float | None = None, *, regret: float | None = None) -> None:
        if (gap is None) == (regret is None):
            raise InputError("Target takes a gap, such as nr.Target(gap=0.01) for one percent; regret is its old name.")
        name, value = ("gap", gap) if regret is None else ("regret", regret)
        object.__setattr__(self, "gap", arrays.nonnegative_number(name, value))


def checked_budget(budget: Any) -> int | Target:
    """A number of scenarios, or the target that "1%" or a Target states."""
    if isinstance(budget, Target):
        return budget
    if not isinstance(budget, str):
        return arrays.whole_number("budget", budget, 1)
    found = _PERCENT.fullmatch(budget)
    if found is None:
        raise InputError(
            f"budget must be a whole number of scenarios or a gap in percent such as '1%', got {budget!r}."
        )
    return Target(float(found[1]) / 100)


_log = logging.getLogger("neurprise")

#: Share of a time limit for choosing scenarios, at most.
REDUCER_SHARE = 0.5
#: Choosing with linear programs for every scenario takes about this many times as long as the relaxation that begins
#: the exact search; the head start is at least the second number, in seconds (`python -m experiments table refine`).
CHOOSING_TO_BEGINNING, LEAST_HEAD_START = 4.0, 0.5
#: After these statuses of a search on few scenarios, the search on all continues. Tolerances that leave V(R) open are
#: no reason to give up V(all): more scenarios make another problem.
_GO_ON = (Status.REDUCED, Status.NUMERICAL_LIMIT)


def search_on_budget(
    session: SearchSession, method: Reducer, budget: int, *, gap: float, seed: int, refine: bool
) -> SearchOutcome:
    """Solve on the `budget` scenarios that the method keeps; `refine` goes on from them to the gap."""
    before = session.scenarios
    reduction = _chosen(session, method, budget, seed)
    if refine and before:  # what the exact search has added stays, and the choice fills the budget
        kept = tuple(dict.fromkeys([*before, *reduction.indices]))[: max(budget, len(before))]
        reduction = replace(reduction, indices=kept, gains=None, scores=None)
    search = _refined if refine else _searched_on
    return _finished(session, reduction, lambda kept: search(session, kept, gap))


def exact_before_choosing(session: SearchSession, method: Reducer, *, gap: float) -> SearchOutcome | None:
    """
    Run the exact search for about as long as choosing would take; None if it does not finish.

    So refining costs little: an easy problem is solved before the first scenario would be chosen. If a family has an
    oracle, or the recourse is linear, scenarios are never chosen: plain search was always faster there
    (`python -m experiments table refine`). What the search found and proved stays in the session.
    """
    if not (isinstance(method, SessionReducer) and method.asks_every_scenario(session.problem)):
        return None
    clock = Deadline()
    begun = informed_start(session)
    if session.evaluator.has_oracle or not session.problem.recourse.integer.any():
        # Finding a decision's worst scenario costs little there, and leads to fewer scenarios.
        share, head_start = 1.0, math.inf
    else:
        share, head_start = REDUCER_SHARE, max(LEAST_HEAD_START, CHOOSING_TO_BEGINNING * clock.elapsed)
    with session.deadline.share(share, most=head_start):
        found = ColumnAndConstraintGeneration(session, gap=gap).run(session.scenarios or begun)
    if found.status is Status.TIME_LIMIT and not session.deadline.passed:
        return None
    _log.info("the exact search was over before %s would have chosen scenarios", method.name)
    return found


def search_to_target(
    session: SearchSession, method: Reducer, target: Target, *, gap: float, seed: int, refine: bool
) -> SearchOutcome:
    """
    Solve on R_1, R_2, ..., the method's choices for growing budgets, until the target is proved.

    If a method ends earlier (PRISE when no scenario raises V(R), any method at the end of its share of the time), the
    exact search continues.
    """
    session.aim_at(target.gap)
    reduction, found = Reduction(()), outcome(session, (), Status.REDUCED)
    for reduction in _growing_choices(session, method, seed):
        found = _finished(session, reduction, lambda kept: _searched_within(session, kept, gap))
        if session.reached_target or found.status not in _GO_ON:
            break
    choosing_ended = found.status in _GO_ON or _was_cut_short(session, reduction, found)
    if not choosing_ended or (session.reached_target and not refine):
        return found
    # The same regret as the session's, so that the search ends where the target is reached.
    goal = gap if refine else max(gap, target.gap)
    refined = ColumnAndConstraintGeneration(session, gap=goal).run(found.scenarios)
    found = replace(refined, gains=found.gains, scores=found.scores)
    closed = relative_gap(found.worst_case, found.lower_bound, session.unit) <= gap
    return replace(found, status=Status.REDUCED) if found.status is Status.OPTIMAL and not closed else found


def _was_cut_short(session: SearchSession, reduction: Reduction, found: SearchOutcome) -> bool:
    """Whether only choosing ended, by its share of the time or its engine, so that the search may use the rest."""
    ends = (Status.TIME_LIMIT, Status.NUMERICAL_LIMIT)
    return found.status in ends and reduction.stopped_by == found.status.value and not session.deadline.passed


def _chosen(session: SearchSession, method: Reducer, budget: int, seed: int) -> Reduction:
    """The method's choice; one that solves reduced problems does so in this session, within its share of the time."""
    if not isinstance(method, SessionReducer):
        reduction = method.reduce(session.given_problem, budget, seed=seed)
        session.admit_known(reduction.decisions)
        return reduction.in_users_sign(session.problem)  # from profits back to the costs of a session
    with session.deadline.share(REDUCER_SHARE, most=method.time_limit):
        return method.choose(session, budget, seed)


def _growing_choices(session: SearchSession, method: Reducer, seed: int) -> Iterator[Reduction]:
    """The method's choices for budgets 1, 2, ... until there are no more or it was cut short; steps all at once."""
    most = session.problem.num_scenarios
    growth = getattr(method, "growth", Growth.SETS)
    if growth is Growth.STEPS:
        yield _chosen(session, method, most, seed)
        return
    known = Reduction(())
    for budget in range(1, most + 1):
        if len(known.indices) < budget or growth is Growth.SETS:
            # A ranking is asked for twice as many each time: all requests together cost little more than the last.
            known = _chosen(session, method, min(2 * budget, most) if growth is Growth.RANKING else budget, seed)
        yield replace(known, indices=known.indices[:budget])
        if known.stopped_by is not None or len(known.indices) < budget:
            return


def _first_kept(session: SearchSession, kept: tuple[int, ...]) -> tuple[int, ...]:
    """
    The kept scenarios that the exact search begins with: all of them, or the first.

    A first master of all of them may take longer than the whole search. With an oracle, which finds a decision's worst
    scenario almost for free, the search adds those that matter one by one and has decisions early. A reducer that
    solved reduced problems has left decisions in the pool, and a bound for all kept scenarios.
    """
    return kept[:1] if session.evaluator.has_oracle and len(session.pool) == 0 else kept


def _finished(
    session: SearchSession, reduction: Reduction, search: Callable[[tuple[int, ...]], SearchOutcome]
) -> SearchOutcome:
    """The outcome of this search from the kept scenarios on, with their gains and scores."""
    kept = reduction.indices
    gains, scores = (None if values is None else values[: len(kept)] for values in (reduction.gains, reduction.scores))
    found = search(kept) if session.ended is None else outcome(session, kept, session.ended)
    found = replace(found, gains=gains, scores=scores)
    if found.status is Status.REDUCED and reduction.stopped_by is not None:
        return replace(found, status=Status(reduction.stopped_by))
    return found


def _refined(session: SearchSession, kept: tuple[int, ...], gap: float) -> SearchOutcome:
    """The exact search from the kept scenarios on."""
    return ColumnAndConstraintGeneration(session, gap=gap).run(_first_kept(session, kept))


def _searched_within(session: SearchSession, kept: tuple[int, ...], gap: float) -> SearchOutcome:
    """The exact search inside the kept scenarios, from what the session knows; its decisions are evaluated on all."""
    found = ColumnAndConstraintGeneration(session, gap=gap).run(within=kept or None)
    return _with_simple_decisions(session, kept, found)


def _searched_on(session: SearchSession, kept: tuple[int, ...], gap: float) -> SearchOutcome:
    """
    The best decision found from the kept scenarios, on all scenarios never worse than the reduced problem's own.

    With an oracle, the search evaluates every decision it meets, and flips entries of the best. Otherwise the reduced
    problem is solved by itself, and then again with cuts for all other scenarios.
    """
    if session.evaluator.has_oracle or not kept:
        return _searched_within(session, kept, gap)
    return _with_simple_decisions(session, kept, improved_on_all(session, kept, gap))


def _with_simple_decisions(session: SearchSession, kept: tuple[int, ...], found: SearchOutcome) -> SearchOutcome:
    """The outcome of a search on few scenarios, or a better one by simple decisions."""
    if found.status is not Status.REDUCED:
        return found
    if session.relaxation is not None:
        # Not earlier: decisions that are cheap in the kept scenarios would end the search before the cuts count.
        admit_roundings(session, session.relaxation)
    if session.worst_case == math.inf:
        admit_first_decision(session, None)
    return outcome(session, kept, found.status)
