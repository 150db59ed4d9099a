"""Small random problems in which scenarios change anything: what every way to compute Q(x, s) must survive."""

import numpy as np
from scipy import sparse

from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import KINDS, Changes, FirstStage, Recourse


def random_problem(seed, *, integer, kinds=KINDS, blocks=1, bounded=True, num_scenarios=6):
    """
    Recourse of up to three rows and five columns a block; often infeasible or degenerate, without `bounded` unbounded.

    integer: "none", "all" or "some" columns; kinds: what scenarios may change, each with probability one half.
    """
    rng = np.random.default_rng(seed)
    n, shapes = int(rng.integers(1, 4)), [(int(rng.integers(1, 4)), int(rng.integers(1, 5))) for _ in range(blocks)]
    W = sparse.csr_array(sparse.block_diag([rng.integers(-2, 4, shape) for shape in shapes], dtype=float))
    r, m = W.shape
    T = sparse.csr_array(rng.integers(-2, 3, (r, n)) * (rng.random((r, n)) < 0.6), dtype=float)
    lower, upper = _limits(rng, r)
    recourse = Recourse(
        costs=rng.integers(-4 if bounded else -1, 8, m).astype(float),
        x_costs=rng.integers(-2, 3, n).astype(float),
        technology=T,
        matrix=W,
        row_lower=lower,
        row_upper=upper,
        lower=rng.integers(-1, 1, m).astype(float),
        upper=rng.integers(1, 4, m).astype(float) if bounded else np.full(m, np.inf),
        integer={"none": np.zeros(m, bool), "all": np.ones(m, bool), "some": rng.random(m) < 0.6}[integer],
    )
    first = FirstStage(
        rng.integers(-3, 6, n).astype(float), sparse.csr_array((0, n)), np.zeros(0), np.zeros(0),
        np.zeros(n), np.full(n, 3.0), rng.random(n) < 0.7,
    )  # fmt: skip
    changes = {kind: _changes(rng, recourse, kind, num_scenarios) for kind in kinds if rng.random() < 0.5}
    changes = {kind: change for kind, change in changes.items() if len(change.positions)}
    return TwoStageProblem(first, recourse, changes, num_scenarios)


def random_decision(problem, seed):
    """Within the box of the first stage; whole where it must be."""
    x = np.random.default_rng(seed).uniform(problem.first_stage.lower, problem.first_stage.upper)
    return np.where(problem.first_stage.integer, np.round(x), x)


def _limits(rng, rows):
    """>=, <=, = and ranges."""
    middle, width = rng.integers(-3, 6, rows).astype(float), rng.integers(0, 4, rows)
    lower = np.where(rng.random(rows) < 0.3, -np.inf, middle)
    return lower, np.where(rng.random(rows) < 0.4, np.inf, middle + width)


def _changes(rng, recourse, kind, num_scenarios):
    """A few positions; limits and bounds move a little and may contradict each other."""
    base = recourse.base(kind)
    finite = np.flatnonzero(np.isfinite(base))
    positions = np.sort(rng.choice(finite, size=min(len(finite), int(rng.integers(1, 4))), replace=False))
    moves = rng.integers(-2, 3, (num_scenarios, len(positions)))
    return Changes(positions.astype(np.int64), base[positions] + moves)
