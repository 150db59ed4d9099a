"""
Rows that the linear relaxation cannot keep together, by letting every row be broken at a price.

What has to be broken is forbidden to break, until nothing is left to give: the rows forbidden by then conflict,
and they are few (elastic filter, Chinneck and Dravnieks 1991). Bounds stay as they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools, Floats
from neurprise.clock import Deadline
from neurprise.solvers import Engine, EngineStatus, Limits, Model
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE


def conflicting_rows(model: Model, engine: Engine, deadline: Deadline) -> Bools | None:
    """Rows, shape (rows,), that conflict in the linear relaxation; None where it does not contradict itself in time."""
    elastic, num_rows = _elastic(model), len(model.row_lower)
    enforced = np.zeros(num_rows, dtype=bool)
    while True:
        result = engine.solve(_with_enforced(elastic, enforced), Limits().until(deadline))
        if result.status is EngineStatus.INFEASIBLE:
            return enforced
        if result.status is not EngineStatus.OPTIMAL or result.values is None:
            return None
        stretched = _stretched(result.values, num_rows) & ~enforced
        if not stretched.any():
            return None
        enforced |= stretched


def _elastic(model: Model) -> Model:
    """The linear relaxation with two more columns a row, in which it may be broken upwards and downwards."""
    rows = len(model.row_lower)
    eye, none = sparse.eye_array(rows), np.zeros(2 * rows)
    return replace(
        model,
        costs=np.concatenate([np.zeros(len(model.costs)), none + 1.0]),
        matrix=sparse.csr_array(sparse.hstack([model.matrix, eye, -eye])),
        lower=np.concatenate([model.lower, none]),
        upper=np.concatenate([model.upper, none + np.inf]),
        integer=np.zeros(len(model.integer) + 2 * rows, dtype=bool),
    )


def _with_enforced(elastic: Model, enforced: Bools) -> Model:
    """The elastic program in which these rows, shape (rows,), may not be broken."""
    give = np.tile(np.where(enforced, 0.0, np.inf), 2)
    return replace(elastic, upper=np.concatenate([elastic.upper[: -len(give)], give]))


def _stretched(values: Floats, num_rows: int) -> Bools:
    up, down = values[-2 * num_rows : -num_rows], values[-num_rows:]
    return np.asarray(up + down > FEASIBILITY_TOLERANCE)
