"""
Q(x, s) for all scenarios s. `evaluator.py` asks the family's oracle, or chooses one of these ways:

| file | way |
|---|---|
| `engine.py` | the plain way: one open engine model, scenario by scenario; the other ways fall back to it |
| `blocks.py` | integer recourse in small blocks: their points are listed once and priced for all scenarios together |
| `linear.py` | linear recourse: linear programs for the scenarios that the bounds of `bounds.py` leave open |
| `screening.py` | other integer recourse: linear relaxations and dives first, mixed-integer models for the rest |
| `parallel.py` | any of them in several processes, for long evaluations |

`model.py` holds the data that all of them share, `plan.py` costs and recourse by name. Every way returns the same
costs; the tests compare each with the plain way.
"""

from neurprise.recourse.engine import CostBounds, PartialEvaluationError, RecourseSolver
from neurprise.recourse.evaluator import Evaluator, recourse_solver

__all__ = ["CostBounds", "Evaluator", "PartialEvaluationError", "RecourseSolver", "recourse_solver"]
