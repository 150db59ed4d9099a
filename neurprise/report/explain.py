"""nr.why_infeasible: which rows and bounds leave a decision without recourse."""

from __future__ import annotations

from typing import Any

from neurprise import arrays
from neurprise.clock import Deadline
from neurprise.infeasible import EXPLANATION_SECONDS, Conflict, conflict_in_recourse
from neurprise.io.decision import decision_from
from neurprise.problem import TwoStageProblem, checked_problem
from neurprise.solvers import Engine, get_engine


def why_infeasible(
    problem: TwoStageProblem,
    x: Any,
    scenario: int | str,
    *,
    solver: str | Engine = "highs",
    time_limit: float = EXPLANATION_SECONDS,
) -> Conflict | None:
    """
    Explain why a first-stage decision has no recourse in a scenario; None if it has one.

    If no decision is feasible in all scenarios, see `conflict` of the InfeasibleProblemError that `solve` raises.

    Parameters
    ----------
    x
        Numbers in order, a dict or Series by name, a Report, or the JSON file of an answer.
    scenario
        By its number or its name.
    time_limit
        Wall-clock seconds. When they end, the conflict may not be irreducible, or none was found (None).
    """
    decision = decision_from(checked_problem("why_infeasible", problem), x, "x")
    deadline = Deadline(arrays.nonnegative_number("time_limit", time_limit))
    return conflict_in_recourse(problem, decision, problem.scenario_index(scenario), get_engine(solver), deadline)
