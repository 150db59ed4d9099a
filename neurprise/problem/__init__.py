"""What a problem is: its two stages, its scenarios, its names, and what a family may know about it."""

from neurprise.problem.two_stage import TwoStageProblem, checked_problem

__all__ = ["TwoStageProblem", "checked_problem"]
