"""min c'x + E[Q(x, s)] as one model: published values prove that a file is read right."""

import numpy as np
from scipy import sparse

from neurprise.solvers import EngineModel, Limits, get_engine


def expected_value(problem, gap=1e-6):
    """The optimal expected cost, in the sense of a minimisation, with probabilities as they are given."""
    first, recourse = problem.first_stage, problem.recourse
    chances = problem.probabilities
    scenarios = [problem.scenario(s) for s in range(problem.num_scenarios)]
    x_costs = first.costs + sum(p * s.x_costs for p, s in zip(chances, scenarios, strict=True))
    blocks = [[first.matrix] + [None] * len(scenarios)]
    for k, scenario in enumerate(scenarios):
        row = [None] * (len(scenarios) + 1)
        row[0] = with_entries(recourse.technology, scenario.technology)
        row[k + 1] = with_entries(recourse.matrix, scenario.matrix)
        blocks.append(row)
    if first.matrix.shape[0] == 0:
        blocks = blocks[1:]
    model = EngineModel(
        costs=np.concatenate([x_costs, *(p * s.costs for p, s in zip(chances, scenarios, strict=True))]),
        matrix=sparse.csr_array(sparse.block_array(blocks)),
        row_lower=np.concatenate([first.row_lower, *(s.row_lower for s in scenarios)]),
        row_upper=np.concatenate([first.row_upper, *(s.row_upper for s in scenarios)]),
        lower=np.concatenate([first.lower, *(s.lower for s in scenarios)]),
        upper=np.concatenate([first.upper, *(s.upper for s in scenarios)]),
        integer=np.concatenate([first.integer, *([recourse.integer] * len(scenarios))]),
        offset=problem.offset,
    )
    return get_engine("highs").solve(model, Limits(gap=gap)).objective


def with_entries(pattern, entries):
    return sparse.csr_array((entries, pattern.indices, pattern.indptr), shape=pattern.shape)
