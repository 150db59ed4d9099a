"""Why there is no decision, or no recourse: a small set of rows and bounds that cannot be kept together."""

from neurprise.infeasible.conflict import Conflict, Rule
from neurprise.infeasible.search import EXPLANATION_SECONDS, conflict_in_recourse, conflict_in_scenarios

__all__ = ["EXPLANATION_SECONDS", "Conflict", "Rule", "conflict_in_recourse", "conflict_in_scenarios"]
