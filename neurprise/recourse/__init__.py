"""
Q(x, s) of problems that no family knows: one file per way to compute it, and the rules that choose one.

| file | way |
|---|---|
| `engine.py` | one warm engine model, scenario by scenario: the plain way, and what every other falls back to |
| `blocks.py` | integer recourse that falls apart into small blocks: their points listed once, priced all at once |
| `linear.py` | linear recourse: a lean loop of linear programs, for the scenarios that bounds leave open |
| `screening.py` | integer recourse in one block: linear relaxations and dives, mixed-integer models for what is left |
| `parallel.py` | any of them in several processes of this machine, for long evaluations |
| `choose.py` | which of them a problem gets |

Beside them: `dual_pool.py` (bounds from below), `inner.py` (bounds from above), `dominance.py` (scenarios that are
never the worst). Every way returns the same costs; the tests compare each with the plain one.
"""

from neurprise.recourse.base import CostBounds, PartialEvaluationError, RecourseSolver
from neurprise.recourse.choose import recourse_solver

__all__ = ["CostBounds", "PartialEvaluationError", "RecourseSolver", "recourse_solver"]
