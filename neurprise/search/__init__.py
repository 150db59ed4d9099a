"""Exact solving: the extensive form, its reduced versions V(R), and column-and-constraint generation."""

from neurprise.recourse.evaluator import Evaluator
from neurprise.search.master import EnumeratedMaster, Master, ReducedSolver
from neurprise.solvers import Engine


def reduced_solver(evaluator: Evaluator, engine: Engine) -> ReducedSolver:
    """The fastest exact way to V(R): listing every decision where the family can, else the engine."""
    decisions = evaluator.problem.first_stage_list
    return Master(evaluator, engine) if decisions is None else EnumeratedMaster(decisions)
