"""
Regret as the field says it: what a decision costs beyond the best cost under the same realisation.

Not to be confused with `regret_bound`, the proved distance between worst case and bound.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from neurprise.arrays import Floats, frozen
from neurprise.clock import Deadline
from neurprise.problem.sign import users_sign
from neurprise.progress import progress_line
from neurprise.recourse.plan import Plan
from neurprise.search.session import SearchSession
from neurprise.search.single_values import every_value

#: What was asked of each plan that still exists.
_known: WeakKeyDictionary[Plan, Floats] = WeakKeyDictionary()


def hindsight_costs(plan: Plan, deadline: Deadline | None = None) -> Floats:
    """
    The best cost had the scenario been known, V({s}), shape (S,), in the user's sign.

    Asked only where the plan has a recourse, because only there it is known to exist; nan elsewhere, and where there
    was no time. A solve for every scenario, so the screen, the tables and the page share one answer.
    """
    if plan not in _known:
        _known[plan] = frozen(_solved_in_hindsight(plan, deadline or Deadline()))
    return _known[plan]


def _solved_in_hindsight(plan: Plan, deadline: Deadline) -> Floats:
    problem = plan.problem
    finite = np.flatnonzero(np.isfinite(plan.recourse_costs))
    best = np.full(problem.num_scenarios, np.nan)
    if len(finite):
        with progress_line() as line:
            session = SearchSession(problem.restrict(finite.tolist()), plan.solver, deadline, line)
            best[finite] = every_value(session)
    return users_sign(best, problem.maximize)


def regrets(total: Floats, best: Floats, maximize: bool) -> Floats:
    """
    How much better every scenario could have ended, shape (S,).

    inf where the decision has no recourse, nan where one of both costs is not known.
    """
    cost, least = users_sign(total, maximize), users_sign(best, maximize)
    unbounded = cost == -np.inf  # nothing is better than that
    return np.where(unbounded, 0.0, np.where(cost == np.inf, cost, np.maximum(cost - least, 0.0)))
