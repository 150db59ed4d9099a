"""
Which way a problem's recourse is computed.

1. Integer recourse whose blocks can be listed (`blocks.py` says which): by listing, without an engine.
2. Models with more entries than a lean loop pays for, no columns, costs that are not of ordinary size, a big M beside
   integers, or an engine without lean linear programs: plain.
3. Integer recourse: by screening with linear relaxations.
4. Linear recourse: by lean linear programs between bounds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.parallel.pools import THIS_PROCESS, Workers
from neurprise.problem import TwoStageProblem
from neurprise.recourse.base import RecourseSolver, Tell, tell_nobody
from neurprise.recourse.blocks import ListedRecourse, listed_blocks
from neurprise.recourse.cost_scale import has_ordinary_costs
from neurprise.recourse.engine import EngineRecourse
from neurprise.recourse.linear import LinearRecourse
from neurprise.recourse.model import ScenarioTable, recourse_model
from neurprise.recourse.parallel import ParallelRecourse, pays
from neurprise.recourse.screening import ScreenedRecourse
from neurprise.solvers import Engine, LinearEngine, get_engine, is_ours
from neurprise.solvers.big_m import has_big_m

#: With more matrix entries a linear program takes far longer than the overhead around it, and must be interruptible.
_LARGE = 20_000


def recourse_solver(
    problem: TwoStageProblem,
    engine: str | Engine,
    *,
    plain: bool = False,
    tell: Tell = tell_nobody,
    workers: Workers = THIS_PROCESS,
) -> RecourseSolver:
    """
    The quickest way that applies.

    Parameters
    ----------
    workers
        Those that share long evaluations, where that pays; engines of the caller's own stay in this one.
    plain
        True takes the plain way whatever applies.
    tell
        Told how many scenarios of an evaluation are done, now and then.
    """
    alone = _alone(problem, engine, plain, tell)
    if workers.at_once == 1 or plain or isinstance(alone, ListedRecourse) or not pays(problem):
        return alone
    loaded = get_engine(engine)
    return ParallelRecourse(problem, loaded, workers, alone) if is_ours(loaded) else alone


def _alone(problem: TwoStageProblem, engine: str | Engine, plain: bool, tell: Tell) -> RecourseSolver:
    simple = EngineRecourse(problem, engine, tell)
    if plain:
        return simple
    blocks = listed_blocks(problem)
    if blocks is not None:
        return ListedRecourse(problem, blocks)
    if problem.num_recourse == 0 or problem.recourse.matrix.nnz > _LARGE or not has_ordinary_costs(problem):
        return simple
    loaded = get_engine(engine)
    if not isinstance(loaded, LinearEngine):
        return simple
    if problem.recourse.integer.any() and _has_big_m(problem):
        return simple
    if problem.recourse.integer.any():
        return ScreenedRecourse(problem, loaded, simple)
    return LinearRecourse(problem, loaded, simple)


def _has_big_m(problem: TwoStageProblem) -> bool:
    """Whether a big M stands beside integer recourse: relaxations then look whole where they are not."""
    model = recourse_model(problem, np.zeros(problem.num_first_stage), problem.scenario(0))
    pattern = problem.recourse.matrix
    ends = ScenarioTable(problem).range_of("matrix")
    matrices = (sparse.csr_array((entries, pattern.indices, pattern.indptr), shape=pattern.shape) for entries in ends)
    return any(has_big_m(replace(model, matrix=matrix)) for matrix in matrices)
