"""What surrogates are told about a problem by its family."""

from __future__ import annotations

from neurprise.errors import NotApplicableError
from neurprise.problem import TwoStageProblem
from neurprise.problem.contract import SurrogateKnowledge


def knowledge_of(problem: TwoStageProblem) -> SurrogateKnowledge:
    """What the problem's family tells surrogates; refuses families that tell nothing."""
    if problem.surrogate is None:
        raise NotApplicableError(
            f"Neur2RO needs a family that describes itself to it (problem.surrogate), and {problem.family!r} does not; "
            "use solve(problem), or a reducer such as 'prise'."
        )
    return problem.surrogate
