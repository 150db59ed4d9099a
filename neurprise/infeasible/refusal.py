"""The error that says why no decision serves some scenarios."""

from __future__ import annotations

from collections.abc import Sequence

from neurprise.clock import Deadline
from neurprise.errors import InfeasibleProblemError, counted
from neurprise.infeasible.search import EXPLANATION_SECONDS, conflict_in_scenarios
from neurprise.problem import TwoStageProblem
from neurprise.solvers import Engine


def no_decision(
    problem: TwoStageProblem, scenarios: Sequence[int], engine: Engine, deadline: Deadline
) -> InfeasibleProblemError:
    """What to raise where an engine finds no decision for these scenarios, with the rules that conflict."""
    conflict = conflict_in_scenarios(problem, scenarios, engine, deadline.part(1.0, most=EXPLANATION_SECONDS))
    guilty = tuple(scenarios) if conflict is None else conflict.scenarios
    reason = "" if conflict is None else f": {conflict}"
    return InfeasibleProblemError(
        f"no first-stage decision is feasible for {_listed(problem, guilty)}{reason}; {_remedy(problem, guilty)}.",
        guilty,
        conflict,
    )


def _remedy(problem: TwoStageProblem, guilty: Sequence[int]) -> str:
    """Scenarios can be dropped where they are guilty and others remain."""
    return "relax a constraint or drop scenarios" if guilty and problem.num_scenarios > 1 else "relax a constraint"


def _listed(problem: TwoStageProblem, scenarios: Sequence[int]) -> str:
    """Up to five scenarios by name, e.g. "scenarios 'mon', 'tue' together"; numbers where they have no names."""
    if not scenarios:
        return "the first stage alone"
    shown = ", ".join(repr(problem.scenario_names[s]) if problem.scenario_names else str(s) for s in scenarios[:5])
    if len(scenarios) == 1:
        return f"scenario {shown} alone"
    return (
        f"scenarios {shown} together"
        if len(scenarios) <= 5
        else f"{counted(len(scenarios), 'scenario')} ({shown}, ...)"
    )
