"""Exact solving: the extensive form, its reduced versions V(R), and column-and-constraint generation."""

from neurprise.evaluate import Evaluator
from neurprise.exact.enumeration import EnumeratedMaster
from neurprise.exact.master import Master, ReducedSolver
from neurprise.solvers import Engine


def reduced_solver(evaluator: Evaluator, engine: Engine) -> ReducedSolver:
    """The fastest exact way to V(R): listing every decision where the family can, else the engine."""
    if evaluator.problem.lists_first_stage:
        return EnumeratedMaster(evaluator.problem)
    return Master(evaluator, engine)
